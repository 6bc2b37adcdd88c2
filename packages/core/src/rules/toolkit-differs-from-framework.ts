import { programFacts, variableFact } from "../diagnose/facts.ts";
import { chosenToolkit } from "../diagnose/chosen-toolkit.ts";
import type { Program, Run, Stack } from "../diagnose/stack.ts";
import type { Draft } from "../model/finding.ts";
import { defineMachineRule } from "./rule.ts";
import { programName, settersOf, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "toolkit-differs-from-framework",
  title: "Extensions would be built with another CUDA than the framework",
  cause: "toolkit-vs-framework-at-build",
  severity: "error",
  notOn: { "dependency-file": "which nvcc comes first on PATH is not written there" },
  page: {
    what: "The toolkit that a build of extensions would take (CUDA_HOME, CUDA_PATH, else the nvcc on PATH, else /usr/local/cuda) is of another CUDA than the one that torch was compiled for.",
    why: "torch.utils.cpp_extension compares the two: another major is refused, another minor is warned of. DeepSpeed compiles its operators when a program first uses one, and refuses minors that it does not know, too. Nothing but a build is affected: wheels bring the CUDA that they run with.",
    how: "torch/version.py says what it was compiled for; version.json or version.txt of the toolkit, the wheel or conda package that brought nvcc, the name of its folder or its cuda.h, what nvcc would say. Which minors DeepSpeed takes for one another stands in its own builder.py.",
    fix: "Point CUDA_HOME to a toolkit of the same major for the build, or install torch for the CUDA of the toolkit.",
    observed:
      "The comparison was read in the wheel of torch 2.11; no build was run. DeepSpeed 0.16.4 on torch 2.5.1 with an nvcc of CUDA 13.0 was seen to say so.",
  },
  finds(stack) {
    const chosen = chosenToolkit(stack);
    const version = chosen?.toolkit.version?.split(".").slice(0, 2).join(".");
    if (!chosen || version === undefined) return [];
    const building = stack.runs.flatMap((run) =>
      run.programs.flatMap((program) => refusedAtRun(stack, chosen, version, run, program) ?? []),
    );
    const isTold = (run: Run) => building.some(({ environment }) => environment === run.environment?.prefix);
    return [
      ...building.map(({ draft }) => draft),
      ...stack.runs.flatMap((run) =>
        isTold(run) ? [] : run.programs.flatMap((program) => differsFromTorch(stack, chosen, version, run, program) ?? []),
      ),
    ];
  },
});

type Chosen = NonNullable<ReturnType<typeof chosenToolkit>>;

const majorOf = (version: string) => version.split(".")[0]!;
const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

/** What compiles when it runs, and refuses this nvcc: whoever uses what is compiled fails. */
function refusedAtRun(
  stack: Stack,
  chosen: Chosen,
  version: string,
  run: Run,
  program: Program,
): { environment: string | undefined; draft: Draft<"warning"> } | undefined {
  const { buildsFor } = program;
  const cuda = buildsFor && minorOf(buildsFor.cuda);
  if (!buildsFor || cuda === undefined || cuda === version || stack.variables[buildsFor.unless] === "1") return undefined;
  const isTaken = majorOf(cuda) === majorOf(version) && [cuda, version].every((each) => buildsFor.takes.includes(each));
  if (isTaken) return undefined;
  const affected = [{ framework: program.id, activity: "compile" }];
  const draft: Draft<"warning"> = {
    subject: `${program.id} in ${run.environment?.prefix ?? ""}`,
    ...(stack.asked ? { breaks: affected } : { severity: "warning", endangers: affected }),
    short: `it refuses nvcc of CUDA ${version}: torch is for ${cuda}`,
    message: `${programName(run, program.id)} would find nvcc of CUDA ${version} in ${chosen.toolkit.path}, and refuses to compile with it, because torch was compiled for CUDA ${cuda}`,
    because: [chosen.by, "its operators are compiled when a program first uses one; programs that use none are not affected"],
    evidence: [`${buildsFor.evidence}: ${buildsFor.cuda}`, toolkitWords(chosen), ...setWords(stack, chosen)],
    facts: {
      said: `Installed CUDA version ${version} does not match the version torch was compiled with ${buildsFor.cuda}, unable to compile cuda/cpp extensions without a matching cuda version.`,
      packages: programFacts(run, program),
      ...variableFacts(stack, chosen),
    },
    advice: adviceFor(stack, cuda, version),
  };
  return { environment: run.environment?.prefix, draft };
}

function differsFromTorch(
  stack: Stack,
  chosen: Chosen,
  version: string,
  run: Run,
  program: Program,
): Draft<"warning" | "info"> | undefined {
  const { toolkit, by, isExplicit } = chosen;
  const cuda = program.compiledFor["cuda"];
  if (program.id !== "torch" || !cuda || cuda.version === version || program.cpuOnly !== undefined) return undefined;
  const isOtherMajor = majorOf(cuda.version) !== majorOf(version);
  // A variable that disagrees with PATH is the fault, and has a rule of its own.
  const onPath = stack.inventory.toolkits.find((each) => each.onPath && each !== toolkit);
  if (onPath?.version?.split(".")[0] === majorOf(cuda.version)) return undefined;
  return {
    subject: `torch in ${run.environment?.prefix ?? ""}`,
    severity: isExplicit && isOtherMajor ? "warning" : "info",
    short: `extensions would be built with CUDA ${version}, torch with ${cuda.version}`,
    message: `extensions for ${programName(run, "torch")}, which was compiled for CUDA ${cuda.version}, would be built with CUDA ${version} of ${toolkit.path}${isOtherMajor ? ": torch refuses that" : ""}`,
    because: [
      by,
      isOtherMajor
        ? "torch.utils.cpp_extension raises an error where the majors differ; running needs no toolkit"
        : "torch.utils.cpp_extension warns where only the minors differ; mostly that works",
    ],
    evidence: [`${cuda.evidence}: ${cuda.version}`, toolkitWords(chosen), ...setWords(stack, chosen)],
    facts: { packages: programFacts(run, program), ...variableFacts(stack, chosen) },
    advice: adviceFor(stack, cuda.version, version),
  };
}

const toolkitWords = ({ toolkit }: Chosen) => `${toolkit.evidence ?? toolkit.path}: ${toolkit.version}`;

const setWords = (stack: Stack, { isExplicit }: Chosen) =>
  isExplicit && 0 < settersOf(stack, stack.pointers.homes[0]!.variable).length
    ? [variableWords(stack, stack.pointers.homes[0]!.variable)]
    : [];

const variableFacts = (stack: Stack, { isExplicit }: Chosen) =>
  isExplicit ? { variables: [variableFact(stack, stack.pointers.homes[0]!.variable)] } : {};

const adviceFor = (stack: Stack, cuda: string, version: string): Draft["advice"] => [
  ...stack.inventory.toolkits
    .filter((each) => each.nvcc !== undefined && each.version?.startsWith(`${majorOf(cuda)}.`) && minorOf(each.version) !== version)
    .slice(0, 1)
    .map(({ path }) => ({ words: "for the build", command: ["export", `CUDA_HOME=${path}`], scope: "shell" as const })),
  `install a CUDA ${minorOf(cuda)} toolkit to build with${majorOf(cuda) === majorOf(version) ? "" : `, or torch for CUDA ${majorOf(version)}`}`,
];
