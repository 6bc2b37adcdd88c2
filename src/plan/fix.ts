import type { Finding, Fix } from "../model/check.ts";
import type { Reach, Step } from "../model/fix.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Stack } from "../diagnose/stack.ts";

/** One kind of cure. One file each. */
export interface FixKind {
  /** Also the file's name. */
  id: string;
  title: string;
  proposes: (stack: Stack, finding: Finding, snapshot: Snapshot) => Candidate[];
}

/** A cure with two readings: what it would do to the facts, and what it does to the machine. */
export interface Candidate {
  title: string;
  reach: Reach;
  safety: Fix["safety"];
  /** Lines to type; for a fix that is applied, what `--apply` does in other words. */
  commands: string[];
  steps: Step[];
  warning?: string;
  changes: string[];
  variables?: { name: string; value?: string }[];
  /** The snapshot as it would be afterwards; absent where that cannot be known: such a fix is never proven. */
  simulate?: (snapshot: Snapshot) => Snapshot;
}

export const defineFix = (kind: FixKind) => kind;
