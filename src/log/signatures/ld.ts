import type { Signature } from "../signature.ts";

/** The linkers of binutils and LLVM, which look for a library by its plain name. */
export default [
  {
    literals: ["cannot find -l", "unable to find library -l"],
    pattern:
      /\bld(?:\.\w{2,5})?: (?:error: unable to find library|cannot find) -l(?<name>cuda|cudart|cublas|cublasLt|cudnn|cufft|curand|cusparse|cusolver|nvidia-ml|nvrtc|cupti|nccl|nvinfer)(?=[:\s]|$)/,
    examples: ["/usr/bin/ld: cannot find -lcuda: No such file or directory", "collect2: /usr/bin/ld: cannot find -lcudart"],
    facts: ({ name }) => ({ kind: "not-found", name: `lib${name}.so`, by: "ld", wantedBy: "the linker" }),
  },
] satisfies Signature[];
