import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
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
  {
    // What builds an extension, Triton's launcher among them, includes Python's own header first.
    ...notice(
      "python-header-missing",
      ["python.h"],
      /(?:fatal error(?: C1083)?|error)[^\n]{0,40}?: (?:Cannot open include file: |cannot open source file )?["']?Python\.h["']?(?:: No such file or directory| file not found|$)/,
      "fatal error: Python.h: No such file or directory",
    ),
    means: {
      weight: weights.failed,
      name: "Python.h",
      required: "the headers of the Python that runs",
      about: (_facts, _context, [fact]) => ({ evidence: [fact!] }),
      next: ["python -c \"import sysconfig; print(sysconfig.get_paths()['include'])\""],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "Python's headers are not installed, and what is compiled on the spot (Triton's launcher, an extension) needs them",
          fixes: [
            fix("install them for the Python that runs; Pythons of conda and uv bring them along", "sudo apt-get install python3-dev"),
          ],
        },
        { cause: "not-a-mismatch", message: "or the compiler is told another Python's folder: no matter of the GPU", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
