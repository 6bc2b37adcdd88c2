import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { fitOf } from "../../knowledge/gpu-code.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import { architecture, smOf } from "../../knowledge/toolkits.ts";
import { amdGpuIn, targetFixes } from "../amd-targets.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { fixesForGpu } from "../for-this-gpu.ts";
import { ofAmdAlone } from "../vendor.ts";

const programs: { [by: string]: string } = {
  torch: "PyTorch",
  tensorflow: "TensorFlow",
  tensorrt: "TensorRT",
  numba: "Numba",
  paddle: "Paddle",
  rapids: "RAPIDS",
  jax: "JAX",
  cudnn: "cuDNN",
  xformers: "xFormers",
  xla: "XLA",
  triton: "Triton",
  vllm: "vLLM's FlashAttention",
};

/** A GPU for which the program holds no code. */
export default function architectures(facts: Facts, context: Context): Problem[] {
  // AMD's GPUs have a step of their own.
  const amd = ofAmdAlone(facts);
  // xFormers lists why each of its operators is out; where none was built, what one of them wants of the GPU decides nothing.
  const unbuilt = 0 < facts.notices("xformers-without-cuda").length;
  const unsupported = facts.all("gpu-unsupported").filter(({ by }) => by !== "xformers" || !unbuilt);
  // An image that the driver made because ptxas was too old is no matter of the program.
  const byDriver = 0 < facts.notices("ptxas-too-old").length;
  const noImage = facts.all("cuda-error").filter(({ code }) => (!amd && (code === 209 || code === 98)) || (code === 200 && !byDriver));
  const status = [...facts.all("cudnn-status"), ...facts.all("cublas-status")].filter(({ status: text }) =>
    text.endsWith("_ARCH_MISMATCH"),
  );
  const problems: Problem[] = [];
  const compared = unsupported.filter(({ gpu }) => gpu !== undefined && ofAmd.test(gpu));
  if (amd && 0 < compared.length) problems.push(comparedWithCuda(compared, noImage.length === 0 && !facts.has("cuda-error"), facts));
  else if (0 < unsupported.length || 0 < noImage.length || 0 < status.length)
    problems.push(problemOf(unsupported, noImage, status, facts, context));
  return problems;
}

const ofAmd = /\b(?:Radeon|AMD|Instinct|FirePro|gfx\d)/i;

/** PyTorch for ROCm asked an AMD GPU for CUDA's capability, which it has not: what it warns of is not so. */
function comparedWithCuda(evidence: Fact<"gpu-unsupported">[], runs: boolean, facts: Facts): Problem {
  const { target, model } = amdGpuIn(facts);
  const gpu = evidence[0]!.gpu!;
  return {
    weight: runs ? weights.said : weights.harmless,
    suspects: [
      {
        cause: "benign-warning",
        name: gpu,
        certainty: "likely",
        message: `harmless: the warning compares CUDA's compute capability, which ${gpu} as AMD's GPU does not have`,
        evidence,
        fixes: [],
      },
      {
        cause: "arch-unsupported",
        name: gpu,
        required: "code for this GPU",
        certainty: "possible",
        message: "or, where an error follows, this build of PyTorch and ROCm holds no code for the GPU",
        evidence,
        next: ["rocminfo | grep gfx"],
        fixes: targetFixes(target, model, facts),
      },
    ],
  };
}

const isNamed = ({ name }: Fact<"gpu">): boolean => name !== undefined && gpuNamed(name) !== undefined;

/** The architecture that a text speaks of, as `sm_86`. */
export function smIn(facts: Facts): { sm: string; fact: Fact } | undefined {
  // What a GPU is called says more than an architecture that somebody mentions.
  const gpus = facts.all("gpu");
  const [said, supposed] = [false, true].map((isFrame) =>
    facts.all("gpu-unsupported").filter((fact) => (fact.grammar !== undefined) === isFrame),
  );
  for (const fact of [...said!, ...gpus.filter(isNamed), ...supposed!, ...gpus]) {
    const named = fact.kind === "gpu" ? fact.name : fact.gpu;
    const sm =
      (fact.capability === undefined ? undefined : smOf(fact.capability)) ?? (named === undefined ? undefined : gpuNamed(named)?.sm);
    if (sm !== undefined) return { sm, fact };
  }
  return undefined;
}

/** Which toolkits make code for it: `CUDA 12.8 or newer`. */
export function makersOf(sm: string): string | undefined {
  const { first, last } = architecture(sm) ?? {};
  return first === undefined ? undefined : `CUDA ${first} ${last === undefined ? "or newer" : `to ${last}`}`;
}

/** The same in brackets, behind its name. */
export function madeBy(sm: string): string {
  const makers = makersOf(sm);
  return makers === undefined ? "" : ` (${makers})`;
}

function problemOf(
  unsupported: Fact<"gpu-unsupported">[],
  noImage: Fact<"cuda-error">[],
  status: Fact[],
  facts: Facts,
  context: Context,
): Problem {
  const gpu = unsupported.find((fact) => fact.gpu !== undefined)?.gpu ?? facts.all("gpu").find((fact) => fact.name !== undefined)?.name;
  const at = smIn(facts);
  const capability =
    unsupported.find((fact) => fact.capability !== undefined && fact.grammar === undefined)?.capability ??
    at?.sm ??
    facts.all("gpu").find((fact) => fact.capability !== undefined)?.capability;
  const { first } = (at && architecture(at.sm)) ?? {};
  // Toolkits drop old GPUs as well: "or newer" would send the owner of one to a build without code for it.
  const makers = at === undefined ? undefined : makersOf(at.sm);
  const torch = context.framework("torch");
  const release = torch.version === undefined ? undefined : frameworkRelease("torch", torch.version)?.release;
  const listed = release?.architectures ?? [];
  // A GPU below everything that the release was built for is too old for it, whoever says so.
  const below = at !== undefined && 0 < listed.length && listed.every((each) => numberOf(at.sm) < numberOf(each));
  const old = unsupported.some((fact) => fact.tooOld) || 0 < status.length || below;
  const supported =
    unsupported.find((fact) => fact.supported !== undefined)?.supported ?? (0 < listed.length ? listed.join(" ") : undefined);
  const built = context.framework("paddle").cuda ?? torch.cuda ?? release?.cuda;
  // PyTorch itself has code for this GPU: what lacks it was built apart.
  const extension = at !== undefined && unsupported.length === 0 && 0 < noImage.length && fitOf(at.sm, listed) !== undefined;
  const evidence = [...unsupported, ...noImage, ...status, ...(at ? [at.fact] : [])];
  const by = programs[unsupported[0]?.by ?? ""] ?? "the program";
  const ptx = /needs (PTX \d{1,2}\.\d)/.exec(supported ?? "")?.[1];
  const tooNew = first !== undefined && !old;
  const arch: Suspect = {
    cause: "arch-unsupported",
    name: gpu ?? capability ?? "the GPU",
    required:
      capability === undefined
        ? old && supported !== undefined
          ? `compute capability ${supported}`
          : "code for this GPU"
        : old
          ? (supported ?? `a newer GPU than ${capability}`)
          : `code for ${capability}${makers === undefined && ptx === undefined ? "" : ` (${[makers, ptx].filter(Boolean).join(", ")})`}`,
    ...(extension
      ? { found: "an extension without it" }
      : supported !== undefined && !old
        ? { found: torch.version === undefined ? supported : `${supported} (torch ${torch.version})` }
        : old && capability !== undefined
          ? { found: capability }
          : built === undefined
            ? {}
            : { found: `a build for CUDA ${built}` }),
    certainty: 0 < unsupported.length || 0 < status.length || at !== undefined ? "certain" : "likely",
    message: extension
      ? `PyTorch ${torch.version} holds code for ${gpu ?? "this GPU"} (${at.sm}): an extension that was built for other GPUs does not`
      : old
        ? `${gpu ?? "the GPU"}${capability === undefined ? "" : ` (${capability})`} is older than ${by} supports`
        : by === "XLA" && supported !== undefined
          ? `the compiler inside this build (XLA) makes ${supported}: it is older than ${gpu ?? "this GPU"}`
          : `${by} holds no code for ${gpu ?? "this GPU"}${capability === undefined ? "" : ` (${capability})`}`,
    evidence,
    next: [
      ...((by === "PyTorch" || unsupported.length === 0) && (context.speaker ?? "torch") === "torch"
        ? ['python -c "import torch; print(torch.version.cuda, torch.cuda.get_arch_list())"']
        : []),
      "nvidia-smi --query-gpu=name,compute_cap --format=csv",
    ],
    fixes: fixesForGpu({ sm: at?.sm, makers, by, old, extension }, evidence, facts, context),
  };
  const wheel: Suspect = {
    ...arch,
    cause: "wrong-wheel-cuda-version",
    certainty: "possible",
    message: `the package was built with a CUDA${built === undefined ? "" : ` (${built})`} that does not know this GPU`,
  };
  const suspects = [arch];
  // The CUDA of PyTorch knows the GPUs that PyTorch has code for: it is not what the extension lacks.
  if (!old && !extension && (tooNew || 0 < noImage.length)) suspects.push(wheel);
  // An image that the driver cannot read at all may also be newer than the driver.
  const unread = unsupported.length === 0 && noImage.some(({ code }) => code === 200);
  if (unread) suspects.push(newerThanRead(arch, context));
  // XLA and Triton hand PTX to the ptxas that they find, and what comes out of an old one is no image for a new GPU.
  if (unsupported.length === 0 && noImage.some(({ code, at: { text } }) => code === 200 && /\bPTX\b|cuda_driver\.cc/.test(text)))
    suspects.push({
      ...arch,
      cause: "toolkit-too-old",
      name: "ptxas",
      certainty: "possible",
      message: "or a ptxas that is older than the GPU stands first on PATH, and made the code",
      next: ["which -a ptxas; ptxas --version"],
      fixes: [fix("install a newer ptxas alone", "pip install -U nvidia-cuda-nvcc-cu12")],
    });
  const weight = 0 < unsupported.length || 0 < status.length ? weights.said : weights.refused;
  return unread && noImage.every(({ code }) => code === 200) && at !== undefined && !isYoung(at.sm)
    ? { weight, symptom: "the driver cannot read the code that the program holds", suspects: readFirst(suspects) }
    : { weight, suspects };
}

const newerThanRead = (arch: Suspect, { driver }: Context): Suspect => ({
  ...arch,
  cause: "driver-too-old",
  name: "libcuda.so.1",
  library: "libcuda",
  required: "a driver as new as the toolkit that made the code",
  ...(driver ? { found: driver.version } : {}),
  certainty: "possible",
  message: `or the code was made by a newer CUDA than the driver${driver ? ` ${driver.version}` : ""} reads`,
  next: ["nvidia-smi"],
  fixes: [fix("install a newer NVIDIA driver, of the time of the program's build, or take a build for the CUDA that nvidia-smi shows")],
});

/** Blackwell: what was built before it is far more common than a driver that is too old for it. */
const isYoung = (sm: string) => 100 <= numberOf(sm);

// Every toolkit of its time knows an older GPU: the driver is asked about first.
function readFirst(suspects: Suspect[]): Suspect[] {
  const [driver, others] = [true, false].map((is) => suspects.filter(({ cause }) => (cause === "driver-too-old") === is));
  return [...driver!, ...others!].map((each) => ({ ...each, certainty: "possible" }));
}

const numberOf = (name: string) => Number(/(\d{2,3})/.exec(name)?.[1] ?? 0);
