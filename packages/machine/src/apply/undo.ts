// Takes a run back, byte for byte. Refuses, before it touches anything, when somebody else changed something since.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { reasonOf } from "@culprit/core/lib/reason";
import { ApplyError, besides, describe, journalling } from "./apply.ts";
import { childOf } from "./child.ts";
import { at, Detour, reach, type Folder } from "./hold.ts";
import {
  inHome,
  inJournal,
  isId,
  isSame,
  readJournal,
  stateAt,
  writeJournal,
  type Journal,
  type JournalStep,
  type Saved,
  type State,
} from "./journal.ts";
import { withLock } from "./lock.ts";
import { below, clearWaiting, rejoin, restore, restoreTimes, setAside, unlessDetour, type Back, type Known } from "./save.ts";

export function undoFixes(home: string, id: string): { restored: string[] } {
  const done = journalling(home, () =>
    inHome(home, false, (homeFolder) => {
      if (!isId(id) || !fs.existsSync(at(homeFolder, `${id}/journal.json`))) return undefined;
      return withLock(homeFolder, () =>
        inJournal(homeFolder, id, (folder) => {
          const journal = readJournal(folder);
          if (journal.state === "undone") throw new ApplyError(`\`${id}\` is undone already`);
          try {
            return undoIn(folder, journal);
          } catch (error) {
            if (!(error instanceof Error && "code" in error)) throw error;
            throw new ApplyError(`\`${id}\` cannot be undone: ${reasonOf(error)}`, { cause: error });
          }
        }),
      );
    }),
  );
  if (!done) throw new ApplyError(`there is no journal \`${id}\` in ${home}`);
  return done;
}

function undoIn(folder: Folder, journal: Journal): { restored: string[] } {
  const { root } = journal;
  refuseRunning(folder, journal);
  const begun = journal.steps.filter(({ state }) => state !== "planned");
  const first = firstOf(begun);
  const known = knownOf(begun, journal.tokens.length === 1);
  const foreign = examine(folder, journal, begun, first, known);
  // A run that is cut off now must know what it left on its way.
  journal.tokens.push(crypto.randomUUID());
  writeJournal(folder, journal);
  clearWaiting(root, foldersOf(root, begun), journal.tokens);
  for (const entry of begun.toReversed()) clearNew(folder, root, entry);
  const back: Back = {
    store: folder,
    root,
    token: journal.tokens.at(-1)!,
    paths: () => first.keys(),
    isForeign: (file) => foreign.has(file),
    beforeOverwriting: (saved) => {
      for (const each of begun.flatMap((entry) => entry.saved))
        if (each.path === saved.path || each.names?.includes(saved.path)) each.backInPlace = true;
      writeJournal(folder, journal);
    },
  };
  const own = [...first.values()].filter(({ path: file }) => !foreign.has(file));
  const byLength = (a: Saved, b: Saved) => a.path.length - b.path.length;
  // What was made goes first, innermost first; then folders come back before what is in them.
  const made = own.filter(isMade).toSorted(byLength).toReversed();
  const others = own.filter((saved) => !isMade(saved)).toSorted(byLength);
  for (const each of [...made, ...others]) goingOn(journal, each.path, () => restore(each, known.get(each.path)!, back));
  const isFile = (file: string) => first.get(file)?.was.kind === "file" && !foreign.has(file);
  rejoinAll(journal, begun, isFile, (file) => known.get(file), back);
  // Times of folders change while their files come back. The first step knows what they were.
  const folders = begun.toReversed().flatMap(({ saved, around = [] }) => [...saved, ...around].filter(({ was }) => was.kind === "folder"));
  const times = new Map(folders.map((each) => [each.path, each]));
  for (const each of [...times.values()].toSorted(byLength).toReversed()) restoreTimes(root, each);
  journal.state = "undone";
  writeJournal(folder, journal);
  return { restored: [...made, ...others].flatMap(({ path: file, was }) => (was.kind === "folder" ? [] : [file])) };
}

/** What cannot be taken back may be possible later: the rest is not lost. */
function goingOn(journal: Journal, file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    throw new ApplyError(`${file} cannot be undone: ${reasonOf(error)}; \`culprit fix --undo ${journal.id}\` goes on where this ended`, {
      cause: error,
    });
  }
}

/** Of names that steps knew as those of one file, the first step knows which file. */
function rejoinAll(
  journal: Journal,
  begun: JournalStep[],
  isFile: (file: string) => boolean,
  known: (file: string) => Known | undefined,
  back: Back,
): void {
  const joined = new Set<string>();
  for (const saved of begun.flatMap((entry) => entry.saved)) {
    const { path: file, names = [] } = saved;
    if (joined.has(file) || !isFile(file)) continue;
    goingOn(journal, file, () => rejoin({ ...saved, names: names.filter((each) => !joined.has(each) && isFile(each)) }, known, back));
    for (const each of names.length === 0 ? [] : [file, ...names]) joined.add(each);
  }
}

/** Of each path, and of other names of its file, what it was before the first step that touched it. */
function firstOf(begun: JournalStep[]): Map<string, Saved> {
  const found = new Map<string, Saved>();
  for (const saved of begun.flatMap((entry) => entry.saved)) {
    const all = [saved.path, ...(saved.names ?? [])];
    for (const each of all)
      if (!found.has(each))
        found.set(each, each === saved.path ? saved : { ...saved, path: each, names: all.filter((name) => name !== each) });
  }
  return found;
}

const isMade = ({ was }: Saved) => was.kind === "absent";

function refuseRunning(folder: Folder, { steps, root }: Journal): void {
  for (const [index, { step, state }] of steps.entries()) {
    const running = step.do === "run" && state === "begun" ? childOf(folder, index) : undefined;
    if (running !== undefined)
      throw new ApplyError(
        `${describe(step, root)}, which was started then, still runs (process ${running}): wait for its end; nothing was undone`,
      );
  }
}

/** What each path is known to have been like. Whoever took this back before and died left rights that nobody wrote down. */
function knownOf(steps: JournalStep[], isFirstTime: boolean): Map<string, Known> {
  const found = new Map<string, Known>();
  // Names of one file share what is known of it: what a program does to it under one name is seen under all.
  for (const { path: file, names = [] } of steps.flatMap(({ saved }) => saved)) {
    const all = [file, ...names];
    const known = all.map((each) => found.get(each)).find((each) => each !== undefined) ?? {
      states: [],
      rights: isFirstTime ? [] : undefined,
    };
    for (const each of all) if (!found.has(each)) found.set(each, known);
  }
  for (const { saved, state } of steps)
    for (const { path: file, was, now, names = [], left } of saved)
      for (const known of new Set([file, ...names].map((each) => found.get(each)!))) {
        known.states.push(stateBefore(was), ...(now === undefined ? [] : [now]));
        if (was.kind !== "absent") known.rights?.push(was);
        if (left) known.rights?.push(left);
        if (state === "begun") known.rights = undefined;
      }
  return found;
}

const stateBefore = (was: Saved["was"]): State => (was.kind === "folder" ? { kind: "folder" } : was);

/**
 * Compares what is there with what is known, before anything is touched. Of a step that was cut off, what is there is set aside and kept.
 * What a step did not change, and somebody else did since, is none of our business: the answer is those paths.
 */
function examine(
  folder: Folder,
  { root }: Journal,
  begun: JournalStep[],
  first: Map<string, Saved>,
  known: Map<string, Known>,
): Set<string> {
  const foreign = new Set<string>();
  // Of a path that several steps changed, the last one knows what it is like; after an undo that died, it may be like before any of them.
  const seen = new Set<string>();
  const strange: { file: string; there: State; isCutOff: boolean; inode: string | undefined }[] = [];
  // What a program did that was under way is not known; but it did nothing elsewhere.
  const underWay = begun.flatMap(({ state, places = [] }) => (state === "begun" ? places : []));
  for (const { saved, state, step } of begun.toReversed()) {
    for (const { path: file, was, now, names, inPlace, backInPlace } of saved) {
      for (const each of [file, ...(names ?? [])]) {
        if (seen.has(each)) continue;
        const there = currentState(root, each, known);
        const before = stateBefore(was);
        const isUntouched = state === "done" && now !== undefined && isSame(now, before);
        if (isUntouched && !isSame(there, before)) foreign.add(each);
        if (isUntouched) continue;
        seen.add(each);
        // What somebody took away since comes back.
        if (there.kind === "absent" || known.get(each)!.states.some((one) => isSame(one, there))) continue;
        // A program that writes to a file does so under all of its names.
        const isUnderWay = [file, ...(names ?? [])].some((one) => underWay.some((place) => one === place || one.startsWith(`${place}/`)));
        const isHalf = (state === "begun" && (step.do === "run" || inPlace === true)) || backInPlace === true;
        strange.push({ file: each, there, isCutOff: isHalf || isUnderWay, inode: was.kind === "file" ? was.inode : undefined });
      }
    }
  }
  for (const file of seen) foreign.delete(file);
  const refuse = (what: string) => new ApplyError(`${what}: nothing was undone. What it was like is kept in ${folder.path}`);
  for (const { file, isCutOff } of strange) if (!isCutOff) throw refuse(`${file} was changed since culprit wrote it`);
  const written = new Set(begun.flatMap(({ saved }) => saved.map(({ path: file }) => file)));
  for (const { path: file, was } of first.values()) {
    if (was.kind === "absent" || foreign.has(file)) continue;
    try {
      bringWay(root, file, first, foreign, refuse);
    } catch (error) {
      // Another name whose folder somebody has taken away is not a name any more.
      if (written.has(file) || !(error instanceof ApplyError)) throw error;
      foreign.add(file);
      continue;
    }
    const isCutOff = underWay.some((place) => file === place || file.startsWith(`${place}/`));
    if (was.kind !== "folder" && !isCutOff) refuseFilled(root, file, first, refuse);
  }
  for (const { file, there, inode } of strange)
    reach(root, file.slice(root.length), { links: "none" }, (place) => {
      if (!place.stat || 0 < place.missing.length) return;
      // A file with other names, which are not known, stays one with them.
      const { dev, ino, nlink } = fs.lstatSync(at(place.folder, place.name), { bigint: true });
      const isShared = place.stat.isFile() && 1n < nlink && inode === `${dev}:${ino}`;
      setAside(folder, place.folder, place.name, isShared);
      if (isShared) known.get(file)!.states.push(there);
    });
  return foreign;
}

/** What comes back needs the folders that it lay in: those that we know come back with it, and without others it cannot. */
function bringWay(root: string, file: string, first: Map<string, Saved>, foreign: Set<string>, refuse: (what: string) => Error): void {
  try {
    reach(root, file.slice(root.length), { links: "none" }, ({ folder, missing }) => {
      let way = folder.path;
      for (const part of missing) {
        way = path.join(way, part);
        if (first.get(way)?.was.kind !== "folder") throw refuse(`${way} is gone`);
        foreign.delete(way);
      }
    });
  } catch (error) {
    if (!(error instanceof Detour)) throw error;
    const { place } = error;
    if (first.get(place)?.was.kind !== "folder" || foreign.has(place)) throw refuse(error.message);
  }
}

/** A folder that a program has put in a file's place must be empty once what that program made is gone. */
function refuseFilled(root: string, file: string, first: Map<string, Saved>, refuse: (what: string) => Error): void {
  unlessDetour(root, file, ({ folder, name, stat, missing }) => {
    if (0 < missing.length || !stat?.isDirectory()) return;
    below(folder, name, file, (_folder, each, inner, found) => {
      const isCompiled = found.isDirectory()
        ? each === "__pycache__"
        : /\/__pycache__\/[^/]*$/.test(inner) && compiled.test(each) && found.isFile();
      if (inner !== file && !isCompiled && first.get(inner)?.was.kind !== "absent")
        throw refuse(`${inner} has come since culprit wrote there`);
    });
  });
}

function currentState(root: string, file: string, known: Map<string, Known>): State {
  try {
    return reach(root, file.slice(root.length), { links: "none" }, ({ folder, name, missing }) =>
      missing.length === 0 ? stateAt(folder, name) : { kind: "absent" },
    );
  } catch (error) {
    // A program may put something else in the place of a folder: that is looked at by itself.
    if (error instanceof Detour && known.has(error.place)) return { kind: "absent" };
    throw new ApplyError(`${file} cannot be undone: ${reasonOf(error)}; nothing was changed`);
  }
}

/** Folders in which something may wait for its place. */
const foldersOf = (root: string, begun: JournalStep[]) =>
  begun
    .flatMap(({ saved }) => saved.flatMap(({ path: file, names }) => [file, ...(names ?? [])]))
    .map((file) => path.dirname(file))
    .filter((folder) => `${folder}/`.startsWith(`${root}/`));

/** What Python calls the files that it compiles. */
const compiled = /\.pyc(?:\.\d+)?$/;

/**
 * What a program made and was not seen to make. Of one that died, everything new is taken for its work, and kept; else only what Python
 * compiled of the files that go.
 */
function clearNew(store: Folder, root: string, { places = [], saved, state, leftovers }: JournalStep): void {
  const known = new Set(saved.flatMap(({ path: file, was }) => (was.kind === "absent" ? [] : [file])));
  for (const place of places) {
    unlessDetour(root, place, ({ folder, name, path: file, missing }) => {
      if (0 < missing.length) return;
      below(folder, name, file, (inner, each, innerPath, stat) => {
        if (known.has(innerPath)) return undefined;
        if (state === "begun") setAside(store, inner, each);
        else if (stat.isDirectory() && each === "__pycache__") clearCompiled(inner, each);
        else return undefined;
        return "skip";
      });
    });
  }
  if (state !== "begun") return;
  for (const file of besides(places)) {
    if (leftovers?.includes(file)) continue;
    unlessDetour(root, file, ({ folder, name }) => setAside(store, folder, name));
  }
}

function clearCompiled(folder: Folder, name: string): void {
  const fd = fs.openSync(at(folder, name), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  try {
    const inner = { fd, path: "" };
    const names = fs.readdirSync(at(inner, "."));
    for (const each of names) if (compiled.test(each) && fs.lstatSync(at(inner, each)).isFile()) fs.unlinkSync(at(inner, each));
    if (fs.readdirSync(at(inner, ".")).length === 0) fs.rmdirSync(at(folder, name));
  } finally {
    fs.closeSync(fd);
  }
}
