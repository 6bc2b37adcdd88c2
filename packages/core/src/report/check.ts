import { folded, wrapped } from "../lib/lines.ts";
import type { Check } from "../model/check.ts";
import { severities, type Advice, type Finding } from "../model/finding.ts";
import { affectedWords, examinedWords, few, listed, whereWords } from "./affected.ts";
import { culpritLine } from "../lib/asked.ts";
import { adviceLine, commandLine } from "../lib/shell.ts";
import { placeWords } from "../lib/place.ts";
import { frameworkLines } from "./frameworks.ts";
import { headline, isSlow, says } from "./headline.ts";
import { endOf } from "./said.ts";
import { marks, statusWords, unjudged } from "./status.ts";
import { reporting } from "../lib/shown.ts";
import { count, plain, textWidth, type Style } from "./style.ts";

/** The findings for a terminal, worst first; one line when all is well. Notes and long evidence are shown on request. */
export const checkReport = reporting((check: Check, style: Style = plain, { all = false } = {}): string => {
  const { findings, unknown, accepted, readiness = [] } = check;
  const shown = findings.filter(({ severity }) => all || severity !== "info");
  const lines: string[] = [];
  for (const finding of shown) lines.push(...findingLines(finding, check, style, all), "");
  if (all) {
    for (const { finding, reason } of accepted)
      lines.push(...row("accepted", `${finding.rule}:${finding.subject}: ${reason}`, style), ...row("", finding.message, style));
    for (const { subject, reason } of unknown) lines.push(...row("unknown", `${subject}: ${reason}`, style));
    if (0 < accepted.length + unknown.length) lines.push("");
  }
  if (!all) for (const line of unreadLines(check)) lines.push(...row("unknown", line, style));
  for (const { message } of readiness) lines.push(...folded(`${style.good("✓")} ${message}`, textWidth(style, 0)));
  return `${[...lines, ...closingLines(check, style, { all, isTold: true })].join("\n")}\n`;
});

/** What came of it, in one line. */
export const checkSummary = reporting((check: Check, style: Style = plain): string =>
  closingLines(check, style, { isShort: true }).join("\n"),
);

/** What a verdict would need. */
function unreadLines(check: Check): string[] {
  const reasons = new Map<string, string[]>();
  for (const { subject, reason } of unjudged(check)) reasons.set(reason, [...(reasons.get(reason) ?? []), subject]);
  const all = [...reasons].map(([reason, subjects]) => `${listed(few(subjects))}: ${reason}`);
  return all.length <= 3 ? all : [...all.slice(0, 3), `and ${all.length - 3} more (--all)`];
}

/** `1 error`, `2 warnings`. */
export function severityCounts(findings: Finding[]): string[] {
  return severities.flatMap((severity) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number === 0 ? [] : [count(number, severity)];
  });
}

/** What came of it, and a line for each program; without those in one line, for who has no room. */
function closingLines(check: Check, style: Style, { all = false, isTold = false, isShort = false } = {}): string[] {
  const { findings, status } = check;
  const counts = severityCounts(findings.filter(({ severity }) => severity !== "info"));
  const result = status === "findings" ? listed(counts) : capital(statusWords(check, isTold));
  const looked = isShort || status === "nothing-to-check" ? [examinedWords(check, check.target.called)] : [];
  const where = looked.length === 0 ? whereWords(check, check.target.called) : "";
  const joint = status === "nothing-to-check" ? ": " : "; ";
  const text = [[`${result}${where}`, ...looked].join(joint), ...asides(check, all)].join("; ");
  const mark = status === "findings" ? "" : `${(status === "ok" ? style.good : style.strong)(marks[status])} `;
  const lines = mark === "" ? wrapped(text, textWidth(style, 0)) : folded(`${mark}${text}`, textWidth(style, 0));
  return isShort ? lines : [...lines, ...frameworkLines(check, style, all)];
}

/** What is counted and not shown. */
function asides({ findings, unknown, accepted }: Check, all: boolean): string[] {
  const notes = findings.filter(({ severity }) => severity === "info").length;
  return [
    ...(notes === 0 ? [] : [`${count(notes, "note")}${all ? "" : " hidden (--all)"}`]),
    ...(accepted.length === 0 ? [] : [`${count(accepted.length, "finding")} accepted${all ? "" : " (--all)"}`]),
    ...(all || unknown.length === 0 ? [] : [`${count(unknown.length, "unknown")} (--all)`]),
  ];
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

function findingLines(finding: Finding, check: Check, style: Style, all: boolean): string[] {
  const { message, severity, because, evidence, breaks, endangers, advice, rule, subject, sources } = finding;
  const mark = { error: "✗", warning: "!", info: "i" }[severity];
  const paint = severity === "error" ? style.bad : style.strong;
  const head = headline(finding);
  const [first = "", ...rest] = wrapped(head, textWidth(style, 2));
  const block = (label: string, texts: string[]) => texts.flatMap((text, index) => row(index === 0 ? label : "", text, style));
  const few = (texts: string[], most: number) =>
    all || texts.length <= most + 1 ? texts : [...texts.slice(0, most), `and ${texts.length - most} more (--all)`];
  return [
    `${paint(mark)} ${style.strong(first)}`,
    ...rest.map((line) => `  ${style.strong(line)}`),
    ...advice.flatMap((each, index) => adviceLines(index === 0 ? "fix" : "", each, style)),
    ...block("at", finding.place ? [placeWords(finding.place)] : []),
    ...block("because", [...(says(head, message) ? [] : [message]), ...because]),
    ...block("breaks", 0 < breaks.length ? [affectedWords(breaks, check)] : []),
    ...block(isSlow(finding) ? "slows" : "may break", 0 < endangers.length ? [affectedWords(endangers, check)] : []),
    ...block("error", endOf(finding)),
    ...block("evidence", few(evidence, 2)),
    ...block("source", few(sources, 1)),
    ...(all ? block("subject", [subject]) : []),
    ...[
      culpritLine(["help", rule], style.asked),
      ...(severity === "info" || finding.place ? [] : [culpritLine(["fix", rule], style.asked)]),
    ].map((command, index) => `  ${style.faint((index === 0 ? "more" : "").padEnd(labelWidth))} ${command}`),
  ];
}

const labelWidth = "may break".length;

function row(label: string, text: string, style: Style): string[] {
  // A second line of the same text stands further in than the next text.
  const [first = "", ...rest] = wrapped(text, textWidth(style, labelWidth + 5), textWidth(style, labelWidth + 3));
  return [`  ${style.faint(label.padEnd(labelWidth))} ${first}`, ...rest.map((line) => `${" ".repeat(labelWidth + 5)}${line}`)];
}

// A command is one line, however long: broken, it could not be copied.
function adviceLines(label: string, advice: Advice, style: Style): string[] {
  const { words, command } = advice;
  const text = adviceLine(advice);
  if (!command || text.length <= textWidth(style, labelWidth + 3)) return row(label, text, style);
  return [...row(label, `${words}:`, style), `${" ".repeat(labelWidth + 5)}${commandLine(command)}`];
}
