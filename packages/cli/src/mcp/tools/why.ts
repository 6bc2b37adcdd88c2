import type { Why } from "@culprit/core";
import { counted, list, object, string, type Tool } from "../tool.ts";

export const why: Tool<Why> = {
  name: "why",
  title: "Why a library is found where it is",
  description:
    "One library (cudnn, cupti, libcudnn.so.9) as a program or framework would get it: the search of the dynamic loader path by path, who wins, which other copies lose and why, and what would change that. Nothing is run.",
  command: "why",
  words: [{ name: "library", help: "the name that is asked for (libcudnn.so.9) or what people call it (cudnn)", required: true }],
  options: ["for", "do", "python", "target", "root", "env", "unset", "module", "driver", "gpu", "cwd", "cpu", "ldconfig"],
  data: object({
    requests: list(
      object({
        name: string(),
        requestedBy: string(),
        "file?": string("the file that would be loaded"),
        "version?": string(),
        "via?": string("the rule of the loader that found it"),
        "failure?": string("what the loader would say"),
        notes: list(string()),
        steps: list(string(), "paths in the order in which they are looked at"),
        details: string("the address of all that is known about it"),
      }),
    ),
    losers: list(object({ file: string(), "version?": string(), because: string() })),
    changes: list(object({ what: string(), outcome: string(), because: string() }), "what would change the answer"),
  }),
  brief: ({ requests, losers, changes }, { at }) => {
    const [first] = requests;
    const state = !first
      ? "nobody asks for it"
      : first.failure
        ? "it is not found"
        : `it is found${first.via ? ` by the rule ${first.via}` : ""}`;
    return {
      summary: `${state}; ${counted(losers.length, "other copy").replace("copys", "copies")}, ${counted(changes.length, "change")} that would matter`,
      data: {
        requests: requests.map((each, index) => ({
          name: each.name,
          requestedBy: each.requestedBy,
          ...(each.file === undefined ? {} : { file: each.file }),
          ...(each.version === undefined ? {} : { version: each.version }),
          ...(each.via === undefined ? {} : { via: each.via }),
          ...(each.failure ? { failure: each.failure.message } : {}),
          notes: each.notes,
          steps: each.steps.map(({ rule, path, result }) => `${rule}: ${path}: ${result}`),
          details: at(`/requests/${index}`),
        })),
        losers: losers.map(({ file, version, because }) => ({ file, ...(version === undefined ? {} : { version }), because })),
        changes: changes.map(({ what, outcome, because }) => ({ what, outcome, because })),
      },
    };
  },
};
