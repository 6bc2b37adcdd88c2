import type { Signature } from "../signature.ts";

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
    literals: ["engine plan file is not compatible", "version tag does not match"],
    pattern:
      /engine plan file is not compatible with this version of TensorRT(?:, expecting library version (?<required>\d{1,2}(?:\.\d{1,3}){1,4}) got (?<found>\d{1,2}(?:\.\d{1,3}){1,4}))?|Version tag does not match/,
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
  },
  {
    literals: ["generated on an incompatible device"],
    pattern:
      /engine plan file is generated on an incompatible device, expecting compute (?<capability>\d{1,2}\.\d) got compute (?<supported>\d{1,2}\.\d)/,
    examples: ["The engine plan file is generated on an incompatible device, expecting compute 8.6 got compute 7.5, please rebuild."],
    facts: ({ capability, supported }) => ({
      kind: "gpu-unsupported",
      capability: capability!,
      supported: `${supported} only: an engine runs on the GPU that it was made for`,
      by: "tensorrt",
    }),
  },
] satisfies Signature[];
