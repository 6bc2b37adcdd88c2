import { describeRule } from "../rule.ts";

export default describeRule({
  id: "kernels-compiled-at-start",
  title: "Kernels are compiled from PTX at the first start",
  cause: "arch-unsupported",
  severity: "warning",
  page: {
    what: "The build has no machine code for a GPU of this machine, but PTX, which the driver compiles: it runs, after minutes at the first start, and again whenever the cache is gone. Kernels made for older GPUs are slower.",
    why: "The GPU is newer than the build. What the driver compiled is kept in ~/.nv/ComputeCache, which is small by default and is not there in a fresh container.",
    how: "The architectures of the build are compared with every GPU that is there or asked about: no machine code of the same major, but PTX of an older architecture.",
    fix: "Install a build with machine code for the GPU. Until then make the cache larger and keep it: CUDA_CACHE_MAXSIZE=4294967296, CUDA_CACHE_PATH on a disk that stays.",
    observed:
      "That PTX of compute_75 runs on an H200. How long whole frameworks take is known from TensorFlow's own message (“could take 30 minutes or longer”).",
  },
});
