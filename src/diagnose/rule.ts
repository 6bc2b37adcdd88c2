import type { Cause } from "../model/cause.ts";
import type { Affected, Finding, Severity } from "../model/check.ts";
import type { RuleDescription } from "../model/rule.ts";
import type { Run, Stack, Stop } from "./stack.ts";

/** One kind of mismatch: how to see it, and its page. One file each. */
export interface Rule extends RuleDescription {
  /** Where a program would stop or lose the GPU: whether this is why. The most specific answer of all rules counts. */
  blames?: (stack: Stack, stop: Stop, run: Run) => Blame | undefined;
  /** What is wrong although no program stops. */
  finds?: (stack: Stack) => Draft[];
}

/** A finding in the making; rule, and what is not said, come from the rule. */
export interface Draft {
  subject: string;
  message: string;
  because: string[];
  evidence: string[];
  advice: string[];
  cause?: Cause;
  severity?: Severity;
  certainty?: Finding["certainty"];
  breaks?: Affected[];
  endangers?: Affected[];
  sources?: string[];
}

export interface Blame extends Omit<Draft, "breaks"> {
  /** 0 is the last resort; 1 says only what failed; 2 also which file; 3 also why that file; 4 and 5 know this very constellation. */
  specificity: 0 | 1 | 2 | 3 | 4 | 5;
}

export const defineRule = (rule: Rule) => rule;
