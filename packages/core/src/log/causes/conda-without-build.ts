import { compareDotted } from "../../knowledge/dotted.ts";
import { torchBuilds } from "../../knowledge/frameworks.ts";
import { comparePythonVersions } from "../../lib/pep440.ts";
import type { TorchRelease } from "../../model/knowledge.ts";
import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

interface Asked {
  version: string;
  cuda: string;
  beside: string[];
  fact: Fact<"notice">;
}

// From this release on pytorch-cuda chooses the build, and cudatoolkit nothing (knowledge/conda.json).
const firstWithPytorchCuda = "1.13";

/** Conda was asked for a PyTorch and a CUDA for which there is no build: it takes the build for the CPU, and says nothing of it. */
export default function condaWithoutBuild(facts: Facts, context: Context): Problem[] {
  const unseen: Fact[] = [
    ...facts.all("available").filter(({ by, value }) => by === "torch" && !value),
    ...facts.notices("gpu-not-seen", "no-gpu-seen", "gpu-unused", "torch-without-cuda"),
  ];
  const asked = facts.notices("conda-command").flatMap(askedIn)[0];
  if (!asked || unseen.length === 0 || context.framework("torch").cuda !== undefined || facts.has("cuda-error")) return [];
  const { version, cuda, fact } = asked;
  const builds = torchBuilds().filter((each) => each.version === version && each.variant.startsWith("cu"));
  if (builds.length === 0 || builds.some((each) => each.cuda === cuda)) return [];
  const listed = builds.map((each) => each.cuda).toSorted(compareDotted);
  const suspect = cpuOnly("torch", "most likely the build for the CPU", [...unseen.slice(0, 2), fact], "likely", waysOut(builds, asked));
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          ...suspect,
          required: `PyTorch ${version} for ${listed.map((each) => `CUDA ${each}`).join(" or ")}`,
          message: `PyTorch ${version} was never built for CUDA ${cuda}: conda then takes its build for the CPU, without a word`,
          next: [...(suspect.next ?? []), "conda list pytorch"],
        },
      ],
    },
  ];
}

function askedIn(fact: Fact<"notice">): Asked[] {
  const line = fact.subject ?? "";
  const version = /(?:^|[\s"':])pytorch={1,2}(\d+\.\d+\.\d+)(?=[\s"']|$)/.exec(line)?.[1];
  const cuda = /(?:^|[\s"':])(?:cudatoolkit|pytorch-cuda)={1,2}(\d+\.\d+)(?=[\s"'.]|$)/.exec(line)?.[1];
  if (version === undefined || cuda === undefined) return [];
  const beside = ["torchvision", "torchaudio"].filter((name) => new RegExp(`(?:^|\\s)["']?${name}\\b`).test(line));
  return [{ version, cuda, beside, fact }];
}

/** The same release for the nearest CUDA before it, and the first release that there is for the CUDA itself. */
function waysOut(builds: TorchRelease[], { version, cuda, beside }: Asked) {
  const sorted = builds.toSorted((a, b) => compareDotted(a.cuda, b.cuda));
  const near = sorted.findLast((each) => compareDotted(each.cuda, cuda) <= 0) ?? sorted[0]!;
  const first = torchBuilds().find((each) => each.cuda === cuda && 0 < comparePythonVersions(each.version, version));
  return [
    fix(
      `take PyTorch ${version} for CUDA ${near.cuda}; the build is named outright, so that conda cannot take another`,
      line(near, beside),
    ),
    ...(first ? [fix(`or take the first PyTorch for CUDA ${cuda}: ${first.version}`, line(first, beside))] : []),
  ];
}

function line({ version, cuda }: TorchRelease, beside: string[]): string {
  const chooser = comparePythonVersions(version, firstWithPytorchCuda) < 0 ? "cudatoolkit" : "pytorch-cuda";
  return `conda install -c pytorch -c nvidia -c conda-forge "pytorch=${version}=*cuda${cuda}*" ${[...beside, `${chooser}=${cuda}`].join(" ")}`;
}
