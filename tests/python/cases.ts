// The question of a case, as words of the command line and as a call in Python.
import path from "node:path";
import type { Case } from "../cases/book.ts";
import type { Question } from "../cases/question.ts";

export interface Asked {
  name: string;
  words: string[];
  /** Name of the function, what it is called with, and the file whose text is given, if one is. */
  call: { function: "check" | "explain" | "trace"; given: string[]; named: { [name: string]: unknown }; text?: string };
}

/** Undefined for a plan: the module has no `fix`. */
export function askedOf({ name, kind, folder, input, question }: Case): Asked | undefined {
  if (question.command === "fix") return undefined;
  const file = path.resolve(input);
  const named = situation(question);
  if (kind === "trace") return { name, words: ["trace", file], call: { function: "trace", given: [file], named: {} } };
  if (kind === "log") {
    const target = question.target === undefined ? {} : { target: path.resolve(folder, question.target) };
    const words = ["explain", "-", ...optionsOf({ ...named, ...target })];
    return { name, words, call: { function: "explain", given: [], named: { ...named, ...target }, text: file } };
  }
  const { for: programs = [], do: activities = [], colab, "python-version": python } = question;
  const more = [
    ...programs.flatMap((each) => ["--for", each]),
    ...activities.flatMap((each) => ["--do", each]),
    ...(colab === undefined ? [] : ["--colab", colab]),
    ...(python === undefined ? [] : ["--python-version", python]),
  ];
  return {
    name,
    words: ["check", file, ...optionsOf(named), ...more],
    call: { function: "check", given: [file], named: { ...named, ...(more.length === 0 ? {} : { more }) } },
  };
}

const situation = ({ python, env, unset, cwd, cpu, ldconfig, driver, gpu }: Question): { [name: string]: unknown } =>
  Object.fromEntries(Object.entries({ python, env, unset, cwd, cpu, ldconfig, driver, gpu }).filter(([, value]) => value !== undefined));

const optionsOf = (named: { [name: string]: unknown }): string[] =>
  Object.entries(named).flatMap(([name, value]) => {
    if (value === true) return [`--${name}`];
    if (Array.isArray(value)) return value.flatMap((each) => [`--${name}`, String(each)]);
    if (typeof value === "object") return Object.entries(value!).flatMap(([key, each]) => ["--env", `${key}=${each}`]);
    return [`--${name}`, String(value)];
  });

/** Answers calls that come one on a line, one on a line. */
export const answering = `
import json, sys
import culprit_gpu
for line in sys.stdin:
    call = json.loads(line)
    given = [*call["given"], *([open(call["text"], "rb").read()] if "text" in call else [])]
    answer = getattr(culprit_gpu, call["function"])(*given, **call["named"])
    print(json.dumps(answer.to_dict()), flush=True)
`;
