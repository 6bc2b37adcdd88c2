import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda, ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** Singularity and Apptainer, with --nv, --rocm and --nvccli (pkg/util/gpu, internal/pkg/runtime/launcher/native). */
export default [
  {
    ...notice(
      "no-nv-files",
      ["could not find any nv", "could not find any rocm", "while finding nv bind points", "while finding rocm bind points"],
      /Could not find any (?<subject>nv|rocm) (?:files|libraries) on this host|While finding (?<found>nv|ROCm) bind points: /,
      "INFO:    Could not find any nv files on this host!",
    ),
    means: {
      weight: weights.said,
      ...libcuda,
      required: "the driver's libraries, in the loader's list of the host",
      found: "none that `--nv` finds",
      next: ["nvidia-smi", "/sbin/ldconfig -p | grep libcuda"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            /rocm/i.test(fact!.subject ?? fact!.found ?? "")
              ? "`--rocm` finds nothing of AMD's driver on this host: this node has none, or ROCm lies where its loader does not look"
              : "`--nv` finds nothing of NVIDIA's driver on this host: this node has no GPU, or the driver's libraries are not in its loader's list",
          fixes: (facts) =>
            facts.on("jetson")
              ? [
                  fix(
                    "name the folder in which a Jetson has the driver's libraries",
                    "export APPTAINER_BINDPATH=/usr/lib/aarch64-linux-gnu/tegra APPTAINERENV_LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu/tegra",
                  ),
                ]
              : [
                  fix("start it on a node that has a GPU; this shows whether this one has:", "nvidia-smi -L"),
                  fix(
                    "where the driver lies in a folder of its own (NixOS, a Jetson): bind that folder, and name it in LD_LIBRARY_PATH inside",
                  ),
                ],
        },
        { cause: "library-not-on-path", message: "or the driver's libraries lie where the host's ldconfig does not look" },
      ],
    },
  },
  {
    ...notice(
      "nvccli-refused",
      ["nvidia-container-cli not allowed in setuid mode", "does not support --nvccli", "nvidia-container-cli is not owned by root"],
      /nvidia-container-cli not allowed in setuid mode|--fakeroot does not support --nvccli|nvidia-container-cli is not owned by root user/,
      "FATAL: While setting GPU configuration: nvidia-container-cli not allowed in setuid mode",
    ),
    means: ownMatter(
      "--nvccli",
      "this installation of Singularity may not call nvidia-container-cli",
      "use plain `--nv`, which needs no help of it; `--nvccli` is for installations without set-uid, with `--userns`",
    ),
  },
] satisfies Signature[];
