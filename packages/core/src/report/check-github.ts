// Workflow commands of GitHub Actions, which become annotations of a pull request:
// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions; how values are escaped: actions/toolkit,
// packages/core/src/command.ts.
import { adviceLine } from "../lib/shell.ts";
import { shown } from "../lib/shown.ts";
import type { Finding } from "../model/finding.ts";
import { findingsOf, openOf, type Answered, type Formatting } from "./answered.ts";

const levels = { error: "error", warning: "warning", info: "notice" } as const;

const escapedData = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const escapedProperty = (text: string) => escapedData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

function command(name: string, properties: { [name: string]: string | number | undefined }, lines: string[]): string {
  const given = Object.entries(properties).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapedProperty(shown(String(value)))}`],
  );
  return `::${name} ${given.join(",")}::${escapedData(lines.map(shown).join("\n"))}\n`;
}

/** An annotation for each finding, at its line where it has one. */
export function githubReport(answers: Answered[], how: Formatting): string {
  const commands = answers.flatMap((answer) => [
    ...findingsOf(answer, how).map((finding) =>
      command(levels[finding.severity], { title: finding.rule, ...placeOf(finding) }, [
        `${finding.place ? "" : `${answer.target}: `}${finding.message}`,
        ...finding.because.slice(0, 2).map((text) => `because: ${text}`),
        ...finding.advice.slice(0, 3).map((each) => `fix: ${adviceLine(each)}`),
      ]),
    ),
    ...openOf(answer).map(({ subject, reason }) => command("notice", { title: "not judged" }, [`${answer.target}: ${subject}: ${reason}`])),
    ...(answer.problem === undefined ? [] : [command("error", { title: "not checked" }, [`${answer.target}: ${answer.problem}`])]),
  ]);
  return commands.join("");
}

// A line of a cell is no line of the notebook's file, which is what GitHub shows.
function placeOf({ place }: Finding): { [name: string]: string | number | undefined } {
  if (!place) return {};
  const { file, line, endLine, column, endColumn, cell, fileLine } = place;
  return cell === undefined ? { file, line, endLine, col: column, endColumn } : { file, line: fileLine };
}
