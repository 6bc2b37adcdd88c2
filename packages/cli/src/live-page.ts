// The page that can be changed: an answer with its facts and the engine inside.
import {
  acceptFindings,
  checkPage,
  fixTarget,
  openTarget,
  readSnapshot,
  redactSnapshot,
  serializeSnapshot,
  takeStack,
  type Acceptance,
  type Examination,
  type Question,
  type Snapshot,
} from "@culprit/core";
import type { Asked } from "@culprit/core/lib/asked";
import crypto from "node:crypto";
import { gzipSync } from "node:zlib";
import { privateNames } from "./names.ts";
import { knowledgeFile, pageFile } from "./page-files.ts";
import { UsageError } from "./usage.ts";

/** What a page is made for. */
export interface PageRequest {
  question: Question;
  asked: Asked;
  accepted: Acceptance[];
  /** With all names, for the eyes of who sits here; else people, hosts and secrets are replaced. */
  full: boolean;
}

export async function livePage(examination: Examination, { full, ...request }: PageRequest): Promise<string> {
  const taken = await takeStack(examination, request.question);
  const { facts, made } = full ? { facts: taken, made: request } : redacted(taken, request, await privateNames(examination));
  const text = serializeSnapshot(facts);
  // What the page shows first is what its engine would say, of the facts that are in it.
  const read = await readSnapshot(text);
  if ("problem" in read) throw new Error(read.problem);
  const judged = await fixTarget(await openTarget(read.snapshot), { ...made.question, asked: made.asked });
  if ("problem" in judged) throw new UsageError(judged.problem);
  const { check } = acceptFindings(judged.check, made.accepted);
  const script = pageFile("page.js");
  const live = {
    script,
    scriptHash: `sha256-${crypto.createHash("sha256").update(script).digest("base64")}`,
    styles: pageFile("page.css"),
    engine: packed(`globalThis.culpritKnowledge=${JSON.stringify(knowledge())};${pageFile("engine.js")}`),
    facts: packed(text),
    question: JSON.stringify(made),
  };
  return checkPage(
    { check, stack: judged.stack, asked: made.asked },
    live,
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
  );
}

/** Names in the question are replaced as those of the facts are: it is redacted as one of them. */
function redacted(taken: Snapshot, request: Omit<PageRequest, "full">, names: Awaited<ReturnType<typeof privateNames>>) {
  const { request: made, ...facts } = redactSnapshot({ ...taken, request } as Snapshot, names) as Snapshot & { request: typeof request };
  return { facts, made };
}

const knowledge = (): { [name: string]: string } =>
  Object.fromEntries((JSON.parse(pageFile("knowledge.json")) as string[]).map((name) => [name, knowledgeFile(name)]));

const packed = (text: string): string => gzipSync(text, { level: 9 }).toString("base64");
