import type { describeRules, ruleIds, rulePage, stepText } from "@culprit/core";
import type { Command } from "../usage.ts";

/** What the server needs of the rest of the program: handed in, so that its file need not hold it a second time. */
export interface Library {
  version: string;
  commands: Command[];
  describeRules: typeof describeRules;
  ruleIds: typeof ruleIds;
  rulePage: typeof rulePage;
  stepText: typeof stepText;
}
