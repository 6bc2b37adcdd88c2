import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { ownMatter, type May } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

const rebuildEngine = fix("delete the engine and build it again from the model (ONNX), with the TensorRT that runs it");

const otherTensorrt: May = {
  cause: "library-wrong-version",
  name: "libnvinfer.so",
  library: "tensorrt",
  certainty: "likely",
  message: "the engine was made by another release of TensorRT than the one that loads it",
  because: ["an engine runs with the release, and on the kind of GPU, with which it was built"],
  fixes: [rebuildEngine],
};

/** TensorRT and trtexec; closed, their words as users see them. */
export default [
  {
    literals: ["linked against cudnn", "linked against cublas"],
    pattern:
      /TensorRT was linked against (?<name>cuDNN|cuBLAS\/cuBLAS ?LT|cuBLAS) (?<required>\d{1,2}\.\d{1,2}\.\d{1,3}) but loaded (?:cuDNN|cuBLAS\/cuBLAS ?LT|cuBLAS) (?<found>\d{1,2}\.\d{1,2}\.\d{1,3})/,
    examples: ["[W] [TRT] TensorRT was linked against cuDNN 8.6.0 but loaded cuDNN 8.3.2"],
    facts: ({ name, required, found }) => ({
      kind: "version-pair",
      library: name === "cuDNN" ? "cudnn" : "cublas",
      required: required!,
      found: found!,
      by: "tensorrt",
    }),
  },
  {
    literals: [
      "engine plan file is not compatible",
      "version tag does not match",
      "serialization assertion magictagread",
      "magic tag assertion",
      "magictag assertion",
      "engine deserialization failed",
      "expected size of serialized engine",
    ],
    pattern:
      /Magic ?Tag assertion [Ff]ailed|engine plan file is not compatible with this version of TensorRT(?:,? {1,2}expecting library version (?<required>\d{1,2}(?:\.\d{1,3}){1,4}) got (?<found>\d{1,2}(?:\.\d{1,3}){1,4}))?|Version tag does not match|Engine deserialization failed|Mismatch between allocated memory size and expected size of serialized engine|Serialization assertion magicTagRead == (?:magicTag|kMAGIC_TAG) failed/i,
    examples: [
      'engine.cpp:868: bool nvinfer1::rt::Engine::deserialize(): Assertion `size >= bsize && "Mismatch between allocated memory size and expected size of serialized engine."\' failed.',
      "6: The engine plan file is not compatible with this version of TensorRT, expecting library version 8.6.1 got 8.5.2, please rebuild.",
      "1: Serialization (Serialization assertion stdVersionRead == serializationVersion failed.Version tag does not match. Note: Current Version: 213, Serialized Engine Version: 205)",
    ],
    facts: ({ required, found }) => ({
      kind: "notice",
      id: "trt-engine",
      ...(required === undefined ? {} : { required }),
      ...(found === undefined ? {} : { found }),
    }),
    notice: "trt-engine",
    means: {
      weight: weights.said,
      about: (facts) => {
        const [{ required, found } = {}] = facts.notices("trt-engine");
        if (required === undefined || found === undefined) return {};
        // Either gives way: the engine is built again, or the TensorRT that built it loads it.
        return {
          required: `an engine built by TensorRT ${required}, or TensorRT ${found} to load it`,
          found: `an engine of TensorRT ${found}, loaded by ${required}`,
        };
      },
      next: ['python -c "import tensorrt; print(tensorrt.__version__)"'],
      may: [
        // An image brings a TensorRT that its user did not choose: there, that may be the part to change.
        { ...otherTensorrt, when: (facts) => facts.on("container") },
        {
          cause: "stale-artefact",
          name: "the engine",
          certainty: "likely",
          message: "the engine outlived the TensorRT that built it: it is a file of that release, and no package to repair",
          because: ["an engine runs with the release, and on the kind of GPU, with which it was built"],
          fixes: [rebuildEngine],
        },
        { ...otherTensorrt, when: (facts) => !facts.on("container") },
      ],
    },
  },
  {
    literals: ["generated on an incompatible device", "generated on a different device"],
    pattern:
      /engine (?:plan file )?(?:is|was) generated on an? (?:incompatible|different) device[,:]? (?:expecting compute (?<capability>\d{1,2}\.\d) got compute (?<supported>\d{1,2}\.\d)|compute capability (?<made>\d{1,2}\.\d) expecting (?<here>\d{1,2}\.\d))/,
    examples: ["The engine plan file is generated on an incompatible device, expecting compute 8.6 got compute 7.5, please rebuild."],
    facts: ({ capability, supported, made, here }) => ({
      kind: "notice",
      id: "trt-engine-gpu",
      required: (capability ?? here)!,
      found: (supported ?? made)!,
    }),
    notice: "trt-engine-gpu",
    means: {
      weight: weights.said,
      name: "the engine",
      about: (_facts, _context, [fact]) => ({
        required: `an engine for compute capability ${fact!.required}`,
        found: `one for ${fact!.found}`,
      }),
      may: [
        {
          cause: "stale-artefact",
          certainty: "certain",
          message: (_facts, _context, [fact]) =>
            `the engine was built on another kind of GPU (compute capability ${fact!.found}) than the one that loads it (${fact!.required})`,
          fixes: [fix("delete the engine and build it again from the model (ONNX), on the GPU that runs it")],
        },
        { cause: "arch-unsupported", message: "an engine runs on the kind of GPU that it was built for, and on no other" },
      ],
    },
  },
  {
    literals: ["is not supported by this tensorrt release", "unsupported sm"],
    pattern:
      /Target GPU SM (?<sm>\d{2,3}) is not supported by this TensorRT release|Unsupported SM: (?:0x(?<major>[\da-f])0(?<minor>[\da-f])|(?<plain>\d{2,3})\b)|Unsupported SM\./i,
    examples: [
      "IBuilder::buildSerializedNetwork: Error Code 9: API Usage Error (Target GPU SM 61 is not supported by this TensorRT release.)",
      "1: [caskUtils.cpp::trtSmToCask::147] Error Code 1: Internal Error (Unsupported SM: 0x809)",
      "../rtSafe/cuda/caskUtils.cpp (80) - Assertion Error in trtSmToCask: 0 (Unsupported SM.)",
    ],
    facts: ({ sm: named, plain, major, minor }) => {
      const sm = named ?? plain;
      return {
        kind: "gpu-unsupported",
        ...(sm === undefined
          ? major === undefined
            ? {}
            : { capability: `${parseInt(major, 16)}.${parseInt(minor!, 16)}` }
          : { capability: `${sm.slice(0, -1)}.${sm.slice(-1)}` }),
        by: "tensorrt",
      };
    },
  },
  {
    // The network or a call is wrong, whatever the release: codes 3 and 4 of nvinfer1::ErrorCode, with their reason.
    ...notice(
      "trt-own-error",
      ["error code 3:", "error code 4:"],
      /Error Code [34]: (?:API Usage|Internal) Error \((?!Target GPU|[^)\n]{0,60}(?:version|not supported|SM |[Dd]eserializ))[^\n]{4,160}/i,
      "[TRT] [E] 4: [network.cpp::validate::3062] Error Code 4: Internal Error (Network must have at least one output)",
    ),
    means: ownMatter(
      "the network",
      "TensorRT refuses the network or the call itself, and says why in brackets: no version is wrong",
      "repair the model or the call that the line names; `trtexec --onnx=model.onnx --verbose` shows where",
    ),
  },
  noise(
    "an engine made on another model of GPU runs, perhaps more slowly",
    "using an engine plan file across different models of devices",
    /Using an engine plan file across different models of devices is not (?:recommended|supported)/,
    "WARNING: [TRT]: Using an engine plan file across different models of devices is not recommended and is likely to affect performance or even cause errors.",
  ),
  noise(
    "TensorRT could load its kernels when they are needed, which saves memory",
    "lazy loading is not enabled",
    /CUDA lazy loading is not enabled/,
    "[W] [TRT] CUDA lazy loading is not enabled. Enabling it can significantly reduce device memory usage and speed up TensorRT initialization.",
  ),
  notice(
    "cudnn-not-initialized",
    ["could not initialize cudnn", "could not initialize cublas"],
    /Could not initialize (?:cudnn|cublas), please check (?:cudnn|cuda) installation/i,
    "[E] [TRT] safeContext.cpp (124) - Cudnn Error in initializeCommonContext: 1 (Could not initialize cudnn, please check cudnn installation.)",
  ),
  notice(
    "init-out-of-memory",
    "initialization failure with error",
    /Cuda initialization failure with error:? 2\b/i,
    "[E] [TRT] CUDA initialization failure with error: 2. Please check your CUDA installation",
  ),
  noise(
    "TensorRT's builder leaves out the ways that need more memory than there is, and takes another",
    ["skipping tactic", "tactic device request"],
    /\[TRT\] ?\[?W\]?:?[^\n]{0,60}[Ss]kipping tactic (?:0x)?[\da-f]{1,18} due to (?:insufficient memory|oom|Myelin|Cask|exception)|Tactic Device request: \d{1,8}MB Available: \d{1,8}MB\. Device memory is insufficient to use tactic/i,
    "[11/28/2023-15:47:38] [TRT] [W] UNSUPPORTED_STATESkipping tactic 4 due to insufficient memory on requested size of 66048 detected for tactic 0x000000000000001f.",
    "[TRT] [W] Skipping tactic 8 due to insufficient memory on requested size of 17179869184 detected for tactic 0x000000000000003c.",
  ),
] satisfies Signature[];
