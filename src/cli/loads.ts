import fs from "node:fs";
import path from "node:path";
import { examineFrameworks, examineLoads, examineProgram, frameworkIds, loadsReport, type Examination, type Loads } from "../index.ts";
import { flag, text, UsageError, type Input } from "./usage.ts";
import { terminalStyle } from "./style.ts";
import { print } from "./print.ts";
import { frameworkRun, openWhere, programPath } from "./where.ts";

export async function run(input: Input): Promise<number> {
  const { words } = input;
  if (words.length === 0) throw new UsageError("`culprit loads` needs the path of a program or library");
  const examination = await openWhere(input);
  return flag(input, "each") ? each(input, examination) : one(input, examination);
}

async function one(input: Input, examination: Examination): Promise<number> {
  const names = input.words.flatMap((word) => word.split(","));
  const answer = names.every((name) => frameworkIds.includes(name))
    ? await withFrameworks(input, examination, names)
    : await ofFile(input, examination);
  print(flag(input, "json") ? `${JSON.stringify(answer, null, 1)}\n` : loadsReport(answer, terminalStyle()));
  return 0 < answer.failures.length ? 1 : 0;
}

async function withFrameworks(input: Input, examination: Examination, names: string[]): Promise<Loads> {
  const answer = await examineFrameworks(examination, frameworkRun(input, names));
  if ("problem" in answer) throw new UsageError(answer.problem);
  return answer;
}

async function ofFile(input: Input, examination: Examination): Promise<Loads> {
  const [word, ...others] = input.words;
  if (0 < others.length)
    throw new UsageError("several programs in one process must be frameworks; `--each` treats every file as its own process");
  const answer = await examineProgram(examination, programPath(word!, examination));
  const [failure] = answer.failures;
  const unusable = ["not-found", "is-a-folder", "not-a-program", "cannot-read"];
  if (answer.loads.length === 0 && failure && unusable.includes(failure.reason) && failure.name === answer.program.path)
    throw new UsageError(failure.message);
  return answer;
}

async function each(input: Input, examination: Examination): Promise<number> {
  const rootFolder = text(input, "root");
  const files = input.words.flatMap((word) => [...filesBelow(word, rootFolder)]);
  let failed = false;
  let pending = "";
  for await (const answer of examineLoads(examination, files)) {
    failed ||= 0 < answer.failures.length;
    pending += `${JSON.stringify(answer)}\n`;
    if (1 << 18 < pending.length) {
      print(pending);
      pending = "";
    }
  }
  print(pending);
  return failed ? 1 : 0;
}

function* filesBelow(word: string, rootFolder: string | undefined): Generator<string> {
  const real = rootFolder === undefined ? word : path.join(rootFolder, path.posix.resolve("/", word));
  const stat = fs.statSync(real, { throwIfNoEntry: false });
  if (!stat) throw new UsageError(`there is no file or folder \`${word}\``);
  if (!stat.isDirectory()) {
    yield word;
    return;
  }
  for (const entry of fs.readdirSync(real, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const below = path.posix.join(word, entry.name);
    if (entry.isDirectory()) yield* filesBelow(below, rootFolder);
    else if (entry.isFile() && startsAsElf(path.join(real, entry.name))) yield below;
  }
}

function startsAsElf(file: string): boolean {
  try {
    const handle = fs.openSync(file, "r");
    const bytes = Buffer.alloc(18);
    const count = fs.readSync(handle, bytes, 0, 18, 0);
    fs.closeSync(handle);
    // Executables and shared objects only: relocatable and core files are loaded by nobody.
    return (
      count === 18 &&
      bytes.readUInt32BE(0) === 0x7f454c46 &&
      [2, 3].includes(bytes[5] === 2 ? bytes.readUInt16BE(16) : bytes.readUInt16LE(16))
    );
  } catch {
    return false;
  }
}
