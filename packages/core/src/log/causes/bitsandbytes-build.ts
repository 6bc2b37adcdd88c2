import { compareDotted } from "../../knowledge/dotted.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { ofAmdAlone } from "../vendor.ts";

// Builds that bitsandbytes has published; one of the same major serves.
const publishedBuilds = [118, 120, 121, 122, 123, 124, 125, 126, 128, 129, 130];

function nearestBuild(cuda: string): number | undefined {
  const [major = 0, minor = 0] = cuda.split(".").map(Number);
  // The very build that is wanted is the one that is not there.
  const same = publishedBuilds.filter((build) => Math.floor(build / 10) === major && build % 10 !== minor);
  return same.findLast((build) => build % 10 <= minor) ?? same[0];
}

/** Before 0.43 bitsandbytes had files for Linux alone: on Windows it looks for a libcudart.so that nobody can install there. */
function ofLinux(facts: Facts): Problem | undefined {
  const [lost] = [
    ...facts.all("not-found").filter(({ by, name }) => by === "bitsandbytes" && /\.so/.test(name)),
    ...facts.notices("bnb-no-library"),
  ];
  if (!lost || !facts.on("windows") || facts.on("wsl2")) return undefined;
  const installed = facts.all("package").find(({ name }) => name.toLowerCase() === "bitsandbytes");
  if (installed && 0 <= compareDotted(installed.version, "0.43")) return undefined;
  const base = { name: "bitsandbytes", evidence: [lost], next: ["pip show bitsandbytes"] };
  return {
    weight: weights.refused + 1,
    suspects: [
      {
        ...base,
        cause: "wrong-wheel-platform",
        required: "bitsandbytes 0.43 or newer, which has files for Windows",
        found: installed ? `bitsandbytes ${installed.version}` : "an older release, with files for Linux alone",
        certainty: "likely",
        message:
          lost.kind === "not-found"
            ? "this bitsandbytes looks for `libcudart.so` on Windows: releases before 0.43 have files for Linux alone"
            : "bitsandbytes has no library for GPUs here: releases before 0.43 have files for Linux alone",
        fixes: [fix("take a release with files for Windows", 'pip install -U "bitsandbytes>=0.43"')],
      },
      ...(lost.kind === "not-found"
        ? [
            {
              ...base,
              cause: "library-missing" as const,
              certainty: "possible" as const,
              message: "so no CUDA runtime that it can load is there",
              fixes: [],
            },
          ]
        : []),
      {
        ...base,
        cause: "wrong-wheel-cpu-only",
        certainty: "possible",
        message: lost.kind === "not-found" ? "so its part for the CPU is all that it loads" : "or it was built for the CPU alone",
        fixes: [],
      },
    ],
  };
}

/** Its installation guide has wheels for ROCm on PyPI in 0.50, and calls them experimental in 0.48; those of before hold CUDA alone. */
function onAmd(facts: Facts): Problem | undefined {
  const evidence = [
    ...facts.notices("bnb-setup-failed", "bnb-no-build", "bnb-without-gpu", "bnb-no-library"),
    ...facts.all("not-found").filter(({ by }) => by === "bitsandbytes"),
  ];
  const [gpu] = facts.notices("amd-gpu", "rocm-of-system", "rocm-of-wheel", "rocm-image");
  if (evidence.length === 0 || !ofAmdAlone(facts) || !gpu || evidence.some(({ at }) => /_rocm|_hip/i.test(at.text))) return undefined;
  const base = {
    name: "bitsandbytes",
    evidence: [...evidence.slice(0, 2), gpu],
    next: ["pip show bitsandbytes", "python -m bitsandbytes"],
  };
  return {
    weight: weights.said + 1,
    suspects: [
      {
        ...base,
        cause: "wrong-vendor",
        required: "a bitsandbytes with code for ROCm",
        found: `a build for CUDA, beside ${gpu.subject ?? "AMD's GPU"}`,
        certainty: "likely",
        message: "this bitsandbytes holds builds for CUDA alone, and the GPU is AMD's",
        fixes: [
          fix("take the newest release, whose wheels for Linux hold builds for ROCm too", "pip install -U bitsandbytes"),
          fix("where that does not know this ROCm, build it: its installation page has the steps for AMD"),
        ],
      },
      {
        ...base,
        cause: "wrong-wheel-cuda-version",
        certainty: "possible",
        message: "or it holds none for this release of ROCm",
        fixes: [],
      },
    ],
  };
}

/** bitsandbytes without a build for the CUDA that it found. */
export default function bitsandbytes(facts: Facts, context: Context): Problem[] {
  const foreign = ofLinux(facts) ?? onAmd(facts);
  if (foreign) return [foreign];
  const build = facts.notices("bnb-no-build")[0];
  if (!build) return [];
  const digits = /cuda(\d{2})(\d)/.exec(build.subject ?? "");
  const cuda = digits ? `${digits[1]}.${digits[2]}` : undefined;
  const nearest = cuda === undefined ? undefined : nearestBuild(cuda);
  const cpu = /_cpu\.so/.test(build.subject ?? "");
  const torch = context.framework("torch");
  const base = {
    name: build.subject?.split("/").at(-1) ?? "libbitsandbytes",
    evidence: [build, ...torch.facts.slice(0, 1)],
    next: ["python -m bitsandbytes", "pip list | grep -i 'bitsandbytes\\|torch'"],
  };
  const wheelSuspect: Suspect = {
    ...base,
    cause: "wrong-wheel-cuda-version",
    ...(cuda === undefined ? {} : { required: `a bitsandbytes with a library for CUDA ${cuda}`, found: "a release without it" }),
    certainty: "likely",
    message: `bitsandbytes did not find its library for ${cuda === undefined ? "this CUDA" : `CUDA ${cuda}`}`,
    fixes: [
      fix("upgrade bitsandbytes", "pip install --upgrade bitsandbytes"),
      ...(nearest === undefined
        ? []
        : [
            fix(
              "or let it use the nearest other build of the same major, where that is among its files",
              `export BNB_CUDA_VERSION=${nearest}`,
            ),
          ]),
    ],
  };
  return [
    {
      weight: weights.refused,
      suspects: cpu
        ? [
            {
              ...wheelSuspect,
              cause: facts.on("windows") ? "wrong-wheel-platform" : "wrong-wheel-cpu-only",
              message: "bitsandbytes has no build for this system and falls back to one for the CPU",
            },
            { ...wheelSuspect, certainty: "possible" },
          ]
        : [
            wheelSuspect,
            {
              ...wheelSuspect,
              cause: "library-missing",
              certainty: "possible",
              message: "or it was built from source, and the library for the GPU was not made or not installed",
            },
            {
              ...wheelSuspect,
              cause: "library-wrong-version",
              certainty: "possible",
              message: "or the CUDA runtime that it found is not the one that PyTorch uses",
            },
            {
              ...wheelSuspect,
              cause: "library-shadowed",
              certainty: "possible",
              message: "or another CUDA runtime is found before the right one",
            },
          ],
    },
  ];
}
