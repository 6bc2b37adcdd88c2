import type { RuleDescription } from "../model/rule.ts";
import { rules } from "../rules/machine.generated.ts";

/** Every rule, as people read about it. */
export const describeRules = (): RuleDescription[] =>
  rules.map(({ id, title, cause, severity, page }) => ({ id, title, cause, severity, page }));
