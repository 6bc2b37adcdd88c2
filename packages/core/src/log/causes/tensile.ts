import { amdGpuIn, isServed, targetFixes } from "../amd-targets.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, withoutSearchPath } from "../fixes.ts";

/** rocBLAS does not get its kernels: its files are of another release of ROCm than it is, or none of them is for this GPU. */
export default function tensile(facts: Facts): Problem[] {
  const evidence = facts.notices("tensile-not-loaded");
  if (evidence.length === 0 || 0 < facts.notices("hip-no-code").length) return [];
  const file = evidence.find(({ found }) => found !== undefined)?.found;
  const target = /gfx[\da-f]{3,4}/.exec(file ?? "")?.[0] ?? amdGpuIn(facts).target;
  const [wheel] = facts.notices("rocm-of-wheel");
  const system = facts.notices("rocm-of-system").find(({ subject }) => wheel !== undefined && subject !== wheel.subject);
  const apart = wheel !== undefined && system !== undefined;
  const unserved = target !== undefined && !isServed(target);
  const base = {
    name: "rocBLAS",
    evidence: [...evidence.slice(0, 2), ...(apart ? [wheel, system] : [])] satisfies Fact[],
    next: ["rocminfo | grep gfx", "ls -d /opt/rocm*; echo $LD_LIBRARY_PATH", "pip list | grep -i 'rocm\\|torch'"],
  };
  const two = ofTwo(base, apart ? [wheel.subject!, system.subject!] : undefined);
  const code = withoutFiles(base, target, unserved && !apart, facts);
  return [
    {
      weight: weights.failed,
      symptom: "rocBLAS cannot load its kernels",
      suspects: unserved && !apart ? [code, ...two] : [...two, code],
    },
  ];
}

type Base = Pick<Suspect, "evidence" | "next"> & { name: string };

function ofTwo(base: Base, releases: [wheel: string, system: string] | undefined): Suspect[] {
  const [wheel, system] = releases ?? [];
  const both = {
    ...base,
    required: wheel === undefined ? "rocBLAS and its files of one release of ROCm" : `parts of ROCm ${wheel} alone`,
    ...(system === undefined ? {} : { found: `ROCm ${wheel} of the wheel and ROCm ${system} of the system` }),
  };
  return [
    {
      ...both,
      cause: "two-copies",
      certainty: releases ? "likely" : "possible",
      message:
        wheel === undefined
          ? "two releases of ROCm meet in one process, and one rocBLAS reads the files of the other: a wheel brings its own, the system has another"
          : `the wheel brings ROCm ${wheel}, and something beside it brings ROCm ${system} into the same process: one rocBLAS reads the files of the other`,
      fixes: [
        fix(
          `build or install all that is loaded together for one release${system === undefined ? "" : `: PyTorch for ROCm ${system} where there is one, or the other packages again for ROCm ${wheel}`}`,
        ),
        withoutSearchPath(),
      ],
    },
    {
      ...both,
      cause: "library-wrong-version",
      certainty: "possible",
      message: "or the files of rocBLAS are left from another release than its library",
      fixes: [fix("install rocBLAS again, with its files, from one release", "sudo apt-get install --reinstall rocblas")],
    },
  ];
}

const withoutFiles = (base: Base, target: string | undefined, first: boolean, facts: Facts): Suspect => ({
  ...base,
  cause: "arch-unsupported",
  required: `files of rocBLAS for ${target ?? "this GPU"}`,
  certainty: first ? "likely" : "possible",
  message: first
    ? `AMD's rocBLAS has no files for ${target}`
    : `or this rocBLAS has no files for ${target ?? "the GPU"}: see the folder that it names`,
  fixes: target === undefined ? [fix("take a release of ROCm whose list of supported GPUs has it")] : targetFixes(target, undefined, facts),
});
