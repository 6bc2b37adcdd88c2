import { nameOf } from "../lib/path.ts";
import { profileOf, profilers } from "../diagnose/cupti.ts";
import type { Draft } from "../model/finding.ts";
import { variableFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { programName, variableWords, withoutVariables } from "../diagnose/words.ts";

interface Tool {
  name: string;
  /** Variables that it sets for the programs it starts. */
  variables: RegExp;
  /** Its libraries, as LD_PRELOAD, CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH name them. */
  objects: RegExp;
  /** Frameworks whose profile we saw without a GPU under it; for others it is likely. */
  observed: string[];
}

const tools: Tool[] = [
  {
    name: "Nsight Compute (ncu)",
    variables: /^(NV_NSIGHT_INJECTION_TRANSPORT_TYPE|NV_COMPUTE_PROFILER_PERFWORKS_DIR)$/,
    objects: /^libcuda-injection\.so/,
    observed: ["torch"],
  },
  {
    name: "Compute Sanitizer",
    variables: /^NV_SANITIZER_INJECTION_TRANSPORT_TYPE$/,
    objects: /^libsanitizer-collection\.so/,
    observed: ["jax"],
  },
  { name: "Nsight Systems (nsys)", variables: /^NSYS_PROFILING_SESSION_ID$/, objects: /^libToolsInjection(Proxy)?64\.so/, observed: [] },
  { name: "nvprof", variables: /^NVPROF_ID$/, objects: /^libcuinj64\.so/, observed: [] },
];

const injecting = ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "LD_PRELOAD"];

export default defineMachineRule({
  id: "second-profiler",
  title: "Another profiler is already in the process",
  cause: "profiler-conflict",
  severity: "error",
  notOn: { "dependency-file": "another profiler comes in by the variables of the shell, or is attached by who starts the program" },
  page: {
    what: "The environment puts another client of CUPTI into every process: Nsight Compute, Nsight Systems, Compute Sanitizer, nvprof, or a library of one's own. The framework's profiler then records nothing of the GPU.",
    why: "CUPTI has one subscriber to a process. Who comes second gets CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED (39), and frameworks go on without the GPU. From CUDA 13.3 with driver 610 on there may be several, if each of them asks for that.",
    how: "Variables that these tools set for the programs they start, and the libraries that LD_PRELOAD, CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH name. A library in CUDA_INJECTION64_PATH that we do not know may or may not use CUPTI: that is a warning.",
    fix: "One profiler at a time: start the program without the other tool, or leave the framework's profiler off while that one records (in Keras: profile_batch=0). Unset a variable that was left behind.",
    observed:
      "On an H200 with torch 2.11: under ncu, and with a library in CUDA_INJECTION64_PATH that subscribes to CUPTI, torch.profiler gets error 39 and no GPU event; with a library there that does not, it records all. Under compute-sanitizer jax 0.11 writes a profile without a GPU. In one process jax 0.11 records nothing after a profile of torch 2.11, and both record when jax comes first. The variables of ncu and compute-sanitizer were printed by programs started under them; those of nsys and nvprof are known from the sources of programs that look for them.",
  },
  blames(_stack, stop, run) {
    const { refusal } = stop.failure;
    if (refusal?.kind !== "profiler-taken") return undefined;
    return {
      specificity: 5,
      subject: `${stop.program} after ${refusal.by}`,
      short: `${refusal.by} has taken a profile in this process before, and keeps CUPTI`,
      message: `${refusal.by} has taken a profile in this process before, and keeps CUPTI: the profile of ${programName(run, stop.program)} would hold nothing of the GPU`,
      because: ["CUPTI has one subscriber to a process, and torch's profiler stays subscribed when its profile has ended"],
      evidence: [stop.failure.message],
      advice: [`take the profile of ${stop.program} first, or in a process of its own`],
      facts: {},
    };
  },
  finds(stack) {
    const programs = profilers(stack).map(({ program }) => program);
    if (programs.length === 0) return [];
    const breaks = programs.map(profileOf);
    const found = tools.flatMap((tool) => {
      const signs = signsOf(stack, tool);
      return signs.length === 0 ? [] : [draftOf(stack, tool, signs, breaks)];
    });
    if (0 < found.length) return found;
    const stranger = stack.variables["CUDA_INJECTION64_PATH"] ?? "";
    // `none` switches the mechanism off.
    if (stranger === "" || stranger === "none") return [];
    return [
      {
        subject: "CUDA_INJECTION64_PATH",
        severity: "warning",
        certainty: "possible",
        short: `CUDA_INJECTION64_PATH puts ${nameOf(stranger)} into every process`,
        message: `CUDA_INJECTION64_PATH puts ${stranger} into every CUDA process: if it uses CUPTI, a framework's profile will hold nothing of the GPU`,
        because: ["CUPTI has one subscriber to a process, and what is injected comes first", variableWords(stack, "CUDA_INJECTION64_PATH")],
        evidence: [],
        advice: [withoutVariables(["CUDA_INJECTION64_PATH"])],
        facts: { variables: [variableFact(stack, "CUDA_INJECTION64_PATH", [stranger])] },
        endangers: breaks,
      },
    ];
  },
});

function signsOf({ variables }: Stack, { variables: own, objects }: Tool): string[] {
  const set = Object.keys(variables).filter((name) => own.test(name));
  const led = injecting.filter((name) => (variables[name] ?? "").split(/[:\s]+/).some((path) => objects.test(nameOf(path))));
  return [...set, ...led];
}

function draftOf(stack: Stack, { name, observed }: Tool, signs: string[], breaks: { framework: string; activity: string }[]): Draft {
  // What the tool's own starter sets goes with it; what leads to a library may have been left behind.
  const left = signs.filter((sign) => injecting.includes(sign));
  return {
    subject: name,
    certainty: breaks.every(({ framework }) => observed.includes(framework)) ? "certain" : "likely",
    short: `${name} is in this process already`,
    message: `${name} is in this process already: a framework's profile would hold nothing of the GPU`,
    because: [
      "one tool at a time can record in a process: CUPTI refuses the second with CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED or another error",
      ...left.map((sign) => variableWords(stack, sign)),
    ],
    evidence: signs.map((sign) => `${sign}=${stack.variables[sign]}`),
    advice: [
      ...(left.length === 0 ? [] : [withoutVariables(left)]),
      `start the program without ${name}, or leave the framework's profiler off under it (Keras: profile_batch=0)`,
    ],
    facts: { variables: signs.map((sign) => variableFact(stack, sign)) },
    breaks,
  };
}
