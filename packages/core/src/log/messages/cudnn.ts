import { whyLine, withoutSearchPath } from "../fixes.ts";
import type { Signature } from "../signature.ts";

/** The shim of cuDNN 8 and 9, which opens its parts by name when they are first used. */
export default [
  {
    literals: ["could not load library libcudnn", "could not load library cudnn"],
    pattern:
      /Could not load library (?<name>(?:lib)?cudnn[\w.]{1,60}?)(?:\.? {1,8}Error(?: code)?:? {0,4}(?:(?<inner>[^\s:]{1,300}): cannot open|(?<code>\d{1,4}))|\.?\s{0,4}$)/i,
    examples: [
      "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
      "Could not load library cudnn_cnn_infer64_8.dll. Error code 126",
    ],
    facts: ({ name, inner, code }) => {
      if (code === "127" || code === "193") return { kind: "notice", id: "cudnn-part-refused", subject: name! };
      return inner !== undefined && inner !== name
        ? { kind: "not-found", name: inner, by: "cudnn", wantedBy: name! }
        : { kind: "not-found", name: name!, by: "cudnn" };
    },
  },
  {
    literals: ["could not locate"],
    pattern: /Could not locate (?<name>(?:lib)?cudnn[\w.]{1,60}?)(?:\.? Please make sure it is in your library path|\.?\s{0,4}$)/i,
    examples: [
      "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!",
      "Could not locate cudnn_ops_infer64_8.dll. Please make sure it is in your library path!",
    ],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "cudnn" }),
  },
  {
    literals: ["unable to load any of"],
    pattern: /Unable to load any of \{(?<list>[^}]{5,300})\}/,
    examples: ["Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}"],
    facts: ({ list }) => {
      const names = list!.split(",").map((name) => name.trim());
      const name = names.find((each) => /\.so\.\d{1,2}$/.test(each)) ?? names[0]!;
      return { kind: "not-found", name, by: "cudnn" };
    },
  },
  {
    literals: ["load symbol cudnn", "symbol cudnn"],
    pattern: /(?:[Cc]ould not|[Cc]annot|[Ff]ailed to|^) ?(?:load )?symbol (?<symbol>cudnn\w{2,60})/,
    examples: [
      "Invalid handle. Cannot load symbol cudnnCreateTensorDescriptor",
      "Could not load symbol cudnnGetLibConfig. Error: /usr/local/cuda/lib64/libcudnn_graph.so.9: undefined symbol: cudnnGetLibConfig",
    ],
    facts: ({ symbol }) => ({ kind: "notice", id: "cudnn-symbol", subject: symbol! }),
  },
  {
    // cuDNN 9 opens cuBLASLt and NVRTC in the same way as its own parts.
    literals: ["load symbol cublas", "load symbol nvrtc"],
    pattern: /(?:[Cc]ould not|[Cc]annot|[Ff]ailed to) load symbol (?<library>cublasLt|cublas|nvrtc)[A-Z]\w{2,60}/,
    examples: ["Invalid handle. Cannot load symbol cublasLtCreate", "Could not load symbol nvrtcCreateProgram"],
    facts: ({ library }) => ({ kind: "not-found", name: `lib${library}.so`, by: "cudnn" }),
  },
  {
    // cudnn_frontend (include/cudnn_frontend_utils.h), in the words of ONNX Runtime (cudnn_fe_call.cc).
    literals: ["cudnn_fe failure", "cudnn_backend_api_failed"],
    pattern: /CUDNN_FE failure \d{1,2}: (?:CUDNN_BACKEND_API_FAILED|GRAPH_NOT_SUPPORTED|HANDLE_ERROR)|\bCUDNN_BACKEND_API_FAILED\b/,
    examples: ["CUDNN_FE failure 11: CUDNN_BACKEND_API_FAILED ; GPU=0 ; hostname=node ; file=conv.cc ; line=224"],
    facts: () => ({ kind: "notice", id: "cudnn-no-engine" }),
    notice: "cudnn-no-engine",
    means: {
      // Memory, a GPU without the type, or a cuDNN that is not the framework's.
      symptom: "cuDNN finds no way to compute this",
      name: "libcudnn.so",
      library: "cudnn",
      about: (_facts, context) => ({ next: ["nvidia-smi", whyLine("libcudnn", context), "echo $LD_LIBRARY_PATH"] }),
      may: [
        { cause: "library-shadowed", message: "another copy of cuDNN than the framework's is found first", fixes: [withoutSearchPath()] },
        { cause: "library-wrong-version", message: "or a cuDNN of another release is loaded than the framework was built with" },
        { cause: "not-a-mismatch", name: "GPU memory", message: "or the GPU's memory is used up" },
        { cause: "arch-unsupported", name: "the GPU", message: "or the GPU does not compute with this type of numbers" },
      ],
    },
  },
  {
    literals: ["cudnn_status_", "cudnn error"],
    pattern: /(?<status>CUDNN_STATUS_(?!SUCCESS)[A-Z_]{4,60})(?![A-Z_])(?! \(\d{1,4} vs)/,
    examples: ["RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"],
    facts: ({ status }) => ({ kind: "cudnn-status", status: status! }),
  },
] satisfies Signature[];
