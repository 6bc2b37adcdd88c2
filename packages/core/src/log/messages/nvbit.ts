import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** NVBit, and the tracers of Accel-Sim and others that are built upon it. */
export default [
  {
    // Each release knows the drivers of its time; beside one that is newer its tools hang.
    ...notice(
      "of-nvbit",
      ["nvbit"],
      /\bNVBit\b|nvbit_release|\bnvbit\b/i,
      "LD_PRELOAD=./tracer_tool/tracer_tool.so ./nvbit_release/test-apps/vectoradd/vectoradd",
    ),
    means: {
      weight: weights.hint + 2,
      name: "NVBit",
      unless: (facts) => facts.notices("hangs-told").length === 0 || facts.has("not-found"),
      about: (facts, { driver, toolkits }, [fact]) => ({
        required: "a release of NVBit for this driver",
        found:
          [driver && `driver ${driver.version}`, toolkits[0] && `CUDA ${toolkits[0].version}`].filter(Boolean).join(", ") ||
          "a newer driver",
        evidence: [fact!, ...facts.notices("hangs-told").slice(0, 1)],
        next: ["nvidia-smi"],
      }),
      may: [
        {
          cause: "cupti-too-old-for-driver",
          certainty: "likely",
          message:
            "the instrumentation is older than the driver: NVBit rewrites the driver's own code, and each of its releases knows those of its time",
          fixes: [fix("take the newest release of NVBit, build the tool again with it, and compare its README with the driver")],
        },
        { cause: "upstream-bug", message: "or it does not serve this driver yet", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
