import { cuptiKnows, type CuptiKnowsGpu } from "../knowledge/cupti.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import type { ToolkitRange } from "../knowledge/toolkits.ts";
import { nameOf } from "../lib/path.ts";
import type { Gpu } from "../model/inventory.ts";
import {
  cuptiSearchWords,
  cuptiWords,
  profileOf,
  recordingFacts,
  recordings,
  steeringAdvice,
  toolkitWords,
  type Recording,
} from "../diagnose/cupti.ts";
import type { Draft } from "../model/finding.ts";
import { gpuFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { programName } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "cupti-too-old",
  title: "The libcupti that records the profile is older than the GPU",
  cause: "cupti-too-old-for-driver",
  severity: "error",
  notOn: { "dependency-file": "which copy of a library is loaded is decided by the search paths of files that are not there yet" },
  page: {
    what: "The libcupti that a profile would be recorded with is of a toolkit that came out before this GPU's architecture. It loads, answers success to every call, and records no kernel: the profile is written and holds nothing of the GPU.",
    why: "A framework built for an older CUDA brings or finds the CUPTI of that CUDA. Kernels still run, because the driver compiles them; CUPTI has no such way out.",
    how: "Which libcupti would be loaded is predicted; its toolkit is told by its DT_SONAME, its real file's name, the number that cuptiGetVersion returns, or the package that brought it. It is compared with the first toolkit that knows the architecture of each GPU.",
    fix: "Use a build of the framework for the first CUDA that knows the GPU, or a newer one: CUPTI comes with it. Where a variable puts an old libcupti first, take that folder out of it.",
    observed:
      "On an H200 (sm_90, first known to CUDA 11.8) with driver 580: libcupti of 10.2 to 11.1 ends the process with a segmentation fault, 11.2 to 11.7 return success and record no kernel, 11.8, 12.9 and 13.0 record all. For other architectures it is concluded from NVIDIA's release notes, and the finding says “likely”; where only a later member of a known family is meant (8.9 for a CUPTI that knows 8.6), it is a warning.",
  },
  finds: (stack) => recordings(stack).flatMap((recording) => draftsOf(stack, recording)),
});

interface Stranger {
  gpu: Gpu;
  knows: CuptiKnowsGpu;
}

function draftsOf(stack: Stack, recording: Recording): Draft[] {
  const { run, program, load, toolkit } = recording;
  if (!toolkit) return [];
  const strangers = strangersTo(stack, toolkit);
  const [worst] = strangers;
  if (!worst) return [];
  const { gpu, knows } = worst;
  const isBlind = knows.knows === "nothing of it";
  const compiled = program.compiledFor["cuda"];
  const crashes = gpu.architecture === "sm_90" && compareDotted(toolkit.newest.cuda, "11.2") < 0;
  return [
    {
      subject: load.file,
      ...(isBlind ? {} : { severity: "warning" as const }),
      // Measured on sm_90; what holds for the others is concluded.
      certainty: isBlind && knows.certain && gpu.architecture === "sm_90" && run.watched ? "certain" : "likely",
      short: `CUPTI of ${toolkitWords(toolkit)} does not know ${gpu.name}`,
      message: `${nameOf(load.name)} would be CUPTI of ${toolkitWords(toolkit)}, which does not know ${gpu.name} (${gpu.architecture}, first known to CUDA ${knows.first}): ${crashes ? "taking a profile ends the process" : "the profile would hold nothing of the GPU"}`,
      because: [
        ...(compiled ? [`${programName(run, program.id)} was built for CUDA ${compiled.version}`] : []),
        ...cuptiSearchWords(stack, recording),
        crashes
          ? "a CUPTI from before 11.2 was seen to crash on this GPU"
          : "such a CUPTI loads, answers success to every call, and records no kernel; no message says so",
      ],
      evidence: [cuptiWords(stack, recording), ...(compiled ? [`built for: ${compiled.evidence}`] : [])],
      advice: adviceOf(stack, recording, knows),
      facts: { ...recordingFacts(recording), gpus: strangers.map(({ gpu: each }) => gpuFact(each)) },
      ...(isBlind ? { breaks: [profileOf(program)] } : { endangers: [profileOf(program)] }),
      sources: ["https://docs.nvidia.com/cupti/release_notes.html (which release added which GPUs)"],
    },
  ];
}

/** GPUs that this CUPTI came too early for, the least known first. */
function strangersTo({ inventory }: Stack, toolkit: ToolkitRange): Stranger[] {
  const all = inventory.gpus.flatMap((gpu) => {
    const knows = gpu.architecture === undefined ? undefined : cuptiKnows(toolkit, gpu.architecture);
    return knows && knows.knows !== "itself" ? [{ gpu, knows }] : [];
  });
  return all.sort((a, b) => Number(b.knows.knows === "nothing of it") - Number(a.knows.knows === "nothing of it"));
}

function adviceOf(stack: Stack, recording: Recording, { first }: CuptiKnowsGpu): Draft["advice"] {
  const { id } = recording.program;
  return [
    ...steeringAdvice(stack, recording),
    `install a build of ${id} for CUDA ${first} or newer, which brings or asks for a CUPTI that knows this GPU${builds[id]?.(first) ?? ""}`,
    "then look whether the profile has a row for the GPU: no message will say so",
  ];
}

/** What is known of the builds that people can get. */
const builds: { [framework: string]: (first: string) => string } = {
  tensorflow: (first) => (compareDotted(first, "11.8") <= 0 ? ": tensorflow 2.12 is the first for CUDA 11.8" : ""),
  torch: (first) => `: the index https://download.pytorch.org/whl/cu${first.replace(".", "")} or a later one`,
};
