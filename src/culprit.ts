import { beginCollecting, type Collector } from "./collect/collect.ts";
import { libraryOf, versionOf } from "./knowledge/libraries.ts";
import type { Check } from "./model/check.ts";
import type { Loads } from "./model/loads.ts";
import type { Need } from "./model/need.ts";
import type { CpuFact, Snapshot } from "./model/snapshot.ts";
import type { Target } from "./model/target.ts";
import { loadsOf } from "./resolve/loads.ts";
import { viewOf, type View } from "./resolve/view.ts";
import { version } from "./version.ts";

/** What to answer for, where it differs from the target as it is. */
export interface WhatIf {
  environment?: { [name: string]: string };
  unset?: string[];
  cwd?: string;
  cpu?: CpuFact;
  /** As if `ldconfig` had just been run. */
  ldconfig?: boolean;
}

/** A target under examination: facts so far, and the means to get more. A snapshot has no such means. */
export interface Examination {
  readonly view: View;
  readonly collector: Collector | undefined;
}

export async function beginExamination(target: Target | Snapshot, whatIf: WhatIf = {}): Promise<Examination> {
  const collector = "look" in target ? await beginCollecting(target, version) : undefined;
  const snapshot = collector ? collector.snapshot : structuredCopy(target as Snapshot);
  Object.assign(snapshot.environment, whatIf.environment);
  for (const name of whatIf.unset ?? []) delete snapshot.environment[name];
  if (whatIf.cwd !== undefined) snapshot.cwd = whatIf.cwd;
  if (whatIf.cpu) snapshot.cpu = whatIf.cpu;
  return { view: viewOf(snapshot), collector };
}

/** What each program would load, in its own process; answers come in the order of the paths. */
export async function* examineLoads({ view, collector }: Examination, paths: Iterable<string>): AsyncGenerator<Loads> {
  for (const batch of batches(paths, 64)) {
    const answers = new Map<string, Loads>();
    let open = batch;
    let before = "";
    for (;;) {
      const needs: Need[] = [];
      const still: string[] = [];
      for (const path of open) {
        const answer = loadsOf(view, path);
        answers.set(path, answer);
        if (0 < view.needs.size) {
          still.push(path);
          needs.push(...view.needs.values());
        }
      }
      // Needs that a fetch did not meet (a file that changes under us) would be asked for ever.
      const asked = needs.map(({ as, path }) => `${as} ${path}`).join("\n");
      if (still.length === 0 || !collector || asked === before) break;
      before = asked;
      await collector.fetch(needs);
      open = still;
    }
    for (const path of batch) yield withVersions(answers.get(path)!, view.snapshot);
  }
}

/** Every mismatch in a target's GPU stack. The rules come with later releases; until then nothing is judged. */
export async function examine(target: Target | Snapshot, whatIf: WhatIf = {}): Promise<Check> {
  const { view } = await beginExamination(target, whatIf);
  return explain(view.snapshot);
}

export function explain(snapshot: Snapshot): Check {
  return {
    schema: "culprit/check@1",
    target: snapshot.target,
    unknown: [
      ...snapshot.unknown,
      {
        subject: "rules",
        reason: "this version of culprit has no rules yet: nothing was judged; `culprit loads` and `culprit why` answer for single files",
      },
    ],
    findings: [],
  };
}

function withVersions(answer: Loads, snapshot: Snapshot): Loads {
  for (const load of answer.loads) {
    const library = libraryOf(load.name) ?? libraryOf(load.file);
    if (!library) continue;
    load.library = library.id;
    const fact = snapshot.files[load.file];
    const found = fact?.kind === "file" && fact.object?.kind === "elf" ? versionOf(library, fact.object) : undefined;
    if (found !== undefined) load.version = found;
  }
  return answer;
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

// A snapshot that was handed in is not changed by a question about it.
function structuredCopy(snapshot: Snapshot): Snapshot {
  return { ...snapshot, environment: { ...snapshot.environment }, files: { ...snapshot.files }, unknown: [...snapshot.unknown] };
}
