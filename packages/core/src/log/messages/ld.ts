import { nameOf } from "../../lib/path.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** The linkers of binutils and LLVM, which look for a library by its plain name. */
export default [
  {
    // A text in the place of a library is read as commands for the linker.
    ...notice(
      "library-is-text",
      "file format not recognized; treating as linker script",
      /(?<subject>[^\s:]{1,200}\.(?:so[\d.]{0,12}|a)): file format not recognized; treating as linker script/,
      "/usr/bin/ld: libs/libdl-2.17_stub.so: file format not recognized; treating as linker script",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: nameOf(fact!.subject!),
        evidence: [fact!],
        next: [`file ${fact!.subject}`, `head -c 200 ${fact!.subject}`],
      }),
      required: "a library",
      found: "a text, or a file that was cut off",
      may: [
        {
          cause: "library-damaged",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `\`${fact!.subject}\` is no library: most often the pointer that Git LFS leaves where its files were not fetched`,
          fixes: [fix("fetch the files themselves", "git lfs install", "git lfs pull")],
        },
        { cause: "upstream-bug", message: "or the repository was published without it", fixes: [] },
      ],
    },
  },
  {
    // The linker speaks the language of the user; whatever it says of a library without a path is that it found none.
    literals: ["-lcu", "-lnv", "-lnccl", "-lnpp", "-ltorch", "-lc10"],
    pattern:
      /(?:\bld(?:\.\w{2,5})? ?: (?!warning)(?:[^\n/]{0,50}? )?|\bcannot find )-l(?<name>cuda|cudart|cublas|cublasLt|cudnn|cufft|curand|cusparse|cusolver|nvidia-ml|nvrtc|cupti|nccl|nvinfer(?:_plugin)?|nvonnxparser|nvparsers|nvToolsExt|nvjpeg|nppc?\w{0,6}|cutensor|nvJitLink|torch\w{0,8}|c10\w{0,6})(?=[:\s.]|$)/,
    examples: [
      "/usr/bin/ld: cannot find -lcuda: No such file or directory",
      "collect2: /usr/bin/ld: cannot find -lcudart",
      "/usr/bin/ld: 找不到 -lcublas: 没有那个文件或目录",
    ],
    facts: ({ name }) => ({ kind: "not-found", name: `lib${name}.so`, by: "ld", wantedBy: "the linker" }),
  },
  {
    literals: ["-lamd", "-lhip", "-lhsa", "-lroc", "-lmiopen", "-lrccl"],
    pattern:
      /\bld(?:\.\w{2,5})? ?: (?!warning)(?:[^\n/]{0,50}? )?-l(?<name>amdhip64|amd_comgr|amd_smi|hip(?:blas|blaslt|fft|rand|rtc|solver|sparse)|hsa-runtime64|roc(?:blas|fft|rand|solver|sparse|m_smi64|tx64|tracer64|profiler64)|MIOpen|rccl)(?=[:\s.]|$)/,
    examples: ["/usr/bin/ld: cannot find -lamdhip64", "ld.lld: error: unable to find library -lrocblas"],
    facts: ({ name }) => ({ kind: "not-found", name: `lib${name}.so`, by: "ld", wantedBy: "the linker" }),
  },
  {
    literals: ["undefined reference to"],
    pattern:
      /(?<own>\.(?:o|a\([^)\n]{1,80}\)|cc?p?p?|cu|cxx|rs|f90):(?:\([^)\n]{1,200}\)|\d{1,6}|[^\n]{0,20}in function [^\n]{1,200})?:? )?undefined reference to [`'](?<symbol>(?:cublas|cudnn|cuda[A-Z]|cufft|cusparse|cusolver|curand|nvrtc|nccl|nvml|cupti)\w{2,60})(?<version>@[\w.]{3,40})?'/,
    examples: [
      "/usr/bin/ld: lib/libbackend.so: undefined reference to `cublasLtMatmulDescCreate'",
      "compiler_compat/ld: libggml.so: undefined reference to `cudaGraphInstantiate@libcudart.so.12'",
    ],
    facts: ({ own, symbol, version }) => ({
      kind: "notice",
      id: "linker-reference",
      subject: symbol!,
      ...(version === undefined ? {} : { required: version.slice(1) }),
      // An object of the program itself, and no library, asks for it.
      ...(own === undefined ? {} : { found: "own" }),
    }),
  },
  {
    literals: ["undefined reference to"],
    pattern:
      /undefined reference to [`'](?<symbol>(?:hsa_|hsaKmt|hip[A-Z]|amd_comgr|rocblas|hipblas|miopen|rccl|roctx|amdgpu_)\w{2,60})(?:@[\w.]{3,40})?'/,
    examples: ["libamdhip64.so.6: undefined reference to `hsa_amd_vmem_map@ROCR_1'"],
    facts: ({ symbol }) => ({ kind: "undefined-symbol", file: "the linker", symbol: symbol! }),
  },
  {
    // binutils: an object of another machine, or no object at all. What it only skips is no fault: the next folder may have it.
    literals: ["file in wrong format", "file format not recognized"],
    pattern:
      /(?<file>(?:[^\s:'"]{0,200}\/)?lib(?:cu|nv|nccl|amd|hip|roc)[\w+-]{1,50}\.so[\w.]{0,20}): (?:error adding symbols: )?(?:[Ff]ile in wrong format|file format not recognized)/,
    examples: ["/usr/local/cuda/lib64/libcudnn.so: error adding symbols: File in wrong format"],
    facts: ({ file }) => ({ kind: "damaged", file: file!, reason: "wrong-machine" }),
  },
] satisfies Signature[];
