import type { Signature } from "../signature.ts";

/** NVIDIA Warp: native/cuda_util.cpp. */
export default [
  {
    literals: ["but the current driver only supports cuda"],
    pattern:
      /Warp requires CUDA [Dd]river (?<required>\d{1,2}\.\d{1,2}) or higher, but the current driver only supports CUDA (?<found>\d{1,2}\.\d{1,2})/,
    examples: ["Warp CUDA error: Warp requires CUDA driver 12.0 or higher, but the current driver only supports CUDA 11.4"],
    facts: ({ required, found }) => [
      { kind: "notice", id: "driver-too-old", required: required!, found: found! },
      { kind: "toolkit", version: required!, from: "runtime" },
    ],
  },
] satisfies Signature[];
