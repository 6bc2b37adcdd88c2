import type { Answer, Solution } from "../model/solve.ts";
import { reporting } from "../lib/shown.ts";
import { columns, laidOut, plain, unbroken, type Style } from "./style.ts";
import { allNames, isAmong } from "../model/frameworks.ts";

/** One calm page: what fits together and what to type; or why nothing does. */
export const solveReport = reporting((solution: Solution, style: Style = plain): string => {
  const lines: string[] = [];
  const { answers, conflict, unknown } = solution;
  const fromMachine = solution.requirements.filter(({ from }) => from === "machine");
  if (0 < fromMachine.length) lines.push(style.faint(`As found: ${fromMachine.map(({ requirement }) => requirement).join(", ")}`), "");
  answers.forEach((answer, index) => {
    if (0 < index) lines.push("");
    lines.push(...answerLines(answer, index === 0, style));
  });
  if (conflict) {
    const title = conflict.requirements.length === 1 ? "This cannot be installed" : "These cannot live together";
    lines.push(`${style.bad("✗")} ${style.strong(`${title}${conflict.certainty === "certain" ? "" : `, ${conflict.certainty}`}:`)}`);
    for (const { requirement, says, sources } of conflict.requirements) {
      lines.push(`  ${style.strong(requirement)}`, `    ${says}`);
      for (const source of named(sources).slice(0, 3)) lines.push(`    ${style.faint(`source ${source}`)}`);
    }
    if (0 < conflict.ways.length) {
      lines.push("", "Without one of them it can:");
      lines.push(
        ...columns(
          conflict.ways.map(({ without, possible }) => [`without ${without}`, possible]),
          "  ",
          style,
        ),
      );
    }
  }
  if (answers.length === 0 && !conflict) lines.push(`? ${style.strong("No answer")}`);
  if (0 < unknown.length) lines.push("", ...unknown.map(({ subject, reason }) => style.faint(`${subject}: ${reason}`)));
  return laidOut(lines, style);
});

function answerLines(answer: Answer, isFirst: boolean, style: Style): string[] {
  const { packages, libraries, python, driver, gpus, certainty, doubts, settings, notes, sources } = answer;
  const lines: string[] = [];
  const names = packages
    .filter(({ name }) => !isAmong(name, allNames("parts")))
    .map(({ name, version }) => `${name} ${version}`)
    .join(", ");
  const mark = certainty === "certain" ? style.good("✓") : "?";
  lines.push(`${mark} ${style.strong(names)}${style.faint(`  ${answer.title}${certainty === "certain" ? "" : `, ${certainty}`}`)}`);
  const rows = packages.map(({ name, version, cuda, index, alone }) => [
    name,
    version,
    cuda === undefined || name === "cuda" ? "" : `for CUDA ${cuda}`,
    [...(index === undefined ? [] : [`from ${index}`]), ...(alone === undefined ? [] : [`alone it could be ${alone}`])].join("; "),
  ]);
  rows.push(["python", python, "", ""]);
  if (driver.least !== "")
    rows.push(["driver", `${driver.least} or newer`, "", driver.given === undefined ? "" : `there is ${driver.given}`]);
  if (0 < gpus.length) rows.push(["gpu", gpus.join(", "), "", ""]);
  lines.push(...columns(rows, "  ", style));
  if (isFirst && 0 < libraries.length)
    lines.push(
      "",
      "  also installed",
      ...columns(
        libraries.map(({ name, version, because }) => [name, version, style.faint(because)]),
        "    ",
        style,
      ),
    );
  for (const { name, because } of settings) lines.push("", `  ${style.strong(name)} must be set: ${because}.`);
  for (const note of notes) lines.push("", `  ${note}`);
  for (const { tool, commands } of answer.lines) {
    if (!isFirst && tool !== "pip") continue;
    lines.push("", `  ${style.strong(tool)}`, ...commands.map((command) => `    ${unbroken(command)}`));
  }
  if (0 < doubts.length) lines.push("", `  likely, not certain: ${doubts.join("; ")}`);
  if (isFirst)
    lines.push(
      "",
      ...named(sources)
        .slice(0, 6)
        .map((source) => style.faint(`  source ${source}`)),
    );
  return lines;
}

/** What is only remembered has no source to name; its certainty says so. */
const named = (sources: string[]) => sources.filter((source) => source !== "memory");
