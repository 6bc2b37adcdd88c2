import type { Check } from "./check.ts";
import type { Fix, Headed, Proof } from "./finding.ts";

/** How far a change goes; a smaller one is better. */
export const reaches = ["command", "shell", "environment", "user", "machine"] as const;
export type Reach = (typeof reaches)[number];

/** One change of a machine, as data. */
export type Step =
  /** Replaces one line of a text file, or removes it (`after` absent); refused when the line is not as it was. */
  | { do: "edit"; file: string; line: number; before: string; after?: string }
  /** Writes a file that is not there yet. */
  | { do: "write"; file: string; text: string }
  /** Runs a program that changes files below these folders, and nothing else; they are saved before. */
  | { do: "run"; command: string[]; changes: string[] };

/** A fix for findings: what it does for real, and the proof that it helps. */
export interface ProposedFix extends Fix {
  /** What it does, in a few words. */
  title: string;
  reach: Reach;
  steps: Step[];
  /** What a person must know before it is applied. */
  warning?: string;
  /** Findings that it removes, as `rule subject`. */
  cures: string[];
  /** What variables will be in new shells; absent: not set. */
  variables?: { name: string; value?: string }[];
  /** Files and variables that it changes: two fixes that share one exclude each other. */
  changes: string[];
}

export interface Plan {
  schema: "culprit/fix@1";
  /** Of the check that it rests on: a plan without findings says nothing where not everything, or nothing, could be judged. */
  status: Check["status"];
  /** For each finding the fixes that were proven, least invasive first; then those that only a person can do. */
  findings: (Headed & { severity: string; fixes: ProposedFix[] })[];
  /** One choice that removes all that can be removed, in the order in which it is applied: what `--apply` does. */
  chosen: ProposedFix[];
  /** What it does, all of it together: findings that go, that come, and that stay. */
  proof: Proof & { leaves: string[] };
  /** Fixes that had to be left out because of others that were chosen before. */
  conflicts: { finding: string; fix: string; because: string }[];
}
