import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix, reloadMemoryModule } from "../fixes.ts";

// After a start nothing has loaded the module yet.
const memoryModule = (evidence: Fact[]): Suspect => ({
  cause: "kernel-module-missing",
  name: "nvidia_uvm",
  certainty: "possible",
  message:
    "or the module for memory was not loaded since the machine started: a container cannot load it, the first CUDA program on the host does",
  evidence,
  next: ["lsmod | grep nvidia_uvm"],
  fixes: [fix("load it on the host, and make its device file", "sudo nvidia-modprobe -u -c=0")],
});

/** The driver answers with an unknown error, or the GPUs wait for their fabric. */
export default function unknownError(facts: Facts): Problem[] {
  const evidence = facts.all("cuda-error").filter(({ code }) => code === 999 || code === 802);
  if (evidence.length === 0) return [];
  const fabric = evidence.some(({ code }) => code === 802);
  const answers: Suspect = {
    cause: "not-a-mismatch",
    name: fabric ? "nvidia-fabricmanager" : "nvidia_uvm",
    certainty: "possible",
    message: fabric
      ? "the GPUs wait for the fabric manager"
      : "the driver is in a bad state: after a suspend its memory module must be reloaded",
    evidence,
    next: ["nvidia-smi", "sudo dmesg | tail -20"],
    fixes: [
      fabric
        ? fix("start the fabric manager of the driver's release", "sudo systemctl start nvidia-fabricmanager")
        : reloadMemoryModule("reload the module, or restart"),
    ],
  };
  // A container is never suspended, and cannot load the module that its host has not loaded yet.
  const inContainer = facts.on("container") && !fabric;
  return [
    {
      weight: weights.hint,
      suspects: inContainer
        ? [memoryModule(evidence), device(evidence), updated(evidence), { ...answers, message: `or ${answers.message}` }]
        : [answers, ...(fabric ? [] : [memoryModule(evidence)]), updated(evidence), device(evidence)],
    },
  ];
}

const updated = (evidence: Fact[]): Suspect => ({
  cause: "kernel-module-mismatch",
  name: "libcuda.so.1",
  library: "libcuda",
  certainty: "possible",
  message: "or the driver was updated and the machine not restarted",
  evidence,
  next: ["cat /proc/driver/nvidia/version"],
  fixes: [fix("restart the machine", "sudo reboot")],
});

const device = (evidence: Fact[]): Suspect => ({
  cause: "driver-not-exposed",
  name: "libcuda.so.1",
  library: "libcuda",
  certainty: "possible",
  message: "or a device file is not passed into the container",
  evidence,
  next: ["ls -l /dev/nvidia*"],
  fixes: [],
});
