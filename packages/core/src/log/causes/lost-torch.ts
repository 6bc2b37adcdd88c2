import { nameOf } from "../../lib/path.ts";
import { weights, type Problem } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { hasNvidia, rocmBuildIn } from "../vendor.ts";

/** PyTorch divides its libraries differently from release to release; an extension asks for those of the release it was built with. */
export default function lostTorch(facts: Facts): Problem[] {
  const lost = facts.all("not-found").filter(({ name }) => /^lib(?:torch|c10|caffe2)[\w]{0,30}\.so/.test(nameOf(name)));
  if (lost.length === 0) return [];
  const name = nameOf(lost[0]!.name);
  const base = {
    name,
    evidence: lost.slice(0, 3),
    next: ["pip list | grep -i torch"],
    fixes: [fix("install the extension again, built for the PyTorch that is installed")],
  };
  // The part for AMD's GPUs: what asks for it was built beside another PyTorch than any for CUDA.
  const rocm = /^lib(?:torch|c10|caffe2)_hip\b/.test(name);
  const here = /^lib(?:torch|c10|caffe2)_cuda/.test(name) && !hasNvidia(facts) ? rocmBuildIn(facts) : undefined;
  if (here) return [forCuda(name, lost, here)];
  return [
    {
      weight: weights.refused,
      suspects: [
        ...(rocm
          ? [
              {
                ...base,
                cause: "wrong-vendor" as const,
                required: "a build for CUDA, like the torch here",
                found: "a build for ROCm",
                certainty: "likely" as const,
                message: `the extension is a build for ROCm (AMD): only PyTorch for ROCm has \`${name}\``,
                fixes: [
                  fix("install it from the same index as torch; an index that holds builds of several makers may give the wrong one"),
                ],
              },
            ]
          : []),
        {
          ...base,
          cause: "package-conflict",
          certainty: rocm ? "possible" : "likely",
          message: `an extension was built for another release of PyTorch: this one has no \`${name}\``,
        },
        { ...base, cause: "library-not-on-path", certainty: "possible", message: "or PyTorch was not imported before the extension" },
      ],
    },
  ];
}

/** The part for CUDA, which PyTorch's builds for ROCm do not have. */
const forCuda = (name: string, lost: Fact[], here: Fact): Problem => ({
  weight: weights.refused,
  suspects: [
    {
      cause: "wrong-vendor",
      name,
      required: "a build for ROCm, like the torch here",
      found: "a build for CUDA",
      certainty: "likely",
      message: `what asks for \`${name}\` is built for PyTorch with CUDA, and the PyTorch here is one for ROCm, which has no such part`,
      evidence: [...lost.slice(0, 2), here],
      next: ["pip list | grep -i 'torch\\|rocm'"],
      fixes: [
        fix(
          "install that package for ROCm: torchvision and torchaudio come from the same index as torch; others are built on the spot, or their project names a build for ROCm",
        ),
      ],
    },
  ],
});
