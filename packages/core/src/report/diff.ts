import type { Change, Difference } from "../model/diff.ts";
import { reporting } from "../lib/shown.ts";
import { headline } from "./headline.ts";
import { count, plain, type Style } from "./style.ts";

/** First what explains a finding, then the findings, then the rest on request. */
export const diffReport = reporting(
  ({ findings, changes }: Difference, names: { a: string; b: string }, style: Style = plain, { all = false } = {}): string => {
    const lines: string[] = [];
    const guilty = changes.filter(({ explains }) => 0 < explains.length);
    const isWrong = 0 < findings.onlyInA.length + findings.onlyInB.length;
    for (const [where, only] of [
      [names.a, findings.onlyInA],
      [names.b, findings.onlyInB],
    ] as const)
      for (const finding of only) lines.push(`${style.bad("✗")} only in ${where}: ${style.strong(headline(finding))}`);
    if (0 < guilty.length) {
      lines.push(
        "",
        style.strong(
          guilty.length === 1
            ? "The difference that matters"
            : guilty.every(({ kind }) => kind === "library")
              ? "The files that make the difference"
              : "The differences that matter",
        ),
      );
      for (const change of guilty.slice(0, 12)) lines.push(...changeLines(change, names));
      if (12 < guilty.length) lines.push(`  and ${guilty.length - 12} more`);
    } else if (isWrong) lines.push("", "No single difference explains it: it takes several together, or one that cannot be tried out.");
    const rest = changes.filter(({ explains }) => explains.length === 0);
    if (all && 0 < rest.length) {
      lines.push("", style.strong(guilty.length === 0 ? "What differs" : "What else differs"));
      for (const change of rest) lines.push(...changeLines(change, names));
    } else if (0 < rest.length && (0 < guilty.length || isWrong))
      lines.push("", style.faint(`${count(rest.length, "other difference")} (--all)`));
    else if (0 < rest.length)
      lines.push(`${count(rest.length, "difference")}; none of them makes or mends a finding ${style.faint("(--all)")}`);
    if (changes.length === 0 && !isWrong) lines.push(`${style.good("✓")} No difference that matters to a GPU stack.`);
    return `${lines.join("\n").replace(/^\n/, "")}\n`;
  },
);

function changeLines({ kind, subject, a, b, setAt = {} }: Change, names: { a: string; b: string }): string[] {
  const width = Math.max(names.a.length, names.b.length);
  return [
    `  ${kind} ${subject}`,
    `    ${names.a.padEnd(width)}  ${a ?? "(not there)"}${by(setAt.a)}`,
    `    ${names.b.padEnd(width)}  ${b ?? "(not there)"}${by(setAt.b)}`,
  ];
}

const by = (line: string | undefined) => (line === undefined ? "" : `  (${line}, in a login shell)`);
