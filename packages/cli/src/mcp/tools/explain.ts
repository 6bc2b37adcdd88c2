import type { Explanation } from "@culprit/core";
import { boolean, counted, list, object, string, type Tool } from "../tool.ts";

export const explain: Tool<Explanation> = {
  name: "explain",
  title: "Find what is to blame in an error text",
  description:
    "The cause behind an error message, a log or a dump (collect_env, pip list, nvidia-smi) of a GPU program: what was required, what was found, what to do, which lines are only noise, which advice in the text does harm. Give the text as it is, as much of it as there is. With `here`, `root` or `target` it is joined with that machine, and names the guilty file. An empty list of diagnoses means: it cannot tell.",
  command: "explain",
  words: [],
  input: { name: "text", help: "the error text or the log", required: true },
  options: ["here", "root", "target", "python", "env", "unset", "driver", "gpu"],
  data: object({
    diagnoses: list(
      object({
        cause: string(),
        certainty: { type: "string", enum: ["certain", "likely", "possible"] },
        "name?": string("the library, package, tool or device to blame"),
        "required?": string(),
        "found?": string(),
        message: string(),
        because: list(string()),
        evidence: list(string(), "lines of the text, with their numbers"),
        "machine?": list(string(), "what the machine showed"),
        next: list(string(), "what to run to be sure"),
        fixes: list(string()),
        details: string("the address of all that is known about it"),
      }),
      "most likely first, then what the text cannot rule out",
    ),
    harmful: list(string(), "advice in the text that does harm, and why"),
    "unexplained?": string("the last line with which a program ended, where no diagnosis speaks of it"),
    next: list(string()),
    fellBackToCpu: boolean("whether a framework says that it went on without the GPU"),
  }),
  brief: ({ diagnoses, warnings, unexplained, next, fellBackToCpu, lines }, { at }) => ({
    summary:
      diagnoses.length === 0
        ? `Nothing in ${counted(lines, "line")} tells what is wrong: ask for the whole text, or check the machine`
        : `${counted(diagnoses.length, "cause")} may be behind it, most likely first: ${[...new Set(diagnoses.map(({ cause, certainty }) => `${cause} (${certainty})`))].slice(0, 5).join(", ")}`,
    data: {
      diagnoses: diagnoses.map((each, index) => ({
        cause: each.cause,
        certainty: each.certainty,
        ...(each.name === undefined ? {} : { name: each.name }),
        ...(each.required === undefined ? {} : { required: each.required }),
        ...(each.found === undefined ? {} : { found: each.found }),
        message: each.message,
        because: each.because,
        evidence: each.evidence.map(({ line, text }) => `${line}: ${text}`),
        ...(each.machine ? { machine: each.machine } : {}),
        next: each.next,
        fixes: each.fixes.flatMap(({ title, fix, commands }) => (commands.length === 0 ? [title ?? fix] : commands)),
        details: at(`/diagnoses/${index}`),
      })),
      harmful: warnings.map(({ line, text, message }) => `${line}: ${text}: ${message}`),
      ...(unexplained ? { unexplained: `${unexplained.line}: ${unexplained.text}` } : {}),
      next,
      fellBackToCpu,
    },
  }),
};
