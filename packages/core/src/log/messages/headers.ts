import { notice, type Signature } from "../signature.ts";

/** gcc, clang and MSVC, about a header of CUDA or of a library on top of it. */
export default [
  notice(
    "header-missing",
    [".h: no such file or directory", ".h' file not found", "cannot open include file", "cannot open source file"],
    /(?:fatal error(?: C1083)?|error)[^\n]{0,40}?: (?:Cannot open include file: |cannot open source file )?["']?(?<subject>(?:cuda(?:_\w{2,24})?|cu(?:dnn|blas|blasLt|fft|rand|rand_kernel|solver|sparse|pti|tensor)\w{0,16}|nccl|nvml|nvrtc|nvToolsExt|NvInfer\w{0,20}|crt\/host_config|thrust\/\w{2,40}|cub\/cub)\.c?u?h?(?:h|uh))["']?(?:: No such file or directory| file not found|$)/,
    "fatal error: cuda_runtime.h: No such file or directory",
    "fatal error: 'cudnn.h' file not found",
    "fatal error C1083: Cannot open include file: 'cuda_runtime.h': No such file or directory",
  ),
] satisfies Signature[];
