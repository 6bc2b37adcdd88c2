// Takes a run back, byte for byte. Refuses, before it touches anything, when somebody else changed something since.
import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { reasonOf } from "../lib/reason.ts";
import { ApplyError, besides, describe } from "./apply.ts";
import { childOf } from "./child.ts";
import { at, reach, type Folder } from "./hold.ts";
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
import { below, clearWaiting, restore, restoreTimes, setAside } from "./save.ts";

export function undoFixes(home: string, id: string): { restored: string[] } {
  const done = inHome(home, false, (homeFolder) => {
    if (!isId(id) || !fs.existsSync(at(homeFolder, `${id}/journal.json`))) return undefined;
    return withLock(homeFolder, () =>
      inJournal(homeFolder, id, (folder) => {
        const journal = readJournal(folder);
        if (journal.state === "undone") throw new ApplyError(`\`${id}\` was taken back already`);
        return undoIn(folder, journal);
      }),
    );
  });
  if (!done) throw new ApplyError(`there is no journal \`${id}\` in ${home}`);
  return done;
}

function undoIn(folder: Folder, journal: Journal): { restored: string[] } {
  const { root } = journal;
  refuseRunning(folder, journal);
  const begun = journal.steps.filter(({ state }) => state !== "planned");
  const known = statesOf(begun);
  const foreign = examine(folder, journal, begun, known);
  // A run that is cut off now must know what it left on its way.
  journal.tokens.push(crypto.randomUUID());
  writeJournal(folder, journal);
  const token = journal.tokens.at(-1)!;
  clearWaiting(root, foldersOf(root, begun), journal.tokens);
  const restored: string[] = [];
  for (const entry of begun.toReversed()) {
    clearNew(folder, root, entry);
    const own = entry.saved.filter(({ path: file }) => !foreign.has(file));
    // What was made goes first, innermost first; then folders come back before what is in them.
    for (const each of [...own.filter(isMade), ...own.filter((saved) => !isMade(saved))]) {
      restore(folder, root, each, known.get(each.path) ?? [], token);
      if (each.was.kind !== "folder") restored.push(each.path);
    }
  }
  // Times of folders change while their files come back. The first step knows what they were.
  const folders = begun.toReversed().flatMap(({ saved, around = [] }) => [...saved, ...around].filter(({ was }) => was.kind === "folder"));
  const times = new Map(folders.map((each) => [each.path, each]));
  for (const each of [...times.values()].toSorted((a, b) => b.path.length - a.path.length)) restoreTimes(root, each);
  journal.state = "undone";
  writeJournal(folder, journal);
  return { restored: [...new Set(restored)] };
}

const isMade = ({ was }: Saved) => was.kind === "absent";

function refuseRunning(folder: Folder, { steps, root }: Journal): void {
  for (const [index, { step, state }] of steps.entries()) {
    const running = step.do === "run" && state === "begun" ? childOf(folder, index) : undefined;
    if (running !== undefined)
      throw new ApplyError(
        `${describe(step, root)}, which was started then, still runs (process ${running}): wait for its end; nothing was taken back`,
      );
  }
}

/** What each path is known to have been like, before and after each step. */
function statesOf(steps: JournalStep[]): Map<string, State[]> {
  const found = new Map<string, State[]>();
  const add = (file: string, states: State[]) => found.set(file, [...(found.get(file) ?? []), ...states]);
  for (const { path: file, was, now, names } of steps.flatMap(({ saved }) => saved)) {
    const states: State[] = [was.kind === "folder" ? { kind: "folder" } : was, ...(now === undefined ? [] : [now])];
    for (const each of [file, ...(names ?? [])]) add(each, states);
  }
  return found;
}

/**
 * Compares what is there with what is known, before anything is touched. Of a step that was cut off, what is there is set aside and kept.
 * What a step did not change, and somebody else did since, is none of our business: the answer is those paths.
 */
function examine(folder: Folder, { root }: Journal, begun: JournalStep[], known: Map<string, State[]>): Set<string> {
  const foreign = new Set<string>();
  // Of a path that several steps changed, the last one knows what it is like; after an undo that died, it may be like before any of them.
  const seen = new Set<string>();
  const strange: { file: string; isCutOff: boolean }[] = [];
  // What a program did that was under way is not known; but it did nothing elsewhere.
  const underWay = begun.flatMap(({ state, places = [] }) => (state === "begun" ? places : []));
  for (const { saved, state, step } of begun.toReversed()) {
    for (const { path: file, was, now, names, inPlace } of saved) {
      for (const each of [file, ...(names ?? [])]) {
        if (seen.has(each)) continue;
        const there = currentState(root, each);
        const before: State = was.kind === "folder" ? { kind: "folder" } : was;
        const isUntouched = state === "done" && now !== undefined && isSame(now, before);
        if (isUntouched && !isSame(there, before)) foreign.add(each);
        if (isUntouched) continue;
        seen.add(each);
        // What somebody took away since comes back.
        if (there.kind === "absent" || (known.get(each) ?? []).some((one) => isSame(one, there))) continue;
        const isUnderWay = underWay.some((place) => each === place || each.startsWith(`${place}/`));
        const isHalf = state === "begun" && (step.do === "run" || inPlace === true);
        strange.push({ file: each, isCutOff: isHalf || isUnderWay });
      }
    }
  }
  for (const file of seen) foreign.delete(file);
  for (const { file, isCutOff } of strange)
    if (!isCutOff)
      throw new ApplyError(
        `${file} was changed since culprit wrote it: nothing was taken back. What it was like is kept in ${folder.path}`,
      );
  for (const { file } of strange)
    reach(root, file.slice(root.length), { links: "none" }, (place) => {
      if (place.stat && place.missing.length === 0) setAside(folder, place.folder, place.name);
    });
  return foreign;
}

function currentState(root: string, file: string): State {
  try {
    return reach(root, file.slice(root.length), { links: "none" }, ({ folder, name, missing }) =>
      missing.length === 0 ? stateAt(folder, name) : { kind: "absent" },
    );
  } catch (error) {
    throw new ApplyError(`${file} cannot be taken back: ${reasonOf(error)}; nothing was changed`);
  }
}

/** Folders in which something may wait for its place. */
const foldersOf = (root: string, begun: JournalStep[]) =>
  begun
    .flatMap(({ saved }) => saved.flatMap(({ path: file, names }) => [file, ...(names ?? [])]))
    .map((file) => path.dirname(file))
    .filter((folder) => `${folder}/`.startsWith(`${root}/`) && currentState(root, path.join(folder, ".culprit")).kind === "absent");

/**
 * What a program made and was not seen to make. Of one that died, everything new is taken for its work, and kept; else only what Python
 * compiled of the files that go.
 */
function clearNew(store: Folder, root: string, { places = [], saved, state, leftovers }: JournalStep): void {
  const known = new Set(saved.flatMap(({ path: file, was }) => (was.kind === "absent" ? [] : [file])));
  for (const place of places) {
    reach(root, place.slice(root.length), { links: "none" }, ({ folder, name, path: file, missing }) => {
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
    reach(root, file.slice(root.length), { links: "none" }, ({ folder, name }) => setAside(store, folder, name));
  }
}

function clearCompiled(folder: Folder, name: string): void {
  const fd = fs.openSync(at(folder, name), fs.constants.O_RDONLY | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW);
  try {
    const inner = { fd, path: "" };
    const names = fs.readdirSync(at(inner, "."));
    for (const each of names) if (/\.pyc(?:\.\d+)?$/.test(each)) fs.unlinkSync(at(inner, each));
    if (fs.readdirSync(at(inner, ".")).length === 0) fs.rmdirSync(at(folder, name));
  } finally {
    fs.closeSync(fd);
  }
}
