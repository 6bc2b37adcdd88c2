import { reporting } from "../lib/shown.ts";
import { findingsOf, openOf, type Answered, type Formatting } from "./answered.ts";
import { findingLine } from "./quiet.ts";

/** A line for each finding, as compilers write them, and how many there are. */
export const conciseReport = reporting((answers: Answered[], how: Formatting): string => {
  const several = 1 < answers.length;
  const lines = answers.flatMap((answer) => {
    const of = several && answer.check?.target.kind !== "declaration" ? `${answer.target}: ` : "";
    return [
      ...findingsOf(answer, how).map((finding) => `${of}${findingLine(finding)}`),
      ...openOf(answer).map(({ subject, reason }) => `${several ? `${answer.target}: ` : ""}unknown: ${subject}: ${reason}`),
      ...(answer.problem === undefined ? [] : [`${answer.target}: not checked: ${answer.problem}`]),
    ];
  });
  const found = answers.flatMap((answer) => findingsOf(answer, how));
  const counts = (["error", "warning", "info"] as const).flatMap((severity) => {
    const count = found.filter((each) => each.severity === severity).length;
    const word = severity === "info" ? "note" : severity;
    return count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`];
  });
  const open = answers.reduce((sum, answer) => sum + openOf(answer).length + (answer.problem === undefined ? 0 : 1), 0);
  const judged = answers.reduce((sum, { check }) => sum + (check?.judged.length ?? 0), 0);
  const nothing = judged === 0 && open === 0 ? "nothing to check" : "nothing wrong found";
  const ends = [counts.length === 0 ? nothing : counts.join(", "), ...(open === 0 ? [] : [`${open} not judged`])];
  return `${[...lines, ends.join("; ")].join("\n")}\n`;
});
