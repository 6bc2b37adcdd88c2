// The page onto which anything can be dropped, empty or with files that are in it already.
import {
  dropPage,
  redactAnswer,
  redactSnapshot,
  serializeSnapshot,
  takeStack,
  version,
  type Examination,
  type Question,
} from "@culprit/core";
import { reasonOf } from "@culprit/core/lib/reason";
import { kindOf } from "@culprit/machine/target/kinds";
import { firstBytes } from "@culprit/machine/target/pieces";
import { isHeader } from "@culprit/machine/target/tar";
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { privateNames } from "./names.ts";
import { knowledgeFile, pageFile } from "./page-files.ts";
import { UsageError } from "./usage.ts";

export interface Given {
  name: string;
  bytes: Uint8Array;
}

export async function pageWith(given: Given[]): Promise<string> {
  const script = pageFile("drop.js");
  const knowledge = JSON.parse(pageFile("drop-knowledge.json")) as string[];
  return dropPage({
    script,
    scriptHash: `sha256-${crypto.createHash("sha256").update(script).digest("base64")}`,
    styles: pageFile("drop.css"),
    parts: {
      engine: packed(pageFile("drop-engine.js")),
      knowledge: packed(JSON.stringify(Object.fromEntries(knowledge.map((name) => [name, knowledgeFile(name)])))),
    },
    given: given.map(({ name, bytes }) => ({ name, packed: packed(bytes) })),
    version,
  });
}

const packed = (bytes: string | Uint8Array): string => gzipSync(bytes, { level: 9 }).toString("base64");

/** Whether a word names a machine (or what stands for one), or a file that says something about one. */
export async function isMachine(word: string): Promise<boolean> {
  if (kindOf(word)?.kind.id !== "snapshot") return true;
  const first = await beginningOf(word);
  // Whoever opens it says why it cannot be read.
  return first === undefined || isTar(first) || new TextDecoder("latin1").decode(first).includes('"culprit/snapshot@');
}

/** Whether a file is an archive, packed or not: of all that can be named, only an image is. */
export async function isArchive(word: string): Promise<boolean> {
  if (kindOf(word)?.kind.id !== "snapshot") return false;
  const first = await beginningOf(word);
  return first !== undefined && isTar(first);
}

const isTar = (first: Uint8Array): boolean => 512 <= first.length && isHeader(first.slice(0, 512));

async function beginningOf(file: string): Promise<Uint8Array | undefined> {
  try {
    return fs.statSync(file).isFile() ? await firstBytes(file, 4096) : undefined;
  } catch {
    return undefined;
  }
}

/** More than this no page should carry. */
const mostInside = 256 << 20;

/** A file as it is; of a text that is handed on, names of people and hosts are replaced. */
export async function givenFile(word: string, full: boolean): Promise<Given> {
  const name = path.basename(word);
  let bytes: Buffer;
  try {
    if (mostInside < fs.statSync(word).size)
      throw new UsageError(
        `\`${word}\` is too large to be put into a page: \`culprit open\` without a file makes one onto which it can be dropped`,
      );
    bytes = fs.readFileSync(word);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`\`${word}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  if (full || bytes.subarray(0, 65_536).includes(0) || (bytes[0] === 0x1f && bytes[1] === 0x8b)) return { name, bytes };
  const { text } = redactAnswer({ text: bytes.toString("utf8") }, {}, await privateNames(undefined));
  return { name, bytes: Buffer.from(text) };
}

/** The facts of a target, as a snapshot. */
export async function givenMachine(word: string, examination: Examination, question: Question, full: boolean): Promise<Given> {
  const taken = await takeStack(examination, question);
  const facts = full ? taken : redactSnapshot(taken, await privateNames(examination));
  const name = path.basename(word).replace(/\.gz$/, "");
  return { name: name.endsWith(".json") ? name : `${name}.json`, bytes: Buffer.from(serializeSnapshot(facts)) };
}
