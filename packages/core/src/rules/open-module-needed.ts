import { openModuleOnly } from "../knowledge/goes-together.ts";
import { cudaOf, gpuKinds, needing } from "../diagnose/device.ts";
import { gpuFacts } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "open-module-needed",
  title: "The proprietary kernel module does not drive this GPU",
  cause: "arch-unsupported",
  severity: "error",
  notOn: { "dependency-file": "the kernel is the host's", image: "the kernel is the host's" },
  page: {
    what: "The driver is new enough, but its kernel module is of the proprietary flavor, and GPUs since Blackwell (RTX 50 series, RTX PRO, B200) are driven by the open one only: `nvidia-smi` says “No devices were found”, and the kernel “requires use of the NVIDIA open kernel modules”.",
    why: "Since release 515 the driver comes in two flavors, which differ in the kernel module alone. Some packages still install the proprietary one, which older GPUs need.",
    how: "/proc/driver/nvidia/version names the module that runs: “NVIDIA UNIX Open Kernel Module for x86_64” or “NVIDIA UNIX x86_64 Kernel Module”. It is compared with every GPU in the box, or with those of `--gpu`.",
    fix: "Install the open flavor of the same driver: on Ubuntu the package that ends in `-open` (`nvidia-driver-580-open`), elsewhere `nvidia-open`, with NVIDIA's installer `--kernel-module-type=open`; then restart.",
    observed: "Known from NVIDIA's documents and from reports only.",
  },
  finds(stack) {
    const { module, kernel } = stack.inventory.driver;
    if (module === undefined || kernel === undefined || !/^NVIDIA UNIX (?!Open )\S+ Kernel Module$/.test(module)) return [];
    const breaks = stack.runs.flatMap((run) =>
      run.programs
        .filter((program) => program.cpuOnly === undefined && cudaOf(program))
        .flatMap((program) => needing(run, program, "device")),
    );
    return gpuKinds(stack).flatMap((gpu) => {
      const only = openModuleOnly(gpu.architecture);
      if (!only) return [];
      return [
        {
          subject: `${gpu.architecture} on the proprietary module`,
          ...(0 < breaks.length ? {} : { severity: "warning" as const }),
          short: `${gpu.words} needs the open kernel module`,
          message: `the kernel runs the proprietary module of driver ${kernel}, and only the open one drives ${gpu.words}`,
          because: ["GPUs since Blackwell need the open kernel module: the proprietary one leaves them alone"],
          evidence: [`/proc/driver/nvidia/version: ${module}  ${kernel}`],
          advice: [
            `install the open flavor of driver ${kernel}, and restart: on Ubuntu the package nvidia-driver-${kernel.split(".")[0]}-open, with NVIDIA's installer --kernel-module-type=open`,
          ],
          facts: {
            driver: { version: kernel },
            gpus: gpuFacts([gpu]),
            said: "NVRM: installed in this system requires use of the NVIDIA open kernel modules.",
          },
          certainty: only.certain && gpu.certain ? ("certain" as const) : ("likely" as const),
          breaks,
          sources: only.sources,
        },
      ];
    });
  },
});
