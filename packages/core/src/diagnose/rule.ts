import type { Draft } from "../model/finding.ts";
import type { RuleDescription } from "../model/rule.ts";
import type { Run, Stack, Stop } from "./stack.ts";

/** One kind of mismatch: how to see it, and its page. One file each. */
export interface Rule extends RuleDescription {
  /** It says that something is not there: nothing, where not everything could be looked at. */
  absence?: true;
  /** Where a program would stop or lose the GPU: whether this is why. The most specific answer of all rules counts. */
  blames?: (stack: Stack, stop: Stop, run: Run) => Blame | undefined;
  /** What is wrong although no program stops. */
  finds?: (stack: Stack) => Draft[];
}

/** What every stop tells (`stopFacts`) need not be said again. */
export interface Blame extends Omit<Draft, "breaks" | "place"> {
  /** 0 is the last resort; 1 says only what failed; 2 also which file; 3 also why that file; 4 and 5 know this very constellation. */
  specificity: 0 | 1 | 2 | 3 | 4 | 5;
}

export const defineRule = (rule: Rule) => rule;
