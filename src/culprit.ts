import type { Question } from "./judgement.ts";
import { answered, beginExamination, fetchAhead, nameCopies, withVersions, type Examination, type WhatIf } from "./examination.ts";
import { isCopy, libraryOf } from "./knowledge/libraries.ts";
import { absolute } from "./lib/path.ts";
import type { Check } from "./model/check.ts";
import type { Loads } from "./model/loads.ts";
import { keyOfNeeds, type Need } from "./model/need.ts";
import type { Snapshot } from "./model/snapshot.ts";
import type { Target } from "./model/target.ts";
import type { Why } from "./model/why.ts";
import { loadsOf } from "./resolve/loads.ts";
import { tellUnseen } from "./resolve/unseen.ts";
import type { View } from "./resolve/view.ts";
import { whyOf } from "./resolve/why.ts";

/** What each program would load, in its own process; answers come in the order of the paths. */
export async function* examineLoads({ view, collector }: Examination, paths: Iterable<string>): AsyncGenerator<Loads> {
  for (const batch of batches(paths, 64)) {
    const answers = new Map<string, Loads>();
    // With the programs and what they need at hand, most answers come at the first asking.
    if (collector)
      await fetchAhead(
        view,
        collector,
        batch.map((path) => ({ path: absolute(path, view.cwd), as: "object" })),
      );
    let open = batch;
    let before = "";
    while (0 < open.length) {
      const needs: Need[] = [];
      const still: string[] = [];
      for (const path of open) {
        view.wishes.clear();
        answers.set(path, loadsOf(view, path));
        if (view.needs.size + view.wishes.size === 0) continue;
        still.push(path);
        needs.push(...view.needs.values(), ...view.wishes.values());
      }
      const key = keyOfNeeds(needs);
      if (!collector || key === before) break;
      before = key;
      await fetchAhead(view, collector, needs);
      open = still;
    }
    for (const path of batch) yield tellUnseen(view, withVersions(answers.get(path)!, view.snapshot));
  }
}

/** Every program and library below folders, in order of path, links not followed; a file stands for itself. */
export async function findObjects(examination: Examination, paths: string[]): Promise<string[] | { problem: string }> {
  return answered(examination, (view) => {
    const found: string[] = [];
    for (const path of paths) {
      const at = view.lookup(path);
      if ("error" in at) return { problem: `there is no file or folder \`${path}\`` };
      if ("found" in at && at.entry.kind !== "folder") found.push(path);
      else if ("found" in at) collectObjects(view, path, at.found, found);
    }
    return found;
  });
}

function collectObjects(view: View, path: string, folder: string, found: string[]): void {
  const names = view.names(folder);
  if (names === undefined) view.need(folder, "listing");
  for (const name of names ?? []) {
    const below = `${folder === "/" ? "" : folder}/${name}`;
    const fact = view.snapshot.files[below];
    if (fact === undefined) view.need(below, "entry");
    else if (fact.kind === "folder") collectObjects(view, `${path.replace(/\/$/, "")}/${name}`, below, found);
    else if (fact.kind === "file") {
      const object = view.object(below, fact);
      // Relocatable and core files are loaded by nobody.
      if (object?.kind === "elf" && (object.type === 2 || object.type === 3)) found.push(`${path.replace(/\/$/, "")}/${name}`);
    }
  }
}

/** What one program would load. Where a GPU library is among it: also what that brings in by itself, and what the program was built against. */
export async function examineProgram(examination: Examination, path: string): Promise<Loads> {
  const answer = withVersions(await answered(examination, (view) => loadsOf(view, path, true)), examination.view.snapshot);
  const concerns = answer.loads.some(({ library }) => library !== undefined) || answer.failures.some(({ name }) => libraryOf(name));
  return tellUnseen(examination.view, concerns ? await (await import("./stack.ts")).examineGpuProgram(examination, path) : answer);
}

/** Why a library is found where it is, for a program or for one without search paths of its own. */
export async function examineWhy(examination: Examination, library: string, program?: string): Promise<Why> {
  return nameCopies(await answered(examination, (view) => whyOf(view, library, program)), examination.view.snapshot);
}

/**
 * The facts that answer for these programs and frameworks; without any, for every program and library of the system's own
 * folders, and for all that `list` shows and every framework does.
 * What was asked before is in it as well.
 */
export async function takeSnapshot(examination: Examination, programs: string[], python: string[] = []): Promise<Snapshot> {
  const { view, collector } = examination;
  // Going through the answers collects what they rest on.
  const { collectStack, isFramework } = await import("./stack.ts");
  for (const program of programs) if (!isFramework(program)) await examineProgram(examination, program);
  if (programs.length === 0) for await (const _answer of examineLoads(examination, await systemObjects(examination))) continue;
  if (programs.length === 0 || programs.some(isFramework)) {
    await collectStack(examination, python);
    const { examineStack } = await import("./judgement.ts");
    await examineStack(examination, { programs: [], activities: [], python });
  }
  await answered(examination, (current) => whyOf(current, "libc.so.6"));
  // Fixes are tried on snapshots, where another copy may come to serve: so the exports of every copy are kept.
  const copies = Object.entries(view.snapshot.files).filter(
    ([path, fact]) => fact.kind === "file" && fact.object?.kind === "elf" && !fact.object.exports && isCopy(path, fact.object),
  );
  await collector?.fetch(copies.map(([path]) => ({ path, as: "symbols", names: [] })));
  return collector?.snapshot ?? view.snapshot;
}

async function systemObjects(examination: Examination): Promise<string[]> {
  const { environment } = examination.view.snapshot;
  const folders = new Set([
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    ...(environment["PATH"] ?? "").split(":").filter((folder) => folder.startsWith("/")),
  ]);
  const programs = await answered(examination, (view) => {
    const paths = new Set<string>();
    for (const folder of folders) {
      const at = view.lookup(folder);
      if (!("found" in at) || at.entry.kind !== "folder") continue;
      const names = view.names(at.found);
      if (names === undefined) view.need(at.found, "listing");
      for (const name of names ?? []) {
        const file = view.lookup(`${at.found}/${name}`);
        if ("found" in file && file.entry.kind === "file") paths.add(file.found);
      }
    }
    return [...paths];
  });
  const cache = await answered(examination, (view) => {
    const at = view.lookup("/etc/ld.so.cache");
    if ("found" in at && at.entry.kind === "file" && !at.entry.cache && !at.entry.unreadable) view.need(at.found, "cache");
    return "found" in at && at.entry.kind === "file" ? (at.entry.cache?.entries ?? []) : [];
  });
  return [...programs, ...new Set(cache.map(({ path }) => path))];
}

/** Whether a file is called like an object of a known GPU library. */
export const isGpuLibrary = (file: string): boolean => libraryOf(file) !== undefined;

/** Every mismatch in a target's GPU stack. */
export async function examine(target: Target | Snapshot, whatIf: WhatIf = {}, question: Partial<Question> = {}): Promise<Check> {
  const { examineStack } = await import("./judgement.ts");
  const judged = await examineStack(await beginExamination(target, whatIf), { programs: [], activities: [], python: [], ...question });
  if ("problem" in judged) throw new Error(judged.problem);
  return judged.check;
}

function* batches(paths: Iterable<string>, size: number): Generator<string[]> {
  let batch: string[] = [];
  for (const path of paths) {
    batch.push(path);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (0 < batch.length) yield batch;
}
