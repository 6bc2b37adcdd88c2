import { culpritLine, placeWords } from "../lib/asked.ts";
import { commandLine } from "../lib/shell.ts";
import type { Plan, ProposedFix, Step } from "../model/fix.ts";
import { gone } from "../lib/secrets.ts";
import { reporting, shown } from "../lib/shown.ts";
import { headline } from "./headline.ts";
import { laidOut, plain, unbroken, type Style } from "./style.ts";

/** Fixes for a terminal: for each finding the best first, with its proof. */
export const fixReport = reporting(({ status, findings, chosen, proof, conflicts }: Plan, style: Style = plain): string => {
  if (findings.length === 0) return nothingToFix(status, style);
  const lines: string[] = [];
  for (const group of related(findings)) {
    for (const finding of group)
      lines.push(
        `${finding.severity === "error" ? style.bad("✗") : "!"} ${style.strong(headline(finding))}`,
        `    ${style.faint("rule")}  ${finding.rule}`,
      );
    const { fixes } = group[0]!;
    if (fixes.length === 0) lines.push("    no proven fix is known");
    if (1 < group.length && 0 < fixes.length) lines.push(`    one fix for ${group.length === 2 ? "both" : `all ${group.length}`}:`);
    for (const [index, fix] of fixes.entries()) lines.push(...fixLines(fix, index + 1, group.length, style));
    lines.push("");
  }
  if (chosen.length === 0) lines.push("Nothing to apply automatically: run the commands above yourself.");
  else {
    const leaves = proof.leaves.length;
    const rest = `${leaves === 0 ? "leaves none" : `leaves ${leaves} for you`}${revealed(proof)}`;
    lines.push(
      unbroken(`${style.strong(culpritLine(["fix", "--apply"], style.asked))} would:`),
      ...chosen.map(({ title }, index) => (chosen.length === 1 ? `  ${title}` : `  ${index + 1}. ${title}`)),
      ...(chosen.length === 1 && leaves === 0 && !proof.reveals
        ? []
        : [`  ${style.faint(`proven together: removes ${counted(proof.removes.length)}, adds none, ${rest}`)}`]),
    );
  }
  for (const { fix, because } of conflicts) lines.push(`not with them: ${fix}, because ${because}`);
  return laidOut(lines, style);
});

/** Only what was judged whole and found well is marked with a tick. */
const nothingToFix = (status: Plan["status"], style: Style): string =>
  ({
    ok: `${style.good("✓")} Nothing to fix.\n`,
    findings: `${style.good("✓")} Nothing to fix.\n`,
    incomplete: `? Nothing to fix in what could be judged; ${culpritLine(["check"], style.asked)} says what could not.\n`,
    "nothing-to-check": "– Nothing to fix: no framework was found to examine.\n",
  })[status];

/** What is next, once the worst is gone. */
const revealed = ({ reveals = [] }: ProposedFix["proof"]) => (reveals.length === 0 ? "" : `; what is left then: ${reveals.join(" and ")}`);

const counted = (count: number) => (count === 1 ? "one finding" : `${count} findings`);

/** Findings that the same fixes remove are one matter. */
function related(findings: Plan["findings"]): Plan["findings"][] {
  const groups = new Map<string, Plan["findings"]>();
  for (const [index, finding] of findings.entries()) {
    // Words of advice, and fixes that nobody knows, say nothing of what belongs together.
    const isProven = finding.fixes.some(({ proof }) => 0 < proof.removes.length);
    const key = isProven ? JSON.stringify(finding.fixes.map(({ fix, reach, commands }) => [fix, reach, commands])) : String(index);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}

function fixLines(
  { title, reach, safety, commands, proof, warning }: ProposedFix,
  number: number,
  related: number,
  style: Style,
): string[] {
  const reachWords = {
    command: "one command",
    shell: "this shell",
    environment: "this environment",
    user: "this user",
    machine: "the whole machine",
  };
  const count = proof.removes.length;
  const removed = count === 1 ? "this finding" : count === related ? (count === 2 ? "both" : "all of them") : `${count} findings`;
  const proven =
    safety === "display-only" && proof.removes.length === 0
      ? "for you to do; not proven"
      : `proven: removes ${removed}, adds none${revealed(proof)}`;
  // Advice without a command is said once, and how far it reaches is not known.
  const told = commands.filter((command) => command !== title);
  const there = style.asked?.place ? [placeWords(style.asked.place)] : [];
  const reaching = 0 < told.length || commands.length === 0 ? ` ${style.faint(`(${[reachWords[reach], ...there].join(", ")})`)}` : "";
  return [
    `    ${number}. ${title}${reaching}`,
    // A command with a hole in it would destroy what was there.
    ...told.map((command) =>
      command.includes(gone)
        ? `         the line holds a secret, so it is not shown; \`${culpritLine(["fix", "--apply"], style.asked)}\` keeps it`
        : `         ${unbroken(command)}`,
    ),
    `       ${style.faint(proven)}${warning === undefined ? "" : style.faint(`; ${warning}`)}`,
  ];
}

/** The exact changes, as a diff and as commands. */
export function stepText(step: Step): string {
  if (step.do === "run") return `$ ${shown(commandLine(step.command))}\n`;
  const added = (text: string) =>
    text
      .split("\n")
      .map((line) => `+${shown(line)}\n`)
      .join("");
  const file = shown(step.file);
  if (step.do === "write") return `--- /dev/null\n+++ ${file}\n${added(step.text.replace(/\n$/, ""))}`;
  return `--- ${file}\n+++ ${file}\n@@ line ${step.line} @@\n-${shown(step.before)}\n${step.after === undefined ? "" : added(step.after)}`;
}
