import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/** Everything that undo must bring back, as one text: kind, mode, owner, bytes, links. Times are not in it: Node sets them to a
 * quarter of a microsecond at best, so they are compared with that leeway where they matter. */
export function portrait(folder: string): string {
  const lines: string[] = [];
  const visit = (file: string) => {
    const stat = fs.lstatSync(file);
    const kept = stat.isSymbolicLink()
      ? `link ${fs.readlinkSync(file)}`
      : stat.isDirectory()
        ? "folder"
        : `file ${crypto.createHash("sha256").update(fs.readFileSync(file)).digest("hex")} ${stat.nlink}`;
    lines.push(`${path.relative(folder, file)} ${(stat.mode & 0o7777).toString(8)} ${stat.uid}:${stat.gid} ${kept}`);
    if (stat.isDirectory()) for (const name of fs.readdirSync(file).sort()) visit(path.join(file, name));
  };
  visit(folder);
  return lines.join("\n");
}
