import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** What lies at a path of a fixture. */
export type Entry =
  | Uint8Array
  | { bytes: Uint8Array; mode: number }
  | { text: string }
  | { link: string }
  /** A hard link to another path of the same tree. */
  | { same: string }
  | { folder: true; mode?: number }
  | { socket: true };

export type Files = { [path: string]: Entry };

/** Builds a tree below a folder. Hard links come last: what they are links to must be there. Modes come after everything. */
export function build(folder: string, files: Files): void {
  const late: (() => void)[] = [];
  for (const [name, entry] of Object.entries(files)) {
    const at = path.join(folder, name);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    if (entry instanceof Uint8Array) fs.writeFileSync(at, entry, { mode: 0o755 });
    else if ("text" in entry) fs.writeFileSync(at, entry.text);
    else if ("link" in entry) fs.symlinkSync(entry.link, at);
    else if ("same" in entry) late.unshift(() => fs.linkSync(path.join(folder, entry.same), at));
    else if ("folder" in entry) {
      fs.mkdirSync(at, { recursive: true });
      const { mode } = entry;
      if (mode !== undefined) late.push(() => fs.chmodSync(at, mode));
    } else if ("bytes" in entry) {
      fs.writeFileSync(at, entry.bytes);
      late.push(() => fs.chmodSync(at, entry.mode));
    }
  }
  for (const act of late) act();
}

/** A temporary folder that goes away with the test file; `/tmp` may be a link, so its real path. */
export function temporary(): { folder: string; remove: () => void } {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-loader-")));
  fs.chmodSync(folder, 0o755);
  return { folder, remove: () => fs.rmSync(folder, { recursive: true, force: true }) };
}
