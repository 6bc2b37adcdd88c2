import { beginCollecting, type Collector } from "../collect/collect.ts";
import { filesOf, overlay } from "../model/overlay.ts";
import type { VariableSource } from "../model/inventory.ts";
import type { CpuFact, Snapshot } from "../model/snapshot.ts";
import type { Target } from "../model/target.ts";
import { groundOf, settleGround } from "../resolve/ground.ts";
import { viewOf, type View } from "../resolve/view.ts";
import { version } from "../version.ts";
import { rebuildCache } from "./fresh-cache.ts";

/** What to answer for, where it differs from the target as it is. */
export interface WhatIf {
  environment?: { [name: string]: string };
  unset?: string[];
  cwd?: string;
  /** One without a vendor is the target's own vendor's, where that is known. */
  cpu?: CpuFact;
  /** A driver and GPUs in the place of those that are there. */
  driver?: string;
  gpus?: string[];
  /** As if `ldconfig` had just been run. */
  ldconfig?: boolean;
}

/** A target under examination: facts so far, and the means to get more. A snapshot has no such means. */
export interface Examination {
  readonly view: View;
  readonly collector: Collector | undefined;
  /** Variables that the question itself sets or takes away. */
  readonly named?: string[];
  /** Where variables come from, when a start-up file set them: `/etc/profile.d/cuda.sh:3`. */
  readonly setAt?: { [name: string]: string };
  /** What the modules of the question did to variables. */
  readonly modules?: VariableSource[];
}

/** Begins to examine a target, or a snapshot of one. */
export async function openTarget(target: Target | Snapshot, whatIf: WhatIf = {}): Promise<Examination> {
  const collector = "look" in target ? await beginCollecting(target, version) : undefined;
  const snapshot = collector ? collector.snapshot : ownCopy(target as Snapshot);
  Object.assign(snapshot.environment, whatIf.environment);
  for (const name of whatIf.unset ?? []) delete snapshot.environment[name];
  if (whatIf.cwd !== undefined) snapshot.cwd = whatIf.cwd;
  if (whatIf.cpu) snapshot.cpu = withVendor(whatIf.cpu, snapshot.cpu);
  if (whatIf.driver !== undefined || whatIf.gpus)
    snapshot.assumed = {
      ...(whatIf.driver === undefined ? {} : { driver: whatIf.driver }),
      ...(whatIf.gpus ? { gpus: whatIf.gpus } : {}),
    };
  const named = [...Object.keys(whatIf.environment ?? {}), ...(whatIf.unset ?? [])];
  const examination = { view: viewOf(snapshot), collector, named };
  return whatIf.ldconfig ? withFreshCache(examination) : examination;
}

function withVendor(given: CpuFact, { vendor, atomics }: CpuFact): CpuFact {
  return { ...(vendor === undefined ? {} : { vendor }), ...(atomics === undefined ? {} : { atomics }), ...given };
}

async function withFreshCache(examination: Examination): Promise<Examination> {
  const { snapshot } = examination.view;
  if (!(await rebuildCache(examination)))
    snapshot.unknown.push({
      subject: "ldconfig",
      reason: "the snapshot does not hold the folders that ldconfig would search",
      decides: true,
    });
  return { ...examination, view: viewOf(snapshot) };
}

// A snapshot that was handed in is not changed by a question about it, nor is a question by what is changed in it later: unless whoever
// hands it in has settled that, the facts are copied. What a question puts in their place lies over them.
function ownCopy(snapshot: Snapshot): Snapshot {
  return overlay(groundOf(snapshot.files) ? snapshot : { ...snapshot, files: settleGround(filesOf(snapshot)) });
}
