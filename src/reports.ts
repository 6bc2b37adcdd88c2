// The reports that are written to be read elsewhere. Most runs print to a terminal: these are loaded when asked for.
import type { Judgement } from "./judgement.ts";
import type { RuleDescription } from "./model/rule.ts";
import { htmlReport } from "./report/check-html.ts";
import { markdownReport } from "./report/check-markdown.ts";
import { sarifReport } from "./report/check-sarif.ts";
import { redactAnswer, type PrivateNames } from "./snapshot/redact.ts";
import { version } from "./version.ts";

/** To paste into an issue: names of people, hosts and home folders are replaced. */
export function checkMarkdown({ check, stack: { inventory, variables } }: Judgement, names: PrivateNames = {}): string {
  return markdownReport(redactAnswer({ check, inventory }, variables, names), version);
}

export function checkSarif(judgement: Judgement, rules: RuleDescription[]): string {
  return sarifReport(judgement, rules, version);
}

/** One page that works offline. `made` is when, in words. */
export function checkHtml(judgement: Judgement, rules: RuleDescription[], made?: string): string {
  return htmlReport(judgement, rules, version, made);
}
