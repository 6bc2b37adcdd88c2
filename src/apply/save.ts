// Keeping what is there, putting something new in its place, and bringing the old back.
import fs from "node:fs";
import path from "node:path";
import { copyAttributes, copyWhole, own, restoreAttributes, setTimes, timesOf } from "./attributes.ts";
import { at, openPlain, reach, syncFolder, type Folder, type Place } from "./hold.ts";
import { digestOf, folderAt, isSame, listingOf, stateAt, type Saved, type State } from "./journal.ts";
import { otherNames } from "./names.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = fs.constants;

/** Keeps the file at one place in the journal's folder; what is absent is remembered as that. */
export function save(store: Folder, root: string, { folder, name, path: file, stat, missing }: Place, kept: string): Saved {
  if (!stat || 0 < missing.length) return { path: file, was: { kind: "absent" } };
  const entry = entryOf(folder, name, stat, kept);
  if (entry.kind === "file") copyWhole({ folder, name }, { folder: store, name: kept });
  if (entry.kind !== "file") return { path: file, was: entry };
  const names = stat.nlink < 2 ? [] : (otherNames(root, folder, name, stat) ?? []);
  return { path: file, was: { ...entry, digest: digestIn(store, kept) }, ...(names.length === 0 ? {} : { names }) };
}

function entryOf(folder: Folder, name: string, stat: fs.Stats, kept: string): Exclude<Saved["was"], { kind: "absent" }> {
  const place = at(folder, name);
  if (stat.isSymbolicLink()) return { kind: "link", to: fs.readlinkSync(place) };
  if (stat.isDirectory()) return folderAt(place, stat);
  if (!stat.isFile()) throw new Error(`${folder.path}/${name} is neither a file nor a folder`);
  const { mode, uid, gid } = stat;
  return { kind: "file", mode: mode & 0o7777, uid, gid, ...timesOf(place), digest: "", kept, inode: inodeAt(place) };
}

const inodeAt = (place: string) => {
  const { dev, ino } = fs.lstatSync(place, { bigint: true });
  return `${dev}:${ino}`;
};

/** Keeps everything at and below one place. */
export function saveBelow(store: Folder, place: Place, kept: string): Saved[] {
  const { folder, name, path: file, stat, missing } = place;
  if (!stat || 0 < missing.length) return [{ path: file, was: { kind: "absent" } }];
  // Times are taken before anything is read, which would change them; and what cannot be kept is found before anything is copied.
  const saved: Saved[] = [];
  below(folder, name, file, (inner, innerName, innerPath, innerStat) => {
    saved.push({ path: innerPath, was: entryOf(inner, innerName, innerStat, kept + innerPath.slice(file.length)) });
  });
  copyWhole({ folder, name }, { folder: store, name: kept });
  for (const { was } of saved) if (was.kind === "file") was.digest = digestIn(store, was.kept);
  return saved;
}

/** Visits a place and everything below it, folders before what is in them; no link is followed, and each folder is held meanwhile. */
export function below(
  folder: Folder,
  name: string,
  file: string,
  visit: (folder: Folder, name: string, path: string, stat: fs.Stats) => void | "skip",
): void {
  const stat = fs.lstatSync(at(folder, name), { throwIfNoEntry: false });
  if (!stat || visit(folder, name, file, stat) === "skip" || !stat.isDirectory()) return;
  // What was visited may be gone.
  if (!fs.lstatSync(at(folder, name), { throwIfNoEntry: false })?.isDirectory()) return;
  const fd = fs.openSync(at(folder, name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    const inner = { fd, path: file };
    for (const each of fs.readdirSync(at(inner, ".")).sort()) below(inner, each, path.join(file, each), visit);
  } finally {
    fs.closeSync(fd);
  }
}

function digestIn(store: Folder, kept: string): string {
  return inStore(store, kept, (folder, name) => {
    const fd = openPlain(folder, name);
    try {
      return digestOf(fd);
    } finally {
      fs.closeSync(fd);
    }
  });
}

/** Holds the folder of a kept file. The names on the way were folders when they were kept. */
function inStore<T>(store: Folder, kept: string, act: (folder: Folder, name: string) => T): T {
  const parts = kept.split("/");
  const opened: number[] = [];
  try {
    let folder = store;
    for (const part of parts.slice(0, -1)) {
      const fd = fs.openSync(at(folder, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      opened.push(fd);
      folder = { fd, path: path.join(folder.path, part) };
    }
    return act(folder, parts.at(-1)!);
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

/** The name under which a file waits for its place: nobody can guess it, and it is never one that is there. */
const waiting = (token: string, index: number) => `.culprit-${token}-${index}`;

let waits = 0;

/** Makes a file beside its place, whole, and renames it: at any moment there is the old one or the new one. */
function put(folder: Folder, name: string, token: string, write: (fd: number) => void, dress: (made: string) => boolean): boolean {
  const made = waiting(token, (waits += 1));
  const fd = fs.openSync(at(folder, made), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
  try {
    write(fd);
    if (!dress(made)) {
      fs.closeSync(fd);
      fs.unlinkSync(at(folder, made));
      return false;
    }
    fs.fsyncSync(fd);
    fs.closeSync(fd);
    fs.renameSync(at(folder, made), at(folder, name));
  } catch (error) {
    if (fs.lstatSync(at(folder, made), { throwIfNoEntry: false })) fs.unlinkSync(at(folder, made));
    throw error;
  }
  syncFolder(folder);
  return true;
}

/** A new file; the folders on the way to it are made. */
export function makeFile({ folder, name, missing }: Place, bytes: Buffer, token: string): void {
  const opened: number[] = [];
  try {
    let inner = folder;
    for (const part of missing) {
      fs.mkdirSync(at(inner, part), { mode: 0o755 });
      const fd = fs.openSync(at(inner, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      opened.push(fd);
      inner = { fd, path: path.join(inner.path, part) };
    }
    if (fs.lstatSync(at(inner, name), { throwIfNoEntry: false })) throw new Error(`${inner.path}/${name} is there already`);
    put(
      inner,
      name,
      token,
      (fd) => fs.writeFileSync(fd, bytes),
      (made) => {
        fs.chmodSync(at(inner, made), 0o644);
        return true;
      },
    );
  } finally {
    for (const fd of opened) fs.closeSync(fd);
  }
}

/**
 * Replaces the bytes of a file. Everything else about it stays: mode, owner, access control list, extended attributes, other names.
 * Where a new file could not have all that, the old one is written to where it lies.
 */
export function replaceFile(
  { folder, name }: Place,
  root: string,
  saved: Saved,
  bytes: Buffer,
  token: string,
  beforeOverwriting: () => void,
): void {
  const { was, names } = saved;
  if (was.kind !== "file") throw new Error(`${folder.path}/${name} is not a plain file`);
  const links = fs.lstatSync(at(folder, name)).nlink;
  const isKnown = links === 1 + (names?.length ?? 0);
  const done =
    isKnown &&
    put(
      folder,
      name,
      token,
      (fd) => fs.writeFileSync(fd, bytes),
      (made) => copyAttributes({ folder, name }, { folder, name: made }),
    );
  if (done) relink(folder, name, root, names ?? [], token);
  else {
    saved.inPlace = true;
    beforeOverwriting();
    overwrite(folder, name, bytes);
  }
}

/** Makes other names lead to the file that is at this name now. */
function relink(folder: Folder, name: string, root: string, names: string[], token: string): void {
  for (const other of names) {
    reach(root, other.slice(root.length), { links: "none" }, (place) => {
      const isOne = (file: string) => fs.existsSync(file) && inodeAt(file) === inodeAt(at(folder, name));
      if (isOne(at(place.folder, place.name))) return;
      const made = waiting(token, (waits += 1));
      fs.linkSync(at(folder, name), at(place.folder, made));
      fs.renameSync(at(place.folder, made), at(place.folder, place.name));
      syncFolder(place.folder);
    });
  }
}

// Shorter text is filled up with empty lines first, so that a file that is cut off meanwhile ends in nothing but those.
function overwrite(folder: Folder, name: string, bytes: Buffer): void {
  const fd = openPlain(folder, name, O_WRONLY);
  try {
    const { size } = fs.fstatSync(fd);
    const whole = Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), "\n")]);
    for (let done = 0; done < whole.length;) done += fs.writeSync(fd, whole, done, whole.length - done, done);
    fs.fsyncSync(fd);
    fs.ftruncateSync(fd, bytes.length);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** What is at a path is not what we left there, and not what was there before: somebody else's, and not ours to remove. */
export class Changed extends Error {}

/**
 * Brings back what was at a path. Doing it twice does no harm. What is there must be what we know (`known`); whatever a step that was cut
 * off left is set aside by the caller before.
 */
export function restore(store: Folder, root: string, saved: Saved, known: State[], token: string): void {
  const { path: file, was } = saved;
  reach(root, file.slice(root.length), { links: "none" }, (place) => {
    const { folder, name, missing } = place;
    const target = { folder, name };
    if (0 < missing.length) {
      if (was.kind === "absent") return;
      throw new Changed(`${folder.path}/${missing[0]} is gone`);
    }
    const there = stateAt(folder, name);
    if (was.kind === "absent") {
      if (there.kind === "absent") return;
      if (there.kind === "folder" && known.some(({ kind }) => kind === "folder")) return removeEmpty(target);
      refuseStrange(file, there, known);
      fs.unlinkSync(at(folder, name));
      return syncFolder(folder);
    }
    if (was.kind === "folder") {
      if (there.kind !== "folder") {
        if (there.kind !== "absent") {
          refuseStrange(file, there, known);
          fs.unlinkSync(at(folder, name));
        }
        fs.mkdirSync(at(folder, name), { mode: 0o700 });
      }
      return own(target, was);
    }
    if (there.kind === "folder" && known.some(({ kind }) => kind === "folder")) removeEmpty(target);
    else if (there.kind !== "absent") refuseStrange(file, there, [...known, was]);
    if (was.kind === "link") {
      if (there.kind === "link" && there.to === was.to) return;
      if (there.kind !== "absent" && there.kind !== "folder") fs.unlinkSync(at(folder, name));
      fs.symlinkSync(was.to, at(folder, name));
      return syncFolder(folder);
    }
    if (!(there.kind === "file" && there.digest === was.digest)) bringBack(store, place, saved, token);
    // An undo that died may have brought back one name and not the other.
    relink(folder, name, root, saved.names ?? [], token);
    own(target, was);
    setTimes(target, was);
  });
}

function refuseStrange(file: string, there: State, known: State[]): void {
  if (!known.some((each) => isSame(each, there))) throw new Changed(`${file} was changed since`);
}

function bringBack(store: Folder, { folder, name }: Place, { was, names }: Saved, token: string): void {
  if (was.kind !== "file") return;
  const there = fs.lstatSync(at(folder, name), { throwIfNoEntry: false });
  inStore(store, was.kept, (keptFolder, keptName) => {
    const from = openPlain(keptFolder, keptName);
    try {
      // The very file that it was, under other names that we do not know: it stays one with them.
      const isShared = there?.isFile() && 1 + (names?.length ?? 0) < there.nlink && inodeAt(at(folder, name)) === was.inode;
      if (isShared) return overwrite(folder, name, fs.readFileSync(from));
      put(
        folder,
        name,
        token,
        (fd) => copyBytes(from, fd),
        (made) => {
          own({ folder, name: made }, was);
          restoreAttributes({ folder: keptFolder, name: keptName }, { folder, name: made });
          return true;
        },
      );
    } finally {
      fs.closeSync(from);
    }
  });
}

function copyBytes(from: number, to: number): void {
  const block = Buffer.allocUnsafe(1 << 20);
  for (let offset = 0; ;) {
    const count = fs.readSync(from, block, 0, block.length, offset);
    if (count === 0) return;
    for (let done = 0; done < count;) done += fs.writeSync(to, block, done, count - done, offset + done);
    offset += count;
  }
}

function removeEmpty({ folder, name }: { folder: Folder; name: string }): void {
  try {
    fs.rmdirSync(at(folder, name));
  } catch (error) {
    // A folder that somebody else has put something into is not ours to remove.
    if (!(error instanceof Error && "code" in error && error.code === "ENOTEMPTY")) throw error;
  }
}

/** Sets a folder's times back, unless somebody has put something into it, or taken something away. */
export function restoreTimes(root: string, { path: file, was }: Saved): void {
  // The root folder itself, and the top of the machine, have no name in a folder of ours.
  if (was.kind !== "folder" || file === (root || "/")) return;
  reach(root, file.slice(root.length), { links: "none" }, ({ folder, name, stat, missing }) => {
    if (!stat?.isDirectory() || 0 < missing.length) return;
    if (listingOf(fs.readdirSync(at(folder, name))) === was.listing) setTimes({ folder, name }, was);
  });
}

/** Clears away files that were on their way to their places when a run died. */
export function clearWaiting(root: string, folders: string[], tokens: string[]): void {
  for (const each of new Set(folders)) {
    reach(root, `${each.slice(root.length)}/.culprit`, { links: "none" }, ({ folder, missing }) => {
      if (0 < missing.length) return;
      for (const name of fs.readdirSync(at(folder, ".")))
        if (tokens.some((token) => name.startsWith(`.culprit-${token}-`))) fs.unlinkSync(at(folder, name));
    });
  }
}

/** Takes something away that is most likely ours, and keeps it beside the journal in case it is not. */
export function setAside(store: Folder, folder: Folder, name: string): void {
  const fd = makeFolders(store, ["set-aside", ...folder.path.split("/").filter((part) => part !== "")]);
  try {
    const aside = { fd, path: store.path };
    let kept = name;
    for (let number = 2; fs.lstatSync(at(aside, kept), { throwIfNoEntry: false }); number += 1) kept = `${name}.${number}`;
    try {
      fs.renameSync(at(folder, name), at(aside, kept));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
      // Another file system: it is removed only after all of it has been copied.
      copyWhole({ folder, name }, { folder: aside, name: kept });
      fs.rmSync(at(folder, name), { recursive: true });
    }
  } finally {
    fs.closeSync(fd);
  }
}

function makeFolders(store: Folder, parts: string[]): number {
  let fd = fs.openSync(at(store, "."), O_RDONLY | O_DIRECTORY);
  for (const part of parts) {
    const next = at({ fd, path: "" }, part);
    fs.mkdirSync(next, { recursive: true, mode: 0o700 });
    const inner = fs.openSync(next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    fs.closeSync(fd);
    fd = inner;
  }
  return fd;
}
