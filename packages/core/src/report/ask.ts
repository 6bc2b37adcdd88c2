import { reporting } from "../lib/shown.ts";
import type { Explanation } from "../model/explain.ts";
import { readWords } from "./explain.ts";
import { count } from "./style.ts";

// Who somebody is stands in the folders that a text names.
const people = /((?:\/home|\/Users|\/data\/home|[A-Za-z]:[\\/]+Users)[\\/]+)[^\\/\s:'"]{1,64}/g;
const unnamed = (text: string) => text.replace(people, "$1user").replace(/\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{2,64}\b/g, "user@host");

/** What a person or a model needs to go on: what was read, what may be wrong, what is asked, and twenty lines; without secrets and names. */
export const askReport = reporting((explanation: Explanation): string => {
  const { diagnoses, question, excerpt = [], lines, unexplained, alike } = explanation;
  const read = readWords(explanation);
  const out = [
    "# What is wrong with this GPU software stack?",
    "",
    `culprit read ${count(lines, "line")} of an error text and ${diagnoses.length === 0 ? "found no known message in them" : "came to this"}.`,
    "",
    "## Read from the text",
    "",
    ...(read.length === 0 ? ["- no driver, CUDA, GPU or framework is named"] : read.map((each) => `- ${each}`)),
    "",
    "## What fits, most likely first",
    "",
    ...(diagnoses.length === 0
      ? ["- nothing known"]
      : diagnoses
          .slice(0, 6)
          .map(
            ({ cause, certainty, message, required, found }) =>
              `- ${cause}, ${certainty}: ${message}${required === undefined ? "" : `; required: ${required}`}${found === undefined ? "" : `; found: ${found}`}`,
          )),
    ...(explanation.plain ? ["", `It looks like an error of the program itself: ${explanation.plain.what}`] : []),
    ...(unexplained ? ["", `The program ended with this, which is not known: line ${unexplained.line}`] : []),
    ...(alike ? ["", `The nearest known message to line ${alike.line}: ${alike.known}`] : []),
    ...(question === undefined ? [] : ["", "## What would decide it", "", question]),
    "",
    "## The lines that say most",
    "",
    "```text",
    ...excerpt.map(({ line, text }) => `${line}: ${text.replaceAll("```", "'''")}`),
    "```",
    "",
  ];
  return unnamed(out.join("\n"));
});
