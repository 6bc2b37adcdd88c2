import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { libcuda, ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const nodeFixes = [
  fix(
    "on the node: see that the driver's module is loaded and has made its files, then start slurmd anew",
    "nvidia-modprobe -c 0 -u",
    "ls -l /dev/nvidia*",
  ),
  fix("for good: let nvidia-persistenced start before slurmd", "sudo systemctl enable --now nvidia-persistenced"),
];

/** Slurm's generic resources (src/interfaces/gres.c, src/plugins/gres/gpu, gpu/nvml, gpu/rsmi). */
export default [
  {
    ...notice(
      "gres-file-absent",
      "gres.conf file",
      /(?:can't stat|Waiting for) gres\.conf file (?<subject>\/dev\/\/?[\w/.-]{3,60})/,
      "slurmd: fatal: can't stat gres.conf file /dev/nvidia0: No such file or directory",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({ name: fact!.subject!.replace("//", "/") }),
      required: "the device files of the GPUs, before slurmd starts",
      found: "no such file",
      next: ["lsmod | grep nvidia", "nvidia-smi"],
      may: [
        {
          cause: "kernel-module-missing",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `gres.conf names \`${fact!.subject!.replace("//", "/")}\`, which is not there: the driver's module is not loaded on this node, or nobody has opened the GPU since it started`,
          fixes: nodeFixes,
        },
        { ...libcuda, cause: "driver-not-exposed", message: "or the node has no driver, or no GPU of that number" },
        { cause: "not-a-mismatch", message: "or gres.conf is that of another node" },
      ],
    },
  },
  {
    ...notice(
      "slurm-without-nvml",
      "weren't able to find that lib when slurm was configured",
      /We were configured to autodetect (?<subject>nvml|rsmi|oneapi|nvidia) functionality, but we weren't able to find that lib when Slurm was configured/,
      "fatal: We were configured to autodetect nvml functionality, but we weren't able to find that lib when Slurm was configured.",
    ),
    means: {
      weight: weights.said,
      name: "slurm",
      found: "a Slurm that was built without it",
      about: (_facts, _context, [fact]) => ({ required: `a Slurm that was built with ${fact!.subject}` }),
      next: ["find / -name 'gpu_nvml.so' 2>/dev/null", "scontrol --version"],
      may: [
        {
          cause: "wrong-wheel-cpu-only",
          certainty: "certain",
          message: (_facts, _context, [fact]) =>
            `this Slurm was built on a machine without ${fact!.subject === "rsmi" ? "ROCm SMI" : "NVML's header and library"}: its plugin for AutoDetect=${fact!.subject} does not exist`,
          fixes: [
            fix(
              "install the package of Slurm that has the plugin, or build Slurm where `nvml.h` (package cuda-nvml-dev) and libnvidia-ml are, with `--with-nvml`",
            ),
            fix("or name the GPUs in gres.conf by hand, without AutoDetect: `Name=gpu File=/dev/nvidia[0-3]`"),
          ],
        },
        { cause: "library-missing", name: "libnvidia-ml.so", message: "or libnvidia-ml was missing only where it was built" },
      ],
    },
  },
  {
    ...notice(
      "gres-count-low",
      ["count reported lower than configured", "count repor", "gres/gpu count too low"],
      /gres\/gpu count (?:repor|reported lower than configured|too low)(?: \((?<found>\d{1,3}) < (?<required>\d{1,3})\))?/,
      "Reason=gres/gpu count reported lower than configured (0 < 4)",
    ),
    means: {
      weight: weights.said,
      name: "gres/gpu",
      about: (_facts, _context, all) => {
        const fact = all.find(({ found }) => found !== undefined);
        return fact ? { required: `${fact.required} GPUs, as slurm.conf says`, found: `${fact.found}, as slurmd counts` } : {};
      },
      next: ["nvidia-smi -L", "slurmd -G", "slurmd -C"],
      may: [
        {
          ...libcuda,
          cause: "driver-not-exposed",
          message: "slurmd sees fewer GPUs than slurm.conf says: no driver reaches it, its AutoDetect finds nothing, or a GPU is lost",
          fixes: [
            fix(
              "ask slurmd what it finds; where nvidia-smi shows the GPUs and slurmd none, name them in gres.conf by hand",
              "nvidia-smi -L",
              "sudo slurmd -G",
            ),
            fix("then take the node back", "sudo scontrol update nodename=$(hostname -s) state=resume"),
          ],
        },
        {
          cause: "wrong-wheel-cpu-only",
          name: "slurm",
          message: "or this Slurm was built without NVML, and AutoDetect=nvml finds nothing (`slurmd -G` shows it)",
        },
        { cause: "not-a-mismatch", message: "or a GPU fell off the bus, or slurm.conf counts wrongly" },
        { cause: "kernel-module-missing", message: "or the driver's module is not loaded on the node" },
      ],
    },
  },
  {
    ...notice(
      "gres-config",
      [
        "config-only gpu due to lack of file",
        "invalid generic resource (gres) specification",
        "gres.conf duplicate records",
        "autodetected gpus are being ignored",
        "requested gres option unsupported",
        "gres/gpu: invalid type",
      ],
      /Discarding the following config-only GPU|Invalid generic resource \(gres\) specification|gres\.conf duplicate records for gpu|autodetected GPUs are being ignored|Requested GRES option unsupported/i,
      "error: Discarding the following config-only GPU due to lack of File specification:",
      "srun: error: Unable to allocate resources: Invalid generic resource (gres) specification",
    ),
    means: ownMatter(
      "gres.conf",
      "Slurm's description of its GPUs and what is asked of it do not agree: type, number and file in gres.conf, `Gres=` of the node in slurm.conf, and `--gres` of the job",
      "compare `scontrol show node` with the job's request; of types the name must be the same in slurm.conf and gres.conf, or in neither",
    ),
  },
] satisfies Signature[];
