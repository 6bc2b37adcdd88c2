import { describeRule } from "../rule.ts";

export default describeRule({
  id: "library-dropped-gpu",
  title: "A library no longer runs on the GPU",
  cause: "arch-unsupported",
  severity: "error",
  page: {
    what: "The program itself has code for the GPU, or compiles it, but a library that it needs has left that GPU behind: cuDNN from 9.11 on refuses GPUs below sm_75, the compilers and libraries of CUDA 13 begin with sm_75, and drivers after 580 no longer have Maxwell, Pascal and Volta.",
    why: "Support ends release by release, and an upgrade of one library (often cuDNN, which comes as a wheel of its own) goes past it while the framework stays.",
    how: "The version of the copy that would be loaded is compared with what is known of that release. Where the framework's own build has no code for the GPU either, that is said instead (gpu-not-in-build).",
    fix: "Go back to the last release that runs there: cuDNN 9.10.2 for GPUs below sm_75, CUDA 12.9, driver 580.",
    observed:
      "Known from NVIDIA's tables, from PyTorch's own check (“is not compatible with devices with SM < 7.5”) and from reports (cupy#9475).",
  },
});
