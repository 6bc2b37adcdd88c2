import type { Difference } from "@culprit/core";
import { briefFinding, findingShape, findingWords } from "../finding.ts";
import { counted, list, object, string, type Tool } from "../tool.ts";

export const diff: Tool<Difference> = {
  name: "diff",
  title: "Works here, fails there",
  description:
    "Two machines, root folders, images, snapshots or processes (or two dependency files, or two days of Colab) side by side: differences are tried out on a copy of the facts until every finding is explained, and those that make one come or go come first. `machine` is this machine.",
  command: "diff",
  words: [
    { name: "a", help: "a target, or a dependency file", required: true },
    { name: "b", help: "a target, or a dependency file", required: true },
  ],
  options: ["for", "do", "python", "env", "unset", "driver", "gpu", "cwd", "cpu", "shell", "colab", "python-version"],
  data: object({
    onlyInA: list(findingShape),
    onlyInB: list(findingShape),
    decisive: list(
      object({ kind: string(), subject: string(), "a?": string(), "b?": string(), explains: list(string()) }),
      "differences that make a finding",
    ),
    others: list(object({ kind: string(), subject: string(), "a?": string(), "b?": string() })),
  }),
  brief: ({ findings, changes }, told) => {
    const decisive = changes.filter(({ explains }) => 0 < explains.length);
    const side = ({ kind, subject, a, b }: Difference["changes"][number]) => ({
      kind,
      subject,
      ...(a === undefined ? {} : { a }),
      ...(b === undefined ? {} : { b }),
    });
    return {
      summary: `only in a: ${findingWords(findings.onlyInA)}; only in b: ${findingWords(findings.onlyInB)}; ${counted(changes.length, "difference")}, ${decisive.length} of them decisive`,
      data: {
        onlyInA: findings.onlyInA.map((each, index) => briefFinding(each, `/findings/onlyInA/${index}`, told)),
        onlyInB: findings.onlyInB.map((each, index) => briefFinding(each, `/findings/onlyInB/${index}`, told)),
        decisive: decisive.map((each) => ({
          ...side(each),
          explains: each.explains.map(({ in: where, finding }) => `in ${where}: ${finding}`),
        })),
        others: changes.filter(({ explains }) => explains.length === 0).map(side),
      },
    };
  },
};
