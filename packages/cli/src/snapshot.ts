import { frameworkIds, redactSnapshot, serializeSnapshot, takeSnapshot } from "@culprit/core";
import process from "node:process";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { privateNames } from "./names.ts";
import { printDocument } from "./print.ts";
import { openWhere, programLoads, programPath } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

export async function run(input: Input): Promise<number> {
  const output = text(input, "output");
  if (output === undefined && process.stdout.isTTY === true)
    throw new UsageError(
      "a snapshot is no reading for a terminal: `-o FILE` writes it to a file (packed if it ends in .gz), or pipe it on",
    );
  if (output !== undefined) refuseUnwritable(output, "the snapshot");
  const examination = await openWhere(input, undefined, input.words);
  const programs = input.words.map((word) => (frameworkIds.includes(word) ? word : programPath(word, examination)));
  for (const program of programs) if (!frameworkIds.includes(program)) await programLoads(examination, program);
  const snapshot = await takeSnapshot(examination, programs, texts(input, "python"));
  const content = serializeSnapshot(flag(input, "full") ? snapshot : redactSnapshot(snapshot, await privateNames(examination)));
  if (output === undefined) printDocument(content);
  else await writeWhole(output, [content], "the snapshot", { mode: 0o600 });
  return 0;
}
