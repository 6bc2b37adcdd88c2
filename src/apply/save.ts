// Keeping what is there, and bringing it back.
import fs from "node:fs";
import path from "node:path";
import { digestOf, syncFolder, type Saved } from "./journal.ts";

/** Keeps one path in the journal's folder. */
export function save(folder: string, file: string, name: string): Saved {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!stat) return { path: file, was: { kind: "absent" } };
  if (stat.isSymbolicLink()) return { path: file, was: { kind: "link", to: fs.readlinkSync(file) } };
  const { mode, uid, gid, mtimeMs, atimeMs, nlink, ino } = stat;
  if (stat.isDirectory()) return { path: file, was: { kind: "folder", mode: mode & 0o7777, uid, gid } };
  const bytes = fs.readFileSync(file);
  const kept = path.join(folder, name);
  const handle = fs.openSync(kept, "w", 0o600);
  fs.writeFileSync(handle, bytes);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  return {
    path: file,
    was: { kind: "file", mode: mode & 0o7777, uid, gid, mtimeMs, atimeMs, digest: digestOf(bytes), kept: name, links: nlink, inode: ino },
  };
}

/** Keeps everything below some folders. */
export function saveBelow(folder: string, places: string[], prefix: string): Saved[] {
  const saved: Saved[] = [];
  const visit = (file: string) => {
    saved.push(save(folder, file, `${prefix}-${saved.length}`));
    if (saved.at(-1)!.was.kind === "folder") for (const name of fs.readdirSync(file).sort()) visit(path.join(file, name));
  };
  for (const place of places) visit(place);
  syncFolder(folder);
  return saved;
}

/** Replaces the bytes of a file, with its mode and owner: beside it and renamed, or in place where it has other names. */
export function replaceFile(file: string, bytes: Buffer, like: { mode: number; uid: number; gid: number; links: number }): void {
  if (1 < like.links) {
    const handle = fs.openSync(file, "r+");
    fs.ftruncateSync(handle, 0);
    fs.writeSync(handle, bytes, 0, bytes.length, 0);
    fs.fsyncSync(handle);
    fs.closeSync(handle);
    return;
  }
  const beside = besideOf(file);
  const handle = fs.openSync(beside, "w", 0o600);
  try {
    fs.writeFileSync(handle, bytes);
    const { uid, gid } = fs.fstatSync(handle);
    if (uid !== like.uid || gid !== like.gid) fs.fchownSync(handle, like.uid, like.gid);
    fs.fchmodSync(handle, like.mode);
    fs.fsyncSync(handle);
    fs.closeSync(handle);
    fs.renameSync(beside, file);
  } catch (error) {
    fs.rmSync(beside, { force: true });
    throw error;
  }
  syncFolder(path.dirname(file));
}

const besideOf = (file: string) => path.join(path.dirname(file), `.${path.basename(file)}.culprit`);

/** Brings back what was at a path, and clears away what a run that died left beside it. Doing it twice does no harm. */
export function restore(folder: string, { path: file, was }: Saved): void {
  fs.rmSync(besideOf(file), { force: true });
  const there = fs.lstatSync(file, { throwIfNoEntry: false });
  if (was.kind === "absent") {
    // A folder that somebody else has put something into is not ours to remove.
    if (there?.isDirectory()) removeEmpty(file);
    else if (there) fs.rmSync(file);
  } else if (was.kind === "folder") {
    if (there && !there.isDirectory()) fs.rmSync(file);
    if (!there?.isDirectory()) fs.mkdirSync(file);
    own(file, was);
  } else if (was.kind === "link") {
    if (there?.isSymbolicLink() && fs.readlinkSync(file) === was.to) return;
    if (there) fs.rmSync(file, { recursive: true });
    fs.symlinkSync(was.to, file);
  } else {
    const bytes = fs.readFileSync(path.join(folder, was.kept));
    if (there && !there.isFile()) fs.rmSync(file, { recursive: true });
    const isSame = there?.isFile() && fs.readFileSync(file).equals(bytes);
    if (!isSame) replaceFile(file, bytes, { ...was, links: there?.isFile() && there.ino === was.inode ? there.nlink : 1 });
    own(file, was);
    fs.utimesSync(file, was.atimeMs / 1000, was.mtimeMs / 1000);
  }
}

function removeEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
  }
}

function own(file: string, { mode, uid, gid }: { mode: number; uid: number; gid: number }): void {
  const stat = fs.statSync(file);
  if (stat.uid !== uid || stat.gid !== gid) fs.chownSync(file, uid, gid);
  if ((stat.mode & 0o7777) !== mode) fs.chmodSync(file, mode);
}
