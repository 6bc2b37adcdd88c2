import { amdGpuIn, isServed, smallRdna2, targetFixes } from "../amd-targets.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix } from "../fixes.ts";
import { hasNvidia, rocmBuildIn } from "../vendor.ts";

/** A build for ROCm that sees no GPU, or what was to be one and is for the CPU. */
export default function rocmBuild(facts: Facts): Problem[] {
  const rocm = rocmBuildIn(facts);
  const unseen = [
    ...facts.all("available").filter(({ by, value }) => by === "torch" && !value),
    ...facts.notices("torch-without-cuda"),
    ...facts.notices("no-gpu-seen").filter(({ subject }) => subject === "hip"),
  ];
  // Whoever may not open the device files is told so by himself.
  const said = 0 < facts.notices("kfd-refused", "kfd-absent", "amdgpu-not-loaded", "hip-no-code").length;
  if (!rocm || unseen.length === 0 || said || hasNvidia(facts) || facts.on("macos")) return [];
  const cpu = facts.all("framework").find(({ cpuOnly, version }) => cpuOnly ?? /\+cpu/.test(version ?? ""));
  if (cpu) return [forCpu(cpu, unseen, facts)];
  if (facts.on("wsl2")) return [onWsl(unseen, rocm)];
  // PyTorch's own words for a build that has no part for any GPU.
  return 0 < facts.notices("torch-without-cuda").length ? [] : [closedTo(unseen, rocm, facts)];
}

/** PyTorch's indexes for ROCm (its page of previous versions): not every release has one. */
const indexes = ["5.2", "5.4.2", "5.6", "5.7", "6.0", "6.1", "6.2", "6.2.4", "6.3", "6.4"];
const indexFor = (asked: string | undefined): string =>
  indexes.find((each) => each === asked) ?? indexes.find((each) => asked !== undefined && each.startsWith(`${asked}.`)) ?? indexes.at(-1)!;

function forCpu(cpu: Fact<"framework">, unseen: Fact[], facts: Facts): Problem {
  const release = indexFor(facts.notices("rocm-of-wheel")[0]?.subject);
  return {
    weight: weights.said,
    suspects: [
      {
        cause: "wrong-wheel-cpu-only",
        name: cpu.id,
        required: "a build for ROCm",
        found: cpu.version === undefined ? "a build for the CPU" : `${cpu.id} ${cpu.version}`,
        certainty: "likely",
        message: `the ${cpu.id} that is installed is a build for the CPU, whatever index was named: the index had none for this Python, or one was there before`,
        evidence: [cpu, ...unseen.slice(0, 2)],
        next: ['python -c "import sys, torch; print(sys.version, torch.__version__, torch.version.hip)"'],
        fixes: [
          fix(
            "install it anew from the index for ROCm alone, with a Python for which that index has wheels",
            "pip uninstall -y torch torchvision torchaudio",
            `pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/rocm${release}`,
          ),
        ],
      },
    ],
  };
}

/** AMD's guide for WSL replaces the wheel's HSA runtime by that of ROCm for WSL (ROCm/hip issue 3710 quotes it). */
function onWsl(unseen: Fact[], rocm: Fact): Problem {
  const base = {
    evidence: [...unseen.slice(0, 2), rocm],
    next: ["rocminfo | grep gfx", 'ls -l $(python3 -c "import torch; print(torch.__path__[0])")/lib/libhsa-runtime64*'],
    certainty: "possible" as const,
  };
  return {
    weight: weights.said,
    symptom: "PyTorch's build for ROCm sees no GPU in WSL",
    suspects: [
      {
        ...base,
        cause: "library-shadowed",
        name: "libhsa-runtime64.so",
        required: "the HSA runtime of ROCm for WSL",
        found: "the wheel's own, which knows no WSL",
        message:
          "the wheels of PyTorch's index bring an HSA runtime of their own, which looks for /dev/kfd, and WSL has none: that of ROCm for WSL must take its place",
        fixes: [
          fix(
            "put the runtime of ROCm for WSL in the place of the wheel's, as AMD's guide for WSL does",
            'location=$(python3 -c "import torch; print(torch.__path__[0])")/lib',
            'rm "$location"/libhsa-runtime64.so*',
            'cp /opt/rocm/lib/libhsa-runtime64.so.1 "$location"/libhsa-runtime64.so',
          ),
          fix("or install the wheels that AMD publishes for WSL (repo.radeon.com; its guide for WSL names them)"),
        ],
      },
      {
        ...base,
        cause: "driver-not-exposed",
        name: "/dev/dxg",
        message: "or ROCm for WSL itself is not installed: then `rocminfo` shows no GPU either",
        fixes: [fix("install ROCm for WSL as AMD's guide says, and AMD's driver on Windows; its list names the GPUs that it serves")],
      },
    ],
  };
}

/** It reaches the GPU through device files, which belong to two groups. */
function closedTo(unseen: Fact[], rocm: Fact, facts: Facts): Problem {
  const { target, model } = amdGpuIn(facts);
  const [bare] = facts.notices("rocm-without-devices");
  const base = {
    name: "/dev/kfd",
    certainty: "possible" as const,
    evidence: [...unseen.slice(0, 3), rocm],
    next: ["ls -l /dev/kfd /dev/dri; groups", "rocminfo | grep gfx"],
  };
  const suspects: Suspect[] = [
    {
      ...base,
      cause: "driver-not-exposed",
      required: "the device files of AMD's driver, open for this user",
      ...(bare
        ? {
            certainty: "likely" as const,
            found: "a container that was started without them",
            message: `the container of \`${bare.subject}\` was started without /dev/kfd and /dev/dri, through which every ROCm program reaches the GPU`,
            fixes: [containerOption("start it with the devices and their groups", "--device=/dev/kfd --device=/dev/dri --group-add video")],
          }
        : {
            message: "this user or container may not open /dev/kfd and /dev/dri, through which every ROCm program reaches the GPU",
            fixes: [
              fix("join the groups that may use the GPU, then log in again", "sudo usermod -a -G render,video $LOGNAME"),
              containerOption(
                "in a container: give it the devices and their groups",
                "--device=/dev/kfd --device=/dev/dri --group-add video",
              ),
            ],
          }),
    },
    {
      ...base,
      cause: "kernel-module-missing",
      message: "or AMD's kernel driver is not loaded, or older than this ROCm",
      fixes: [],
    },
  ];
  const unserved = target === undefined ? smallRdna2.test(model ?? "") : !isServed(target);
  const code: Suspect = {
    ...base,
    cause: "arch-unsupported",
    name: target ?? model ?? "the GPU",
    message: `or this release of ROCm does not know ${target ?? "the GPU"}`,
    fixes: unserved ? targetFixes(target, model, facts) : [],
  };
  return { weight: weights.said, symptom: "PyTorch's build for ROCm sees no GPU", suspects: [...suspects, code] };
}
