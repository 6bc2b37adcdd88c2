import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openTarget, loadsOfEach } from "../../packages/core/src/index.ts";
import { machine } from "../../packages/machine/src/target/index.ts";
import { glibcLoader, inLoaderTerms, readTrace } from "./answers.ts";
import { needs } from "../needs.ts";

// Ordinary files seldom hit a rule: this shows that nothing common is wrong, the fixtures show that the rules are right.
const folders = ["/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("LD_")));

/** How the loader can be asked about a file without running it; undefined for what is not a dynamic object of this machine. */
function question(file: string): string[] | undefined {
  const bytes = Buffer.alloc(4096);
  const handle = fs.openSync(file, "r");
  const count = fs.readSync(handle, bytes, 0, 4096, 0);
  fs.closeSync(handle);
  if (count < 64 || bytes.readUInt32BE(0) !== 0x7f454c46 || bytes[4] !== 2) return undefined;
  if (bytes.readUInt16LE(18) !== (process.arch === "arm64" ? 183 : 62) || ![2, 3].includes(bytes.readUInt16LE(16))) return undefined;
  const headers = Number(bytes.readBigUInt64LE(32));
  const types = Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => bytes.readUInt32LE(headers + index * 56));
  if (!types.includes(2)) return undefined;
  if (!types.includes(3)) return [glibcLoader!, file];
  const interpreter = types.indexOf(3);
  const offset = Number(bytes.readBigUInt64LE(headers + interpreter * 56 + 8));
  const name = bytes.toString("latin1", offset, bytes.indexOf(0, offset));
  const { mode } = fs.statSync(file);
  // Another loader (musl's) is not this test's, and a program with foreign rights refuses to be traced.
  if (name !== glibcLoader || (mode & 0o111) === 0) return undefined;
  return mode & 0o6000 ? [glibcLoader, file] : [file];
}

describe("every program and library of this machine", needs({ glibc: glibcLoader }), () => {
  for (const folder of new Set(folders.filter((name) => fs.existsSync(name)).map((name) => fs.realpathSync(name)))) {
    test(`${folder}: the live loader's files in the live loader's order`, async () => {
      const asked: { file: string; words: string[] }[] = [];
      for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const file = path.join(folder, entry.name);
        if (!entry.isFile()) continue;
        try {
          const words = question(file);
          if (words) asked.push({ file, words });
        } catch {
          // A file that this user cannot read.
        }
      }
      const examination = await openTarget(machine(), { unset: Object.keys(process.env).filter((name) => name.startsWith("LD_")) });
      const different: unknown[] = [];
      let index = 0;
      for await (const answer of loadsOfEach(
        examination,
        asked.map(({ file }) => file),
      )) {
        const { file, words } = asked[index]!;
        index += 1;
        const { stdout } = spawnSync(words[0]!, words.slice(1), {
          env: { ...environment, LD_TRACE_LOADED_OBJECTS: "1" },
          encoding: "utf8",
          timeout: 20_000,
        });
        const live = readTrace(stdout);
        const ours = { loads: inLoaderTerms(answer).loads, missing: answer.failures.map(({ name }) => name) };
        if (JSON.stringify(live) !== JSON.stringify(ours)) different.push({ file, live, ours });
      }
      expect(different).toEqual([]);
      expect(index).toBe(asked.length);
    });
  }
});
