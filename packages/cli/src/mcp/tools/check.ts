import type { Check, Targets } from "@culprit/core";
import { briefFinding, checkWords, findingShape } from "../finding.ts";
import { counted, list, object, string, type Brief, type Shape, type Told, type Tool } from "../tool.ts";

const checkShape: Shape = object({
  target: string(),
  status: { type: "string", enum: ["ok", "findings", "incomplete", "nothing-to-check"] },
  judged: list(string(), "programs that the answer accounts for"),
  findings: list(findingShape, "worst first; notes only where nothing worse was found"),
  unknown: list(object({ subject: string(), reason: string() }), "what could not be judged"),
});

export const check: Tool<Check | Targets> = {
  name: "check",
  title: "Find what does not fit together in a GPU stack",
  description:
    "Every mismatch in a GPU software stack: which library is to blame, why, what it breaks, what to do. Looks at this machine, a root folder, an image, a process, a saved snapshot, a project folder or a dependency file (requirements.txt, lock file, environment.yml, Dockerfile, notebook …) without running or changing anything. `status` is ok only where all that was asked about was judged. Variables are those of this server, which may differ from a shell's: give LD_LIBRARY_PATH and the like with `env`.",
  command: "check",
  words: [
    {
      name: "target",
      help: "what to look at: a root folder, a snapshot file, pid:N, image:FILE, a project folder, a dependency file; absent: this machine",
    },
  ],
  options: [
    "for",
    "do",
    "python",
    "env",
    "unset",
    "module",
    "driver",
    "gpu",
    "cwd",
    "cpu",
    "ldconfig",
    "with",
    "replace",
    "without",
    "shell",
    "root",
    "colab",
    "python-version",
    "ignore",
  ],
  data: object({ answers: list(checkShape, "one for each target") }),
  brief: (answer, told) => (answer.schema === "culprit/targets@1" ? ofSeveral(answer, told) : ofOne(answer, told)),
};

const ofOne = (answer: Check, told: Told): Brief => ({ summary: checkWords(answer), data: { answers: [briefCheck(answer, "", told)] } });

function ofSeveral({ targets }: Targets, told: Told): Brief {
  const words = targets.map(({ check: each }, index) => `${index + 1}: ${each ? checkWords(each) : "it could not be looked at"}`);
  const answers = targets.map(({ target, check: each, problem = "" }, index) =>
    each
      ? { ...briefCheck(each, `/targets/${index}/check`, told), target }
      : { target, status: "incomplete", judged: [], findings: [], unknown: [{ subject: target, reason: problem }] },
  );
  return { summary: `${counted(targets.length, "target")}. ${words.join(". ")}`, data: { answers } };
}

export function briefCheck({ target, status, judged, findings, unknown }: Check, pointer: string, told: Told): { [name: string]: unknown } {
  const wrong = findings.map((finding, index) => ({ finding, index })).filter(({ finding }) => finding.severity !== "info");
  const shownOnes = 0 < wrong.length ? wrong : findings.map((finding, index) => ({ finding, index }));
  return {
    target: target.name ?? target.kind,
    status,
    judged: judged.map(({ program, version, environment }) =>
      [program, version, environment && `in ${environment}`].filter(Boolean).join(" "),
    ),
    findings: shownOnes.map(({ finding, index }) => briefFinding(finding, `${pointer}/findings/${index}`, told)),
    unknown: unknown.map(({ subject, reason }) => ({ subject, reason })),
  };
}
