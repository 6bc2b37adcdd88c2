import fs from "node:fs";
import path from "node:path";
import { dependencyFilesAmong } from "./file-kind.ts";
import { text, texts, type Input } from "./usage.ts";

/** Whether a folder is a Python environment: a venv, or one of conda. */
export const isEnvironment = (folder: string): boolean =>
  ["pyvenv.cfg", "conda-meta"].some((name) => fs.existsSync(path.join(folder, name)));

/** Whether a folder is one in which CMake, Ninja or the like have built. */
const isBuild = (folder: string): boolean => {
  const has = (name: string) => isFile(path.join(folder, name));
  // Among sources a list of commands is a link for editors; CMake's memory is there only where it has built among them.
  return has("CMakeCache.txt") || (["build.ninja", "compile_commands.json"].some(has) && !has("CMakeLists.txt"));
};

function openedBegin(file: string): string {
  const begin = Buffer.alloc(4);
  const opened = fs.openSync(file, "r");
  try {
    fs.readSync(opened, begin, 0, 4, 0);
  } finally {
    fs.closeSync(opened);
  }
  return begin.toString("latin1");
}

/** Whether a file is a program or a library. */
function isObject(file: string): boolean {
  if (!isFile(file)) return false;
  try {
    return openedBegin(file) === "\x7fELF";
  } catch {
    return false;
  }
}

/**
 * What somebody means who names a folder or a file. A Python environment, a program and a folder in which programs were built are looked at
 * where they lie, on this machine; any other word is a target.
 */
export function meaning(input: Input, word: string | undefined): { input: Input; word?: string } {
  const isAlone = text(input, "root") === undefined && text(input, "target") === undefined;
  if (word === undefined || !isAlone) return { input, ...(word === undefined ? {} : { word }) };
  const adding = (name: string) => ({
    input: { ...input, options: { ...input.options, [name]: [...texts(input, name), path.resolve(word)] } },
  });
  if (isEnvironment(word)) return adding("python");
  return isBuild(word) || isObject(word) ? adding("for") : { input, word };
}

/** What there is to look at in a project's folder: its dependency files, its environments and what was built in it; undefined where the folder is none. */
export async function projectIn(folder: string): Promise<string[] | undefined> {
  if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() || isEnvironment(folder)) return undefined;
  let names: string[];
  try {
    names = fs.readdirSync(folder).sort();
  } catch {
    return undefined;
  }
  // Somebody's project may have a folder `lib`; a system has these.
  if (names.includes("usr") && names.includes("etc")) return undefined;
  const files = (await dependencyFilesAmong(folder, names)).map((name) => path.join(folder, name)).filter(isFile);
  const environments = [".venv", "venv", "env"].map((name) => path.join(folder, name)).filter(isEnvironment);
  const builds = names
    .filter((name) => /^(?:cmake-)?build/.test(name))
    .map((name) => path.join(folder, name))
    .filter(isBuild);
  const found = [...files, ...environments, ...builds];
  return found.length === 0 ? undefined : found;
}

function isFile(file: string): boolean {
  try {
    return fs.statSync(file).isFile();
  } catch {
    // Whatever it is, whoever opens it says so.
    return false;
  }
}
