import fs from "node:fs";
import path from "node:path";
import type { ProposedFix, Step } from "../model/fix.ts";
import { digestAt, digestOf, readJournal, syncFolder, writeJournal, type Journal, type JournalStep, type Saved } from "./journal.ts";
import { childOf, runChild } from "./child.ts";
import { withLock } from "./lock.ts";
import { createWalker, type Entry } from "../lib/walk.ts";
import { replaceFile, restore, save, saveBelow } from "./save.ts";

/** Something that stops us, said in one sentence, with the state that the machine is in. */
export class ApplyError extends Error {}

export interface Applied {
  id: string;
  changed: string[];
}

/** Does what fixes say, one step after the other; the journal knows of each step before it is done. Stops at the first that fails. */
export function applyFixes(home: string, root: string, chosen: ProposedFix[], log: (text: string) => void): Applied {
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  return withLock(home, () => {
    const id = newId(home);
    const folder = path.join(home, id);
    fs.mkdirSync(folder, { mode: 0o700 });
    const steps = chosen.flatMap((fix) => fix.steps).map((step): JournalStep => ({ step, state: "planned", saved: [] }));
    const journal: Journal = {
      schema: "culprit/journal@1",
      id,
      started: new Date().toISOString(),
      root,
      titles: chosen.map(({ title }) => title),
      state: "begun",
      steps,
    };
    writeJournal(folder, journal);
    syncFolder(home);
    const changed: string[] = [];
    for (const [index, entry] of steps.entries()) {
      try {
        // A fix that does not fit any more must not be begun.
        prepare(folder, root, entry, index);
        entry.state = "begun";
        writeJournal(folder, journal);
        perform(folder, entry, index, log);
      } catch (error) {
        const before =
          index === 0 && entry.state === "planned" ? "nothing was changed" : `\`culprit fix --undo ${id}\` takes back what was done so far`;
        throw new ApplyError(`${describe(entry.step)} failed: ${error instanceof Error ? error.message : String(error)}; ${before}`);
      }
      entry.state = "done";
      if (entry.step.do === "run") entry.saved.push(...madeBelow(placesOf(root, entry.step), knownTo(entry)));
      for (const saved of entry.saved) {
        const digest = digestAt(saved.path);
        if (digest !== undefined) saved.now = digest;
      }
      writeJournal(folder, journal);
      changed.push(describe(entry.step));
    }
    journal.state = "done";
    writeJournal(folder, journal);
    return { id, changed };
  });
}

/** Takes a run back, byte for byte. Refuses, before it touches anything, when somebody else changed a file since. */
export function undoFixes(home: string, id: string): { restored: string[] } {
  const folder = path.join(home, id);
  if (!/^[\w-]+$/.test(id) || !fs.existsSync(path.join(folder, "journal.json")))
    throw new ApplyError(`there is no journal \`${id}\` in ${home}`);
  return withLock(home, () => {
    const journal = readJournal(folder);
    if (journal.state === "undone") throw new ApplyError(`\`${id}\` was taken back already`);
    for (const [index, { step, state }] of journal.steps.entries()) {
      const running = step.do === "run" && state === "begun" ? childOf(folder, index) : undefined;
      if (running !== undefined)
        throw new ApplyError(
          `${describe(step)}, which was started then, still runs (process ${running}): wait for its end; nothing was taken back`,
        );
    }
    const begun = journal.steps.filter(({ state }) => state !== "planned");
    // What a step did not change, and somebody else did since, is none of our business.
    const foreign = new Set<string>();
    // Of a file that several steps changed, the last one knows what it is like; after an undo that died, it may be like before any of them.
    const seen = new Set<string>();
    const ours = digestsOf(begun);
    // What a program did that was under way is not known; but it did nothing elsewhere.
    const underWay = begun.flatMap(({ state, step }) => (state === "begun" && step.do === "run" ? placesOf(journal.root, step) : []));
    const isUnderWay = (file: string) => underWay.some((place) => file === place || file.startsWith(`${place}/`));
    for (const { saved, state, step } of begun.toReversed()) {
      for (const { path: file, was, now } of saved) {
        if (seen.has(file)) continue;
        const digest = digestAt(file);
        const isUntouched = state === "done" && was.kind === "file" && now === was.digest;
        if (isUntouched && digest !== now) foreign.add(file);
        if (isUntouched) continue;
        seen.add(file);
        if (digest === undefined || ours.get(file)?.has(digest) || isUnderWay(file)) continue;
        // Outside of the places that it names, a program changes what its package says it owns.
        if (state === "begun" && step.do === "run") continue;
        throw new ApplyError(`${file} was changed since culprit wrote it: nothing was taken back. What it was like is kept in ${folder}`);
      }
    }
    for (const file of seen) foreign.delete(file);
    const restored: string[] = [];
    for (const entry of begun.toReversed()) {
      const { saved, step, state } = entry;
      if (step.do === "run") {
        const places = placesOf(journal.root, step);
        // Of a program that died, everything new is taken for its work, and kept; else only what it was seen to make, and what Python made of that.
        removeNew(places, knownTo(entry), (file) => {
          if (state === "begun") setAside(folder, file);
          else if (path.basename(file) === "__pycache__") fs.rmSync(file, { recursive: true });
          else return false;
          return true;
        });
        if (state === "begun") for (const file of besides(places)) if (!entry.leftovers?.includes(file)) setAside(folder, file);
      }
      for (const each of saved.filter(({ path: file }) => !foreign.has(file))) {
        restore(folder, each);
        restored.push(each.path);
      }
      // Times of folders change while their files come back.
      for (const each of saved.toReversed()) if (each.was.kind === "folder") restore(folder, each);
    }
    journal.state = "undone";
    writeJournal(folder, journal);
    return { restored };
  });
}

function prepare(folder: string, root: string, entry: JournalStep, index: number): void {
  const { step } = entry;
  if (step.do === "run") {
    const places = placesOf(root, step);
    entry.saved = saveBelow(folder, [...places, ...recorded(places)], `step-${index}`);
    entry.leftovers = besides(places);
  } else {
    const file = real(root, step.file);
    if (step.do === "write" && fs.lstatSync(file, { throwIfNoEntry: false })) throw new Error(`${step.file} is there already`);
    if (step.do === "edit") checkLine(file, step);
    const saved = save(folder, file, `step-${index}`);
    // So that a run that dies in the middle can tell its own bytes from anybody else's.
    entry.saved = [{ ...saved, now: digestOf(newBytes(file, step)) }, ...missingFolders(file)];
    syncFolder(folder);
  }
}

function perform(folder: string, { step, saved }: JournalStep, index: number, log: (text: string) => void): void {
  if (step.do === "run") {
    log(`$ ${step.command.join(" ")}`);
    return runChild(folder, index, step.command);
  }
  const { path: file, was } = saved[0]!;
  const bytes = newBytes(file, step);
  if (was.kind === "file") replaceFile(file, bytes, was);
  else {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    replaceFile(file, bytes, { mode: 0o644, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, links: 1 });
  }
}

/** Folders that do not exist yet on the way to a file, innermost first: they go again with it. */
function missingFolders(file: string): Saved[] {
  const found: Saved[] = [];
  for (let folder = path.dirname(file); !fs.existsSync(folder); folder = path.dirname(folder))
    found.push({ path: folder, was: { kind: "absent" } });
  return found;
}

/** Files that packages say they own, outside the folders that are saved anyway. */
function recorded(places: string[]): string[] {
  const files = places
    .filter((place) => place.endsWith(".dist-info") && fs.existsSync(path.join(place, "RECORD")))
    .flatMap((place) =>
      fs
        .readFileSync(path.join(place, "RECORD"), "utf8")
        .split("\n")
        .map((line) => line.split(",")[0]!)
        .filter((name) => name !== "")
        .map((name) => path.resolve(path.dirname(place), name)),
    );
  return [...new Set(files)].filter((file) => !places.some((place) => file === place || file.startsWith(`${place}/`)));
}

/** A link stays a link: what it leads to is changed, and that lies in the root folder whatever the link says. */
function real(root: string, file: string): string {
  const walk = createWalker(entryAt(root), { kind: "folder" });
  let missing = "";
  for (let known = file; known !== ""; known = known.slice(0, known.lastIndexOf("/"))) {
    const walked = walk(known);
    if ("found" in walked) return `${root}${walked.found}${missing}`;
    if (!("error" in walked) || walked.error !== "ENOENT") throw new Error(`${file} cannot be reached`);
    missing = `${known.slice(known.lastIndexOf("/"))}${missing}`;
  }
  return root + file;
}

const entryAt =
  (root: string) =>
  (name: string): Entry => {
    const stat = fs.lstatSync(root + name, { throwIfNoEntry: false });
    if (!stat) return { kind: "absent" };
    if (stat.isSymbolicLink()) return { kind: "link", to: fs.readlinkSync(root + name) };
    return { kind: stat.isDirectory() ? "folder" : stat.isFile() ? "file" : "special" };
  };

function checkLine(file: string, step: Extract<Step, { do: "edit" }>): void {
  const there = fs.readFileSync(file, "latin1").split("\n")[step.line - 1];
  if (there?.trim() !== latin(step.before).trim()) throw new Error(`line ${step.line} of ${step.file} is not what it was`);
}

// Bytes that are not text must survive: the file is handled as bytes, and only the one line is ours.
const latin = (text: string) => Buffer.from(text, "utf8").toString("latin1");

function newBytes(file: string, step: Exclude<Step, { do: "run" }>): Buffer {
  if (step.do === "write") return Buffer.from(step.text);
  const lines = fs.readFileSync(file, "latin1").split("\n");
  const old = lines[step.line - 1] ?? "";
  const indent = /^\s*/.exec(old)![0];
  const end = old.endsWith("\r") ? "\r" : "";
  lines.splice(step.line - 1, 1, ...(step.after === undefined ? [] : [`${indent}${latin(step.after).trimStart()}${end}`]));
  return Buffer.from(lines.join("\n"), "latin1");
}

/** What each file is known to have been like, before and after each step. */
function digestsOf(steps: JournalStep[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path: file, was, now } of steps.flatMap(({ saved }) => saved)) {
    const known = found.get(file) ?? new Set();
    if (was.kind === "file") known.add(was.digest);
    if (now !== undefined) known.add(now);
    found.set(file, known);
  }
  return found;
}

const placesOf = (root: string, step: Extract<Step, { do: "run" }>) => step.changes.map((place) => root + place);

const knownTo = ({ saved }: JournalStep) => new Set(saved.filter(({ was }) => was.kind !== "absent").map(({ path: file }) => file));

/** What a program made below some folders, innermost first: it goes again with it, and nothing that others put beside it. */
function madeBelow(places: string[], known: Set<string>): Saved[] {
  const made: Saved[] = [];
  const visit = (file: string) => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isDirectory()) for (const name of fs.readdirSync(file)) visit(path.join(file, name));
    if (stat && !known.has(file)) made.push({ path: file, was: { kind: "absent" } });
  };
  for (const place of places) visit(place);
  return made;
}

function removeNew(places: string[], known: Set<string>, remove: (file: string) => boolean): void {
  const visit = (file: string) => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat || (!known.has(file) && remove(file))) return;
    if (stat.isDirectory()) for (const name of fs.readdirSync(file)) visit(path.join(file, name));
  };
  for (const place of places) visit(place);
}

/** Where pip puts a folder while it replaces it: beside it, under a name that begins with `~`. */
function besides(places: string[]): string[] {
  return [...new Set(places.map((place) => path.dirname(place)))].flatMap((folder) =>
    fs.existsSync(folder)
      ? fs
          .readdirSync(folder)
          .filter((name) => name.startsWith("~"))
          .map((name) => path.join(folder, name))
      : [],
  );
}

/** Takes something away that is most likely ours, and keeps it beside the journal in case it is not. */
function setAside(folder: string, file: string): void {
  const kept = path.join(folder, "set-aside", file);
  fs.mkdirSync(path.dirname(kept), { recursive: true });
  try {
    fs.renameSync(file, kept);
  } catch {
    // Another file system, or a first attempt that was cut off.
    fs.cpSync(file, kept, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    fs.rmSync(file, { recursive: true });
  }
}

export const describe = (step: Step) =>
  step.do === "run"
    ? `\`${step.command.join(" ")}\``
    : `${step.do === "write" ? "writing" : "editing"} ${step.file}${step.do === "edit" ? `, line ${step.line}` : ""}`;

function newId(home: string): string {
  const day = new Date().toISOString().slice(0, 10);
  for (let number = 1; ; number += 1) {
    const id = `${day}-${number}`;
    if (!fs.existsSync(path.join(home, id))) return id;
  }
}
