import type { Stack } from "../diagnose/stack.ts";
import type { Activity } from "../model/activity.ts";
import type { Asked } from "../lib/asked.ts";
import type { Check } from "../model/check.ts";

/** What to judge: programs, each list one process; none: every framework in every environment, each by itself. */
export interface Question {
  programs: string[][];
  /** Empty: all. */
  activities: Activity[];
  /** Where to look for environments; empty: the usual places, or for named programs the active one. */
  python: string[];
  /** The words of it, for commands that are suggested; absent: they are for this machine as it is. */
  asked?: Asked;
  /** Absent: both for a root folder, an image and another host; else none. */
  shell?: Shell;
}

/** How a program is started: plainly, from a login shell, or both, one after the other. */
export type Shell = "none" | "login" | "both";

/** A judged stack: the findings, and what they rest on. */
export interface Judgement {
  check: Check;
  stack: Stack;
}
