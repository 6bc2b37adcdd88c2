// Access control lists, extended attributes and times to the nanosecond: Node can neither read nor set them, the system's own tools can.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { reasonOf } from "@culprit/core/lib/reason";
import { at, O_PATH, type Folder } from "./hold.ts";
import type { Rights } from "./journal.ts";

let coreutils: boolean | undefined;

/** Whether `cp` and `touch` are those of coreutils; busybox's know nothing of this. */
export function hasCoreutils(): boolean {
  coreutils ??= (spawnSync(toolAt("cp"), ["--version"], { encoding: "utf8", env: {} }).stdout ?? "").includes("coreutils");
  return coreutils;
}

// Never by PATH, which may lead through anybody's folders.
const toolAt = (name: string) => ["/usr/bin", "/bin"].map((folder) => `${folder}/${name}`).find((file) => fs.existsSync(file)) ?? name;

/** Runs a tool on what it inherits: files that are open, or names in held folders; undefined: it did it, else what it said. */
function runOn(name: string, options: string[], things: (number | Named)[]): string | undefined {
  const places = things.map((thing, index) => `/proc/self/fd/${index + 3}${typeof thing === "number" ? "" : `/${thing.name}`}`);
  const { status, error, stderr } = spawnSync(toolAt(name), [...options, "--", ...places], {
    stdio: ["ignore", "ignore", "pipe", ...things.map((thing) => (typeof thing === "number" ? thing : thing.folder.fd))],
    encoding: "utf8",
    env: { LC_ALL: "C" },
  });
  if (error) return reasonOf(error);
  if (status === 0) return undefined;
  const said = /: ([^:'\n]+)$/m.exec(stderr)?.[1];
  return said === undefined ? `${name} ended with exit code ${status}` : said[0]!.toLowerCase() + said.slice(1);
}

type Named = { folder: Folder; name: string };

/**
 * Gives one open file the mode, the owner, the access control list and the extended attributes of another; false where that cannot be
 * done. By their handles: a name could lead elsewhere meanwhile.
 */
export function copyAttributes(from: number, to: number): boolean {
  const { mode, uid, gid } = fs.fstatSync(from);
  if (hasCoreutils()) {
    if (runOn("cp", ["--attributes-only", "--preserve=mode,ownership,xattr"], [from, to]) !== undefined) return false;
  } else {
    try {
      fs.fchownSync(to, uid, gid);
      fs.fchmodSync(to, mode & 0o7777);
    } catch {
      return false;
    }
  }
  // Whoever may not give a file away is not told so by `cp`.
  const made = fs.fstatSync(to);
  return made.mode === mode && made.uid === uid && made.gid === gid;
}

/** Gives an open file that is put back the access control list and the extended attributes that were kept. */
export function restoreAttributes(kept: number, to: number): void {
  if (!hasCoreutils()) return;
  const problem = runOn("cp", ["--attributes-only", "--preserve=mode,xattr"], [kept, to]);
  if (problem !== undefined) throw new Error(problem);
}

/** Copies a file or a whole folder with everything that is known of it but its owner, whom a copy cannot always have. */
export function copyWhole(from: Named, to: Named): void {
  if (hasCoreutils()) {
    const problem = runOn("cp", ["-RPT", "--reflink=auto", "--preserve=mode,timestamps,links,xattr"], [from, to]);
    if (problem !== undefined) throw new Error(`${from.folder.path}/${from.name} cannot be kept: ${problem}`);
  } else
    fs.cpSync(at(from.folder, from.name), at(to.folder, to.name), { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

/** Gives something its owner and mode. It is held meanwhile: its name could lead elsewhere before the second call. */
export function own({ folder, name }: Named, { mode, uid, gid }: Rights): void {
  const fd = fs.openSync(at(folder, name), O_PATH | fs.constants.O_NOFOLLOW);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isSymbolicLink()) {
      if (stat.uid !== uid || stat.gid !== gid) fs.lchownSync(at(folder, name), uid, gid);
      return;
    }
    const held = `/proc/self/fd/${fd}`;
    if (stat.uid !== uid || stat.gid !== gid) fs.chownSync(held, uid, gid);
    // A new owner takes away the right to act as him: the mode comes last.
    if ((fs.fstatSync(fd).mode & 0o7777) !== mode) fs.chmodSync(held, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/** Nanoseconds as text: a number would round them. */
export interface Times {
  mtimeNs: string;
  atimeNs: string;
}

export function timesOf(place: string): Times {
  const { mtimeNs, atimeNs } = fs.lstatSync(place, { bigint: true });
  return { mtimeNs: String(mtimeNs), atimeNs: String(atimeNs) };
}

export function setTimes(file: Named, { mtimeNs, atimeNs }: Times): void {
  if (timesOf(at(file.folder, file.name)).mtimeNs === mtimeNs) return;
  try {
    fs.lutimesSync(at(file.folder, file.name), Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
  } catch (error) {
    // Only its owner can set the times of a file that others may write to, too.
    if (error instanceof Error && "code" in error && error.code === "EPERM") return;
    throw error;
  }
  if (!hasCoreutils()) return;
  const stamp = (nanoseconds: string) => {
    const digits = nanoseconds.replace("-", "").padStart(10, "0");
    return `@${nanoseconds.startsWith("-") ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
  };
  runOn("touch", ["-h", "-a", "-d", stamp(atimeNs)], [file]);
  runOn("touch", ["-h", "-m", "-d", stamp(mtimeNs)], [file]);
}
