// Keeping what is there, putting something new in its place, and bringing the old back.
import fs from "node:fs";
import path from "node:path";
import { copyAttributes, copyWhole, own, restoreAttributes, setTimes, timesOf } from "./attributes.ts";
import { at, Detour, openPlain, reach, syncFolder, type Folder, type Place } from "./hold.ts";
import { digestOf, folderAt, isSame, listingOf, rightsOf, stateAt, type Rights, type Saved, type State } from "./journal.ts";
import { otherNames } from "./names.ts";
import { caller, isAdministrator } from "./who.ts";

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants;

/** Keeps the file at one place in the journal's folder; what is absent is remembered as that. */
export function save(store: Folder, root: string, { folder, name, path: file, stat, missing }: Place, kept: string): Saved {
  if (!stat || 0 < missing.length) return { path: file, was: { kind: "absent" } };
  const entry = entryOf(folder, name, stat, kept);
  if (entry.kind === "file") copyWhole({ folder, name }, { folder: store, name: kept });
  if (entry.kind !== "file") return { path: file, was: entry };
  const names = stat.nlink < 2 ? [] : otherNames(root, folder, name, stat);
  return { path: file, was: { ...entry, digest: digestIn(store, kept) }, ...(names.length === 0 ? {} : { names }) };
}

/** What is at a name, as it is written down. */
function entryOf(folder: Folder, name: string, stat: fs.Stats, kept: string): Exclude<Saved["was"], { kind: "absent" }> {
  const place = at(folder, name);
  if (stat.isSymbolicLink()) return { kind: "link", to: fs.readlinkSync(place), ...rightsOf(stat), ...timesOf(place) };
  if (stat.isDirectory()) return folderAt(place, stat);
  if (!stat.isFile()) throw new Error(`${folder.path}/${name} is neither a file nor a folder`);
  return { kind: "file", ...rightsOf(stat), ...timesOf(place), digest: "", kept, inode: inodeAt(place) };
}

const inodeOf = ({ dev, ino }: fs.BigIntStats) => `${dev}:${ino}`;
const inodeAt = (place: string) => inodeOf(fs.lstatSync(place, { bigint: true }));

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
  const byInode = new Map<string, string[]>();
  for (const { path: each, was } of saved)
    if (was.kind === "file") {
      was.digest = digestIn(store, was.kept);
      byInode.set(was.inode, [...(byInode.get(was.inode) ?? []), each]);
    }
  // Names of one file stay names of one file.
  for (const each of saved) {
    const names = each.was.kind === "file" ? byInode.get(each.was.inode)! : [];
    if (1 < names.length) each.names = names.filter((one) => one !== each.path);
  }
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

/**
 * Makes a file beside its place, whole, and renames it: at any moment there is the old one or the new one. Gives the new one's inode;
 * undefined where it cannot be made, or cannot be all that it should be.
 */
function put(
  folder: Folder,
  name: string,
  token: string,
  fill: (fd: number) => boolean,
  { isNew = false }: { isNew?: boolean } = {},
): string | undefined {
  const made = waiting(token, (waits += 1));
  let fd: number;
  try {
    fd = fs.openSync(at(folder, made), O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR, 0o600);
  } catch (error) {
    // A file may be one's own in a folder that is not.
    if (!isNew && isCode(error, "EACCES", "EPERM")) return undefined;
    throw error;
  }
  let inode: string | undefined;
  try {
    if (fill(fd)) {
      fs.fsyncSync(fd);
      if (isNew) appear(folder, made, name);
      else fs.renameSync(at(folder, made), at(folder, name));
      inode = inodeOf(fs.fstatSync(fd, { bigint: true }));
    }
  } finally {
    fs.closeSync(fd);
    fs.rmSync(at(folder, made), { force: true });
  }
  syncFolder(folder);
  return inode;
}

// What has come to this name meanwhile is somebody's: a link, unlike a renamed file, takes nothing's place.
function appear(folder: Folder, made: string, name: string): void {
  try {
    fs.linkSync(at(folder, made), at(folder, name));
  } catch (error) {
    if (isCode(error, "EEXIST")) throw new Error(`${folder.path}/${name} is there already`, { cause: error });
    // There are file systems without links.
    if (!isCode(error, "EPERM", "ENOTSUP", "ENOSYS")) throw error;
    if (fs.lstatSync(at(folder, name), { throwIfNoEntry: false }))
      throw new Error(`${folder.path}/${name} is there already`, { cause: error });
    fs.renameSync(at(folder, made), at(folder, name));
  }
}

const isCode = (error: unknown, ...codes: string[]) => error instanceof Error && "code" in error && codes.includes(String(error.code));

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
    const fill = (fd: number) => {
      fs.writeFileSync(fd, bytes);
      fs.fchmodSync(fd, 0o644);
      return true;
    };
    put(inner, name, token, fill, { isNew: true });
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
  const { was, names = [] } = saved;
  if (was.kind !== "file") throw new Error(`${folder.path}/${name} is not a plain file`);
  const from = openPlain(folder, name);
  try {
    const isKnown = fs.fstatSync(from).nlink === 1 + names.length;
    const fill = (fd: number) => {
      fs.writeFileSync(fd, bytes);
      return copyAttributes(from, fd);
    };
    const inode = isKnown ? put(folder, name, token, fill) : undefined;
    if (inode !== undefined)
      return relink(folder, name, inode, root, names, token, (other) => inodeAt(at(other.folder, other.name)) === was.inode);
  } finally {
    fs.closeSync(from);
  }
  saved.inPlace = true;
  beforeOverwriting();
  overwrite(folder, name, bytes, was.inode);
}

/** Makes other names lead to the file that we have put at this name; `isOurs`: nothing else has come to such a name. */
function relink(
  folder: Folder,
  name: string,
  inode: string,
  root: string,
  names: string[],
  token: string,
  isOurs: (place: Place) => boolean,
): void {
  for (const other of names) {
    unlessDetour(root, other, (place) => {
      // Somebody has taken away the folder of that name: it is not one any more.
      if (0 < place.missing.length) return;
      if (place.stat && inodeAt(at(place.folder, place.name)) === inode) return;
      if (place.stat && !isOurs(place)) throw new Error(`${other} is being changed by somebody else`);
      const made = waiting(token, (waits += 1));
      fs.linkSync(at(folder, name), at(place.folder, made));
      try {
        if (inodeAt(at(place.folder, made)) !== inode) throw new Error(`${folder.path}/${name} is being changed by somebody else`);
        fs.renameSync(at(place.folder, made), at(place.folder, place.name));
      } finally {
        fs.rmSync(at(place.folder, made), { force: true });
      }
      syncFolder(place.folder);
    });
  }
}

// Shorter text is filled up with empty lines first, so that a file that is cut off meanwhile ends in nothing but those.
function overwrite(folder: Folder, name: string, bytes: Buffer, inode: string): void {
  const fd = openPlain(folder, name, O_WRONLY);
  try {
    if (inodeOf(fs.fstatSync(fd, { bigint: true })) !== inode) throw new Error(`${folder.path}/${name} is being changed by somebody else`);
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

/** What a path has been like: before our steps, after each of them, and what a step that was cut off left there. */
export interface Known {
  states: State[];
  /** Undefined: it is not known what rights we left. */
  rights: Rights[] | undefined;
}

export interface Back {
  store: Folder;
  root: string;
  token: string;
  /** All paths that come back. */
  paths: () => Iterable<string>;
  /** Whether something at a path is somebody else's, and stays. */
  isForeign: (file: string) => boolean;
  /** Writes down that a file is written to where it lies: cut off meanwhile, it is neither what it was nor what it is. */
  beforeOverwriting: (saved: Saved) => void;
}

/**
 * Brings back what was at a path. Doing it twice does no harm. What is there must be what we know (`known`); whatever a step that was cut
 * off left is set aside by the caller before.
 */
export function restore(saved: Saved, known: Known, back: Back): void {
  try {
    reach(back.root, saved.path.slice(back.root.length), { links: "none" }, (place) => restoreAt(place, saved, known, back));
  } catch (error) {
    if (!(error instanceof Detour && saved.was.kind === "absent")) throw error;
  }
}

function restoreAt(place: Place, saved: Saved, known: Known, back: Back): void {
  const { path: file, was } = saved;
  const { folder, name, missing } = place;
  const target = { folder, name };
  if (0 < missing.length) {
    if (was.kind === "absent") return;
    throw new Changed(`${folder.path}/${missing[0]} is gone`);
  }
  const there = stateAt(folder, name);
  const isFolder = there.kind === "folder" && known.states.some(({ kind }) => kind === "folder");
  if (was.kind === "absent") {
    if (there.kind === "absent") return;
    if (isFolder) return removeEmpty(target);
    refuseStrange(file, there, known.states);
    fs.unlinkSync(at(folder, name));
    return syncFolder(folder);
  }
  const rights = there.kind === was.kind ? rightsFor(place.stat, was, known.rights) : was;
  if (was.kind === "folder") {
    if (there.kind !== "folder") {
      if (there.kind !== "absent") {
        refuseStrange(file, there, known.states);
        fs.unlinkSync(at(folder, name));
      }
      fs.mkdirSync(at(folder, name), { mode: 0o700 });
    }
    return giveBack(target, rights);
  }
  if (isFolder) removeEmpty(target);
  else if (there.kind !== "absent") refuseStrange(file, there, [...known.states, was]);
  if (was.kind === "link") {
    if (!(there.kind === "link" && there.to === was.to)) {
      if (there.kind !== "absent" && !isFolder) fs.unlinkSync(at(folder, name));
      fs.symlinkSync(was.to, at(folder, name));
      syncFolder(folder);
    }
    giveBack(target, rights);
    return setTimes(target, was);
  }
  if (!(there.kind === "file" && there.digest === was.digest)) {
    const isSurvivor = there.kind === "absent" && survives(place, was.inode, saved.names ?? [], back);
    const stat = isSurvivor ? fs.lstatSync(at(folder, name)) : place.stat;
    bringBack({ ...place, stat }, saved, rights, back);
  }
  giveBack(target, rights);
  setTimes(target, was);
}

/** The very file may still be there under another name, and under more that nobody knows: then it gets this name again. */
function survives({ folder, name }: Place, inode: string, names: string[], { root, token, isForeign }: Back): boolean {
  for (const other of names.filter((each) => !isForeign(each))) {
    const isThere = unlessDetour(root, other, (place) => {
      if (0 < place.missing.length || !place.stat?.isFile() || inodeAt(at(place.folder, place.name)) !== inode) return;
      relink(place.folder, place.name, inode, root, [path.join(folder.path, name)], token, () => false);
    });
    if (isThere && fs.lstatSync(at(folder, name), { throwIfNoEntry: false })) return true;
  }
  return false;
}

/** Makes names of one file that came back names of one file again. */
export function rejoin({ path: file, was, names = [] }: Saved, known: (file: string) => Known | undefined, back: Back): void {
  if (was.kind !== "file" || names.length === 0) return;
  unlessDetour(back.root, file, ({ folder, name, stat, missing }) => {
    if (!stat?.isFile() || 0 < missing.length) return;
    const isOurs = (other: Place) => known(other.path)?.states.some((state) => isSame(state, stateAt(other.folder, other.name))) === true;
    const own = names.filter((each) => !back.isForeign(each));
    relink(folder, name, inodeAt(at(folder, name)), back.root, own, back.token, isOurs);
  });
}

/** The rights that something had; but those that somebody else has given it since stay. */
function rightsFor(stat: fs.Stats | undefined, was: Rights, known: Rights[] | undefined): Rights {
  if (!stat || !known) return was;
  const there = rightsOf(stat);
  const one = (key: keyof Rights) => (known.some((each) => each[key] === there[key]) ? was[key] : there[key]);
  return { mode: one("mode"), uid: one("uid"), gid: one("gid") };
}

/** Only the administrator can give a file to somebody else: with others, one that was gone comes back as theirs. */
function giveBack(target: { folder: Folder; name: string }, rights: Rights): void {
  if (isAdministrator(caller())) return own(target, rights);
  const { uid, gid } = fs.lstatSync(at(target.folder, target.name));
  own(target, { ...rights, uid, gid });
}

function refuseStrange(file: string, there: State, known: State[]): void {
  if (!known.some((each) => isSame(each, there))) throw new Changed(`${file} was changed since`);
}

function bringBack({ folder, name, stat }: Place, saved: Saved, rights: Rights, back: Back): void {
  const { was } = saved;
  if (was.kind !== "file") return;
  inStore(back.store, was.kept, (keptFolder, keptName) => {
    const from = openPlain(keptFolder, keptName);
    try {
      const isVery = stat?.isFile() === true && inodeAt(at(folder, name)) === was.inode;
      const fill = (fd: number) => {
        copyBytes(from, fd);
        if (isAdministrator(caller())) fs.fchownSync(fd, rights.uid, rights.gid);
        restoreAttributes(from, fd);
        if ((fs.fstatSync(fd).mode & 0o7777) !== rights.mode) fs.fchmodSync(fd, rights.mode);
        // Somebody else's file, which we could write to, would become ours.
        return !isVery || fs.fstatSync(fd).uid === rights.uid;
      };
      // The very file that it was, under other names that we do not know, stays one with them.
      if (!(isVery && hasUnknownNames(stat!.nlink, was.inode, back)) && put(folder, name, back.token, fill) !== undefined) return;
      if (!isVery) throw new Error(`nothing may be written in ${folder.path}`);
      back.beforeOverwriting(saved);
      overwrite(folder, name, fs.readFileSync(from), was.inode);
    } finally {
      fs.closeSync(from);
    }
  });
}

/** Whether a file has names beside the paths that come back. Programs move things, so they are looked at as they are now. */
function hasUnknownNames(count: number, inode: string, { paths }: Back): boolean {
  if (count === 1) return false;
  const isName = (file: string) => {
    try {
      return inodeAt(file) === inode;
    } catch {
      return false;
    }
  };
  return [...paths()].filter(isName).length < count;
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
    if (!isCode(error, "ENOTEMPTY", "EEXIST")) throw error;
  }
}

/** Sets a folder's times back, unless somebody has put something into it, or taken something away. */
export function restoreTimes(root: string, { path: file, was }: Saved): void {
  // The root folder itself, and the top of the machine, have no name in a folder of ours.
  if (was.kind !== "folder" || file === (root || "/")) return;
  unlessDetour(root, file, ({ folder, name, stat, missing }) => {
    if (!stat?.isDirectory() || 0 < missing.length) return;
    if (listingOf(fs.readdirSync(at(folder, name))) === was.listing) setTimes({ folder, name }, was);
  });
}

/** Clears away files that were on their way to their places when a run died. */
export function clearWaiting(root: string, folders: string[], tokens: string[]): void {
  for (const each of new Set(folders)) {
    unlessDetour(root, `${each}/.culprit`, ({ folder, missing }) => {
      if (0 < missing.length) return;
      for (const name of fs.readdirSync(at(folder, ".")))
        if (tokens.some((token) => name.startsWith(`.culprit-${token}-`))) fs.unlinkSync(at(folder, name));
    });
  }
}

/** Works at a path that was walked before, if there is still a way to it. */
export function unlessDetour(root: string, file: string, act: (place: Place) => void): boolean {
  try {
    reach(root, file.slice(root.length), { links: "none" }, act);
    return true;
  } catch (error) {
    if (!(error instanceof Detour)) throw error;
    return false;
  }
}

/**
 * Takes something away that is most likely ours, and keeps it beside the journal in case it is not; `isCopied`: it stays, too.
 */
export function setAside(store: Folder, folder: Folder, name: string, isCopied = false): void {
  for (let number = 1; ; number += 1) {
    const top = number === 1 ? "set-aside" : `set-aside-${number}`;
    const fd = makeFolders(store, [top, ...folder.path.split("/").filter((part) => part !== "")]);
    try {
      const aside = { fd, path: store.path };
      if (fs.lstatSync(at(aside, name), { throwIfNoEntry: false })) continue;
      return moveTo(aside, folder, name, isCopied);
    } finally {
      fs.closeSync(fd);
    }
  }
}

function moveTo(aside: Folder, folder: Folder, name: string, isCopied: boolean): void {
  if (!isCopied)
    try {
      return fs.renameSync(at(folder, name), at(aside, name));
    } catch (error) {
      if (!isCode(error, "EXDEV")) throw error;
    }
  // Another file system: it is removed only after all of it has been copied.
  copyWhole({ folder, name }, { folder: aside, name });
  if (!isCopied) fs.rmSync(at(folder, name), { recursive: true });
}

function makeFolders(store: Folder, parts: string[]): number {
  let fd = fs.openSync(at(store, "."), O_RDONLY | O_DIRECTORY);
  for (const part of parts) {
    const next = at({ fd, path: "" }, part);
    if (!fs.lstatSync(next, { throwIfNoEntry: false })) fs.mkdirSync(next, { mode: 0o700 });
    const inner = fs.openSync(next, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    fs.closeSync(fd);
    fd = inner;
  }
  return fd;
}
