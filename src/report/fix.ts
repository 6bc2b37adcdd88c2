import type { Plan, ProposedFix, Step } from "../model/fix.ts";
import { plain, type Style } from "./style.ts";

/** Cures for a terminal: for each finding the best first, with its proof. */
export function fixReport({ findings, chosen }: Plan, style: Style = plain): string {
  if (findings.length === 0) return `${style.good("✓")} Nothing to mend.\n`;
  const lines: string[] = [];
  for (const { rule, message, severity, fixes } of findings) {
    lines.push(`${severity === "error" ? style.bad("✗") : "!"} ${style.strong(message)}`, `    ${style.faint("rule")}  ${rule}`);
    if (fixes.length === 0) lines.push("    no cure is known that could be proven");
    for (const [index, fix] of fixes.entries()) lines.push(...fixLines(fix, index + 1, style));
    lines.push("");
  }
  if (0 < chosen.length) {
    lines.push(`${style.strong("culprit fix --apply")} would:`, ...chosen.map(({ title }) => `  ${title}`));
  } else lines.push("There is nothing that culprit would change by itself: the lines above are for you.");
  return `${lines.join("\n")}\n`;
}

function fixLines({ title, reach, safety, commands, proof, warning }: ProposedFix, number: number, style: Style): string[] {
  const reachWords = {
    command: "one command",
    shell: "this shell",
    environment: "this environment",
    user: "this user",
    machine: "the whole machine",
  };
  const proven =
    safety === "display-only" && proof.removes.length === 0
      ? "for you to do; not proven"
      : `proven: removes ${proof.removes.length === 1 ? "this finding" : `${proof.removes.length} findings`}, adds none`;
  return [
    `    ${number}. ${title} ${style.faint(`(${reachWords[reach]})`)}`,
    ...commands.map((command) => `         ${command}`),
    `       ${style.faint(proven)}${warning === undefined ? "" : style.faint(`; ${warning}`)}`,
  ];
}

/** The exact changes, as a diff and as commands. */
export function stepText(step: Step): string {
  if (step.do === "run") return `$ ${step.command.join(" ")}\n`;
  if (step.do === "write")
    return `--- /dev/null\n+++ ${step.file}\n${step.text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `+${line}`)
      .join("\n")}\n`;
  return `--- ${step.file}\n+++ ${step.file}\n@@ line ${step.line} @@\n-${step.before}\n${step.after === undefined ? "" : `+${step.after}\n`}`;
}
