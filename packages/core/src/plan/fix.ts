import type { Check } from "../model/check.ts";
import type { Finding, Fix } from "../model/finding.ts";
import type { Reach, Step } from "../model/fix.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Stack } from "../diagnose/stack.ts";

/** One kind of fix. One file each. */
export interface FixKind {
  /** Also the file's name. */
  id: string;
  title: string;
  proposes: (stack: Stack, finding: Finding, snapshot: Snapshot) => Candidate[];
}

/** A fix with two readings: what it would do to the facts, and what it does to the machine. */
export interface Candidate {
  title: string;
  reach: Reach;
  safety: Fix["safety"];
  /** Lines to type; for a fix that is applied, what `--apply` does in other words. */
  commands: string[];
  steps: Step[];
  warning?: string;
  changes: string[];
  /** What it is for, where commands and steps do not say: the same of both is one fix. */
  of?: string;
  variables?: { name: string; value?: string }[];
  /** Works around what is wrong and leaves it there: behind whatever mends it. */
  workaround?: true;
  /** Does more than others of its kind: only for where those do not help. */
  wider?: true;
  /** What it does to the facts; absent where that cannot be known: such a fix is never proven. */
  simulate?: Simulate;
}

/** The facts as they would be afterwards; undefined where they do not tell. */
export type Simulate = (snapshot: Snapshot, programs: Programs) => Snapshot | undefined | Promise<Snapshot | undefined>;

/** Programs of the system whose work can be predicted. */
export interface Programs {
  /** The facts after `ldconfig`; given folders: only those are looked through, and the rest of the cache stays as it is. */
  ldconfig: (snapshot: Snapshot, folders?: string[]) => Promise<Snapshot | undefined>;
}

/** Facts, and what is wrong with them. */
export interface Situation {
  snapshot: Snapshot;
  check: Check;
  stack: Stack;
}

/** Changes the facts and asks the same question of them; undefined where the change cannot be predicted. */
export type Judge = (change: Simulate, snapshot: Snapshot) => Promise<Situation | undefined>;

export const defineFix = (kind: FixKind) => kind;
