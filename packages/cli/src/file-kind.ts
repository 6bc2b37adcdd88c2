import fs from "node:fs";
import path from "node:path";
import { frameworkIds, recogniseFile } from "@culprit/core";

/** What the bytes of a file say it is, before anybody reads it. Only a text can be a dependency file. */
export type FileKind = "packed" | "archive" | "snapshot" | "text";

export function kindOfBytes(bytes: Uint8Array): FileKind {
  const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString("latin1");
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "packed";
  if (text(257, 262) === "ustar") return "archive";
  return text(0, 4096).includes('"culprit/snapshot@') ? "snapshot" : "text";
}

export const isDependencyFile = async (file: string, text: string): Promise<boolean> => (await recogniseFile(file, text)) !== undefined;

/**
 * The dependency files of a folder: those that are some whatever stands in them; any other .txt or .yml may be a note. Scripts and the
 * settings of other tools are taken along only where they install a framework, or ask for a GPU.
 */
export async function dependencyFilesAmong(folder: string, names: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    const isNote = name.endsWith(".txt") && !/requirements|constraints/.test(name);
    const isBeside = beside.test(name);
    const text = isBeside ? beginOf(path.join(folder, name)) : "";
    if (/^environment\.ya?ml$/.test(name) || (!isNote && (!isBeside || isTelling(name, text)) && (await isDependencyFile(name, text))))
      found.push(name);
  }
  return found;
}

/** Files that are mostly for something else. */
const beside =
  /^(?:gnu)?makefile|\.mk$|\.(?:ba|z|k)?sh$|\.(?:sbatch|slurm|pbs|lsf|bsub|def)$|^tox.*\.(?:ini|toml)$|^noxfile\.py$|^setup\.(?:py|cfg)$|compose.*\.ya?ml$/i;

const isTelling = (name: string, text: string): boolean => {
  const lines = text
    .replace(/\\\r?\n/g, " ")
    .split("\n")
    .map((line) => line.replace(/(?:^|\s)[#;].*$/, ""));
  if (/compose/.test(name)) return /gpu|cuda|nvidia/i.test(text) || frameworks.test(text);
  const isScript = /makefile|\.mk$|sh$|\.(?:sbatch|slurm|pbs|lsf|bsub)$/i.test(name);
  return lines.some(
    (line) => frameworks.test(line) && (!isScript || (/pip|conda|mamba|uv/i.test(line) && /\s(?:install|add|create)\s/i.test(line))),
  );
};

const frameworks = new RegExp(frameworkIds.join("|"), "i");

/** More than people write by hand. */
const mostBytes = 1 << 20;

function beginOf(file: string): string {
  try {
    const { size } = fs.statSync(file);
    // Only a plain file is opened: a pipe would never end.
    return fs.statSync(file).isFile() && size <= mostBytes ? fs.readFileSync(file, "utf8") : "";
  } catch {
    return "";
  }
}
