import { smIn } from "../causes/architecture.ts";
import type { Facts } from "../fact.ts";
import { rightsFixes } from "../rights.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const isBeforeVolta = (facts: Facts): boolean =>
  facts.notices("no-kernels-profiled").some(({ at }) => !/CUDA application/.test(at.text)) &&
  Number(smIn(facts)?.sm.replace(/\D/g, "") ?? 99) < 70;

/** Nsight Compute (ncu), Nsight Systems (nsys) and nvprof; closed, their words as users see them. */
export default [
  {
    // Nsight Compute runs one kernel after the other, and each several times; NCCL's wait for each other.
    ...notice(
      "ncu-with-nccl",
      ["nccl"],
      /\b(?:ncu|[Nn]sight [Cc]ompute)\b[^\n]{0,120}\b(?:hangs?|hung|stuck|deadlocks?|freez\w{2,4})\b[^\n]{0,80}\b(?:nccl\w{0,30}|NCCL|all-?reduce)|\b(?:hangs?|hung|stuck|deadlocks?)\b[^\n]{0,60}\bnccl\w{0,30}[^\n]{0,80}\b(?:ncu|[Nn]sight [Cc]ompute)\b/,
      "I try to use ncu profile gpt demo but hangs when profiling  ncclAllReduceKernel",
    ),
    means: {
      weight: weights.failed + 1,
      name: "Nsight Compute",
      next: ["ncu --help | grep -i replay"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "Nsight Compute lets one kernel run at a time and repeats it; NCCL's kernels wait for those of the other GPUs, and so for ever",
          fixes: [
            fix("look at collective kernels with Nsight Systems, which lets them run", "nsys profile --trace=cuda,nvtx ./program"),
            fix("or name to Nsight Compute the kernels that are wanted, without those of NCCL (`--kernel-name regex:gemm`)"),
          ],
        },
      ],
    },
  },
  notice(
    "nvgpuctrperm",
    [
      "err_nvgpuctrperm",
      "permission to access nvidia gpu performance counters",
      "does not have permission to profile on the target device",
    ],
    /ERR_NVGPUCTRPERM|does not have permission to access NVIDIA GPU Performance Counters|The user does not have permission to profile on the target device/i,
    "ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.",
    "The user running does not have permission to access NVIDIA GPU Performance Counters on the target device",
    "======== Warning: The user does not have permission to profile on the target device. See the following link for instructions to enable permissions",
  ),
  notice(
    "nvpa-privilege",
    "nvpa_status_insufficient_privilege",
    /NVPA_STATUS_INSUFFICIENT_PRIVILEGE/,
    "nvpaStatus = NVPA_STATUS_INSUFFICIENT_PRIVILEGE",
  ),
  {
    ...notice(
      "ncu-driver",
      "cuda driver is not compatible with nsight compute",
      /Cuda driver is not compatible with Nsight Compute/i,
      "==ERROR== Cuda driver is not compatible with Nsight Compute.",
    ),
    means: {
      weight: weights.said,
      ...libcuda,
      required: "a driver as new as this Nsight Compute",
      about: (_, { driver, driverCuda }) =>
        driver ? { found: `driver ${driver.version}${driverCuda ? `, CUDA ${driverCuda.version}` : ""}` } : {},
      may: [
        {
          cause: "driver-too-old",
          certainty: "likely",
          message: "Nsight Compute is newer than the driver; each release of it wants a driver of its own time",
          next: ["nvidia-smi", "ncu --version"],
          fixes: (_, { driverCuda }) => [
            fix(
              driverCuda
                ? `take the Nsight Compute of CUDA ${driverCuda.version}, which this driver runs`
                : "take an older Nsight Compute, of the CUDA that nvidia-smi shows",
            ),
            fix("or install a newer NVIDIA driver"),
          ],
        },
        {
          cause: "forward-compat-misuse",
          message: "or a libcuda of cuda-compat stands before the driver's own",
          next: ["culprit why libcuda.so.1"],
        },
      ],
    },
  },
  notice(
    "profiler-unsupported-gpu",
    ["nvprof is not supported on devices", "doesn't support the underlying device", "profiling is not supported on device"],
    /nvprof is not supported on devices with compute capability (?<required>\d{1,2}\.\d) and higher|This version of nvprof doesn't support the underlying device|==ERROR== Profiling is not supported on device \d/,
    "======== Warning: nvprof is not supported on devices with compute capability 8.0 and higher.",
    "======== Warning: This version of nvprof doesn't support the underlying device, GPU profiling skipped",
    "==ERROR== Profiling is not supported on device 0. To find out supported GPUs refer --list-chips option.",
  ),
  {
    ...notice(
      "ncu-unknown",
      "unknown error on device",
      /==ERROR== Unknown Error on device \d{1,2}/,
      "==ERROR== Unknown Error on device 0.",
    ),
    means: {
      weight: weights.failed,
      symptom: "Nsight Compute fails on the GPU, and does not say why",
      name: "Nsight Compute",
      unless: (facts) => 0 < facts.notices("nvgpuctrperm", "ncu-driver", "profiler-busy").length,
      next: ["ncu --version; nvidia-smi", "ncu --list-chips"],
      may: [
        {
          cause: "profiler-permission",
          message: "the user may not read the GPU's counters, and the release does not say it better",
          fixes: (facts, context, evidence) => rightsFixes(evidence, facts, context),
        },
        {
          cause: "profiler-platform-unsupported",
          message: "or it is older than this GPU or driver, or the platform (WSL, a virtual GPU) does not offer it",
          fixes: [fix("take the Nsight Compute of the CUDA that nvidia-smi shows")],
        },
        { cause: "driver-too-old", ...libcuda, message: "or it is newer than the driver" },
        { cause: "not-a-mismatch", message: "or the kernel itself fails: run the program without the profiler" },
      ],
    },
  },
  notice(
    "profiler-busy",
    "a driver resource was unavailable",
    /Profiling failed because a driver resource was unavailable/,
    "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.",
  ),
  {
    ...notice(
      "no-kernels-profiled",
      ["no kernels were profiled", "no cuda application was profiled", "no profile data collected"],
      /No kernels were profiled|No CUDA application was profiled|Warning: No profile data collected/,
      "==WARNING== No kernels were profiled.",
      "======== Warning: No CUDA application was profiled, exiting",
    ),
    means: {
      weight: weights.other + 1,
      name: "the profile",
      may: [
        {
          cause: "profiler-platform-unsupported",
          certainty: "likely",
          when: isBeforeVolta,
          message: "Nsight Compute begins with Volta (compute capability 7.0): it profiles nothing on this older GPU",
          fixes: [fix("use nvprof of CUDA 11 or 12 on this GPU, or Nsight Systems for a timeline", "nvprof --version", "nsys --version")],
        },
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          when: (facts) => !isBeforeVolta(facts),
          message: "nothing was profiled: the program ended early, or ran no kernel, or runs them in a child process",
          fixes: [fix("see first why the program ends; profile children too (`ncu --target-processes all`)")],
        },
        {
          cause: "profiler-platform-unsupported",
          when: (facts) => !isBeforeVolta(facts),
          message: "or the GPU is none that this release profiles: Nsight Compute begins with Volta (7.0), nvprof ends with Turing (7.5)",
          next: ["nvidia-smi --query-gpu=name,compute_cap --format=csv", "ncu --list-chips"],
          fixes: [],
        },
      ],
    },
  },
] satisfies Signature[];
