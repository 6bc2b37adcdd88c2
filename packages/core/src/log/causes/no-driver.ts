import { weights, type Problem, type Suspect } from "../cause.ts";
import { type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { containerOption, fix, driverReachesFixes } from "../fixes.ts";
import { noRuntime } from "../container-runtime.ts";
import { moduleMissing, notLoaded } from "../kernel-module.ts";

const ofCluster = (evidence: Fact[]): Suspect => ({
  cause: "not-a-mismatch",
  name: "the node",
  certainty: "possible",
  message: "or this is a cluster: its login nodes have no GPU, and a job gets one only if it asks for it",
  evidence,
  fixes: [fix("ask the scheduler for a GPU; this shows whether it gives one:", "srun --gres=gpu:1 nvidia-smi")],
});

const name = "libcuda.so.1";

const library = "libcuda";

// The linker looks in folders of its own, and for the plain name; a toolkit has a stub of it that is made for linking.
const forTheLinker = [
  fix(
    "let the linker find the toolkit's stub, which is made for that; the program itself then opens the driver's own",
    "export LIBRARY_PATH=/usr/local/cuda/lib64/stubs:$LIBRARY_PATH",
  ),
  fix(
    "without a toolkit: give the driver's library the plain name, in the folder where it lies",
    'sudo ln -s libcuda.so.1 "$(dirname "$(ldconfig -p | awk \'/libcuda.so.1 .*x86-64/ {print $NF; exit}\')")/libcuda.so"',
  ),
];

function paddleGoesOn(warned: Fact[], answered: Fact): Suspect[] {
  const base = { name: "libcuda.so", library, evidence: [...warned, answered] };
  return [
    {
      ...base,
      cause: "benign-warning",
      certainty: "likely",
      message: "Paddle looks for `libcuda.so` without a number first, and then finds the driver: it names the device, and the GPU is used",
    },
    {
      ...base,
      cause: "library-not-on-path",
      certainty: "possible",
      message: "whoever wants it quiet lets the loader find `libcuda.so` (under WSL it lies in /usr/lib/wsl/lib)",
      fixes: [],
    },
  ];
}

/** nvidia-smi answers in the container, and CUDA does not: it was given the tools of the driver and not its libraries for computing. */
const seesGpu = (facts: Facts): boolean => 0 < facts.notices("smi-works", "smi-no-cuda").length;
const computeToo = containerOption(
  "where nvidia-smi works in the container and CUDA does not: let it have all of the driver, not its tools alone (in a compose file among `environment`, or `capabilities: [gpu, compute, utility]`)",
  "-e NVIDIA_DRIVER_CAPABILITIES=compute,utility",
);

/** No driver reaches the process, or its kernel module is not loaded. */
export default function absent(facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  const lost = facts.all("not-found").filter((fact) => /^(?:libcuda\.so|nvcuda\.dll|libnvidia-ml\.so)/.test(fact.name));
  const container = facts.all("container").filter(({ what }) => what !== "requirement" && what !== "mismatch");
  const none = facts.notices(
    "no-driver",
    "smi-no-nvml",
    "smi-missing",
    "nvidia-image-no-driver",
    "no-libcuda-numba",
    "triton-libcuda",
    "libcuda-not-loaded",
    "smi-no-cuda",
    "driver-init-failed",
    "triton-no-gpu",
    "dcgm-not-started",
    "no-uvm-device",
    "wsl-no-libcuda",
    ...(facts.on("container") ? ["smi-absent"] : []),
  );
  const failed = facts.notices("smi-failed", "nvml-not-loaded", "module-missing", "no-kernel-driver", ...notLoaded);
  const kernel = facts.all("driver").find(({ of }) => of === "kernel");
  const evidenceOf = (...lists: Fact[][]) => lists.flat();
  const withoutRuntime = container.some(({ what }) => what === "no-runtime" || what === "no-cdi");
  const notExposed = (certainty: Suspect["certainty"], evidence: Fact[]): Suspect => ({
    cause: "driver-not-exposed",
    ...halfOf(evidence),
    found: "none",
    certainty,
    message: withoutRuntime
      ? noRuntime(container, context).message
      : "no NVIDIA driver reaches the process: it is not installed, or the container was started without GPU access",
    evidence,
    next: ["nvidia-smi", "ls -l /dev/nvidia*", "culprit why libcuda.so.1"],
    fixes: withoutRuntime
      ? noRuntime(container, context).fixes
      : [...(context.inContainer && seesGpu(facts) ? [computeToo] : []), ...driverReachesFixes(context)],
  });
  if (0 < container.length) {
    // What /proc/driver/nvidia/version says comes from a module that is loaded.
    const unloaded = kernel === undefined && container.some(({ what }) => what === "not-loaded");
    const lacked = container.find((fact) => fact.what === "no-library" && "name" in fact && fact.name !== undefined);
    const exposed: Suspect = {
      ...notExposed("likely", container),
      ...(lacked && "name" in lacked ? { name: lacked.name!, library: lacked.name!.startsWith("libnvidia-ml") ? "nvml" : library } : {}),
    };
    const missing = moduleMissing("likely", container, facts);
    problems.push({ weight: weights.said, suspects: unloaded ? [missing, { ...exposed, certainty: "possible" }] : [exposed] });
    return problems;
  }
  if (0 < failed.length) {
    const device = facts.notices("no-nvidia-device-file");
    const explicit = facts.notices("module-missing", ...notLoaded);
    problems.push({
      // TensorFlow says it on every machine without a GPU.
      weight: failed.every((fact) => fact.kind === "notice" && fact.id === "no-kernel-driver") ? weights.hint + 1 : weights.refused,
      suspects: [
        ...(0 < explicit.length ? [] : withoutAllotted(failed, facts, context)),
        moduleMissing(
          0 < explicit.length ? "certain" : 0 < facts.notices("scheduler").length ? "possible" : "likely",
          evidenceOf(failed, device),
          facts,
        ),
        ...(0 < explicit.length
          ? []
          : [
              notExposed("possible", failed),
              {
                ...moduleMissing("possible", failed, facts),
                cause: "kernel-module-mismatch" as const,
                message: "or the module and the driver's libraries are of different releases",
              },
              // Nobody has a driver of his own to repair there.
              ...(0 < facts.notices("scheduler").length || facts.on("wsl2") || facts.on("windows") ? [] : [ofCluster(failed)]),
            ]),
      ],
    });
    return problems;
  }
  // The driver's library is there under its number: only the name without it is not.
  const numbered =
    facts.all("opened").some((fact) => fact.name === "libcuda.so.1") || facts.all("file").some(({ path }) => /\/libcuda\.so/.test(path));
  const file = lost.find((fact) => fact.name === "libcuda.so" && (fact.wantedBy !== undefined || numbered));
  if (file) {
    // cuDNN 8 opens libcuda.so without a number, which drivers do not always bring.
    const path: Suspect = {
      cause: "library-not-on-path",
      name: "libcuda.so",
      library,
      required: "libcuda.so where the loader looks",
      found: "not found under this name",
      certainty: "likely",
      message: `${file.by === "ld" ? "the linker looks for" : file.wantedBy === undefined ? "the program opens" : `\`${file.wantedBy}\` opens`} \`libcuda.so\` (without a number), and does not find it; the driver's \`libcuda.so.1\` ${numbered ? "is" : "may well be"} there`,
      evidence: [file],
      next: ["ldconfig -p | grep libcuda", "ls -l /usr/lib/wsl/lib/libcuda.so* /usr/lib/x86_64-linux-gnu/libcuda.so*"],
      fixes:
        file.by === "ld"
          ? facts.on("wsl2")
            ? [fix("let the linker look where Windows puts its driver", "export LIBRARY_PATH=/usr/lib/wsl/lib:$LIBRARY_PATH")]
            : forTheLinker
          : [
              fix("under WSL", "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH"),
              fix(
                "elsewhere let the loader look in the driver's folder; the link libcuda.so -> libcuda.so.1 in that folder belongs to the driver",
                "sudo ldconfig",
              ),
            ],
    };
    problems.push({
      weight: weights.refused,
      suspects: numbered
        ? [path]
        : [
            path,
            notExposed("possible", [file]),
            { ...path, cause: "library-missing", certainty: "possible", message: "or no driver is installed here" },
          ],
    });
    return problems;
  }
  // Paddle opens libcuda.so by its plain name and warns; where it then names the device, the driver answers.
  const answered = facts.all("driver-cuda").find(({ at }) => /Driver API Version/.test(at.text));
  const warned = lost.filter(({ by, name: each }) => by === "paddle" && each === "libcuda.so");
  if (answered && 0 < warned.length) {
    problems.push({ weight: weights.harmless + 1, suspects: paddleGoesOn(warned, answered) });
    return problems;
  }
  const real = lost.filter(({ by }) => by !== "tensorflow");
  if (0 < real.length || 0 < none.length) {
    const evidence = evidenceOf(real, none, lost, kernel ? [kernel] : []);
    if (kernel) {
      problems.push({
        weight: weights.refused,
        suspects: [
          {
            cause: "library-not-on-path",
            name,
            library,
            required: `libcuda.so.1 of driver ${kernel.version}, where the loader looks`,
            found: 0 < context.searched.length ? `only ${context.searched.map(({ folder }) => folder).join(":")}` : "not found",
            certainty: "likely",
            message: `the kernel runs driver ${kernel.version}, and the loader does not find its libcuda.so.1`,
            evidence,
            next: ["ldconfig -p | grep libcuda", "culprit why libcuda.so.1"],
            fixes: [fix("install the driver's libraries of the same release, and refresh the loader's cache", "sudo ldconfig")],
          },
          notExposed("possible", evidence),
          {
            ...notExposed("possible", evidence),
            cause: "library-missing",
            message: "or the driver's libraries are not installed beside the kernel module",
          },
        ],
      });
    } else {
      problems.push({
        weight: weights.refused,
        suspects: [
          notExposed("likely", evidence),
          {
            ...notExposed("possible", evidence),
            cause: "library-not-on-path",
            message: "or the driver is installed where the loader does not look",
          },
          { ...notExposed("possible", evidence), cause: "library-missing", message: "or the driver's libraries are not installed" },
          // A driver that answers, and fails to start.
          ...(none.some(({ id }) => id === "driver-init-failed")
            ? [
                {
                  ...notExposed("possible", evidence),
                  cause: "kernel-module-mismatch" as const,
                  found: "a driver that does not start",
                  message: "or the driver's libraries and its kernel module are of different releases",
                },
                {
                  ...notExposed("possible", evidence),
                  cause: "driver-too-old" as const,
                  found: "a driver that does not start",
                  message: "or the driver is older than the program needs",
                },
              ]
            : []),
        ],
      });
    }
  }
  return problems;
}

// Who speaks of NVML alone misses libnvidia-ml, not libcuda.
function halfOf(evidence: Fact[]): { name: string; library: string; required: string } {
  const nvml =
    0 < evidence.length &&
    evidence.every(
      (fact) =>
        (fact.kind === "notice" && /^smi-no-nvml$|^nvml-/.test(fact.id)) ||
        (fact.kind === "not-found" && fact.name.startsWith("libnvidia-ml")) ||
        (fact.kind === "container" && /nvml/i.test(fact.at.text)),
    );
  const half = nvml ? { name: "libnvidia-ml.so.1", library: "nvml" } : { name, library };
  return { ...half, required: `the driver's ${half.name} within the process` };
}

/** On a cluster the driver is the administrators' matter, and works: a node without GPUs, or a job without one, answers so. */
function withoutAllotted(evidence: Fact[], facts: Facts, context: Context): Suspect[] {
  if (facts.notices("scheduler").length === 0 || context.inContainer) return [];
  return [
    {
      cause: "not-a-mismatch",
      name: "the job",
      required: "a job to which the scheduler gave a GPU",
      found: "a node on which no driver answers",
      certainty: "possible",
      message: "the job runs on a node without a GPU, or was given none: the driver of a cluster answers on its GPU nodes",
      evidence: evidence.slice(0, 2),
      next: ["scontrol show job $SLURM_JOB_ID | grep -i gres; hostname"],
      fixes: [fix("ask the scheduler for a GPU; this shows whether it gives one:", "srun --gres=gpu:1 nvidia-smi")],
    },
  ];
}
