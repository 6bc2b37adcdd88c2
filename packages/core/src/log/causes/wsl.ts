import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { cpuOnly } from "../meaning.ts";

/** Under WSL the driver is Windows' own, in /usr/lib/wsl/lib; a Linux driver beside it answers first and reaches no GPU. */
export default function linuxDriverInWsl(facts: Facts): Problem[] {
  if (!facts.on("wsl2")) return [];
  const packaged = linuxDriverIn(facts);
  const failed = [
    ...facts.all("cuda-error").filter(({ code }) => code === 100 || code === 999 || code === 500),
    ...facts.notices("no-devices", "smi-failed", "nvml-not-loaded", "module-missing"),
    // What a container lacks is another matter than what WSL does.
    ...(facts.on("container") ? [] : facts.notices("no-gpu-seen")),
    ...facts.all("available").filter(({ value }) => !value),
  ];
  if (failed.length === 0) return [];
  const base = {
    name: "libcuda.so.1",
    library: "libcuda",
    required: "/usr/lib/wsl/lib/libcuda.so.1, which Windows' driver brings",
    evidence: [...failed.slice(0, 3), ...(packaged ? [packaged] : [])],
    next: ["ls -l /usr/lib/wsl/lib/libcuda*", "ldconfig -p | grep libcuda"],
  };
  const look = fix("let the loader look where Windows puts its driver", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH");
  const remove = fix(
    "remove the driver's packages inside WSL; the driver is installed in Windows only",
    "sudo apt-get purge 'libnvidia-compute-*' 'nvidia-driver-*'",
  );
  const linux: Suspect = {
    ...base,
    cause: "library-shadowed",
    found: "a libcuda of a Linux driver",
    certainty: packaged ? "likely" : "possible",
    message: `${packaged ? "" : "or "}a Linux driver is installed inside WSL: its libcuda is found before that of Windows, and reaches no GPU`,
    fixes: [remove, look],
  };
  const path: Suspect = {
    ...base,
    cause: "library-not-on-path",
    certainty: "possible",
    message: "the libcuda that Windows' driver brings lies in /usr/lib/wsl/lib, and the loader does not look there",
    fixes: [look],
  };
  const windows: Suspect = {
    ...base,
    cause: "driver-not-exposed",
    certainty: "possible",
    message: "or no driver for WSL reaches Linux: Windows' driver is too old, WSL is, or it is WSL 1",
    fixes: [fix("in Windows: bring the NVIDIA driver and WSL up to date, then start it anew", "wsl --update; wsl --shutdown")],
  };
  // Windows hands GPUs on to WSL since 21H2.
  const old = facts.notices("windows-build").find(({ found }) => Number(found) < firstBuild);
  if (old && facts.notices("smi-works").length === 0)
    return [{ weight: weights.failed + 1, suspects: [ofOldWindows(old, windows), { ...path, message: `or ${path.message}` }, linux] }];
  const builds = buildOf(facts, base.evidence);
  // Where nvidia-smi shows the GPU, Windows' driver reaches Linux: what is left is the build, and a second libcuda.
  const order = packaged
    ? [linux, windows, { ...path, message: `or ${path.message}` }, ...builds]
    : 0 < builds.length && 0 < facts.notices("smi-works").length
      ? [...builds, linux, { ...path, message: `or ${path.message}` }]
      : [path, windows, linux, ...builds];
  return [{ weight: packaged ? weights.refused + 1 : weights.failed + 1, symptom: "under WSL no GPU is reached", suspects: order }];
}

/** A package of a Linux driver that somebody names. */
export const linuxDriverIn = (facts: Facts): Fact | undefined =>
  facts.notices("linux-driver-asked")[0] ??
  facts
    .everything()
    .find(({ at }) =>
      /\b(?:libnvidia-compute|libcuda1|nvidia-(?:driver|utils|dkms|kernel)|cuda-drivers)(?:-\d{3})?\b|reinstalled? nvidia drivers?|installed (?:the |a )?linux (?:nvidia )?drivers?|drivers? inside/i.test(
        at.text,
      ),
    );

const firstBuild = 19_044;

const ofOldWindows = (old: Fact<"notice">, windows: Suspect): Suspect => ({
  ...windows,
  required: `Windows 10 21H2 (build ${firstBuild}) or newer, or Windows 11`,
  found: `Windows 10.0.${old.found}`,
  certainty: "likely",
  message: `Windows of build ${old.found} hands no GPU on to WSL: 21H2 (build ${firstBuild}) is the first that does`,
  evidence: [...windows.evidence, old],
  fixes: [fix(`update Windows to 21H2 or newer, then WSL and the driver in Windows`, "wsl --update; wsl --shutdown")],
});

// A framework without CUDA sees no GPU anywhere, also under WSL.
function buildOf(facts: Facts, evidence: Fact[]): Suspect[] {
  const by = facts.all("available").find(({ value }) => !value)?.by;
  if (by !== "torch" && by !== "tensorflow") return [];
  const install = by === "torch" ? "pip install torch --force-reinstall" : 'pip install "tensorflow[and-cuda]"';
  return [
    cpuOnly(by, "perhaps a build without CUDA", evidence, "possible", [
      fix("install its build with CUDA, which PyPI has for Linux", install),
    ]),
  ];
}
