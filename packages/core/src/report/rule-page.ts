import { wrapped } from "../lib/lines.ts";
import { ruleTargets, silenceOn, type NotOn, type RuleDescription, type RuleTarget } from "../model/rule.ts";
import { columns, laidOut, plain, type Style } from "./style.ts";

/** The page of a rule, as Markdown: docs/rules/<id>.md and the help of SARIF. */
export function rulePage({ id, title, cause, severity, page }: RuleDescription): string {
  const sections = sectionsOf(page).flatMap(([heading, text]) => [`## ${heading}`, "", text, ""]);
  return [
    `# ${title}`,
    "",
    `Rule \`${id}\` · cause \`${cause}\` · ${severityWords[severity]}`,
    "",
    ...sections,
    "## If it is all right",
    "",
    accepting(id),
    "",
    "```json",
    acceptance(id),
    "```",
    "",
  ].join("\n");
}

/** The same page for a terminal. */
export function rulePageReport({ id, title, cause, severity, page }: RuleDescription, style: Style = plain): string {
  const width = Math.min(style.width ?? 100, 100) - 2;
  const paragraph = (text: string) => wrapped(text, width).map((line) => `  ${line}`);
  return [
    style.strong(title),
    ...wrapped(`Rule ${id}, cause ${cause}, ${severityWords[severity]}.`, width),
    ...sectionsOf(page).flatMap(([heading, text]) => ["", style.strong(heading), ...paragraph(text)]),
    "",
    style.strong("If it is all right"),
    ...paragraph(accepting(id)),
    `  ${acceptance(id)}`,
    "",
  ].join("\n");
}

export const sectionsOf = ({ what, why, how, fix, observed }: RuleDescription["page"]): [string, string][] => [
  ["What it is", what],
  ["Why it happens", why],
  ["How we know", how],
  ["What to do", fix],
  ["Observed", observed],
];

const accepting = (id: string) =>
  `\`culprit check --ignore ${id}\` leaves it out once. To accept it for a project, say why in \`culprit.json\`:`;
const acceptance = (id: string) => `{ "accept": [{ "rule": "${id}", "reason": "…" }] }`;

const severityWords = { error: "an error at worst", warning: "a warning at worst", info: "for information only" };

/** docs/rules/README.md: rule → cause → severity. */
export function rulesPage(rules: RuleDescription[]): string {
  const rows = rules.map(({ id, title, cause, severity }) => `| [${id}](${id}.md) | ${title} | \`${cause}\` | ${severity} |`);
  return [
    "# Rules",
    "",
    "One page for each; `culprit help RULE` prints the same. Severity is the worst that a rule gives: **error**, an activity fails or silently runs without the GPU; **warning**, it runs, at risk or slower; **info**, only a note. [Where each looks](targets.md), and why not elsewhere.",
    "",
    "| rule | what is wrong | cause | severity |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const targetTitles: { [target in RuleTarget]: string } = {
  machine: "this machine",
  root: "root folder",
  process: "process",
  host: "host",
  image: "image",
  snapshot: "snapshot",
  "dependency-file": "dependency file",
};

/** docs/rules/targets.md: which rule looks where; equal reasons share a number. */
export function targetsPage(rules: (RuleDescription & { notOn?: NotOn })[]): string {
  const reasons: string[] = [];
  const cell = (reason: string | undefined) => {
    if (reason === undefined) return "✓";
    if (!reasons.includes(reason)) reasons.push(reason);
    return String(reasons.indexOf(reason) + 1);
  };
  const rows = rules.map(
    ({ id, notOn = {} }) => `| [${id}](${id}.md) | ${ruleTargets.map((target) => cell(silenceOn(notOn, target))).join(" | ")} |`,
  );
  return [
    "# Where each rule looks",
    "",
    "✓: the rule judges that kind of target, with the same cause and, for the same fault, the same severity; only `cpu-only-build` weighs whether a GPU is meant. A number: it does not, for the reason below. A snapshot is judged as what it was taken from; a dependency file is judged upon the image that it names, or upon Colab.",
    "",
    `| rule | ${ruleTargets.map((target) => targetTitles[target]).join(" | ")} |`,
    `|---|${ruleTargets.map(() => ":-:|").join("")}`,
    ...rows,
    "",
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
    "",
  ].join("\n");
}

/** The same list for a terminal. */
export function rulesReport(rules: RuleDescription[], style: Style = plain): string {
  const lines = columns(
    rules.map(({ id, severity, title }) => [id, severity, title]),
    "  ",
    style,
  );
  return laidOut(
    [style.strong("Rules, the worst that each gives, and what is wrong"), ...lines, "", "`culprit help RULE` prints the page of one."],
    style,
  );
}
