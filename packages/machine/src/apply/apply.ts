import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import type { ProposedFix, Step } from "@culprit/core/model/fix";
import { reasonOf } from "@culprit/core/lib/reason";
import { commandLine } from "@culprit/core/lib/shell";
import { runChild } from "./child.ts";
import { at, openPlain, reach, type Folder, type Place } from "./hold.ts";
import {
  digestOfBytes,
  folderAt,
  inHome,
  inJournal,
  isSame,
  newJournal,
  rightsOf,
  stateOf,
  writeJournal,
  type Journal,
  type JournalStep,
  type Saved,
} from "./journal.ts";
import { withLock } from "./lock.ts";
import { programAt, prospectOf, refuseFolder, type Prospect } from "./prospect.ts";
import { below, makeFile, replaceFile, save, saveBelow, unlessDetour } from "./save.ts";
import { caller, homeOf, isAdministrator } from "./who.ts";

/** Something that stops us, said in one sentence, with the state that the machine is in. */
export class ApplyError extends Error {}

export interface Applied {
  id: string;
  changed: string[];
}

/**
 * Does what fixes say, one step after the other; the journal knows of each step before it is done. Stops at the first that fails.
 * `prospects` is what was seen when somebody agreed: where something else is there now, nothing is done.
 */
export function applyFixes(
  home: string,
  root: string,
  chosen: ProposedFix[],
  log: (text: string) => void,
  prospects: Prospect[] = prospectOf(root, stepsOf(chosen)),
): Applied {
  return journalling(home, () =>
    inHome(home, true, (homeFolder) =>
      withLock(homeFolder, () => {
        refuseChanged(root, prospects);
        const id = newJournal(homeFolder);
        return inJournal(homeFolder, id, (folder) => applyIn(folder, root, id, chosen, prospects, log));
      }),
    )!,
  );
}

/** What the system says of a journal names no file: a person must know what cannot be written. */
export function journalling<T>(home: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Error && "code" in error)
      throw new ApplyError(
        `the journal in ${home} cannot be written: ${reasonOf(error)}; nothing is changed without one: XDG_STATE_HOME=FOLDER puts it elsewhere`,
        { cause: error },
      );
    throw error;
  }
}

export const stepsOf = (chosen: ProposedFix[]): Step[] => chosen.flatMap((fix) => fix.steps);

function refuseChanged(root: string, prospects: Prospect[]): void {
  const now = prospectOf(
    root,
    prospects.map(({ step }) => step),
  );
  for (const [index, { path: file, owner, now: there }] of now.entries()) {
    const then = prospects[index]!;
    if (then.path !== file) throw new ApplyError(`${then.path} leads to ${file} by now: nothing was changed`);
    if (then.owner !== owner || !isSame(then.now, there))
      throw new ApplyError(`${file} has been changed since it was looked at: nothing was changed`);
  }
}

function applyIn(
  folder: Folder,
  root: string,
  id: string,
  chosen: ProposedFix[],
  prospects: Prospect[],
  log: (text: string) => void,
): Applied {
  const steps = stepsOf(chosen).map((step): JournalStep => ({ step, state: "planned", saved: [] }));
  const journal: Journal = {
    schema: "culprit/journal@2",
    id,
    started: new Date().toISOString(),
    root,
    titles: chosen.map(({ title }) => title),
    state: "begun",
    tokens: [crypto.randomUUID()],
    steps,
  };
  writeJournal(folder, journal);
  const changed: string[] = [];
  for (const [index, entry] of steps.entries()) {
    try {
      // A fix that does not fit any more must not be begun.
      const act = prepare(folder, journal, entry, index, prospects[index]!.path);
      entry.state = "begun";
      writeJournal(folder, journal);
      act(log);
      noteWhatIsThere(root, entry);
      entry.state = "done";
      writeJournal(folder, journal);
    } catch (error) {
      const isNothing = index === 0 && isAsBefore(root, entry);
      if (isNothing) closeJournal(folder, journal);
      const before = isNothing ? "nothing was changed" : `\`culprit fix --undo ${id}\` takes back what was done so far`;
      throw new ApplyError(`${describe(entry.step, root)} failed: ${reasonOf(error)}; ${before}`);
    }
    changed.push(describe(entry.step, root));
  }
  journal.state = "done";
  writeJournal(folder, journal);
  return { id, changed };
}

/** Whether a step that failed has changed nothing. */
function isAsBefore(root: string, { state, saved, places = [] }: JournalStep): boolean {
  if (state === "planned") return true;
  const isUnchanged = ({ path: file, was }: Saved) => isSame(stateOf(root, file), was.kind === "folder" ? { kind: "folder" } : was);
  return (
    saved.every(isUnchanged) && places.every((place) => addedAt(root, place, new Set(saved.map(({ path: file }) => file))).length === 0)
  );
}

/** What is at and below a place and was not known before, innermost first. */
function addedAt(root: string, place: string, known: Set<string>): string[] {
  const added: string[] = [];
  unlessDetour(root, place, ({ folder, name, missing }) => {
    if (0 < missing.length) return;
    below(folder, name, place, (_folder, _name, each) => {
      if (!known.has(each)) added.unshift(each);
      known.add(each);
    });
  });
  return added;
}

/** There is nothing to take back: the next `--undo` means an earlier run. */
function closeJournal(folder: Folder, journal: Journal): void {
  journal.state = "undone";
  try {
    writeJournal(folder, journal);
  } catch {
    // Taking nothing back does no harm.
  }
}

/** Keeps what a step will change, and gives what it does. */
function prepare(
  folder: Folder,
  journal: Journal,
  entry: JournalStep,
  index: number,
  agreed: string,
): (log: (text: string) => void) => void {
  const { step } = entry;
  const { root } = journal;
  if (step.do === "run") return prepareRun(folder, root, entry, step, index);
  return reach(root, step.file, { links: "own" }, (place) => {
    // An earlier step, too, may have put a link on the way.
    if (place.path !== agreed) throw new Error(`${agreed} leads to ${place.path} by now`);
    if (step.do === "write" && place.stat) throw new Error(`${step.file} is there already`);
    const old = step.do === "edit" ? readPlain(place) : Buffer.alloc(0);
    if (step.do === "edit") checkLine(old, step);
    const bytes = newBytes(old, step);
    const saved = save(folder, root, place, `step-${index}`);
    // So that a run that dies in the middle can tell its own bytes from anybody else's.
    saved.now = { kind: "file", digest: digestOfBytes(bytes) };
    entry.saved = [saved, ...missingFolders(place)];
    entry.around = [
      folderOf(place),
      ...(saved.names ?? []).map((each) => reach(root, each.slice(root.length), { links: "none" }, folderOf)),
    ];
    return () =>
      // The path is walked once more, and must lead to the very same place.
      reach(root, saved.path.slice(root.length), { links: "none" }, (again) => {
        if (step.do === "write") return makeFile(again, bytes, journal.tokens[0]!);
        if (!readPlain(again).equals(old)) throw new Error(`${step.file} is being changed by somebody else`);
        replaceFile(again, root, saved, bytes, journal.tokens[0]!, () => writeJournal(folder, journal));
      });
  });
}

/** The folder that something lies in: its times change with it. */
const folderOf = ({ folder }: Place): Saved => ({ path: folder.path, was: folderAt(at(folder, "."), fs.fstatSync(folder.fd)) });

/** Folders that do not exist yet on the way to a file, innermost first: they go again with it. */
function missingFolders({ folder, missing }: Place): Saved[] {
  const paths = missing.map((_, index) => path.join(folder.path, ...missing.slice(0, index + 1)));
  return paths.toReversed().map((each) => ({ path: each, was: { kind: "absent" }, now: { kind: "folder" } }));
}

function readPlain({ folder, name }: Place): Buffer {
  const fd = openPlain(folder, name);
  try {
    if (64 << 20 < fs.fstatSync(fd).size) throw new Error(`${folder.path}/${name} is too large to be edited`);
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function checkLine(old: Buffer, step: Extract<Step, { do: "edit" }>): void {
  const there = old.toString("latin1").split("\n")[step.line - 1];
  if (there?.trim() !== latin(step.before).trim()) throw new Error(`line ${step.line} of ${step.file} is not what it was`);
}

// Bytes that are not text must survive: the file is handled as bytes, and only the one line is ours.
const latin = (text: string) => Buffer.from(text, "utf8").toString("latin1");

function newBytes(old: Buffer, step: Exclude<Step, { do: "run" }>): Buffer {
  if (step.do === "write") return Buffer.from(step.text);
  const lines = old.toString("latin1").split("\n");
  const line = lines[step.line - 1] ?? "";
  const indent = /^\s*/.exec(line)![0];
  const end = line.endsWith("\r") ? "\r" : "";
  lines.splice(step.line - 1, 1, ...(step.after === undefined ? [] : [`${indent}${latin(step.after).trimStart()}${end}`]));
  return Buffer.from(lines.join("\n"), "latin1");
}

function prepareRun(folder: Folder, root: string, entry: JournalStep, step: Extract<Step, { do: "run" }>, index: number) {
  const real = step.changes.map((place) => reach(root, place, { links: "own" }, (reached) => reached.path));
  // A program may put something else in the place of a link.
  entry.places = [...new Set([...real, ...step.changes.flatMap((place) => linkAt(root, place)), ...real.flatMap(sharedAbove)])];
  const kept = [...entry.places, ...recorded(root, real)];
  const around = new Map<string, Saved>();
  entry.saved = kept.flatMap((file, number) =>
    reach(root, file.slice(root.length), { links: "none" }, (place) => {
      around.set(place.folder.path, around.get(place.folder.path) ?? folderOf(place));
      return saveBelow(folder, place, `step-${index}-${number}`);
    }),
  );
  // A folder that holds only folders is made again with them, too.
  const tops = real.filter((each) => each.endsWith(".dist-info")).map((each) => path.dirname(each));
  // What is added on the way is come to as well.
  for (const each of around.keys())
    if (tops.some((top) => each.startsWith(`${top}/`)))
      reach(root, each.slice(root.length), { links: "none" }, (place) => {
        around.set(place.folder.path, around.get(place.folder.path) ?? folderOf(place));
      });
  entry.around = [...around.values()];
  entry.leftovers = besides(entry.places);
  return (log: (text: string) => void) => {
    log(`$ ${commandLine(step.command)}`);
    runChild(folder, index, [programAt(step.command[0]!), ...step.command.slice(1)], {
      ...trustedVariables(),
      // What Python compiles of pip itself is nobody's wish.
      PYTHONDONTWRITEBYTECODE: "1",
    });
  };
}

/** Files of the packages around a package, which several of them bring: `nvidia/__init__.py`, and what pip compiles of it. */
function sharedAbove(place: string): string[] {
  const [, site, inside] = /^(.*\/(?:site|dist)-packages)\/(.*)$/.exec(place) ?? [];
  if (site === undefined || inside === undefined) return [];
  const parts = inside.split("/").slice(0, -1);
  const folders = parts.map((_, index) => path.join(site, ...parts.slice(0, index + 1)));
  return folders.flatMap((folder) => [path.join(folder, "__init__.py"), path.join(folder, "__pycache__")]);
}

/** A place that is a link, by itself. */
function linkAt(root: string, place: string): string[] {
  const parent = reach(root, `${path.dirname(place)}/.culprit`, { links: "own" }, ({ path: file }) => path.dirname(file));
  const file = path.join(parent, path.basename(place));
  const isLink = reach(root, file.slice(root.length), { links: "none" }, ({ stat }) => stat?.isSymbolicLink() === true);
  return isLink ? [file] : [];
}

/**
 * The administrator's programs get no library, module or setting from where somebody else could have put it: a variable that leads there
 * is left out. Python and pip read HOME, too, which may be that of whoever became administrator.
 */
function trustedVariables(): NodeJS.ProcessEnv {
  const who = caller();
  if (!isAdministrator(who)) return process.env;
  const isTrusted = (folder: string) => {
    try {
      refuseFolder(path.resolve("/", folder), who);
      return true;
    } catch {
      return false;
    }
  };
  const kept = Object.entries(process.env).flatMap(([name, value = ""]): [string, string][] => {
    // Some lists are written with spaces.
    const folders = value.split(/[:\s]+/).filter((part) => part !== "");
    if (name === "PATH") return [[name, folders.filter((part) => part.startsWith("/") && isTrusted(part)).join(":")]];
    if (name === "HOME") return [[name, value.startsWith("/") && isTrusted(value) ? value : (homeOf(who.uid) ?? "/root")]];
    const isPlaces = value.startsWith("/") || /^(?:LD_|PYTHON)/.test(name);
    return !isPlaces || (value.startsWith("/") && folders.every(isTrusted)) ? [[name, value]] : [];
  });
  return Object.fromEntries(kept);
}

const recordLimit = 32 << 20;

/** Files of the environment that packages say they own, outside the folders that are saved anyway. */
function recorded(root: string, places: string[]): string[] {
  const found = new Set<string>();
  for (const place of places.filter((each) => each.endsWith(".dist-info"))) {
    const site = path.dirname(place);
    // Scripts and data lie beside the folder of packages; nothing else is a package's to name.
    const environment = /^(.*)\/lib(?:64)?\/python[^/]*\/(?:site|dist)-packages$/.exec(site)?.[1] ?? site;
    for (const name of namesInRecord(root, place)) {
      const file = path.resolve(site, name);
      if (file.startsWith(`${environment}/`) && !places.some((each) => file === each || file.startsWith(`${each}/`))) found.add(file);
    }
  }
  return [...found].filter((file) => isPlainAt(root, file));
}

function namesInRecord(root: string, place: string): string[] {
  return reach(root, `${place.slice(root.length)}/RECORD`, { links: "none" }, ({ folder, name, stat, missing }) => {
    if (!stat?.isFile() || 0 < missing.length) return [];
    if (recordLimit < stat.size) throw new Error(`${folder.path}/${name} is too large to be a list of files`);
    const fd = openPlain(folder, name);
    const text = fs.readFileSync(fd, "utf8");
    fs.closeSync(fd);
    // A name with a comma stands in quotation marks.
    return text
      .split("\n")
      .flatMap((line) => /^(?:"((?:[^"]|"")*)"|([^,]*))/.exec(line)?.slice(1).find(Boolean)?.replaceAll('""', '"') ?? []);
  });
}

function isPlainAt(root: string, file: string): boolean {
  try {
    return reach(root, file.slice(root.length), { links: "none" }, ({ stat, missing }) => missing.length === 0 && stat?.isFile() === true);
  } catch {
    // It lies behind a link: not where its package says it is.
    return false;
  }
}

/** After a step: what it left at every path, and what a program made, innermost first, so that it goes again and nothing else does. */
function noteWhatIsThere(root: string, entry: JournalStep): void {
  const known = new Set(entry.saved.map(({ path: file }) => file));
  for (const place of entry.places ?? [])
    entry.saved.push(...addedAt(root, place, known).map((file): Saved => ({ path: file, was: { kind: "absent" } })));
  for (const saved of entry.saved) {
    saved.now = stateOf(root, saved.path);
    if (saved.now.kind === "file" || saved.now.kind === "folder")
      saved.left = reach(root, saved.path.slice(root.length), { links: "none" }, ({ stat }) => rightsOf(stat!));
  }
}

/** Where pip puts a folder while it replaces it: beside it, under a name that begins with `~`. */
export function besides(places: string[]): string[] {
  return [...new Set(places.map((place) => path.dirname(place)))].flatMap((folder) =>
    fs.existsSync(folder)
      ? fs
          .readdirSync(folder)
          .filter((name) => name.startsWith("~"))
          .map((name) => path.join(folder, name))
      : [],
  );
}

export const describe = (step: Step, root: string) =>
  step.do === "run"
    ? `\`${commandLine(step.command)}\``
    : `${step.do === "write" ? "writing" : "editing"} ${root}${step.file}${step.do === "edit" ? `, line ${step.line}` : ""}`;
