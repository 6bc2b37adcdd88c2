import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { oneProfiler } from "../rights.ts";

/** What follows from one difference that somebody tells: it works with this, and not with that. */
export default function contrastsTold(facts: Facts, context: Context): Problem[] {
  return [...asRootAlone(facts), ...underTwoProfilers(facts, context), ...afterUpdate(facts)];
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
