import { pipOf } from "../../diagnose/pip.ts";
import { parsePythonVersion } from "../../lib/pep440.ts";
import { machineSide } from "../rule.ts";
import { companions, labelWords, misfit } from "./labels.ts";
import page from "./page.ts";
import { packageFact } from "../../diagnose/facts.ts";
import { programName } from "../../diagnose/words.ts";

export default machineSide(page, {
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
        const wrong = misfit(label, own);
        if (!found || !wrong) return [];
        return [
          {
            subject: `${name} in ${run.environment?.prefix ?? ""}`,
            ...(wrong.isHarmless ? { severity: "info" as const } : {}),
            short: `${name} was built ${labelWords(label!)}, torch ${labelWords(own)}`,
            message: `${name} ${found.version} was built ${labelWords(label!)}, and ${programName(run, "torch")} ${labelWords(own)}`,
            because: [wrong.because(name)],
            evidence: [`${found.metadata}`, cuda ? `${cuda.evidence}: ${cuda.version}` : torch.cpuOnly!],
            advice: [
              {
                words: "install both from one index",
                command: pipOf(run.environment, "install", `torch==${release}`, name, "--force-reinstall"),
                scope: "install" as const,
              },
            ],
            facts: {
              packages: [packageFact(run, found, "subject"), ...(torch.package ? [packageFact(run, torch.package, "asks")] : [])],
            },
            endangers: wrong.isHarmless ? [] : [{ framework: "torch", activity: "device" }],
          },
        ];
      });
    }),
});
