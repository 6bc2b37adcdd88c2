import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, withoutSearchPath } from "../fixes.ts";
import { oneClient, oneProfiler, pauseDcgm } from "../rights.ts";

/** What follows from one difference that somebody tells: it works with this, and not with that. */
export default function contrastsTold(facts: Facts, context: Context): Problem[] {
  return [
    ...asRootAlone(facts),
    ...underTwoProfilers(facts, context),
    ...besideDcgm(facts),
    ...afterUpdate(facts),
    ...partsOfTwoReleases(facts),
    ...extensionOutlived(facts),
  ];
}

function partsOfTwoReleases(facts: Facts): Problem[] {
  const [told] = facts.notices("cudnn-parts-told");
  if (!told) return [];
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          cause: "mixed-cudnn-sublibraries",
          name: "libcudnn.so",
          library: "cudnn",
          required: `all parts of cuDNN ${told.required}`,
          found: `parts of ${told.required} and of ${told.found}`,
          certainty: "likely",
          message: `parts of cuDNN ${told.required} and ${told.found} meet in one process: cuDNN opens its parts by bare name, wherever they are found first`,
          evidence: [told],
          next: ["ldconfig -p | grep libcudnn", "find / -name 'libcudnn*.so*' 2>/dev/null"],
          fixes: [withoutSearchPath(), fix("or keep one of the two: remove the other's package")],
        },
      ],
    },
  ];
}

// What was compiled against one PyTorch calls what the next no longer has under that name.
function extensionOutlived(facts: Facts): Problem[] {
  const evidence = facts.notices("extension-outlived");
  const named = facts.all("undefined-symbol").some(({ file }) => file !== "");
  if (evidence.length === 0 || named) return [];
  const [upgrade] = facts.notices("package-upgraded");
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          cause: "stale-artefact",
          name: "the extension",
          required: upgrade
            ? `an extension built for ${upgrade.subject} ${upgrade.required}`
            : "an extension built for the PyTorch that is here",
          found: upgrade ? `one built for ${upgrade.subject} ${upgrade.found}` : "one built for the PyTorch of before",
          certainty: "likely",
          message: "the extension was compiled for the PyTorch of before, and PyTorch keeps no binary interface between its releases",
          evidence: [...evidence, ...(upgrade ? [upgrade] : [])],
          next: ["ls ~/.cache/torch_extensions"],
          fixes: [
            fix(
              "let it be built again: take away what was compiled, and the build folder of the project",
              "rm -rf ~/.cache/torch_extensions",
            ),
          ],
        },
        {
          cause: "package-conflict",
          certainty: "possible",
          message: "or a package beside it was made for the other release",
          evidence,
          fixes: [],
        },
      ],
    },
  ];
}

// AMD's devices belong to two groups; NVIDIA's are open to all.
function asRootAlone(facts: Facts): Problem[] {
  const evidence = facts.notices("only-as-root");
  if (evidence.length === 0) return [];
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          cause: "driver-not-exposed",
          name: "/dev/kfd",
          required: "a user in the groups `render` and `video`",
          found: "a user to whom /dev/kfd and /dev/dri are closed",
          certainty: "likely",
          message: "root sees the GPU and this user does not: /dev/kfd and /dev/dri/renderD* belong to the groups `render` and `video`",
          evidence,
          next: ["groups; ls -l /dev/kfd /dev/dri/render*"],
          fixes: [fix("add the user to both groups, and log in anew", "sudo usermod -aG render,video $USER")],
        },
      ],
    },
  ];
}

function underTwoProfilers(facts: Facts, context: Context): Problem[] {
  const evidence = facts.notices("two-profilers-told");
  if (evidence.length === 0 || facts.has("cupti-error")) return [];
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          cause: "profiler-conflict",
          name: "libcupti.so",
          library: "cupti",
          required: "one CUPTI client in a process",
          found: "two",
          certainty: "likely",
          message: "the framework's profiler and NVIDIA's tool both want CUPTI in one process, and only one can have it",
          evidence,
          next: ["env | grep -i 'nsys\\|inject\\|kineto'"],
          fixes: oneProfiler(context),
        },
      ],
    },
  ];
}

// A monitor reads the counters all the time, and only one may.
function besideDcgm(facts: Facts): Problem[] {
  const evidence = facts.notices("dcgm-beside-profiler");
  if (evidence.length === 0 || facts.has("cupti-error") || 0 < facts.notices("dcgm-profiling-taken").length) return [];
  return [
    {
      weight: weights.hint + 1,
      suspects: [
        {
          cause: "profiler-conflict",
          name: "DCGM",
          required: oneClient,
          found: "DCGM's profiling module beside another profiler",
          certainty: "likely",
          message: "DCGM's profiling module holds the counters that the other profiler wants: only one may have them",
          evidence,
          next: ["dcgmi modules -l"],
          fixes: [pauseDcgm("pause DCGM while the other profiler runs")],
        },
      ],
    },
  ];
}

// The packages were replaced under a module that still runs; or a kernel came for which none was built.
function afterUpdate(facts: Facts): Problem[] {
  const evidence = facts.notices("smi-broke-after-update");
  const known = ["nvml-mismatch", "api-mismatch", "module-missing", "secure-boot", "smi-failed"];
  if (evidence.length === 0 || 0 < facts.notices(...known).length) return [];
  const rebooted = 0 < facts.notices("rebooted").length;
  const next = ["cat /proc/driver/nvidia/version; modinfo -F version nvidia", "uname -r; dkms status"];
  const halves = {
    cause: "kernel-module-mismatch" as const,
    name: "nvidia kernel module",
    required: "a kernel module of the release of the driver's libraries",
    found: "perhaps the module of before the update",
    evidence,
    next,
    message: "the update replaced the driver's libraries, and the kernel module of before still runs",
    fixes: [fix("restart the machine: then both are of one release", "sudo reboot")],
  };
  const missing = {
    cause: "kernel-module-missing" as const,
    name: "nvidia kernel module",
    required: "an NVIDIA kernel module for the running kernel",
    evidence,
    next,
    message: "the update brought a new kernel, for which no module was built",
    fixes: [
      fix(
        "build it for the kernel that runs, which needs its headers",
        "sudo apt-get install linux-headers-$(uname -r)",
        "sudo dkms autoinstall",
        "sudo modprobe nvidia",
      ),
    ],
  };
  return [
    {
      weight: weights.failed,
      suspects: rebooted
        ? [
            { ...missing, certainty: "likely" },
            { ...halves, certainty: "possible", message: `or ${halves.message}` },
          ]
        : [
            { ...halves, certainty: "likely" },
            { ...missing, certainty: "possible", message: `or ${missing.message}` },
          ],
    },
  ];
}
