import type { DeclaredStep, RefusedRequirement } from "../model/dependency-file.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "refused-line",
  title: "A line that pip or docker refuses",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "it is refused, so nothing of it is ever installed" },
  page: {
    what: "A line is written as the program that reads it does not take it: `torch=2.4.0` or `torch 2.4.0` for pip, `FORM python:3.11` for docker.",
    why: "conda asks for a version with one sign, pip with two. pip reads the whole list before it installs anything, and docker the whole file before it builds anything: one such line is enough.",
    how: "For pip: a package that is known, and a version behind it without its clause, in a list or a command of pip; not in a list that conda may be meant to read. For docker: a line that begins with no instruction, or one before the first FROM; not in a file that a template is made into.",
    fix: "Write `==` before the version; write the instruction that is meant.",
    observed: "pip ends with “ERROR: Invalid requirement”, and docker with “unknown instruction” or “no build stage in current context”.",
  },
  finds: ({ declaration: { steps } }) =>
    steps.flatMap((step): DependencyFileDraft[] => (step.kind === "refused" ? [ofDocker(step)] : ofPip(step))),
});

const ofPip = (step: DeclaredStep): DependencyFileDraft[] => (step.kind === "install" ? (step.refused ?? []).map(ofRequirement) : []);

function ofRequirement({ name, version, text, place }: RefusedRequirement): DependencyFileDraft {
  return {
    subject: name,
    place,
    message: `pip refuses \`${text}\`: a version stands behind \`==\``,
    because: ["pip ends with “Invalid requirement”, and installs nothing of what is asked for with it"],
    advice: [`write ${name}==${version}`],
    facts: { packages: [{ role: "subject", name }] },
    breaks: [],
    sources: ["https://packaging.python.org/en/latest/specifications/dependency-specifiers/"],
  };
}

const ofDocker = ({ what, instead, place }: Extract<DeclaredStep, { kind: "refused" }>): DependencyFileDraft => ({
  subject: what,
  place,
  message: `docker refuses the file: ${what}`,
  because: ["docker reads the whole file before it builds anything of it"],
  advice: [instead === undefined ? "take the line out, or begin it with an instruction" : `write ${instead} in its place`],
  facts: {},
  breaks: [],
  sources: ["https://docs.docker.com/reference/dockerfile/"],
});
