// The reports that are written to be read elsewhere. Most runs print to a terminal: these are loaded when asked for.
import type { Judged } from "./report/judged.ts";
import type { Check } from "./model/check.ts";
import type { RuleDescription } from "./model/rule.ts";
import { htmlReport } from "./report/check-html.ts";
import { markdownReport } from "./report/check-markdown.ts";
import { sarifReport } from "./report/check-sarif.ts";
import { redactAnswer, type PrivateNames } from "./snapshot/redact.ts";
import { version } from "./version.ts";

/** A check, and of a machine what it was made from: a file has no stack. */
export interface Reported {
  check: Check;
  stack?: Judged["stack"];
}

const noStack: Judged["stack"] = {
  variables: {},
  inventory: {
    schema: "culprit/list@1",
    target: { kind: "declaration" },
    driver: {},
    gpus: [],
    toolkits: [],
    environments: [],
    copies: [],
    frameworks: [],
    variables: [],
    missing: [],
    unknown: [],
  },
  runs: [],
};
const judgedOf = ({ check, stack }: Reported): Judged => ({ check, stack: stack ?? noStack });

/** To paste into an issue: names of people, hosts and home folders are replaced. */
export function checkMarkdown(reported: Reported, names: PrivateNames = {}): string {
  const {
    check,
    stack: { inventory, variables },
  } = judgedOf(reported);
  return markdownReport(redactAnswer({ check, inventory }, variables, names), version);
}

export function checkSarif(reported: Reported, rules: RuleDescription[]): string {
  return sarifReport(judgedOf(reported), rules, version);
}

/** One page that works offline. `made` is when, in words. */
export function checkHtml(reported: Reported, rules: RuleDescription[], made?: string): string {
  return htmlReport(judgedOf(reported), rules, version, made);
}
