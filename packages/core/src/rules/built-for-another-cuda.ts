import { parsePythonVersion } from "../lib/pep440.ts";
import { defineRule } from "../diagnose/rule.ts";
import { packageFact } from "../diagnose/facts.ts";
import { programName } from "../diagnose/words.ts";
import { labelledFramework } from "../model/frameworks.ts";

const companions = labelledFramework("torch")?.labelled.marks ?? [];

export default defineRule({
  id: "built-for-another-cuda",
  title: "A companion of torch was built for another CUDA",
  cause: "wrong-wheel-cuda-version",
  severity: "warning",
  page: {
    what: "torchvision, torchaudio or xformers was built for another CUDA than torch, or without CUDA: the labels behind the plus sign of their versions differ (`+cu124`, `+cpu`).",
    why: "They came from different indexes: `pip install torchvision` without the index that torch was installed from. The release may fit and the CUDA not.",
    how: "The label of the installed version is compared with torch/version.py. A package without a label (all of PyPI) is not judged.",
    mend: "Install both with one command, from one index.",
    observed:
      "The comparison of majors was read in torchvision 0.21 (“compiled with different CUDA major versions”). That operators without CUDA raise NotImplementedError is known from reports only.",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const torch = run.programs.find(({ id }) => id === "torch");
      const cuda = torch?.compiledFor["cuda"];
      const release = torch?.package?.version.replace(/\+.*/, "");
      if (!torch || release === undefined || (!cuda && torch.cpuOnly === undefined)) return [];
      const own = cuda === undefined || torch.cpuOnly !== undefined ? "cpu" : `cu${cuda.version.split(".").slice(0, 2).join("")}`;
      return companions.flatMap((name) => {
        const found = run.environment?.packages.find((each) => each.name === name);
        const label = found && parsePythonVersion(found.version)?.local?.join(".");
        if (!found || label === undefined || !/^(cpu|cu\d+)$/.test(label) || label === own) return [];
        // A torch without CUDA has a rule of its own; and what has no CUDA either way is only unusual.
        const isMinor = label !== "cpu" && own !== "cpu" && label.slice(0, -1) === own.slice(0, -1);
        return [
          {
            subject: `${name} in ${run.environment?.prefix ?? ""}`,
            severity: isMinor || own === "cpu" ? ("info" as const) : ("warning" as const),
            message: `${name} ${found.version} was built ${label === "cpu" ? "without CUDA" : `for ${label}`}, and ${programName(run, "torch")} ${own === "cpu" ? "without CUDA" : `for ${own}`}`,
            because: [
              label === "cpu"
                ? `operators of ${name} do not run on the GPU`
                : isMinor
                  ? "minors of one CUDA go together"
                  : `${name} compares the majors when it is imported, and refuses`,
            ],
            evidence: [`${found.metadata}`, cuda ? `${cuda.evidence}: ${cuda.version}` : torch.cpuOnly!],
            advice: [
              {
                words: "install both from one index",
                command: ["pip", "install", `torch==${release}`, name, "--force-reinstall"],
                scope: "install" as const,
              },
            ],
            facts: {
              packages: [packageFact(run, found, "subject"), ...(torch.package ? [packageFact(run, torch.package, "asks")] : [])],
            },
            endangers: isMinor || own === "cpu" ? [] : [{ framework: "torch", activity: "device" }],
          },
        ];
      });
    }),
});
