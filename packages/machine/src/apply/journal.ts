// What was done to a machine, written down before it is done. Everything that undo needs is in one folder.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Step } from "@culprit/core/model/fix";
import { timesOf, type Times } from "./attributes.ts";
import { sentenceOf } from "@culprit/core/lib/reason";
import { at, Detour, openPlain, reach, syncFolder, type Folder } from "./hold.ts";
import { caller, homeOf, isAdministrator, userName } from "./who.ts";

export interface Journal {
  schema: "culprit/journal@2";
  id: string;
  started: string;
  /** Put before every path: empty for this machine, else the root folder that was changed. */
  root: string;
  titles: string[];
  state: "begun" | "done" | "undone";
  /** In the names of files that are on their way to their places: nobody can guess it, and undo knows what to clear away. */
  tokens: string[];
  steps: JournalStep[];
}

export interface JournalStep {
  step: Step;
  state: "planned" | "begun" | "done";
  /** What was there before, one entry for each path that the step may change. */
  saved: Saved[];
  /** Folders that something lies in that changes: only their times are set back. */
  around?: Saved[];
  /** Folders below which a program changes files: inside the root folder, without links. */
  places?: string[];
  /** What a program that died before us had left beside the places that it changes: not ours to clear away. */
  leftovers?: string[];
}

/** A path as it was: enough to bring it back byte for byte. Inside the root folder; no part of it is a link. */
export interface Saved {
  path: string;
  was: { kind: "absent" } | SavedLink | SavedFile | SavedFolder;
  /** What we put there; anything else came from somebody else. Absent while we do not know. */
  now?: State;
  /** The rights that we left: others came from somebody else, and stay. */
  left?: Rights;
  /** Other names of the same file, which stay names of the same file. */
  names?: string[];
  /** It is being written to where it lies: cut off meanwhile, it is neither what it was nor what it was to be. */
  inPlace?: true;
  /** The same when it is taken back. */
  backInPlace?: true;
}

/** Whose something is, and what everybody may do with it. */
export interface Rights {
  mode: number;
  uid: number;
  gid: number;
}

interface SavedLink extends Times, Rights {
  kind: "link";
  to: string;
}

interface SavedFile extends Times, Rights {
  kind: "file";
  digest: string;
  /** Its name in the journal's folder. */
  kept: string;
  /** Which file it was: another one under its name may have other names, too, such as that in uv's cache, and those are not ours. */
  inode: string;
}

interface SavedFolder extends Times, Rights {
  kind: "folder";
  /** What was in it: where somebody has put something there since, its times are not set back. */
  listing: string;
}

export type State = { kind: "absent" | "folder" | "special" } | { kind: "link"; to: string } | { kind: "file"; digest: string };

/** Where journals lie: XDG_STATE_HOME, else ~/.local/state. The administrator's own, also where these variables are another user's. */
export function journalHome(environment: { [name: string]: string | undefined }): string {
  const who = caller();
  const isUsable = (folder: string | undefined) => folder?.startsWith("/") && !(isAdministrator(who) && isOthers(folder));
  const state = environment["XDG_STATE_HOME"];
  const home = environment["HOME"];
  const base = isUsable(state) ? state! : path.join(isUsable(home) ? home! : (homeOf(who.uid) ?? "/root"), ".local/state");
  return path.join(base, "culprit/journal");
}

function isOthers(folder: string): boolean {
  const stat = fs.statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && stat.uid !== 0;
}

/** Holds the folder of journals, which must be the caller's own; `make`: it is made where it is not there. */
export function inHome<T>(home: string, make: boolean, act: (folder: Folder) => T): T | undefined {
  return reach("", home, { links: "own" }, ({ folder, name, missing, path: real, stat }) => {
    if (!stat && !make) return undefined;
    const opened: number[] = [];
    try {
      let inner = folder;
      for (const part of [...missing, name]) {
        const there = fs.lstatSync(at(inner, part), { throwIfNoEntry: false });
        if (!there) fs.mkdirSync(at(inner, part), { mode: 0o700 });
        const fd = fs.openSync(at(inner, part), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
        opened.push(fd);
        inner = { fd, path: path.join(inner.path, part) };
      }
      return act(owned({ fd: inner.fd, path: real }));
    } finally {
      for (const fd of opened) fs.closeSync(fd);
    }
  });
}

/** A journal says what to write where: one that somebody else could have written is not believed. */
function owned(folder: Folder): Folder {
  const { uid, mode } = fs.fstatSync(folder.fd);
  if (uid !== caller().uid) throw new Error(`${folder.path} belongs to ${userName(uid)}: what it holds is not trusted`);
  if (mode & 0o022) throw new Error(`${folder.path} may be changed by others: \`chmod go-w ${folder.path}\``);
  return folder;
}

/** Holds one journal's folder. */
export function inJournal<T>(home: Folder, id: string, act: (folder: Folder) => T): T {
  const fd = fs.openSync(at(home, id), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  try {
    return act(owned({ fd, path: path.join(home.path, id) }));
  } finally {
    fs.closeSync(fd);
  }
}

/** A folder for a new journal; its name is its day and a number. */
export function newJournal(home: Folder): string {
  const day = new Date().toISOString().slice(0, 10);
  for (let number = 1; ; number += 1) {
    try {
      fs.mkdirSync(at(home, `${day}-${number}`), { mode: 0o700 });
      return `${day}-${number}`;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

/** Writes the whole journal beside the old one and renames it: at any moment there is one that is whole. */
export function writeJournal(folder: Folder, journal: Journal): void {
  const part = at(folder, `journal-${crypto.randomUUID()}.part`);
  const fd = fs.openSync(part, "wx", 0o600);
  fs.writeFileSync(fd, `${JSON.stringify(journal, null, 1)}\n`);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(part, at(folder, "journal.json"));
  syncFolder(folder);
}

/** The journal in a folder; throws in one sentence where it is not one that we understand. */
export function readJournal(folder: Folder): Journal {
  const fd = openPlain(folder, "journal.json");
  let text: string;
  try {
    const { uid, size } = fs.fstatSync(fd);
    if (uid !== caller().uid) throw new Error(`${folder.path}/journal.json belongs to ${userName(uid)}: it is not trusted`);
    if (256 << 20 < size) throw new Error(`${folder.path}/journal.json is too large to be a journal`);
    text = fs.readFileSync(fd, "utf8");
  } finally {
    fs.closeSync(fd);
  }
  const broken = (what: string) => new Error(`${folder.path}/journal.json ${what}: nothing was undone`);
  let journal: Journal;
  try {
    journal = JSON.parse(text) as Journal;
  } catch {
    throw broken("is damaged");
  }
  if (journal?.schema !== "culprit/journal@2")
    throw broken(`is of another release of culprit (${JSON.stringify(journal?.schema) ?? "no schema"})`);
  const problem = problemIn(journal, path.basename(folder.path));
  if (problem !== undefined) throw broken(`is not one that culprit wrote (${problem})`);
  return journal;
}

const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
const isPath = (value: unknown): value is string => isText(value) && value.startsWith("/") && path.normalize(value) === value;
const isList = (value: unknown, isEach: (each: unknown) => boolean) => Array.isArray(value) && value.every(isEach);

const areRights = (value: Rights | null) => {
  const { mode, uid, gid } = value ?? {};
  const isNumber = (number: unknown, most: number) => Number.isInteger(number) && 0 <= (number as number) && (number as number) <= most;
  return isNumber(mode, 0o7777) && isNumber(uid, 0xffff_fffe) && isNumber(gid, 0xffff_fffe);
};

function problemIn(journal: Journal, id: string): string | undefined {
  if (journal.id !== id) return "its name is another";
  if (!["begun", "done", "undone"].includes(journal.state)) return "its state";
  if (!isText(journal.started) || Number.isNaN(Date.parse(journal.started))) return "its time";
  if (journal.root !== "" && !isPath(journal.root)) return "its root folder";
  if (!isList(journal.titles, isText) || !isList(journal.tokens, (token) => isText(token) && /^[0-9a-f-]{36}$/.test(token)))
    return "its head";
  const inRoot = (value: unknown) => isPath(value) && value.startsWith(`${journal.root}/`);
  const isStep = (value: unknown) => {
    const { step, state, saved, around = [], places, leftovers } = (value ?? {}) as JournalStep;
    if (!["planned", "begun", "done"].includes(state)) return false;
    if (!isList(places ?? [], inRoot) || !isList(leftovers ?? [], inRoot)) return false;
    if (step?.do === "run" ? !isList(step.command, isText) : !(["edit", "write"].includes(step?.do) && isText(step.file))) return false;
    const isSaved = (each: unknown, isPlace = inRoot) => {
      const { path: file, was, now, names, left } = (each ?? {}) as Saved;
      if (!isPlace(file) || !isList(names ?? [], inRoot)) return false;
      if (now !== undefined && !["absent", "folder", "special", "link", "file"].includes(now?.kind)) return false;
      if (left !== undefined && !areRights(left)) return false;
      if (was?.kind === "absent") return true;
      if (was?.kind !== "link" && was?.kind !== "file" && was?.kind !== "folder") return false;
      const isTime = [was.mtimeNs, was.atimeNs].every((time) => isText(time) && /^-?\d{1,20}$/.test(time));
      if (!areRights(was) || !isTime) return false;
      if (was.kind === "link") return isText(was.to) && was.to !== "";
      return (
        was.kind === "folder" ||
        (isText(was.kept) && /^step-\d+/.test(was.kept) && !was.kept.split("/").includes("..") && isText(was.digest))
      );
    };
    const isAround = (file: unknown) => inRoot(file) || file === (journal.root || "/");
    return isList(saved, (each) => isSaved(each)) && isList(around, (each) => isSaved(each, isAround));
  };
  return isList(journal.steps, isStep) ? undefined : "its steps";
}

/** Journals, oldest first, and those that cannot be read. A folder without one belongs to a run that died before it changed anything. */
export function journals(home: string): { journals: Journal[]; problems: string[] } {
  const found: Journal[] = [];
  const problems: string[] = [];
  inHome(home, false, (folder) => {
    for (const name of fs.readdirSync(at(folder, "."))) {
      if (!isId(name) || !fs.existsSync(at(folder, `${name}/journal.json`))) continue;
      try {
        found.push(inJournal(folder, name, readJournal));
      } catch (error) {
        problems.push(sentenceOf(error));
      }
    }
  });
  const number = ({ id }: Journal) => Number(/(?<!\d)\d+$/.exec(id)?.[0] ?? 0);
  return { journals: found.sort((a, b) => Date.parse(a.started) - Date.parse(b.started) || number(a) - number(b)), problems };
}

export const isId = (name: string) => /^[\w-]+$/.test(name) && name !== "lock";

/** The digest of a file that is open. */
export function digestOf(fd: number): string {
  const hash = crypto.createHash("sha256");
  const block = Buffer.allocUnsafe(1 << 20);
  for (let offset = 0; ;) {
    const count = fs.readSync(fd, block, 0, block.length, offset);
    if (count === 0) return hash.digest("hex");
    hash.update(block.subarray(0, count));
    offset += count;
  }
}

export const digestOfBytes = (bytes: Buffer) => crypto.createHash("sha256").update(bytes).digest("hex");

/** What is at a name now. */
export function stateAt(folder: Folder, name: string): State {
  const stat = fs.lstatSync(at(folder, name), { throwIfNoEntry: false });
  if (!stat) return { kind: "absent" };
  if (stat.isSymbolicLink()) return { kind: "link", to: fs.readlinkSync(at(folder, name)) };
  if (stat.isDirectory()) return { kind: "folder" };
  if (!stat.isFile()) return { kind: "special" };
  const fd = openPlain(folder, name);
  try {
    return { kind: "file", digest: digestOf(fd) };
  } finally {
    fs.closeSync(fd);
  }
}

/** What is at a path that was walked before; what is not behind a folder any more is absent. */
export function stateOf(root: string, file: string): State {
  try {
    return reach(root, file.slice(root.length), { links: "none" }, ({ folder, name, missing }) =>
      missing.length === 0 ? stateAt(folder, name) : { kind: "absent" },
    );
  } catch (error) {
    if (error instanceof Detour) return { kind: "absent" };
    throw error;
  }
}

export function isSame(a: State, b: State): boolean {
  if (a.kind === "link" && b.kind === "link") return a.to === b.to;
  if (a.kind === "file" && b.kind === "file") return a.digest === b.digest;
  return a.kind === b.kind;
}

/** What is in a folder, as one text to compare. */
export const listingOf = (names: string[]) => digestOfBytes(Buffer.from(names.toSorted().join("\0")));

export const rightsOf = ({ mode, uid, gid }: fs.Stats): Rights => ({ mode: mode & 0o7777, uid, gid });

/** A folder as it is. */
export function folderAt(place: string, stat: fs.Stats): SavedFolder {
  return { kind: "folder", ...rightsOf(stat), ...timesOf(place), listing: listingOf(fs.readdirSync(place)) };
}
