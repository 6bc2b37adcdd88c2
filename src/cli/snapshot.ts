import fs from "node:fs";
import process from "node:process";
import { frameworkIds, redactSnapshot, serializeSnapshot, takeSnapshot } from "../index.ts";
import { flag, text, texts, UsageError, type Input } from "./usage.ts";
import { print } from "./print.ts";
import { openWhere, programPath } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const examination = await openWhere(input);
  const programs = input.words.map((word) => (frameworkIds.includes(word) ? word : programPath(word, examination)));
  const snapshot = await takeSnapshot(examination, programs, texts(input, "python"));
  const content = serializeSnapshot(flag(input, "full") ? snapshot : redactSnapshot(snapshot));
  const output = text(input, "output");
  if (output === undefined) print(content);
  else await writeWhole(output, content);
  return 0;
}

// Beside the place and then renamed: an interrupted run leaves no half-written file.
async function writeWhole(output: string, content: string): Promise<void> {
  const temporary = `${output}.${process.pid}.part`;
  try {
    const bytes = output.endsWith(".gz") ? (await import("node:zlib")).gzipSync(content) : content;
    fs.writeFileSync(temporary, bytes);
    fs.renameSync(temporary, output);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw new UsageError(`the snapshot cannot be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}
