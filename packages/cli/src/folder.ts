import fs from "node:fs";
import path from "node:path";
import { dependencyFilesAmong } from "./file-kind.ts";
import { text, texts, type Input } from "./usage.ts";

/** Whether a folder is a Python environment: a venv, or one of conda. */
export const isEnvironment = (folder: string): boolean =>
  ["pyvenv.cfg", "conda-meta"].some((name) => fs.existsSync(path.join(folder, name)));

/**
 * What somebody means who names a folder. A Python environment is looked at where it lies, on this machine; any other word is a target.
 */
export function meaning(input: Input, word: string | undefined): { input: Input; word?: string } {
  const isAlone = text(input, "root") === undefined && text(input, "target") === undefined;
  if (word === undefined || !isAlone || !isEnvironment(word)) return { input, ...(word === undefined ? {} : { word }) };
  return { input: { ...input, options: { ...input.options, python: [...texts(input, "python"), path.resolve(word)] } } };
}

/** What there is to look at in a project's folder: its dependency files and its environments; undefined where the folder is none. */
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
  const files = (await dependencyFilesAmong(names)).map((name) => path.join(folder, name)).filter(isFile);
  const environments = [".venv", "venv", "env"].map((name) => path.join(folder, name)).filter(isEnvironment);
  const found = [...files, ...environments];
  return found.length === 0 ? undefined : found;
}

const isFile = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
