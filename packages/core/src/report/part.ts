// The reports that are written to be read elsewhere. Most runs print to a terminal: these are loaded when asked for.
import type { Judged, JudgedRun } from "./judged.ts";
import type { Asked } from "../lib/asked.ts";
import type { Check } from "../model/check.ts";
import type { RuleDescription } from "../model/rule.ts";
import { answerPieces, htmlReport, type AnswerPieces, type Live } from "./check-html.ts";
import { markdownReport } from "./check-markdown.ts";
import { sarifReport } from "./check-sarif.ts";
import { conciseReport } from "./check-concise.ts";
import { githubReport } from "./check-github.ts";
import { junitReport } from "./check-junit.ts";
import type { Answered, Formatting } from "./answered.ts";
import type { ReportFormat } from "../model/report-formats.ts";
import { redactAnswer, type PrivateNames } from "../snapshot/redact.ts";
import { version } from "../version.ts";

/** A check, and of a machine what it was made from: a file has no stack. */
export interface Reported {
  check: Check;
  /** For commands that ask again. */
  asked?: Asked;
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
// Of what was judged only what reports show.
const shownOf = ({ check, asked, stack = noStack }: Reported): Judged => {
  const { variables, inventory, runs } = stack;
  const shown = runs.map(({ programs, environment, activities, loads, stops, undisturbed }): JudgedRun => ({
    programs: programs.map(({ id, package: installed }) => ({ id, ...(installed ? { package: { version: installed.version } } : {}) })),
    ...(environment ? { environment: { prefix: environment.prefix } } : {}),
    activities,
    loads,
    stops: stops.map(({ program, activity, failure }) => ({ program, activity, failure })),
    ...(undisturbed ? { undisturbed: { loads: undisturbed.loads } } : {}),
  }));
  return { check, stack: { variables, inventory, runs: shown }, ...(asked ? { asked } : {}) };
};
const judgedOf = (reported: Reported, names: PrivateNames): Judged => {
  const { check, asked, stack } = shownOf(reported);
  const answer = { check, ...stack, ...(asked ? { asked } : {}) };
  const { check: told, asked: again, ...rest } = redactAnswer(answer, stack.variables, names);
  return { check: told, stack: rest, ...(again ? { asked: again } : {}) };
};

/** To paste into an issue. In this and the next two, names of people, hosts and home folders are replaced. */
export function checkMarkdown(reported: Reported, names: PrivateNames = {}): string {
  const {
    check,
    stack: { inventory },
  } = judgedOf(reported, names);
  return markdownReport({ check, inventory }, version);
}

export function checkSarif(reported: Reported[], rules: RuleDescription[], names: PrivateNames = {}): string {
  return sarifReport(
    reported.map((each) => judgedOf(each, names)),
    rules,
    version,
  );
}

const formats: { [format in ReportFormat]: (answers: Answered[], how: Formatting) => string } = {
  concise: conciseReport,
  github: githubReport,
  junit: junitReport,
};

/** For programs that read lines. What goes into a log of CI is for others to read, too: names are replaced. */
export function checkFormatted(format: ReportFormat, answers: Answered[], how: Formatting, names: PrivateNames = {}): string {
  return formats[format](redactAnswer(answers, {}, names), how);
}

/** One page that works offline. `made` is when, in words. */
export function checkHtml(reported: Reported, rules: RuleDescription[], made?: string, names: PrivateNames = {}): string {
  return htmlReport(judgedOf(reported, names), rules, version, made);
}

/** The page that can be changed. Its facts are in it: whoever hands it on has redacted them before, and no name is replaced here. */
export function checkPage(reported: Reported, rules: RuleDescription[], live: Live, made?: string): string {
  return htmlReport(shownOf(reported), rules, version, made, live);
}

/** What such a page shows for another answer. */
export const checkPieces = (reported: Reported, rules: RuleDescription[]): AnswerPieces => answerPieces(shownOf(reported), rules);

export { explanationPieces, problemPieces } from "./explain-html.ts";
export { differencePieces } from "./diff-html.ts";
export { dropPage } from "./drop-page.ts";
export { fleetPage } from "./fleet-page.ts";
