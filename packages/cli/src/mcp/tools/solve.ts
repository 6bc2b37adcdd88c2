import type { Solution } from "@culprit/core";
import { counted, list, object, string, type Tool } from "../tool.ts";

export const solve: Tool<Solution> = {
  name: "solve",
  title: "Which versions can live together",
  description:
    "Versions of torch, tensorflow, jax, cupy, onnxruntime-gpu and others that can live in one environment on a driver and a GPU, with the lines to type; or the smallest set of requirements that cannot. Without `driver` and `gpu`, those of this machine count.",
  command: "solve",
  words: [
    {
      name: "requirement",
      help: 'for example "torch>=2.4", "tensorflow==2.15.*", "python==3.11", "cuda==12.*"',
      required: true,
      multiple: true,
    },
  ],
  options: ["driver", "gpu", "python-version", "prefer", "python", "target", "root", "env", "unset"],
  data: object({
    answers: list(
      object({
        title: string(),
        certainty: string(),
        python: string(),
        driver: string("the least that it needs"),
        packages: list(string()),
        libraries: list(string()),
        lines: list(string(), "what to type, by tool"),
        notes: list(string()),
        details: string("the address of all that is known about it"),
      }),
      "best first",
    ),
    "conflict?": object({ requirements: list(string()), ways: list(string(), "what would be possible without one of them") }),
    unknown: list(object({ subject: string(), reason: string() })),
  }),
  brief: ({ answers, conflict, unknown }, { at }) => ({
    summary:
      answers.length === 0
        ? conflict
          ? `there is no answer: ${counted(conflict.requirements.length, "requirement")} cannot be met together`
          : "no answer was found in time"
        : `${counted(answers.length, "answer")}, best first`,
    data: {
      answers: answers.map((each, index) => ({
        title: each.title,
        certainty: each.certainty,
        python: each.python,
        driver: each.driver.least,
        packages: each.packages.map(({ name, version, cuda }) => `${name} ${version}${cuda ? ` (CUDA ${cuda})` : ""}`),
        libraries: each.libraries.map(({ name, version }) => `${name} ${version}`),
        lines: each.lines.map(({ tool, commands }) => `${tool}: ${commands.join("; ")}`),
        notes: [...each.notes, ...each.doubts],
        details: at(`/answers/${index}`),
      })),
      ...(conflict
        ? {
            conflict: {
              requirements: conflict.requirements.map(({ requirement, says }) => `${requirement}: ${says}`),
              ways: conflict.ways.map(({ without, possible }) => `without ${without}: ${possible}`),
            },
          }
        : {}),
      unknown,
    },
  }),
};
