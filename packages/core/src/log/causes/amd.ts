import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix } from "../fixes.ts";
import { objectNamed } from "../objects.ts";

/** Other makers' GPUs: code that a ROCm build does not hold, NVIDIA's libraries where the GPU is not NVIDIA's, and the other way round. */
export default function amd(facts: Facts): Problem[] {
  return [...withoutCode(facts), ...ofNvidia(facts), ...ofAmd(facts)];
}

// Code of one GPU runs on its siblings where ROCm is told to take them for it (ROCm issue 2536, PyTorch issue 164346).
const siblings: [pattern: RegExp, as: string, target: string][] = [
  [/^gfx103[1-6]$/, "10.3.0", "gfx1030"],
  [/^gfx110[1-3]$|^gfx115[01]$/, "11.0.0", "gfx1100"],
];

/** Where no target is named, each generation that has one sibling with code. */
const bySeries = [
  fix("RX 6000 (gfx1031 to gfx1036): let ROCm take the GPU for gfx1030, for which there is code", "export HSA_OVERRIDE_GFX_VERSION=10.3.0"),
  fix("RX 7000 (gfx1101 to gfx1103): let ROCm take it for gfx1100", "export HSA_OVERRIDE_GFX_VERSION=11.0.0"),
];

function withoutCode(facts: Facts): Problem[] {
  const evidence = facts.notices("hip-no-code");
  if (evidence.length === 0) return [];
  const gpus = facts.notices("amd-gpu").filter(({ subject }) => subject !== undefined);
  const target =
    evidence.find(({ subject }) => subject !== undefined)?.subject ?? gpus.find(({ subject }) => subject!.startsWith("gfx"))?.subject;
  // "Radeon GPUs" names none.
  const model = gpus.find(({ subject }) => !subject!.startsWith("gfx") && /\d/.test(subject!))?.subject;
  const listed = evidence.find(({ found }) => found !== undefined)?.found;
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
          fixes: codeFixes(target, model, overridden),
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

function codeFixes(target: string | undefined, model: string | undefined, overridden: boolean): NonNullable<Suspect["fixes"]> {
  if (gone.test(`${target} ${model}`)) return [noLonger];
  const known = target ?? (smallRdna2.test(model ?? "") ? "gfx1031" : undefined);
  const sibling = overridden ? undefined : siblings.find(([pattern]) => pattern.test(known ?? ""));
  const release = fix(
    `${sibling || (!overridden && known === undefined) ? "or " : ""}take a release of PyTorch and ROCm that lists ${target ?? "the target that rocminfo shows"}`,
  );
  if (sibling)
    return [
      fix(
        `let ROCm take the GPU for its sibling ${sibling[2]}, for which there is code; it is not supported by AMD and mostly works`,
        `export HSA_OVERRIDE_GFX_VERSION=${sibling[1]}`,
      ),
      release,
    ];
  return known === undefined && !overridden ? [...bySeries, release] : [release];
}

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
  // ROCm is not made for Macs, whatever their GPU.
  if (gpu.length === 0 || nvidia || evidence.length === 0 || facts.on("macos")) return [];
  const rocm = facts.all("framework").find(({ version }) => /rocm/.test(version ?? ""));
  if (rocm && unseen.length === evidence.length) return [closedTo(unseen, rocm)];
  const intel = gpu.every(({ id }) => id === "intel-gpu");
  const wheel: Suspect = {
    cause: "wrong-vendor",
    name: lost[0]?.name ?? "torch",
    required: intel ? "an NVIDIA GPU" : "an NVIDIA GPU, or a build for ROCm",
    found: gpu.find(({ subject }) => subject !== undefined)?.subject ?? (intel ? "an Intel GPU" : "an AMD GPU"),
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

/** A build for ROCm that sees no GPU: it reaches the GPU through device files, which belong to two groups. */
function closedTo(unseen: Fact[], rocm: Fact<"framework">): Problem {
  const base = { name: "/dev/kfd", evidence: [...unseen, rocm], next: ["ls -l /dev/kfd /dev/dri; groups", "rocminfo | grep gfx"] };
  return {
    weight: weights.said,
    symptom: "PyTorch's build for ROCm sees no GPU",
    suspects: [
      {
        ...base,
        cause: "driver-not-exposed",
        certainty: "possible",
        required: "the device files of AMD's driver, open for this user",
        message: "this user or container may not open /dev/kfd and /dev/dri, through which every ROCm program reaches the GPU",
        fixes: [
          fix("join the groups that may use the GPU, then log in again", "sudo usermod -a -G render,video $LOGNAME"),
          containerOption("in a container: give it the devices and their groups", "--device=/dev/kfd --device=/dev/dri --group-add video"),
        ],
      },
      {
        ...base,
        cause: "kernel-module-missing",
        certainty: "possible",
        message: "or AMD's kernel driver is not loaded, or older than this ROCm",
        fixes: [],
      },
      {
        ...base,
        cause: "arch-unsupported",
        name: "the GPU",
        certainty: "possible",
        message: "or this release of ROCm does not know the GPU",
        fixes: [],
      },
    ],
  };
}

const hasNvidia = (facts: Facts) =>
  facts.has("gpu") || facts.has("driver") || facts.has("driver-cuda") || 0 < facts.notices("gpu-said").length;

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
const ofToday = /\bRX ?(?:6[4-9]|7[5-9]|90)\d\d|gfx1[0-2]\d\d|Instinct|\bMI[23]\d\dX?\b|\b(?:6[4-9]|7[5-9]|90)\d0 ?XTX?\b/i;
/** RDNA 2 below the RX 6800, for whose chips there is no code of their own. */
const smallRdna2 = /\b(?:RX ?)?6[4-7][05]0(?!\d)|gfx103[1-6]/i;
/** Polaris and Vega, which ROCm 6 has left. */
const gone = /\bRX ?[45][4-9]0\b|gfx803|\bVega\b|gfx900/i;

const noLonger = fix("ROCm of today does not serve this GPU any more: run the program on the CPU, or on another GPU");

function fixesFor(gpu: string, facts: Facts): NonNullable<Suspect["fixes"]> {
  if (facts.on("windows"))
    return [
      fix(
        "on Windows take what the project has for AMD: its option or fork for DirectML or ZLUDA, or a build for Vulkan; the ROCm builds of PyTorch's index are for Linux, and AMD's own for Windows (its guide names them) for the RX 7000 and 9000 series",
      ),
      fix("where a project has none, it runs on the CPU or on NVIDIA's GPUs only"),
    ];
  if (gone.test(gpu)) return [noLonger];
  if (!ofToday.test(gpu))
    return [
      fix("install the build for ROCm; PyTorch's selector on pytorch.org names the index for it"),
      fix("where a project has no build for ROCm, it runs on the CPU or on NVIDIA's GPUs only"),
    ];
  return [
    fix(
      "install PyTorch's build for ROCm, in the environment of the program; AMD's own driver must be there",
      "pip uninstall -y torch torchvision torchaudio",
      "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/rocm6.4",
      ...(smallRdna2.test(gpu) ? ["export HSA_OVERRIDE_GFX_VERSION=10.3.0"] : []),
    ),
    fix("what a project has for CUDA alone runs on the CPU, or on NVIDIA's GPUs"),
  ];
}
