import { folderOf, nameOf } from "../lib/path.ts";
import { libraryNamed } from "../knowledge/libraries.ts";
import { copyFact, loadFact } from "../diagnose/facts.ts";
import { searchAdvice } from "../diagnose/search-paths.ts";
import type { CompiledFor } from "../frameworks/framework.ts";
import type { Advice, Draft } from "../model/finding.ts";
import type { Load } from "../model/loads.ts";
import { defineMachineRule } from "./rule.ts";
import type { Program, Run, Stack } from "../diagnose/stack.ts";
import { copyAt, fileWords, ruleWords, unsetAdvice, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "headers-of-another-release",
  title: "A program was compiled with headers of another release than the library that it would run with",
  cause: "library-wrong-version",
  severity: "warning",
  notOn: { "dependency-file": "which headers a program was compiled with is written in the folder of its build" },
  page: {
    what: "The headers that a C or C++ program was compiled with, or the library that it was linked against, are newer than the library that it would load, or of another major release.",
    why: "The loader compares names, and the major release is all that a name carries. cuDNN promises that a program runs with the release that it was built with and newer ones of the same major, not with an older minor; TensorRT likewise. Nothing compares the two when the program starts: what is new in the headers (functions, values, fields) fails when it is first used.",
    how: "CMakeCache.txt, link.txt, flags.make, build.ninja, compile_commands.json and the .d files that compilers write lead to cudnn_version.h, cuda_runtime_api.h, NvInferVersion.h and others; the version of the library is read from the file that would be loaded.",
    fix: "Let the program find the library that it was built with (`-Wl,-rpath,DIR`, CMAKE_BUILD_RPATH, or LD_LIBRARY_PATH for one command), or compile it with the headers of the library that is there.",
    observed:
      "With programs that were built with CMake, Make and Ninja against cuDNN 8.9, 9.1 and 9.27 of NVIDIA's wheels and started with each of them; what happens beyond the start is cuDNN's documentation.",
  },
  finds: (stack) =>
    stack.runs
      .filter(({ environment, running, stops }) => !environment && !running && stops.every(({ activity }) => activity !== "import"))
      .flatMap((run) =>
        run.programs.flatMap((program) => Object.entries(program.compiledFor).flatMap((each) => mismatch(stack, run, program, each))),
      ),
});

/** What a program makes of an older minor: of these its makers say that it is not promised to run. */
const strict = new Set(["cudnn", "tensorrt"]);

function mismatch(stack: Stack, run: Run, program: Program, [id, built]: [string, CompiledFor[string]]): Draft<"info">[] {
  const own = run.loads.loads.filter(({ library, unmapped }) => library === id && !unmapped);
  // Of cuDNN 9 the first object says no version, its parts do.
  const [load] = own;
  // Where nothing tells more, the name has the major.
  const version =
    own.find((each) => each.version !== undefined)?.version ??
    own.flatMap(({ file }) => copyAt(stack, file)?.version ?? [])[0] ??
    /\.so\.(\d+)/.exec(load?.name ?? "")?.[1];
  const howFar = load && version !== undefined && (built.header ?? built.linked) ? distance(built.version, version) : undefined;
  if (!load || howFar === undefined || version === undefined) return [];
  const name = libraryNamed(id) ?? id;
  const isStrict = howFar === "other-major" || strict.has(id);
  const what =
    built.header === undefined ? `linked against ${name} ${built.version}` : `compiled with the headers of ${name} ${built.version}`;
  return [
    {
      subject: `${program.id} with ${nameOf(load.name)}`,
      ...(isStrict ? {} : { severity: "info" as const }),
      short: `${what}, and would run with ${version}`,
      message: `${program.id} was ${what}, and would run with ${version}: ${fileWords(stack, load.file, { ...load, version })}`,
      because: [
        whyNot(name, howFar, isStrict, built.version, version),
        ruleWords(load),
        ...(load.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : []),
      ],
      evidence: evidenceOf(built),
      facts: { loads: [loadFact(load)], ...linkedFacts(stack, built) },
      endangers: [{ framework: program.id, activity: "device" }],
      advice: adviceFor(stack, run, program, load, built, version, name),
      sources: id === "cudnn" ? ["https://docs.nvidia.com/deeplearning/cudnn/latest/developer/forward-compatibility.html"] : [],
    },
  ];
}

function whyNot(name: string, howFar: "other-major" | "older", isStrict: boolean, built: string, version: string): string {
  if (howFar === "other-major")
    return `${name} ${built.split(".")[0]} and ${version.split(".")[0]} are not made to go together, and nothing compares them when the program starts`;
  return isStrict
    ? `${name} runs what was built with the same or an older minor release, and promises nothing for a newer one; nothing compares them when the program starts`
    : "what is new in the headers is not in the library, and fails where it is used";
}

/** How what was built stands to what is loaded; undefined where it fits. Patches are made to go together either way. */
function distance(built: string, loaded: string): "other-major" | "older" | undefined {
  const [[major = "", minor], [other = "", found]] = [built.split("."), loaded.split(".")];
  if (!/^\d+$/.test(major) || !/^\d+$/.test(other)) return undefined;
  if (major !== other) return "other-major";
  return minor !== undefined && found !== undefined && Number(found) < Number(minor) ? "older" : undefined;
}

const evidenceOf = ({ header, version, linked }: CompiledFor[string]): string[] => [
  ...(header === undefined ? [] : [`${header} says ${version}`]),
  ...(linked ? [`linked against ${linked.file}${linked.version === undefined ? "" : `, which is ${linked.version}`}`] : []),
];

function linkedFacts(stack: Stack, { linked }: CompiledFor[string]) {
  const copy = linked && !linked.replaced ? copyAt(stack, linked.file) : undefined;
  return copy ? { copies: [copyFact(copy, "right")] } : {};
}

function adviceFor(
  stack: Stack,
  run: Run,
  program: Program,
  load: Load,
  built: CompiledFor[string],
  version: string,
  name: string,
): (Advice | string)[] {
  const { linked, header } = built;
  const steered = unsetAdvice(stack, [load]);
  const right =
    linked?.version !== undefined && !linked.replaced && distance(built.version, linked.version) === undefined ? linked.file : undefined;
  return [
    ...steered,
    ...(right !== undefined && steered.length === 0 ? searchAdvice(run, load.requestedBy, [folderOf(right)], load) : []),
    ...(right === undefined && steered.length === 0
      ? [`let it find ${name} ${built.version.split(".").slice(0, 2).join(".")} or a newer release of the same major`]
      : []),
    `or compile ${program.id} with the headers of ${name} ${version}${header === undefined ? "" : `, not with those in ${folderOf(header)}`}`,
  ];
}
