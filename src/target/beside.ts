import fs from "node:fs";

/** Larger than any file that people or their tools write to say what is to be installed. */
const most = 64 << 20;

/** A file as text, whole. Only plain files are opened: a pipe would never end. */
export async function readText(path: string): Promise<{ text: string } | { problem: string }> {
  try {
    const stat = fs.statSync(path);
    if (!stat.isFile()) return { problem: "is not a plain file" };
    if (most < stat.size) return { problem: "is larger than any file of its kind" };
    return { text: fs.readFileSync(path, "utf8") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const known: { [code: string]: string } = { ENOENT: "is not there", ENOTDIR: "is not there", EACCES: "may not be read" };
    return { problem: known[code] ?? `cannot be read (${code})` };
  }
}
