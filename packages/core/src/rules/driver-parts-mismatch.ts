import { driverVersionIn } from "../frameworks/driver.ts";
import { compareDotted } from "../knowledge/dotted.ts";
import { driverBelow, needing, reachesDriver } from "../diagnose/device.ts";
import { loadFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { fileWords, ruleWords, unsetAdvice, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "driver-parts-mismatch",
  title: "Parts of the driver are of different releases",
  cause: "kernel-module-mismatch",
  severity: "warning",
  notOn: { "dependency-file": "the driver and its libraries come from the host, and no dependency file installs them" },
  page: {
    what: "libcuda is the one of the kernel's driver, but libnvidia-ml, which would be loaded beside it, is of another release: NVML answers “Driver/library version mismatch”, and so do `nvidia-smi` and everything that counts or watches GPUs with it.",
    why: "Two drivers are installed, files were copied into an image, or a folder of another release stands before the driver's in the search.",
    how: "The release in the real name of the NVML that would be loaded is compared with the kernel's. A libcuda that differs is a fault of its own (driver-library-mismatch).",
    fix: "Remove the second driver, or take its folder out of the search; in a container let the container toolkit bring all of the driver.",
    observed: "Known from reports only.",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const { kernel, module } = stack.inventory.driver;
      const nvml = run.loads.loads.find(({ library, unmapped }) => library === "nvml" && !unmapped);
      const found = nvml && driverVersionIn(nvml.file);
      // An assumed driver is assumed with all of its parts.
      if (!nvml || found === undefined || kernel === undefined || module === "assumed" || compareDotted(found, kernel) === 0) return [];
      const programs = run.programs.filter((program) => reachesDriver(run, program));
      if (driverBelow(stack, run)?.compat || programs.length === 0) return [];
      const steered = unsetAdvice(stack, [nvml]);
      return [
        {
          subject: nvml.file,
          short: `NVML ${found} does not fit kernel driver ${kernel}`,
          message: `${fileWords(stack, nvml.file, nvml)} is of driver ${found}, and the kernel's driver is ${kernel}: NVML refuses to work`,
          because: [ruleWords(nvml), ...(nvml.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : [])],
          evidence: [`kernel: ${kernel} (/proc/driver/nvidia/version)`, "NVML answers “Driver/library version mismatch”"],
          facts: { loads: [loadFact(nvml)], driver: { version: kernel } },
          advice:
            0 < steered.length ? steered : ["remove the driver that the kernel does not run, or let ldconfig find the right one first"],
          endangers: programs.flatMap((program) => needing(run, program, "device")),
        },
      ];
    }),
});
