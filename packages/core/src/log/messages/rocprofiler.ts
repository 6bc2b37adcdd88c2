import type { Signature } from "../signature.ts";

/** rocprof, rocprofiler and roctracer of ROCm (rocprofiler/src/util/hsa_rsrc_factory.cpp, src/core/rocprofiler.cpp). */
export default [
  {
    // What packs the commands for counters is a library apart, which ROCr opens by its name.
    literals: ["aqlprofile api table load failed"],
    pattern: /aqlprofile API table load failed/,
    examples: ["aqlprofile API table load failed: HSA_STATUS_ERROR: A generic error has occurred."],
    facts: () => ({ kind: "not-found", name: "libhsa-amd-aqlprofile64.so", by: "rocprofiler" }),
  },
] satisfies Signature[];
