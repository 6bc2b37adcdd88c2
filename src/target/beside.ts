import fs from "node:fs";
import { readNamed, Unfit } from "./named.ts";

/** Larger than what people or their tools write to say what is to be installed, in megabytes; notebooks hold pictures. */
const mostOf = (path: string) => (path.endsWith(".ipynb") ? 64 : 16);

/** A file as text, whole. Only plain files are opened: a pipe would never end. */
export async function readText(path: string): Promise<{ text: string } | { problem: string }> {
  try {
    const stat = fs.statSync(path);
    if (!stat.isFile()) return { problem: "is not a plain file" };
    const most = mostOf(path);
    if (most << 20 < stat.size)
      return { problem: `is too large to be read: it has ${Math.ceil(stat.size / 2 ** 20)} MB, ${most} MB are the most` };
    // It may be another by now, and files of the kernel do not say how long they are.
    return { text: decoded(readNamed(path, most << 20)) };
  } catch (error) {
    if (error instanceof Unfit) return { problem: `cannot be read: ${error.message}` };
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const known: { [code: string]: string } = { ENOENT: "is not there", ENOTDIR: "is not there", EACCES: "may not be read" };
    return { problem: known[code] ?? `cannot be read (${code})` };
  }
}

/** Windows' own shell writes UTF-16 with a mark in front (`pip freeze > requirements.txt`); pip reads that, too. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return bytes.subarray(2).toString("utf16le");
  if (first !== 0xfe || second !== 0xff) return bytes.toString("utf8");
  return Buffer.from(bytes.subarray(2, bytes.length & ~1))
    .swap16()
    .toString("utf16le");
}
