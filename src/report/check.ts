import type { Affected, Check, Finding } from "../model/check.ts";
import { count, plain, type Style } from "./style.ts";

/** The findings for a terminal, worst first; one line when all is well. What is merely unusual is shown on request. */
export function checkReport(check: Check, style: Style = plain, { all = false } = {}): string {
  const { findings, unknown, examined, accepted, readiness = [] } = check;
  const shown = findings.filter(({ severity }) => all || severity !== "info");
  const lines: string[] = [];
  for (const finding of shown) lines.push(...findingLines(finding, style), "");
  const hidden = findings.length - shown.length;
  const asides = [
    ...(hidden === 0 ? [] : [`${count(hidden, "unusual thing")} not shown (--all)`]),
    ...(accepted.length === 0 ? [] : [`${count(accepted.length, "finding")} accepted before`]),
    ...(all || unknown.length === 0 ? [] : [`${count(unknown.length, "thing")} that cannot be told (--all)`]),
  ];
  if (all) for (const { subject, reason } of unknown) lines.push(`${style.strong("cannot tell")}  ${subject}: ${reason}`);
  for (const { message } of readiness) lines.push(`${style.good("✓")} ${message}`);
  const what = examined.length === 0 ? "no framework was found to examine" : examinedWords(check);
  const aside = asides.length === 0 ? "" : style.faint(`; ${asides.join("; ")}`);
  if (shown.length === 0) lines.push(`${style.good("✓")} Nothing wrong found: ${what}${aside}`);
  else lines.push(`${count(shown.length, "finding")}: ${what}${aside}`);
  return `${lines.join("\n")}\n`;
}

function findingLines(finding: Finding, style: Style): string[] {
  const { message, severity, certainty, because, evidence, breaks, endangers, advice, rule, sources } = finding;
  const mark = severity === "error" ? style.bad("✗") : severity === "warning" ? "!" : "i";
  const block = (label: string, texts: string[]) =>
    texts.map((text, index) => `    ${style.faint((index === 0 ? label : "").padEnd(9))} ${text}`);
  return [
    `${mark} ${style.strong(message)}`,
    ...block("because", because),
    ...block("breaks", 0 < breaks.length ? [affectedWords(breaks)] : []),
    ...block("endangers", 0 < endangers.length ? [affectedWords(endangers)] : []),
    ...block("do", advice),
    ...block("evidence", evidence),
    ...block("source", sources),
    ...block("rule", [`${rule}${certainty === "certain" ? "" : `, ${certainty}`}`]),
  ];
}

function affectedWords(affected: Affected[]): string {
  const byFramework = new Map<string, string[]>();
  for (const { framework, activity } of affected) byFramework.set(framework, [...(byFramework.get(framework) ?? []), activity]);
  return [...byFramework].map(([framework, activities]) => `${framework} (${activities.join(", ")})`).join("; ");
}

function examinedWords({ examined }: Check): string {
  const names = examined.map(({ programs, versions }) =>
    programs.map((program, index) => `${program} ${versions[index]}`.trim()).join(" with "),
  );
  return `${names.slice(0, 6).join(", ")}${6 < names.length ? ` and ${names.length - 6} more` : ""} examined`;
}
