import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { noise, notice, type Signature } from "../signature.ts";

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
    ],
    pattern:
      /Magic ?Tag assertion [Ff]ailed|engine plan file is not compatible with this version of TensorRT(?:,? {1,2}expecting library version (?<required>\d{1,2}(?:\.\d{1,3}){1,4}) got (?<found>\d{1,2}(?:\.\d{1,3}){1,4}))?|Version tag does not match|Serialization assertion magicTagRead == (?:magicTag|kMAGIC_TAG) failed/i,
    examples: [
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
        return { ...(required === undefined ? {} : { required }), ...(found === undefined ? {} : { found }) };
      },
      next: ['python -c "import tensorrt; print(tensorrt.__version__)"'],
      may: [
        {
          cause: "library-wrong-version",
          name: "libnvinfer.so",
          library: "tensorrt",
          certainty: "likely",
          message: "the engine was made by another release of TensorRT than the one that loads it",
          because: ["an engine runs with the release, and on the kind of GPU, with which it was built"],
          fixes: [fix("delete the engine and build it again from the model (ONNX), with the TensorRT that runs it")],
        },
        {
          cause: "stale-artefact",
          name: "the engine",
          certainty: "likely",
          message: "the engine outlived the TensorRT that built it: it is a file of that release, and no package to repair",
        },
      ],
    },
  },
  {
    literals: ["generated on an incompatible device"],
    pattern:
      /engine plan file is generated on an incompatible device, expecting compute (?<capability>\d{1,2}\.\d) got compute (?<supported>\d{1,2}\.\d)/,
    examples: ["The engine plan file is generated on an incompatible device, expecting compute 8.6 got compute 7.5, please rebuild."],
    facts: ({ capability, supported }) => ({ kind: "notice", id: "trt-engine-gpu", required: capability!, found: supported! }),
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
] satisfies Signature[];
