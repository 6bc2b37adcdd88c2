import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** rocprof, rocprofiler and roctracer of ROCm (rocprofiler/src/util/hsa_rsrc_factory.cpp, src/core/rocprofiler.cpp). */
export default [
  {
    // What packs the commands for counters is a library apart, which ROCr opens by its name.
    literals: ["aqlprofile api table load failed"],
    pattern: /aqlprofile API table load failed/,
    examples: ["aqlprofile API table load failed: HSA_STATUS_ERROR: A generic error has occurred."],
    facts: () => ({ kind: "not-found", name: "libhsa-amd-aqlprofile64.so", by: "rocprofiler" }),
  },
  {
    ...notice(
      "rocprofiler-no-metric",
      "bad metric",
      /ImportMetrics\(\), Bad metric '(?<subject>\w{2,40})'/,
      "ERROR :: rocprofiler_iterate_info(), ImportMetrics(), Bad metric 'L2CacheHit', var 'TCC_HIT[0]' is not found",
    ),
    means: {
      weight: weights.failed,
      name: "rocprofiler",
      required: "a GPU whose counters this release of ROCm lists",
      next: ["rocminfo | grep gfx", "rocprof --list-basic"],
      may: [
        {
          cause: "profiler-platform-unsupported",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the metric \`${fact!.subject}\` is made of counters that this GPU does not have: AMD's profilers serve the Instinct series, and consumer cards in part`,
          fixes: [fix("profile on a GPU that AMD's list of this release names, or with the newer `rocprofv3`")],
        },
        { cause: "library-wrong-version", message: "or the list of metrics is of another release of ROCm than the profiler", fixes: [] },
        { cause: "upstream-bug", message: "or the list of this release is wrong for it", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
