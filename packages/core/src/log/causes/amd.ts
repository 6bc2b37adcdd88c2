import { amdGpuIn, gone, isServed, noLonger, smallRdna2, targetFixes } from "../amd-targets.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { objectNamed } from "../objects.ts";
import { hasNvidia, ofAmdAlone, rocmBuildIn } from "../vendor.ts";

/** Other makers' GPUs: code that a ROCm build does not hold, NVIDIA's libraries where the GPU is not NVIDIA's, and the other way round. */
export default function amd(facts: Facts): Problem[] {
  return [...withoutCode(facts), ...ofNvidia(facts), ...cudaDespiteRocm(facts), ...leftByRocm(facts), ...ofAmd(facts)];
}

function withoutCode(facts: Facts): Problem[] {
  // PyTorch for ROCm says it in CUDA's words, too.
  const evidence: (Fact<"notice"> | Fact<"cuda-error">)[] = [
    ...facts.notices("hip-no-code"),
    ...(ofAmdAlone(facts) ? facts.all("cuda-error").filter(({ code }) => code === 98 || code === 209) : []),
  ];
  if (evidence.length === 0) return [];
  const notices = facts.notices("hip-no-code");
  const gpu = amdGpuIn(facts);
  const target = notices.find(({ subject }) => subject !== undefined)?.subject ?? gpu.target;
  const { model } = gpu;
  const listed = notices.find(({ found }) => found !== undefined)?.found;
  const base = {
    name: target ?? model ?? "the GPU",
    required: `code for ${target ?? "this GPU"}`,
    found: listed === undefined ? "a build of ROCm's libraries without it" : `code for ${listed}`,
    evidence: [...evidence, ...(gpu.at ? [gpu.at] : [])],
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
          fixes: targetFixes(target, model, facts),
        },
        // No release names these as supported.
        ...(target !== undefined && !isServed(target)
          ? []
          : [
              {
                ...base,
                cause: "upstream-bug" as const,
                certainty: "possible" as const,
                message: "or this release was published without the code for a GPU that it names as supported",
                fixes: [],
              },
            ]),
      ],
    },
  ];
}

// ROCm is not made for Macs, whatever their GPU; in Colab the program does not see the GPU at home.
const isElsewhere = (facts: Facts): boolean => facts.on("macos") || facts.on("colab");

// A package for NVIDIA, where the text speaks of an AMD GPU and of none of NVIDIA's.
function ofNvidia(facts: Facts): Problem[] {
  const gpu = facts.notices("amd-gpu", "intel-gpu");
  const nvidia = hasNvidia(facts);
  const lost = facts.all("not-found").filter(({ name }) => objectNamed(name) !== undefined && /^lib(?:cu|nv)|^nvcuda\.dll/.test(name));
  const noDriver = facts.notices("no-driver");
  // 35, 38 and 100: no driver that fits, and no device, as CUDA's runtime says it where there is nothing of NVIDIA's.
  const failed = facts.all("cuda-error").filter(({ code }) => code === 35 || code === 38 || code === 100);
  const unseen = facts.all("available").filter(({ by, value }) => by === "torch" && !value);
  // Docker that asks for NVIDIA's runtime is a fault of its own, unless there is nothing of NVIDIA's to hand on.
  const asked = facts.all("container").filter(({ what }) => what === "no-runtime" || what === "no-driver");
  // A build for CUDA by its own name, which sees no GPU.
  const cuda = facts.all("framework").some(({ cuda: built, version }) => built !== undefined || /\+cu\d/.test(version ?? ""));
  const blind = cuda ? facts.notices("no-gpu-seen", "gpu-not-seen") : [];
  const evidence: Fact[] = [
    ...blind,
    ...lost,
    ...noDriver,
    ...failed,
    ...unseen,
    ...asked,
    ...facts.notices("driver-too-old", "torch-without-cuda", "cuda-on-amd"),
  ];
  if (gpu.length === 0 || nvidia || evidence.length === 0 || isElsewhere(facts) || rocmBuildIn(facts)) return [];
  const torch = facts.all("framework").find(({ id, version }) => id === "torch" && version !== undefined);
  const intel = gpu.every(({ id }) => id === "intel-gpu");
  const wheel: Suspect = {
    cause: "wrong-vendor",
    name: lost[0]?.name ?? "torch",
    required: intel ? "an NVIDIA GPU" : "an NVIDIA GPU, or a build for ROCm",
    found: `${gpu.find(({ subject }) => subject !== undefined)?.subject ?? (intel ? "an Intel GPU" : "an AMD GPU")}${torch?.version === undefined ? "" : `, with torch ${torch.version}`}`,
    certainty: "likely",
    message: intel
      ? "the program asks for CUDA, and the text names an Intel GPU and none of NVIDIA's"
      : "the package is built for CUDA, and the GPU is AMD's: it needs a build for ROCm",
    evidence: [...evidence.slice(0, 3), gpu[0]!],
    next: intel ? ["lspci | grep -i 'vga\\|3d'"] : facts.on("windows") ? ["pip list"] : ["rocminfo | grep gfx", "pip list"],
    fixes: intel
      ? ofIntel(gpu.map(({ subject }) => subject ?? "").join(" "))
      : fixesFor(gpu.map(({ subject }) => subject ?? "").join(" "), facts),
  };
  return [{ weight: weights.said + 1, suspects: [wheel, ...(0 < asked.length ? [notHanded(asked)] : []), ...cpuBuild(facts)] }];
}

/** PyTorch's own words say no more than that it has no part for CUDA: it may have none for any GPU. */
function cpuBuild(facts: Facts): Suspect[] {
  const evidence = facts.notices("torch-without-cuda");
  if (evidence.length === 0) return [];
  return [
    {
      cause: "wrong-wheel-cpu-only",
      name: "torch",
      certainty: "possible",
      message: "so the PyTorch that is installed is one for the CPU, or for another maker's GPU",
      evidence,
      next: ["pip list"],
      fixes: [],
    },
  ];
}

// Only builds for CUDA look for NVIDIA's driver: what was installed for ROCm is not what runs.
function cudaDespiteRocm(facts: Facts): Problem[] {
  const evidence = facts.notices("no-driver").filter(({ at }) => /Found no NVIDIA driver/i.test(at.text));
  const meant = 0 < evidence.length && !hasNvidia(facts) ? rocmBuildIn(facts) : undefined;
  if (!meant) return [];
  const release = /(?:^|rocm)(\d+\.\d+)/.exec(
    (meant.kind === "framework" ? meant.version : "subject" in meant ? meant.subject : undefined) ?? "",
  )?.[1];
  return [
    {
      weight: weights.said + 1,
      suspects: [
        {
          cause: "wrong-vendor",
          name: "torch",
          required: `the PyTorch for ROCm${release === undefined ? "" : ` ${release}`} that was installed`,
          found: "a build for CUDA, which looks for NVIDIA's driver",
          certainty: "likely",
          message:
            "the program runs a PyTorch for CUDA, although one for ROCm was installed: another environment, or a later install that replaced it",
          evidence: [...evidence.slice(0, 2), meant],
          next: ['python -c "import sys, torch; print(sys.executable, torch.__version__, torch.version.hip)"'],
          fixes: [
            fix(
              "install the build for ROCm into the environment of the program itself, behind whatever else it installs",
              ...(release === undefined
                ? []
                : [
                    "pip uninstall -y torch torchvision torchaudio",
                    `pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/rocm${release}`,
                  ]),
            ),
          ],
        },
      ],
    },
  ];
}

// Somebody asks whether, or why not, ROCm of today serves his Polaris or Vega.
function leftByRocm(facts: Facts): Problem[] {
  const gpu = facts.notices("amd-gpu").find(({ subject }) => subject !== undefined && gone.test(subject));
  const told = gpu && [gpu, ...facts.notices("rocm-of-system", "rocm-of-wheel")].find(({ at }) => /\bROCm\b/i.test(at.text));
  if (!gpu || !told || 0 < facts.notices("hip-no-code").length) return [];
  if (!/\bnot\b|n['\u2019]t\b|\bonly\b|\bno\b|\bsupport|\?/i.test(told.at.text)) return [];
  return [
    {
      weight: weights.hint,
      suspects: [
        {
          cause: "arch-unsupported",
          name: gpu.subject!,
          required: "a GPU that ROCm of today serves",
          found: gpu.subject!,
          certainty: "likely",
          message: `ROCm of today does not serve ${gpu.subject} any more: its libraries hold no code for it`,
          evidence: told === gpu ? [gpu] : [gpu, told],
          next: ["rocminfo | grep gfx"],
          fixes: [noLonger],
        },
      ],
    },
  ];
}

const notHanded = (evidence: Fact[]): Suspect => ({
  cause: "driver-not-exposed",
  name: "libcuda.so.1",
  library: "libcuda",
  certainty: "possible",
  message: "or there is an NVIDIA GPU beside it, and the container runtime does not hand it on",
  evidence,
  next: ["nvidia-smi"],
  fixes: [],
});

// A fork or a build for AMD, where the text names a GPU of NVIDIA's.
function ofAmd(facts: Facts): Problem[] {
  const [build] = facts.notices("amd-build");
  const evidence: Fact[] = [...facts.all("available").filter(({ value }) => !value), ...facts.notices("no-gpu-seen")];
  if (!build || !hasNvidia(facts) || 0 < facts.notices("amd-gpu").filter(({ subject }) => subject !== undefined).length) return [];
  if (evidence.length === 0) return [];
  const gpu = facts.all("gpu").find(({ name }) => name !== undefined)?.name ?? facts.notices("gpu-said")[0]?.subject;
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          cause: "wrong-vendor",
          name: build.subject ?? "the package",
          required: "a build for CUDA",
          found: `a build for AMD's GPUs${gpu === undefined ? "" : ` beside ${gpu}`}`,
          certainty: "likely",
          message: `\`${build.subject}\` is made for AMD's GPUs, and the GPU is NVIDIA's`,
          evidence: [build, ...evidence.slice(0, 2)],
          next: ["nvidia-smi", "pip list"],
          fixes: [fix("install the program's own package for NVIDIA, in an environment of its own")],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "torch",
          certainty: "possible",
          message: "or the PyTorch in it was built without CUDA",
          evidence,
          next: ["pip list"],
          fixes: [],
        },
      ],
    },
  ];
}

/** PyTorch's builds for Intel are for Arc and newer; older graphics are no help to it. */
const ofIntel = (gpu: string): NonNullable<Suspect["fixes"]> => [
  ...(/\bArc\b/i.test(gpu)
    ? [
        fix(
          "install PyTorch's build for Intel's GPUs; the program must ask for the device `xpu` then",
          "pip uninstall -y torch torchvision torchaudio",
          "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/xpu",
        ),
      ]
    : []),
  fix("run the program on the CPU: most have an option for it (`--cpu`, `--device cpu`); CUDA itself runs on NVIDIA's GPUs only"),
];

/** RDNA 2 and later; PyTorch's builds for ROCm 6 hold code for one or two chips of each generation. */
/** Only PyTorch says so; other programs have builds of their own, or none. */
const isOfTorch = (facts: Facts): boolean =>
  facts.notices("no-driver").some(({ at }) => /Found no NVIDIA driver/i.test(at.text)) ||
  facts.all("framework").some(({ id }) => id === "torch") ||
  facts.all("traceback").some(({ package: name }) => name === "torch");

const ofToday = /\bRX ?(?:6[4-9]|7[5-9]|90)\d\d|gfx1[0-2]\d\d|Instinct|\bMI[23]\d\dX?\b|\b(?:6[4-9]|7[5-9]|90)\d0 ?XTX?\b/i;
function fixesFor(gpu: string, facts: Facts): NonNullable<Suspect["fixes"]> {
  if (facts.on("windows"))
    return [
      fix(
        "on Windows take what the project has for AMD: its option or fork for DirectML or ZLUDA, or a build for Vulkan; the ROCm builds of PyTorch's index are for Linux, and AMD's own for Windows (its guide names them) for the RX 7000 and 9000 series",
      ),
      fix("where a project has none, it runs on the CPU or on NVIDIA's GPUs only"),
    ];
  if (gone.test(gpu)) return [noLonger];
  if (!ofToday.test(gpu) && !isOfTorch(facts))
    return [
      fix("install the build for ROCm; PyTorch's selector on pytorch.org names the index for it"),
      fix("where a project has no build for ROCm, it runs on the CPU or on NVIDIA's GPUs only"),
    ];
  return [
    fix(
      `install PyTorch's build for ROCm, in the environment of the program; AMD's own driver must be there${ofToday.test(gpu) ? "" : ", and the GPU must be one that ROCm serves (RX 6000 and newer, Instinct)"}`,
      "pip uninstall -y torch torchvision torchaudio",
      "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/rocm6.4",
      ...(smallRdna2.test(gpu) ? ["export HSA_OVERRIDE_GFX_VERSION=10.3.0"] : []),
    ),
    fix("what a project has for CUDA alone runs on the CPU, or on NVIDIA's GPUs"),
  ];
}
