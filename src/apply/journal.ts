// What was done to a machine, written down before it is done. Everything that undo needs is in one folder.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Step } from "../model/fix.ts";

export interface Journal {
  schema: "culprit/journal@1";
  id: string;
  started: string;
  /** Put before every path: empty for this machine, else the root folder that was changed. */
  root: string;
  titles: string[];
  state: "begun" | "done" | "undone";
  steps: JournalStep[];
}

export interface JournalStep {
  step: Step;
  state: "planned" | "begun" | "done";
  /** What was there before, one entry for each path that the step may change. */
  saved: Saved[];
  /** What a program that died before us had left beside the places that it changes: not ours to clear away. */
  leftovers?: string[];
}

/** A path as it was: enough to bring it back byte for byte. */
export interface Saved {
  path: string;
  was: { kind: "absent" } | { kind: "link"; to: string } | SavedFile | { kind: "folder"; mode: number; uid: number; gid: number };
  /** The digest of what we put there; a file with another digest was changed by somebody else. Absent while we do not know. */
  now?: string;
}

interface SavedFile {
  kind: "file";
  mode: number;
  uid: number;
  gid: number;
  mtimeMs: number;
  atimeMs: number;
  digest: string;
  /** Its name in the journal's folder. */
  kept: string;
  /** Other names of the same file: bytes are then put back in place, so that they stay one file. */
  links: number;
  /** Which file it was: another one under its name may have other names, too, such as that in uv's cache, and those are not ours. */
  inode?: number;
}

/** Where journals lie: XDG_STATE_HOME, else ~/.local/state. */
export function journalHome(environment: { [name: string]: string | undefined }): string {
  const state = environment["XDG_STATE_HOME"];
  return path.join(state?.startsWith("/") ? state : path.join(environment["HOME"] ?? "/root", ".local/state"), "culprit/journal");
}

/** Writes the whole journal beside the old one and renames it: at any moment there is one that is whole. */
export function writeJournal(folder: string, journal: Journal): void {
  const file = path.join(folder, "journal.json");
  const handle = fs.openSync(`${file}.part`, "w", 0o600);
  fs.writeFileSync(handle, `${JSON.stringify(journal, null, 1)}\n`);
  fs.fsyncSync(handle);
  fs.closeSync(handle);
  fs.renameSync(`${file}.part`, file);
  syncFolder(folder);
}

export function readJournal(folder: string): Journal {
  return JSON.parse(fs.readFileSync(path.join(folder, "journal.json"), "utf8")) as Journal;
}

/** Journals, oldest first. A folder without a whole journal belongs to a run that died before it changed anything. */
export function journals(home: string): Journal[] {
  if (!fs.existsSync(home)) return [];
  return fs
    .readdirSync(home)
    .sort()
    .filter((name) => fs.existsSync(path.join(home, name, "journal.json")))
    .map((name) => readJournal(path.join(home, name)));
}

export function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, "r");
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

export const digestOf = (bytes: Buffer) => crypto.createHash("sha256").update(bytes).digest("hex");

/** The digest of what is at a path; undefined for anything but a file. */
export function digestAt(file: string): string | undefined {
  try {
    return fs.lstatSync(file).isFile() ? digestOf(fs.readFileSync(file)) : undefined;
  } catch {
    return undefined;
  }
}
