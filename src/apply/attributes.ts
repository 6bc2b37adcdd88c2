// Access control lists, extended attributes and times to the nanosecond: Node can neither read nor set them, the system's own tools can.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { at, type Folder } from "./hold.ts";

let coreutils: boolean | undefined;

/** Whether `cp` and `touch` are those of coreutils; busybox's know nothing of this. */
export function hasCoreutils(): boolean {
  coreutils ??= (spawnSync(toolAt("cp"), ["--version"], { encoding: "utf8", env: {} }).stdout ?? "").includes("coreutils");
  return coreutils;
}

// Never by PATH, which may lead through anybody's folders.
const toolAt = (name: string) => ["/usr/bin", "/bin"].map((folder) => `${folder}/${name}`).find((file) => fs.existsSync(file)) ?? name;

/** Runs a tool on names in held folders, which it inherits; undefined: it did it, else what it said. */
function runOn(name: string, options: string[], files: { folder: Folder; name: string }[]): string | undefined {
  const paths = files.map((file, index) => `/proc/self/fd/${index + 3}/${file.name}`);
  const { status, error, stderr } = spawnSync(toolAt(name), [...options, "--", ...paths], {
    stdio: ["ignore", "ignore", "pipe", ...files.map(({ folder }) => folder.fd)],
    encoding: "utf8",
    env: { LC_ALL: "C" },
  });
  return error ? error.message : status === 0 ? undefined : stderr.trim().split("\n")[0]!;
}

type Named = { folder: Folder; name: string };

/** Gives one file the mode, the owner, the access control list and the extended attributes of another; false where that cannot be done. */
export function copyAttributes(from: Named, to: Named): boolean {
  if (hasCoreutils()) return runOn("cp", ["--attributes-only", "--preserve=mode,ownership,xattr"], [from, to]) === undefined;
  const { mode, uid, gid } = fs.lstatSync(at(from.folder, from.name));
  try {
    own(to, { uid, gid, mode: mode & 0o7777 });
    return true;
  } catch {
    return false;
  }
}

/** Gives a file that is put back the access control list and the extended attributes that were kept. */
export function restoreAttributes(kept: Named, to: Named): void {
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

export function own(file: Named, { mode, uid, gid }: { mode: number; uid: number; gid: number }): void {
  const place = at(file.folder, file.name);
  const stat = fs.lstatSync(place);
  // A new owner takes away the right to act as him: the mode comes last.
  if (stat.uid !== uid || stat.gid !== gid) fs.lchownSync(place, uid, gid);
  if (!stat.isSymbolicLink() && (fs.lstatSync(place).mode & 0o7777) !== mode) fs.chmodSync(place, mode);
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
  fs.lutimesSync(at(file.folder, file.name), Number(atimeNs) / 1e9, Number(mtimeNs) / 1e9);
  if (!hasCoreutils()) return;
  const stamp = (nanoseconds: string) => {
    const digits = nanoseconds.padStart(10, "0");
    return `@${digits.slice(0, -9)}.${digits.slice(-9)}`;
  };
  runOn("touch", ["-h", "-a", "-d", stamp(atimeNs)], [file]);
  runOn("touch", ["-h", "-m", "-d", stamp(mtimeNs)], [file]);
}
