import { weights } from "../cause.ts";
import { fix, togetherLine } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** xformers/_cpp_lib.py: what its extension was built for, and what is here. */
export default [
  {
    literals: ["(you have "],
    pattern: /PyTorch (?<required>\d{1,2}\.[\w.+]{1,40}) with CUDA (?:\d{3,4}|None) \(you have (?<found>\d{1,2}\.[\w.+]{1,40})\)/,
    examples: [
      "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.3.0+cu121)",
      "    PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.1.2+cpu)",
    ],
    facts: ({ required, found }) => ({ kind: "notice", id: "xformers-other-torch", required: required!, found: found! }),
  },
  {
    literals: ["requires device with capability"],
    pattern:
      /requires device with capability (?<sign><=|==|>=|<|>) \((?<major>\d{1,2}), (?<minor>\d)\) but your GPU has capability \((?<hasMajor>\d{1,2}), (?<hasMinor>\d)\)/,
    examples: ["    requires device with capability <= (9, 0) but your GPU has capability (12, 0) (too new)"],
    facts: ({ sign, major, minor, hasMajor, hasMinor }) => ({
      kind: "gpu-unsupported",
      capability: `sm_${hasMajor}${hasMinor}`,
      supported: `capability ${sign} ${major}.${minor}`,
      by: "xformers",
      ...(Number(hasMajor) < Number(major) ? { tooOld: true as const } : {}),
    }),
  },
  {
    // xformers/ops/fmha/common.py: its extension was not loaded, whatever it was built for.
    ...notice(
      "xformers-without-cuda",
      ["xformers wasn't build with cuda", "xformers wasn't built with cuda"],
      /xFormers wasn't buil[td] with CUDA support/i,
      "    xFormers wasn't build with CUDA support",
    ),
    means: {
      weight: weights.refused,
      name: "xformers",
      required: "an xFormers that was built for the PyTorch that is installed",
      unless: (facts) => facts.notices("xformers-other-torch").some(({ required, found }) => required !== found),
      next: ["python -m xformers.info", "pip list | grep -i 'torch\\|xformers'"],
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message: "xFormers did not load its compiled part: it was built for another PyTorch than the one that is installed",
          fixes: (facts, context) => [
            fix(
              "install both in one step from one index, so that they fit; a warning at the import of xformers says what it was built for",
              togetherLine(context, facts.on("windows"), "torch", "xformers"),
            ),
            fix("or go without it: PyTorch 2 has an attention of its own", "pip uninstall -y xformers"),
          ],
        },
        {
          cause: "wrong-wheel-cuda-version",
          message: "or it was built for another CUDA than this PyTorch",
          fixes: [],
        },
        {
          cause: "wrong-wheel-cpu-only",
          message: "or it was built where no CUDA toolkit was found, and so without its part for the GPU",
          fixes: [],
        },
      ],
    },
  },
] satisfies Signature[];
