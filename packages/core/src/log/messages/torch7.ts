import { dottedCudnn } from "../../knowledge/cudnn.ts";
import type { Signature } from "../signature.ts";

/** cudnn.torch (ffi.lua) of Torch 7. */
export default [
  {
    // `(5005 <= cudnn.version > 6000)`: the release it was written for, and the first that it does not take.
    literals: ["while the loaded cudnn is version"],
    pattern:
      /[Tt]hese bindings are for (?:CUDNN \d{1,2}\.x \((?<least>\d{4,5}) <= cudnn\.version >=? ?\d{4,5}\)|version (?<above>\d{4,5}) or above) ?, {1,4}while the loaded CuDNN is version: (?<found>\d{4,5})/,
    examples: [
      "These bindings are for CUDNN 5.x (5005 <= cudnn.version > 6000) , while the loaded CuDNN is version: 7005",
      "These bindings are for version 4000 or above, while the loaded CuDNN is version: 3007",
    ],
    facts: ({ least, above, found }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: dottedCudnn(Number(least ?? above)),
      found: dottedCudnn(Number(found)),
      by: "Torch 7",
    }),
  },
  {
    literals: ["not found in library path"],
    pattern: /'?libcudnn \(R(?<release>\d)\) not found in library path/,
    examples: ["'libcudnn (R5) not found in library path. Please install CuDNN from https://developer.nvidia.com/cuDNN"],
    facts: ({ release }) => ({ kind: "not-found", name: `libcudnn.so.${release}`, by: "Torch 7" }),
  },
] satisfies Signature[];
