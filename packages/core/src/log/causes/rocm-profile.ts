import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

const own = fix(
  "profile with AMD's own tool, which shows whether ROCm records the kernels at all; it comes with ROCm 6.2 and newer",
  "rocprofv3 --hip-trace --kernel-trace -- python train.py",
);

/** Profiles of AMD's GPUs, as people tell of them. */
export default function rocmProfile(facts: Facts): Problem[] {
  return [...withoutEvents(facts), ...onAmd(facts)];
}

function withoutEvents(facts: Facts): Problem[] {
  const evidence = facts.notices("rocm-trace-empty");
  if (evidence.length === 0) return [];
  const worked = evidence.some(({ subject }) => subject === "worked");
  const base = {
    name: "rocprofiler-sdk",
    required: "events of every kernel",
    evidence,
    next: ["cat /opt/rocm/.info/version; ls -d /opt/rocm*", "ldconfig -p | grep -i 'roctracer\\|rocprofiler'"],
  };
  return [
    {
      weight: weights.warned,
      symptom: "ROCm's tracer records only a part, or nothing",
      suspects: [
        {
          ...base,
          cause: "upstream-bug",
          certainty: worked ? "likely" : "possible",
          message: worked
            ? "this release of ROCm's tracer loses events that an older one recorded"
            : "a defect of this release of ROCm's tracer: see its list of known issues",
          fixes: [
            fix(
              "profile with the release of ROCm that worked, or a newer one; a container of AMD's has it whole, beside the driver that is there",
            ),
            own,
          ],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or roctracer and rocprofiler of another release than the program's ROCm are loaded: a wheel brings its own",
          fixes: [],
        },
      ],
    },
  ];
}

function onAmd(facts: Facts): Problem[] {
  const evidence = facts.notices("profiler-on-amd");
  const [first] = evidence;
  if (!first) return [];
  const nvidia = first.subject === "nvidia";
  const base = {
    name: nvidia ? "the profiler" : "the framework's profiler",
    required: nvidia ? "an NVIDIA GPU" : "a build with ROCm's tracer",
    evidence,
  };
  const platform = {
    ...base,
    cause: "profiler-platform-unsupported" as const,
    certainty: "likely" as const,
    message: nvidia
      ? "NVIDIA's profilers see NVIDIA's GPUs only"
      : "TensorFlow's profiler sees an AMD GPU only in a build for ROCm that has ROCm's tracer, of a release that fits the ROCm here; older builds record the CPU alone",
    fixes: [own],
  };
  const vendor = {
    ...base,
    cause: "wrong-vendor" as const,
    certainty: "possible" as const,
    message: nvidia ? "so a tool of another maker was taken" : "or the package is the one for CUDA",
    fixes: [],
  };
  return [{ weight: weights.hint, suspects: [platform, vendor] }];
}
