import { describeRule } from "../rule.ts";

export default describeRule({
  id: "gpu-not-in-build",
  title: "A build has no code for the GPU",
  cause: "arch-unsupported",
  severity: "error",
  page: {
    what: "None of the code in the build runs on a GPU of this machine. The GPU is found and listed; the first kernel ends with “no kernel image is available for execution on the device” (error 209).",
    why: "Machine code runs on GPUs of the same major architecture with the same or a higher minor: sm_86 runs on 8.9, sm_80 does not run on 9.0. PTX is compiled by the driver for any newer GPU. Code with the letter `a` runs on that very architecture only, with `f` within its family. Old GPUs are left out of new builds, and new GPUs are not in old ones.",
    how: "The architectures of a build are known of the published wheels, said in the package's own files, or read from the headers of the fat binaries in its libraries. They are compared with every GPU in the box, or with those of `--gpu`.",
    fix: "Install a build that has code for the GPU. For a new GPU: a newer release, for a newer CUDA. For an old one: the build for an older CUDA, or an older release.",
    observed:
      "On an H200 (sm_90): a cubin for sm_75, sm_80 or sm_100 alone gives error 209, PTX for compute_75 runs, PTX for compute_100 gives 209, sm_90a runs. Other GPUs are known from NVIDIA's documents and from reports.",
  },
});
