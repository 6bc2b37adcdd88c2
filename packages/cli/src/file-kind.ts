import { recogniseFile } from "@culprit/core";

/** What the bytes of a file say it is, before anybody reads it. Only a text can be a dependency file. */
export type FileKind = "packed" | "archive" | "snapshot" | "text";

export function kindOfBytes(bytes: Uint8Array): FileKind {
  const text = (from: number, to: number) => Buffer.from(bytes.subarray(from, to)).toString("latin1");
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return "packed";
  if (text(257, 262) === "ustar") return "archive";
  return text(0, 4096).includes('"culprit/snapshot@') ? "snapshot" : "text";
}

export const isDependencyFile = async (file: string, text: string): Promise<boolean> => (await recogniseFile(file, text)) !== undefined;

/** Those of a folder's names that are dependency files whatever stands in them; any other .txt or .yml may be a note. */
export async function dependencyFilesAmong(names: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    const isNote = name.endsWith(".txt") && !/requirements|constraints/.test(name);
    if (/^environment\.ya?ml$/.test(name) || (!isNote && (await isDependencyFile(name, "")))) found.push(name);
  }
  return found;
}
