import { compareDotted } from "../../knowledge/dotted.ts";
import { leastDriver } from "../../knowledge/goes-together.ts";
import { toolkitOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { isTooOld, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, gpuAccess } from "../fixes.ts";
import { torchBuildLine, torchForDriver } from "../torch-lines.ts";
import { coded, runtimeOf, smsIn } from "../what-runs.ts";

/** A program says that the driver is too old. */
export default function driverTooOld(facts: Facts, context: Context): Problem[] {
  const insufficient = coded(facts, 35, 36);
  const tooOld = facts.notices("driver-too-old");
  return 0 < insufficient.length || 0 < tooOld.length ? [oldDriver(insufficient, tooOld, facts, context)] : [];
}

const name = "libcuda.so.1";

const library = "libcuda";

/** Two versions of a text say that the driver is too old, and no program does. */
export const olderDriver = (told: Omit<Suspect, "cause" | "certainty" | "name" | "library" | "next">): Problem[] => [
  { weight: weights.hint, suspects: [{ ...told, cause: "driver-too-old", certainty: "possible", name, library, next: ["nvidia-smi"] }] },
];

function oldDriver(insufficient: Fact[], tooOld: Fact<"notice">[], facts: Facts, context: Context): Problem {
  const named = runtimeOf(facts, context);
  // PyTorch names the CUDA of the driver: a build that it runs is not the one that calls it too old.
  const runs = tooOld[0]?.found;
  const runtime = named && !context.driver && runs !== undefined && 0 <= compareDotted(runs, named.cuda) ? undefined : named;
  const floor = runtime && leastDriver([{ cuda: runtime.cuda }], smsIn(facts));
  const link = facts
    .all("file")
    .flatMap(({ path, target }) => /libcuda\.so\.(\d{3}[\d.]{1,10})/.exec(`${path} ${target ?? ""}`)?.[1] ?? [])[0];
  const has = context.driver?.version ?? link;
  const windows = facts.on("windows");
  const newest = has === undefined || windows ? undefined : toolkitOf({ driver: has })?.newest.cuda;
  const ceiling = tooOld[0]?.found ?? context.driverCuda?.version ?? newest;
  const below = has !== undefined && runtime !== undefined ? isTooOld(has, runtime.cuda, windows) : undefined;
  const evidence = [...insufficient, ...tooOld, context.driver, context.driverCuda, runtime?.fact].filter((fact) => fact !== undefined);
  const old: Suspect = {
    cause: "driver-too-old",
    name: link === undefined ? name : `libcuda.so.${link}`,
    library,
    required: runtime
      ? `${floor ? `driver ${floor.driver} or newer ` : "a driver "}for CUDA ${runtime.cuda}`
      : "a driver for the CUDA that the program was built with",
    ...(has === undefined && ceiling === undefined
      ? {}
      : { found: [has, ceiling === undefined ? undefined : `CUDA ${ceiling}`].filter((part) => part !== undefined).join(", ") }),
    certainty: below ? "certain" : 0 < tooOld.length || has !== undefined ? "likely" : "possible",
    message: `the NVIDIA driver${has === undefined ? "" : ` ${has}`} is ${runtime ? `older than CUDA ${runtime.cuda} needs` : "too old for the CUDA runtime that the program uses"}`,
    evidence,
    next: ["nvidia-smi", "culprit list"],
    fixes: [
      // Where the GPU is no longer in such a driver, there is none to install.
      ...(floor?.goneAfter === undefined
        ? [fix(`install a newer NVIDIA driver${windows ? "" : floor ? ` (${floor.driver} or newer)` : driversAbove(ceiling, facts)}`)]
        : []),
      olderBuild(floor?.goneAfter === undefined ? "or " : "", ceiling, facts, context),
    ],
  };
  const hidden: Suspect = {
    cause: "driver-not-exposed",
    name,
    library,
    required: "the driver's libcuda.so.1 within the process",
    found: "no driver that answers",
    certainty: "possible",
    message: "no driver answers in the process; in a container it must be started with GPU access",
    evidence,
    next: ["nvidia-smi", "ls -l /dev/nvidia*"],
    fixes: [gpuAccess(context)],
  };
  const fine = below === false;
  const weight = weights.said;
  if (facts.on("macos") && has === undefined)
    return {
      weight,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: "macOS",
          certainty: "likely",
          message: "Macs have had no NVIDIA GPU since 2014, and macOS no CUDA driver after 10.13: CUDA does not run here",
          evidence,
          next: [],
          fixes: [fix("build or install the program for the CPU, or for Metal where it can")],
        },
        { ...old, certainty: "possible" },
        hidden,
      ],
    };
  if (0 < tooOld.length && !fine) return { weight, suspects: [old] };
  if (0 < tooOld.length)
    return { weight, symptom: "the program says that the driver is too old", suspects: newEnough(old, has!, runtime!.cuda, facts) };
  // The driver answers, and is new enough: who stands between it and the program is older than it.
  if (fine && insufficient.every((fact) => fact.kind === "cuda-error" && fact.code === 36))
    return { weight, symptom: "a call is refused, although the driver is new enough", suspects: between(old, has!, facts) };
  // What somebody has installed is not what a program was built with that came ready-made and brings its own CUDA.
  if (fine && runtime!.fact?.kind === "toolkit" && !facts.on("container"))
    return {
      weight,
      symptom: "the program says that the driver is too old",
      suspects: orHidden(newEnough(old, has!, runtime!.cuda, facts), hidden),
    };
  if (fine || (facts.on("container") && has === undefined))
    return {
      weight,
      suspects: [
        { ...hidden, certainty: "likely" },
        { ...old, certainty: "possible" },
      ],
    };
  return { weight, symptom: "the program says that the driver is too old", suspects: [old, hidden] };
}

const orHidden = ([built, ...others]: Suspect[], hidden: Suspect): Suspect[] => [
  built!,
  { ...hidden, message: `or ${hidden.message}` },
  ...others,
];

const profilers = /\b(?:nsys|ncu|nvprof|iprof|profil\w{1,4}|tracer?|tracing|CUPTI|injection)\b/i;

/** A profiler or a library that hands calls on and does not know this one, or a libcuda of another release. */
function between(old: Suspect, has: string, facts: Facts): Suspect[] {
  const told = facts.everything().some(({ at }) => profilers.test(at.text)) || 0 < facts.notices("trace-without-gpu").length;
  const tool: Suspect = {
    ...old,
    cause: "cupti-too-old-for-driver",
    name: "the profiler",
    required: `a tool that knows the calls of driver ${has}`,
    certainty: "possible",
    message: `a profiler or library that stands before the driver is older than driver ${has}, and does not hand the call on`,
    next: ["nsys --version; nvidia-smi", "env | grep -i 'preload\\|inject'"],
    fixes: [fix("take the tool in the release of the CUDA that nvidia-smi shows, or run without it")],
  };
  const other: Suspect = {
    ...old,
    cause: "forward-compat-misuse",
    required: `the libcuda.so.1 of driver ${has}`,
    certainty: "possible",
    message: "or an older libcuda, of cuda-compat or left over, is loaded in its place",
    next: ["culprit why libcuda.so.1"],
    fixes: [],
  };
  return told ? [tool, other, { ...old, certainty: "possible" }] : [other, tool, { ...old, certainty: "possible" }];
}

// NVIDIA's images say at their start for which driver they were built.
// The driver of the text is new enough for the CUDA of the text: one of the two is not the one that ran.
const newEnough = (old: Suspect, has: string, cuda: string, facts: Facts): Suspect[] => [
  {
    ...old,
    required: `a driver for the CUDA that the program was built with, which is newer than ${cuda}`,
    certainty: "possible",
    message: `the program was built for a newer CUDA than ${cuda}, for which driver ${has} is new enough`,
    next: ["nvidia-smi", 'python -c "import torch; print(torch.__version__, torch.version.cuda)"'],
    fixes: [
      fix(`install a build of the program for CUDA ${cuda} or older, or build it here`),
      fix(`or install a newer NVIDIA driver${driversAbove(cuda, facts)}`),
    ],
  },
  {
    ...old,
    cause: "library-shadowed",
    required: `the libcuda.so.1 of driver ${has}`,
    certainty: "possible",
    message: `or another libcuda than that of driver ${has} is loaded: a compat library, or one left over`,
    next: ["culprit why libcuda.so.1"],
    fixes: [],
  },
];

/** The program's CUDA is not told: which drivers serve the majors above that of the driver. */
function driversAbove(ceiling: string | undefined, facts: Facts): string {
  const above = ["12.0", "13.0"].filter((cuda) => ceiling !== undefined && Number(ceiling.split(".")[0]) < Number(cuda.split(".")[0]));
  const known = above.flatMap((cuda) => {
    const least = leastDriver([{ cuda }], smsIn(facts));
    return least && least.goneAfter === undefined ? `${least.driver} or newer for builds for CUDA ${cuda.split(".")[0]}` : [];
  });
  return known.length === 0 ? "" : `: ${known.join(", ")}`;
}

/** What the driver runs as it is: of PyTorch a line, of others the CUDA. */
function olderBuild(or: string, ceiling: string | undefined, facts: Facts, { speaker }: Context): ReturnType<typeof fix> {
  // Nobody else says it in these words.
  const torch =
    speaker === "torch" || facts.notices("driver-too-old").some(({ at }) => /NVIDIA driver on your system is too old/.test(at.text));
  const build = torch && ceiling !== undefined ? torchForDriver(ceiling, facts) : undefined;
  return build
    ? fix(`${or}install PyTorch for CUDA ${build.cuda}, which this driver runs`, torchBuildLine(build))
    : fix(`${or}install a build of the program for an older CUDA${ceiling === undefined ? "" : ` (${majorsOf(ceiling)})`}`);
}

/** Since CUDA 11 a driver runs every release of its own major: 470, of the time of 11.4, runs builds for 11.8. */
const majorsOf = (cuda: string) => {
  const major = cuda.split(".")[0]!;
  return 11 <= Number(major) ? `${major}.x or older` : `${cuda} or older`;
};
