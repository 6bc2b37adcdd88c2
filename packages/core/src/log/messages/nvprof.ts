import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda, ownMatter } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

const nsight = fix("profile with Nsight Systems, which has taken nvprof's place", "nsys profile --stats=true ./program");

/** nvprof and the Visual Profiler, which end with CUDA 12; closed, their words as users see them. */
export default [
  {
    ...notice(
      "nvprof-no-libraries",
      "cupti and cuda injection libraries might not be set",
      /The path to CUPTI and CUDA Injection libraries might not be set in LD_LIBRARY_PATH/,
      "======== Warning: The path to CUPTI and CUDA Injection libraries might not be set in LD_LIBRARY_PATH.",
    ),
    means: {
      weight: weights.refused,
      name: "libcupti.so",
      library: "cupti",
      required: "libcupti and libcuinj64 where the loader looks",
      next: ["find / -name 'libcuinj64.so*' 2>/dev/null"],
      may: [
        {
          cause: "library-not-on-path",
          certainty: "likely",
          message: "nvprof opens CUPTI and its injection library by name, and their folders are not searched",
          fixes: [
            fix(
              "let the loader look in the toolkit's folders",
              "export LD_LIBRARY_PATH=/usr/local/cuda/extras/CUPTI/lib64:/usr/local/cuda/lib64:$LD_LIBRARY_PATH",
            ),
          ],
        },
        { cause: "library-missing", message: "or the toolkit was installed without them", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "nvprof-driver",
      "incompatible cuda driver version",
      /Error: incompatible CUDA driver version|profil[^\n]{0,100}\bincompatible CUDA driver version/i,
      "======== Error: incompatible CUDA driver version.",
      "they can not be profiled by nvprof because of incompatible CUDA driver version",
    ),
    means: {
      weight: weights.said,
      ...libcuda,
      required: "a driver as new as this nvprof",
      about: (_, { driver }) => (driver ? { found: `driver ${driver.version}` } : {}),
      next: ["nvidia-smi", "nvprof --version"],
      may: [
        {
          cause: "driver-too-old",
          certainty: "likely",
          message: "nvprof is of a newer CUDA than the driver runs",
          fixes: [fix("install a newer NVIDIA driver"), fix("or use the nvprof of the CUDA that nvidia-smi shows")],
        },
        { cause: "profiler-conflict", name: "libcupti.so", library: "cupti", message: "or the program itself uses CUPTI", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "nvprof-internal",
      ["internal profiling error", "error: cuda profiling error", "unable to profile application"],
      /Internal profiling error (?<found>\d{1,6}:\d{1,6})|Error: CUDA profiling error\b|Unable to profile application\b/,
      "==1234== Error: Internal profiling error 4168:999.",
      "======== Error: CUDA profiling error.",
      "Unable to profile application.",
    ),
    means: {
      weight: weights.failed,
      symptom: "nvprof fails, and does not say why",
      name: "nvprof",
      unless: (facts) => 0 < facts.notices("nvgpuctrperm", "profiler-unsupported-gpu", "nvprof-driver", "nvprof-no-libraries").length,
      next: ["nvprof --version; nvidia-smi"],
      may: [
        {
          cause: "profiler-platform-unsupported",
          message: "the GPU or the driver is newer than this nvprof: it knows GPUs below compute capability 8.0, and those of its own CUDA",
          fixes: [nsight],
        },
        {
          cause: "not-a-mismatch",
          message: "or the program itself fails: run it without the profiler, and under compute-sanitizer",
          fixes: [],
        },
        { cause: "upstream-bug", message: "or it is a defect of this release", fixes: [] },
        { cause: "profiler-permission", message: "or the user may not read the GPU's counters", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "nvprof-program-ended",
      ["application received signal", "some profiling data are not recorded", "records have invalid timestamps"],
      /(?:Error|Warning): Application (?:received signal|returned non-zero code) \d{1,3}|Some profiling data are not recorded\. Make sure cu(?:da)?ProfilerStop|records have invalid timestamps due to insufficient device buffer space/,
      "======== Error: Application received signal 139",
      "==1234== Warning: Some profiling data are not recorded. Make sure cudaProfilerStop() or cuProfilerStop() is called before application exit to flush profile data.",
    ),
    means: ownMatter(
      "the profile",
      "the program ended before its profile was written, or filled the profiler's buffer",
      "see first why the program ends; call cudaProfilerStop() or cudaDeviceReset() before it does, and profile fewer kernels",
    ),
  },
  noise(
    "nvprof says what it cannot measure in addition; kernels and copies are recorded",
    ["unified memory profiling is not supported", "auto boost enabled on device"],
    /Unified Memory Profiling is not supported on (?:the current configuration|the underlying platform|devices)|Auto boost enabled on device \d/,
    "======== Warning: Unified Memory Profiling is not supported on the current configuration because a pair of devices without peer-to-peer support is detected on this multi-GPU setup.",
    "==1234== Warning: Auto boost enabled on device 0. Profiling results may be inconsistent.",
  ),
] satisfies Signature[];
