import { isCompat } from "../frameworks/driver.ts";
import { cudaOf, needing } from "../diagnose/device.ts";
import { copyFact, gpuFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "kernel-module-missing",
  title: "The kernel has no NVIDIA module",
  cause: "kernel-module-missing",
  severity: "error",
  notOn: { "dependency-file": "the kernel is the host's", image: "the kernel is the host's" },
  page: {
    what: "There is an NVIDIA GPU on the bus and a user-space driver on the disk, but the module `nvidia` is not in the running kernel: no program finds a GPU, and `nvidia-smi` cannot communicate with the driver.",
    why: "The module was not built for a new kernel (DKMS), Secure Boot refuses it because it is not signed, nouveau has the GPU, or it was never loaded.",
    how: "Only where the kernel shows its modules under /sys/module, and never in a container: what is hidden there is no proof.",
    fix: "`modprobe nvidia` says why it does not load. After a kernel upgrade: install the kernel's headers, then `dkms autoinstall`. With Secure Boot: enrol the key with `mokutil`.",
    observed: "Known from reports only.",
  },
  finds(stack) {
    const { driver, gpus, copies } = stack.inventory;
    // A GPU that was given to a virtual machine is none of this machine's.
    const ours = gpus.filter(({ bus, heldBy }) => bus !== undefined && heldBy !== "vfio-pci" && heldBy !== "pci-stub");
    const library = copies.find(({ library: id, stub, file }) => id === "libcuda" && !stub && !isCompat(file));
    if (!driver.noModule || driver.container || driver.wsl || ours.length === 0 || !library) return [];
    const breaks = stack.runs.flatMap((run) =>
      run.programs
        .filter((program) => program.cpuOnly === undefined && cudaOf(program))
        .flatMap((program) => needing(run, program, "device")),
    );
    const isNouveau = ours.some(({ heldBy }) => heldBy === "nouveau");
    return [
      {
        subject: "nvidia",
        ...(0 < breaks.length ? {} : { severity: "warning" as const }),
        short: "the kernel has no NVIDIA module",
        message: `the kernel has no NVIDIA module, so ${ours[0]!.name} cannot be used, though a driver is installed`,
        because: [
          isNouveau
            ? "nouveau, the kernel's own driver, has the GPU"
            : "the module was not built for this kernel, was refused, or was not loaded",
        ],
        evidence: [`${ours[0]!.name} at ${ours[0]!.bus}`, `user-space driver: ${library.file}`, "/sys/module has no nvidia"],
        advice: [
          { words: "load the module nvidia (modprobe says why it cannot; dmesg says more)", command: ["sudo", "modprobe", "nvidia"] },
          isNouveau
            ? "keep nouveau away: install the distribution's NVIDIA driver package, which does, and restart"
            : { words: "after an upgrade of the kernel: install its headers, then", command: ["sudo", "dkms", "autoinstall"] },
        ],
        facts: { copies: [copyFact(library, "other")], gpus: ours.map(gpuFact) },
        breaks,
      },
    ];
  },
});
