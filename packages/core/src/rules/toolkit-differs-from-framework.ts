import { programFacts, variableFact } from "../diagnose/facts.ts";
import { chosenToolkit } from "../diagnose/chosen-toolkit.ts";
import { defineMachineRule } from "./rule.ts";
import { programName, settersOf, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "toolkit-differs-from-framework",
  title: "Extensions would be built with another CUDA than the framework",
  cause: "toolkit-vs-framework-at-build",
  severity: "warning",
  notOn: { "dependency-file": "which nvcc comes first on PATH is not written there" },
  page: {
    what: "The toolkit that a build of extensions would take (CUDA_HOME, CUDA_PATH, else the nvcc on PATH, else /usr/local/cuda) is of another CUDA than the one that torch was compiled for.",
    why: "torch.utils.cpp_extension compares the two: another major is refused, another minor is warned of. Nothing but a build is affected: wheels bring the CUDA that they run with.",
    how: "torch/version.py says what it was compiled for; version.json or version.txt of the toolkit, or the name of its folder, what nvcc would say.",
    fix: "Point CUDA_HOME to a toolkit of the same major for the build, or install torch for the CUDA of the toolkit.",
    observed: "The comparison was read in the wheel of torch 2.11; no build was run.",
  },
  finds(stack) {
    const chosen = chosenToolkit(stack);
    if (!chosen?.toolkit.version) return [];
    const { toolkit, by, isExplicit } = chosen;
    const version = toolkit.version!.split(".").slice(0, 2).join(".");
    return stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => {
        const cuda = program.compiledFor["cuda"];
        if (program.id !== "torch" || !cuda || cuda.version === version || program.cpuOnly !== undefined) return [];
        const isOtherMajor = cuda.version.split(".")[0] !== version.split(".")[0];
        // A variable that disagrees with PATH is the fault, and has a rule of its own.
        const onPath = stack.inventory.toolkits.find((each) => each.onPath && each !== toolkit);
        if (onPath?.version?.split(".")[0] === cuda.version.split(".")[0]) return [];
        return [
          {
            subject: `torch in ${run.environment?.prefix ?? ""}`,
            ...(isExplicit && isOtherMajor ? {} : { severity: "info" as const }),
            short: `extensions would be built with CUDA ${version}, torch with ${cuda.version}`,
            message: `extensions for ${programName(run, "torch")}, which was compiled for CUDA ${cuda.version}, would be built with CUDA ${version} of ${toolkit.path}${isOtherMajor ? ": torch refuses that" : ""}`,
            because: [
              by,
              isOtherMajor
                ? "torch.utils.cpp_extension raises an error where the majors differ; running needs no toolkit"
                : "torch.utils.cpp_extension warns where only the minors differ; mostly that works",
            ],
            evidence: [
              `${cuda.evidence}: ${cuda.version}`,
              `${toolkit.evidence ?? toolkit.path}: ${toolkit.version}`,
              ...(isExplicit && 0 < settersOf(stack, stack.pointers.homes[0]!.variable).length
                ? [variableWords(stack, stack.pointers.homes[0]!.variable)]
                : []),
            ],
            facts: {
              packages: programFacts(run, program),
              ...(isExplicit ? { variables: [variableFact(stack, stack.pointers.homes[0]!.variable)] } : {}),
            },
            advice: [
              ...stack.inventory.toolkits
                .filter((each) => each.nvcc !== undefined && each.version?.startsWith(`${cuda.version.split(".")[0]}.`))
                .slice(0, 1)
                .map(({ path }) => ({ words: "for the build", command: ["export", `CUDA_HOME=${path}`], scope: "shell" as const })),
              `install a CUDA ${cuda.version} toolkit to build with, or torch for CUDA ${version.split(".")[0]}`,
            ],
          },
        ];
      }),
    );
  },
});
