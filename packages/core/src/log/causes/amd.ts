import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { objectNamed } from "../objects.ts";

/** AMD's GPUs: code that a ROCm build does not hold, and NVIDIA's libraries where the GPU is AMD's. */
export default function amd(facts: Facts): Problem[] {
  return [...withoutCode(facts), ...ofNvidia(facts)];
}

// Code of one GPU runs on its siblings where ROCm is told to take them for it (ROCm issue 2536, PyTorch issue 164346).
const siblings: [pattern: RegExp, as: string, target: string][] = [
  [/^gfx103[1-6]$/, "10.3.0", "gfx1030"],
  [/^gfx110[1-3]$|^gfx115[01]$/, "11.0.0", "gfx1100"],
];

function withoutCode(facts: Facts): Problem[] {
  const evidence = facts.notices("hip-no-code");
  if (evidence.length === 0) return [];
  const gpus = facts.notices("amd-gpu").filter(({ subject }) => subject !== undefined);
  const target =
    evidence.find(({ subject }) => subject !== undefined)?.subject ?? gpus.find(({ subject }) => subject!.startsWith("gfx"))?.subject;
  const model = gpus.find(({ subject }) => !subject!.startsWith("gfx"))?.subject;
  const listed = evidence.find(({ found }) => found !== undefined)?.found;
  const sibling = siblings.find(([pattern]) => pattern.test(target ?? ""));
  const overridden = facts.everything().some(({ at }) => at.text.includes("HSA_OVERRIDE_GFX_VERSION"));
  const base = {
    name: target ?? model ?? "the GPU",
    required: `code for ${target ?? "this GPU"}`,
    found: listed === undefined ? "a build of ROCm's libraries without it" : `code for ${listed}`,
    evidence: [...evidence, ...gpus.slice(0, 1)],
    next: ["rocminfo | grep gfx", 'python -c "import torch; print(torch.version.hip, torch.cuda.get_arch_list())"'],
  };
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "arch-unsupported",
          certainty: "likely",
          message: `the program, or a library of ROCm in it, holds no code for ${target ?? model ?? "this AMD GPU"}`,
          fixes: [
            ...(sibling && !overridden
              ? [
                  fix(
                    `let ROCm take the GPU for its sibling ${sibling[2]}, for which there is code; it is not supported by AMD and mostly works`,
                    `export HSA_OVERRIDE_GFX_VERSION=${sibling[1]}`,
                  ),
                ]
              : []),
            fix(
              `${sibling && !overridden ? "or " : ""}take a release of PyTorch and ROCm that lists ${target ?? "the target that rocminfo shows"}`,
            ),
          ],
        },
        {
          ...base,
          cause: "upstream-bug",
          certainty: "possible",
          message: "or this release was published without the code for a GPU that it names as supported",
          fixes: [],
        },
      ],
    },
  ];
}

// A package for NVIDIA, where the text speaks of an AMD GPU and of none of NVIDIA's.
function ofNvidia(facts: Facts): Problem[] {
  const gpu = facts.notices("amd-gpu");
  const nvidia = facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda");
  const lost = facts.all("not-found").filter(({ name }) => objectNamed(name) !== undefined && /^lib(?:cu|nv)|^nvcuda\.dll/.test(name));
  const noDriver = facts.notices("no-driver");
  // 35, 38 and 100: no driver that fits, and no device, as CUDA's runtime says it where there is nothing of NVIDIA's.
  const failed = facts.all("cuda-error").filter(({ code }) => code === 35 || code === 38 || code === 100);
  const unseen = facts.all("available").filter(({ by, value }) => by === "torch" && !value);
  const evidence: Fact[] = [...lost, ...noDriver, ...failed, ...unseen, ...facts.notices("cuda-on-amd")];
  if (gpu.length === 0 || nvidia || evidence.length === 0) return [];
  const wheel: Suspect = {
    cause: "wrong-vendor",
    name: lost[0]?.name ?? "torch",
    required: "an NVIDIA GPU, or a build for ROCm",
    found: gpu.find(({ subject }) => subject !== undefined)?.subject ?? "an AMD GPU",
    certainty: "likely",
    message: "the package is built for CUDA, and the GPU is AMD's: it needs a build for ROCm",
    evidence: [...evidence.slice(0, 3), gpu[0]!],
    next: facts.on("windows") ? ["pip list"] : ["rocminfo | grep gfx", "pip list"],
    fixes: [
      facts.on("windows")
        ? fix(
            "on Windows take what the project has for AMD: its option or fork for DirectML or ZLUDA, or a build for Vulkan; PyTorch's builds for ROCm are for Linux",
          )
        : fix("install the build for ROCm; PyTorch's selector on pytorch.org names the index for it"),
      fix("where a project has no build for ROCm, it runs on the CPU or on NVIDIA's GPUs only"),
    ],
  };
  return [{ weight: weights.said + 1, suspects: [wheel] }];
}
