import { compareDotted, driverReaches } from "../../knowledge/dotted.ts";
import { gpuNamed } from "../../knowledge/gpus.ts";
import { smOf } from "../../knowledge/toolkits.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { smIn } from "./architecture.ts";
import { cuptiFixes, fix, selectToolkit, whyLine } from "../fixes.ts";

/** Two releases that a line compares, whoever wrote it: what is needed and what is there, each product in its own order. */
export default function needsHas(facts: Facts, context: Context): Problem[] {
  return facts.all("needs-has").flatMap((fact) => {
    if (isOfSmi(fact, context)) return [{ weight: weights.other + 1, suspects: [ofSmi(fact, context)] }];
    const suspects = isOfProfile(fact, facts) ? ofCupti(fact, context) : suspectsOf(fact, facts, context);
    return suspects.length === 0 ? [] : [{ weight: weights.said, suspects }];
  });
}

// Somebody waits for nvidia-smi to show the toolkit that he installed: it never does.
const isOfSmi = ({ product, required, found, grammar, at }: Fact<"needs-has">, { driverCuda }: Context): boolean =>
  product === "cuda" &&
  grammar !== undefined &&
  driverCuda !== undefined &&
  found === driverCuda.version &&
  majorOf(found) === majorOf(required) &&
  /\b(?:I|we)(?: \w{2,8})? (?:expect(?:ed)?|got|get|see|selected|installed|chose|want(?:ed)?)\b/i.test(at.text);

const ofSmi = (fact: Fact<"needs-has">, { driverCuda }: Context): Suspect => ({
  cause: "not-a-mismatch",
  name: "nvidia-smi",
  certainty: "likely",
  message: `nvidia-smi shows the newest CUDA that the driver runs (${fact.found}), and never the toolkit that is installed (${fact.required}): they need not be equal`,
  evidence: [fact, driverCuda!],
  next: ["nvcc --version; ls -d /usr/local/cuda*"],
  fixes: [fix("nothing is to be done: a driver runs every release of its own major of CUDA since 11; `nvcc --version` shows the toolkit")],
});

const asCapability = (version: string) => (version.includes(".") ? version : version.replace(/(\d)$/, ".$1"));

/** Whether what is there is what is needed; undefined where only one side is known. */
function isMet({ product, required, relation, refused }: Fact<"needs-has">, found: string | undefined): boolean | undefined {
  if (found === undefined) return undefined;
  if (product === "driver") return relation === "below" ? !driverReaches(found, required) : driverReaches(found, required);
  const [needs, has] = product === "capability" ? [asCapability(required), asCapability(found)] : [required, found];
  if (relation === "below") return compareDotted(has, needs) < 0;
  // Within a major of CUDA, releases serve each other.
  if (relation === "equal")
    return (product === "cuda" && !refused) || !needs.includes(".") ? majorOf(has) === majorOf(needs) : has === needs;
  return 0 <= compareDotted(has, needs);
}

const installed = ({ name = "" }: Fact<"needs-has">, { packages }: Context): string | undefined =>
  packages(new RegExp(`^${name.replace(/[^\w-]/g, "")}$`, "i"))[0]?.version;

function suspectsOf(fact: Fact<"needs-has">, facts: Facts, context: Context): Suspect[] {
  const { product, required, relation, about } = fact;
  const found =
    fact.found ?? (product === "driver" ? context.driver?.version : product === "package" ? installed(fact, context) : undefined);
  if (isMet(fact, found) === true || (found === undefined && !fact.refused)) return [];
  const bound = relation === "least" ? `${required} or newer` : relation === "below" ? `below ${required}` : required;
  const certainty: Suspect["certainty"] = found === undefined ? "possible" : "likely";
  const base = { certainty, evidence: [fact] };
  if (product === "driver") return driver(bound, found, base);
  if (product === "cuda") return cuda(fact, bound, found, base, context);
  if (product === "capability") return capability(fact, bound, found, about === "profiler", base, facts);
  return product === "ptx" ? ptx(fact, bound, found, base) : [ofSystem(fact, bound, found, base)];
}

/** A framework of one CUDA among the libraries of another, in a text about its profiles. */
function isOfProfile(fact: Fact<"needs-has">, facts: Facts): boolean {
  const { product, relation, about, found } = fact;
  const isProfile =
    facts.notices("trace-without-gpu").length + facts.notices("said-mismatch").filter(({ subject }) => subject === "cupti").length;
  return product === "cuda" && relation === "equal" && about === undefined && 0 < isProfile && isMet(fact, found) === false;
}

function ofCupti({ required, found, ...fact }: Fact<"needs-has">, context: Context): Suspect[] {
  const base = {
    name: "libcupti.so",
    library: "cupti",
    required: `CUPTI of CUDA ${required}`,
    found: `CUPTI of CUDA ${found}`,
    evidence: [{ ...fact, required, found: found! }],
    next: [whyLine("libcupti", context, "profile"), "find / -name 'libcupti.so*' 2>/dev/null"],
    fixes: cuptiFixes(required, context),
  };
  return [
    {
      ...base,
      cause: "library-wrong-version",
      certainty: "likely",
      message: `what was built for CUDA ${required} records with the CUPTI of that CUDA, and CUDA ${found} is here`,
    },
    { ...base, cause: "library-missing", certainty: "possible", message: `or no CUPTI of CUDA ${required} is installed` },
    { ...base, cause: "library-shadowed", certainty: "possible", message: "or another CUPTI stands earlier in the search" },
  ];
}

type Base = Pick<Suspect, "certainty" | "evidence">;

function ptx({ required }: Fact<"needs-has">, bound: string, found: string | undefined, base: Base): Suspect[] {
  return [
    {
      ...base,
      cause: "ptx-newer-than-driver",
      name: "libcuda.so.1",
      library: "libcuda",
      required: `PTX ${bound}`,
      ...(found === undefined ? {} : { found: `PTX ${found}` }),
      message: `the code is PTX ${required}${found === undefined ? "" : `, and what reads it knows PTX ${found}`}`,
      next: ["nvidia-smi"],
      fixes: [fix("install a newer NVIDIA driver, or build with an older CUDA")],
    },
    {
      ...base,
      cause: "toolkit-too-old",
      name: "ptxas",
      certainty: "possible",
      message: "or a ptxas of an older toolkit is found",
      next: ["which ptxas; ptxas --version"],
      fixes: [],
    },
  ];
}

/** PyTorch and ROCm have indexes and installers of their own. */
const lineFor = (name: string, { product, required, relation }: Fact<"needs-has">): string[] =>
  product !== "package" || /^(?:torch|rocm|tensorrt|triton)$/i.test(name)
    ? []
    : [`pip install "${name}${{ least: ">=", below: "<", equal: "==" }[relation]}${required}"`];

/** A package, Python or the C library of another release. */
function ofSystem(fact: Fact<"needs-has">, bound: string, found: string | undefined, base: Base): Suspect {
  const { product, name: package_ } = fact;
  const title = product === "python" ? "Python" : product === "glibc" ? "glibc" : package_!;
  return {
    ...base,
    cause: product === "glibc" ? "library-wrong-version" : "package-conflict",
    name: product === "glibc" ? "libc.so.6" : title,
    required: `${title} ${bound}`,
    ...(found === undefined ? {} : { found: `${title} ${found}` }),
    message: `it needs ${title} ${bound}${found === undefined ? "" : `, and ${title} ${found} is here`}`,
    next: [product === "python" ? "python --version" : product === "glibc" ? "ldd --version" : "pip check"],
    fixes:
      product === "glibc"
        ? [fix("take a build for older systems (manylinux2014, or an older release), or run it in a container of a newer system")]
        : [fix(`use ${title} ${bound}, or a release of the program that is made for this ${title}`, ...lineFor(title, fact))],
  };
}

function driver(bound: string, found: string | undefined, base: Base): Suspect[] {
  return [
    {
      ...base,
      cause: "driver-too-old",
      name: "libcuda.so.1",
      library: "libcuda",
      required: `driver ${bound}`,
      ...(found === undefined ? {} : { found: `driver ${found}` }),
      message: `it needs NVIDIA driver ${bound}${found === undefined ? "" : `, and driver ${found} is here`}`,
      next: ["nvidia-smi"],
      fixes: [fix(`install NVIDIA driver ${bound}`), fix("or take a release of the program that is made for this driver")],
    },
  ];
}

function cuda(fact: Fact<"needs-has">, bound: string, found: string | undefined, base: Base, context: Context): Suspect[] {
  const told = { required: `CUDA ${bound}`, ...(found === undefined ? {} : { found: `CUDA ${found}` }) };
  const message = `it needs CUDA ${bound}${found === undefined ? "" : `, and CUDA ${found} is here`}`;
  if (fact.about === "driver") {
    const driverHere = found === undefined ? context.driver : undefined;
    return [
      {
        ...base,
        ...told,
        ...(driverHere ? { found: `driver ${driverHere.version}`, evidence: [...base.evidence, driverHere] } : {}),
        cause: "driver-too-old",
        name: "libcuda.so.1",
        library: "libcuda",
        message: `it needs a driver for CUDA ${bound}${found === undefined ? "" : `, and the driver here ends with CUDA ${found}`}`,
        next: ["nvidia-smi"],
        fixes: [fix(`install a driver that runs CUDA ${fact.required}`), fix("or take a build for an older CUDA")],
      },
    ];
  }
  const toolkit: Suspect = {
    ...base,
    ...told,
    cause: "toolkit-too-old",
    name: "CUDA",
    message,
    next: ["nvcc --version; ls -d /usr/local/cuda-*"],
    fixes: [selectToolkit(`install CUDA ${fact.required}, or select it where it is installed`, fact.required)],
  };
  const wheel: Suspect = {
    ...toolkit,
    cause: "wrong-wheel-cuda-version",
    name: "the package",
    message: `the package was built for CUDA ${fact.required}${found === undefined ? "" : `, and CUDA ${found} is here`}`,
    fixes: [fix(`install a build of it for ${found === undefined ? "the CUDA that is here" : `CUDA ${found}`}`), ...(toolkit.fixes ?? [])],
  };
  if (fact.about === "build" && fact.relation === "equal")
    return [
      { ...wheel, cause: "toolkit-vs-framework-at-build", message },
      { ...toolkit, certainty: "possible" },
    ];
  return fact.relation === "equal"
    ? [wheel, { ...toolkit, cause: "library-wrong-version", certainty: "possible" }]
    : [toolkit, { ...wheel, certainty: "possible" }];
}

function capability(
  fact: Fact<"needs-has">,
  bound: string,
  said: string | undefined,
  profiler: boolean,
  base: Base,
  facts: Facts,
): Suspect[] {
  // Where the line does not say which GPU is there, the rest of the text may.
  const seen = said === undefined ? (smIn(facts) ?? saidGpu(facts)) : undefined;
  const found = said ?? seen?.sm.replace(/^sm_|[af]$/g, "");
  if (seen && !profiler && isMet(fact, found) === true) return [withoutKernels(fact, seen, base)];
  if (!seen && fact.about === "build") return [withoutKernels(fact, undefined, base)];
  const told = {
    required: `compute capability ${fact.relation === "least" ? `${asCapability(fact.required)} or newer` : bound}`,
    ...(found === undefined ? {} : { found: `compute capability ${asCapability(found)}` }),
    next: ["nvidia-smi --query-gpu=name,compute_cap --format=csv"],
  };
  const gpu: Suspect = {
    ...base,
    ...told,
    cause: "arch-unsupported",
    name: found === undefined ? "the GPU" : (smOf(found) ?? "the GPU"),
    message: `it supports GPUs of ${told.required}${found === undefined ? "" : `, and this one has ${asCapability(found)}`}`,
    evidence: [...base.evidence, ...(seen ? [seen.fact] : [])],
    fixes: [fix("use a release that supports this GPU, another GPU, or the CPU; a kernel that is chosen by an option can be left out")],
  };
  if (!profiler) return [gpu];
  return [
    {
      ...gpu,
      cause: "profiler-platform-unsupported",
      name: "the profiler",
      message: `this profiler serves GPUs of ${told.required}`,
      fixes: [fix("use Nsight Systems and Nsight Compute of the CUDA that nvidia-smi shows", "nsys --version; ncu --version")],
    },
    { ...gpu, certainty: "possible" },
  ];
}

/** A GPU by what somebody calls it. */
export function saidGpu(facts: Facts): { sm: string; fact: Fact } | undefined {
  for (const fact of facts.notices("gpu-said")) {
    const sm = gpuNamed(fact.subject ?? "")?.sm;
    if (sm !== undefined) return { sm, fact };
  }
  return undefined;
}

/** The GPU is one of those that are asked for: what was installed was built without the kernels for it. */
function withoutKernels(fact: Fact<"needs-has">, seen: { sm: string; fact: Fact } | undefined, base: Base): Suspect {
  const capability_ = asCapability(fact.required);
  return {
    ...base,
    cause: "arch-unsupported",
    name: seen?.sm ?? smOf(fact.required) ?? "the GPU",
    required: `kernels for compute capability ${capability_}`,
    found: "a build without them",
    evidence: [...base.evidence, ...(seen ? [seen.fact] : [])],
    message: seen
      ? `the GPU is of compute capability ${asCapability(seen.sm.replace(/^sm_|[af]$/g, ""))}, as it must be: the package was built without the kernels for it`
      : `the package was built without its kernels for compute capability ${capability_}, or the GPU is of another generation`,
    next: ["nvidia-smi --query-gpu=name,compute_cap --format=csv"],
    fixes: [
      fix("install a build of the package for this GPU and for the PyTorch that is installed"),
      fix(`or build it on this machine, with TORCH_CUDA_ARCH_LIST=${capability_} set and a CUDA toolkit that knows this GPU`),
    ],
  };
}
