import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Cause } from "../../model/cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, gpuAccess } from "../fixes.ts";

const owners: { [enumeration: string]: string } = {
  cudaError_t: "CUDA's runtime",
  CUresult: "CUDA's driver",
  nvmlReturn_t: "NVML",
  CUptiResult: "CUPTI",
  cudnnStatus_t: "cuDNN",
  cublasStatus_t: "cuBLAS",
  cufftResult_t: "cuFFT",
  cusparseStatus_t: "cuSPARSE",
  cusolverStatus_t: "cuSOLVER",
  curandStatus_t: "cuRAND",
  ncclResult_t: "NCCL",
  nvrtcResult: "NVRTC",
  nvJitLinkResult: "nvJitLink",
  "nvinfer1::ErrorCode": "TensorRT",
  hipError_t: "AMD's HIP",
};

const libraries: { [enumeration: string]: string } = {
  CUptiResult: "cupti",
  cudnnStatus_t: "cudnn",
  cublasStatus_t: "cublas",
  cufftResult_t: "cufft",
  cusparseStatus_t: "cusparse",
  cusolverStatus_t: "cusolver",
  curandStatus_t: "curand",
  ncclResult_t: "nccl",
  nvrtcResult: "nvrtc",
  nvJitLinkResult: "nvjitlink",
  "nvinfer1::ErrorCode": "tensorrt",
  nvmlReturn_t: "nvml",
};

/** Codes of which no step of their own speaks: what the table says they may mean. */
export default function errorCode(facts: Facts, context: Context): Problem[] {
  const [first, ...others] = facts.all("error-code");
  if (!first) return [];
  const who = owners[first.of] ?? "a library";
  const means = first.means.length === 0 ? (["not-a-mismatch"] as const) : first.means;
  const suspects = means.map((cause, index) => suspectOf(cause, first, [first, ...others.slice(0, 2)], index, context));
  if (first.code === 500 && facts.on("jetson")) suspects.unshift(ofServers(first));
  // Of these a step of its own speaks where it can.
  const elsewhere = first.of === "CUptiResult" || first.of === "cudnnStatus_t" || first.of === "cublasStatus_t";
  const weight = elsewhere || suspects[0]!.cause === "not-a-mismatch" ? weights.other : weights.failed;
  return [{ weight, symptom: `${who} says ${first.name} (${first.code})`, suspects }];
}

/** Wheels for aarch64 are built for servers (SBSA): they hold no kernels for the GPUs of Jetsons. */
const ofServers = (fact: Fact<"error-code">): Suspect => ({
  cause: "wrong-wheel-platform",
  name: "the wheel",
  required: "a build for Jetson (JetPack, L4T)",
  found: "a wheel for aarch64 servers",
  certainty: "likely",
  message: "a kernel is not in the package: wheels of PyPI for aarch64 are built for servers, and not for the GPU of a Jetson",
  evidence: [fact],
  next: ["cat /etc/nv_tegra_release"],
  fixes: [fix("build the package on the Jetson itself, or take NVIDIA's wheel for its JetPack")],
});

const memory = /MEMORY|ALLOC|RESOURCES|MemoryAllocation/i;
const busy = /Unavailable|BUSY|IN_USE|InUse|Prohibited/i;
const closed = /PERMI|LICENSE|AUTHORI/i;

function suspectOf(cause: Cause, fact: Fact<"error-code">, evidence: Fact[], index: number, context: Context): Suspect {
  const who = owners[fact.of] ?? "a library";
  const library = libraries[fact.of];
  const base = {
    cause,
    name: fact.name,
    ...(library === undefined ? {} : { library }),
    certainty: index === 0 && fact.means.length === 1 ? ("likely" as const) : ("possible" as const),
    evidence,
  };
  const or = index === 0 ? "" : "or ";
  if (cause === "not-a-mismatch") return { ...base, ...ownMatter(fact, who, or) };
  const told = toldOf(cause, who, context);
  if (!told)
    return { ...base, message: `${or}${words[cause] ?? "the parts of the stack do not fit together"}`, next: ["culprit list"], fixes: [] };
  return { ...base, ...told, message: `${or}${told.message}` };
}

type Told = Pick<Suspect, "message" | "next" | "fixes"> & { name?: string };

/** No matter of versions: memory, a GPU in use, rights, another vendor, or a call. */
function ownMatter({ name, of }: Fact<"error-code">, who: string, or: string): Told {
  if (memory.test(name))
    return {
      message: `${or}the GPU's memory or another resource is used up`,
      next: ["nvidia-smi"],
      fixes: [fix("end other programs on the GPU, or use a smaller model")],
    };
  if (busy.test(name))
    return {
      message: `${or}another program holds the GPU, or its compute mode allows one process only`,
      next: ["nvidia-smi -q -d COMPUTE", "nvidia-smi"],
      fixes: [fix("end the other program, or let several use the GPU", "sudo nvidia-smi -c DEFAULT")],
    };
  if (closed.test(name)) return { message: `${or}this user may not do it: it takes an administrator`, next: ["id"], fixes: [] };
  if (of === "hipError_t")
    return { message: "this is HIP of AMD's ROCm: nothing here is of NVIDIA's stack", next: ["rocminfo"], fixes: [] };
  return {
    message: `${or}${who} was called wrongly, or failed within: the program's own matter as long as no other line speaks of versions`,
    next: [],
    fixes: [],
  };
}

function toldOf(cause: Cause, who: string, context: Context): Told | undefined {
  switch (cause) {
    case "driver-not-exposed":
      return {
        name: "libcuda.so.1",
        message: "no NVIDIA driver reaches the process",
        next: ["nvidia-smi", "ls -l /dev/nvidia*"],
        fixes: [gpuAccess(context, "in a container, start it with")],
      };
    case "kernel-module-missing":
      return {
        name: "nvidia kernel module",
        message: "the kernel module of the driver is not loaded",
        next: ["lsmod | grep nvidia", "nvidia-smi"],
        fixes: [fix("load it, or install the driver for this kernel", "sudo modprobe nvidia")],
      };
    case "kernel-module-mismatch":
      return {
        message: "the loaded kernel module and the driver's libraries are of different releases",
        next: ["cat /proc/driver/nvidia/version"],
        fixes: [fix("restart the machine: the new module is loaded with the next start", "sudo reboot")],
      };
    case "driver-too-old":
      return {
        name: "libcuda.so.1",
        message: `the driver is older than ${who === "CUDA's driver" ? "the program" : who} needs`,
        next: ["nvidia-smi"],
        fixes: [fix("install a newer NVIDIA driver, or a build for an older CUDA")],
      };
    case "arch-unsupported":
      return {
        name: "the GPU",
        message: "it holds no code for this GPU",
        next: ["nvidia-smi --query-gpu=name,compute_cap --format=csv"],
        fixes: [fix("install a build that has code for this GPU")],
      };
    default:
      return undefined;
  }
}

const words: { [cause in Cause]?: string } = {
  "library-missing": "a library that it opens at run time is not there",
  "library-not-on-path": "a library that it opens at run time lies where the loader does not look",
  "library-wrong-version": "libraries of two releases of CUDA meet in one process",
  "toolkit-too-old": "the compiler is older than the GPU or the code that it is given",
  "toolkit-vs-framework-at-build": "it was built with another CUDA than the one that runs it",
  "ptx-newer-than-driver": "the code is PTX of a newer CUDA than the driver",
  "wrong-wheel-cuda-version": "the package was built with another CUDA than this GPU or driver takes",
  "forward-compat-misuse": "a compat libcuda is used where it may not be",
  "profiler-conflict": "another profiler is at work",
  "profiler-platform-unsupported": "this platform has no tracing",
};
