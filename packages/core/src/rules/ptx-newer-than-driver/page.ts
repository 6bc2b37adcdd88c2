import { describeRule } from "../rule.ts";

export default describeRule({
  id: "ptx-newer-than-driver",
  title: "PTX of a newer toolkit meets an older driver",
  cause: "ptx-newer-than-driver",
  severity: "error",
  page: {
    what: "The driver would have to compile PTX that a newer toolkit made, and does not know that PTX: “the provided PTX was compiled with an unsupported toolchain” (error 222).",
    why: "Within one CUDA major an older driver runs newer programs, but only their machine code. Where a build has none for the GPU, or a compiler such as numba's makes PTX at run time, the driver's own compiler must read it, and each driver knows PTX up to its own release.",
    how: "The PTX version of the toolkit that the program was built with, or that compiles for it, is compared with that of the driver's own CUDA release.",
    fix: "Install a newer driver; or a build with machine code for the GPU; or, for numba, a toolkit that is no newer than the driver, or linking with nvJitLink.",
    observed: "Known from NVIDIA's documents and from reports only.",
  },
});
