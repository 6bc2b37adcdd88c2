import { isCompat } from "../frameworks/driver.ts";
import { fileFact, loadFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { ruleWords, stopName, unsetAdvice, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "driver-library-mismatch",
  title: "libcuda and the kernel's driver are different releases",
  cause: "kernel-module-mismatch",
  otherCauses: ["forward-compat-misuse"],
  severity: "error",
  notOn: { "dependency-file": "the driver and its libraries come from the host, and no dependency file installs them" },
  page: {
    what: "The user-space driver `libcuda.so` is of another release than the NVIDIA module in the kernel.",
    why: "The driver was upgraded and the machine not restarted, so that the old module still runs; or a cuda-compat library, which may only be newer than the kernel's driver, is older than it (then the cause is `forward-compat-misuse`).",
    how: "The release in the real name of the libcuda that would be loaded is compared with /proc/driver/nvidia/version.",
    fix: "Restart the machine, or reload the module, after an upgrade. Take `compat` out of LD_LIBRARY_PATH where the driver is newer than the compat package.",
    observed:
      "On an H200: cuda-compat 580.95.05 before driver 580.159.04 gives error 803. The un-restarted upgrade is known from reports only.",
  },
  blames(stack, stop, run) {
    const { refusal, file = "libcuda.so.1", message } = stop.failure;
    if (refusal?.kind !== "older-driver-library" && refusal?.kind !== "newer-driver-library") return undefined;
    const load = run.loads.loads.find((each) => each.file === file);
    const { kernel } = stack.inventory.driver;
    const compat = isCompat(file);
    const steered = load ? unsetAdvice(stack, [load]) : [];
    return {
      specificity: 5,
      ...(compat ? { cause: "forward-compat-misuse" as const } : {}),
      subject: file,
      short: compat ? `the compat library is older than driver ${kernel}` : "the driver changed without a restart, or is there twice",
      message: compat
        ? `${file}, a compat library, is older than the kernel's driver ${kernel}: it must not be used`
        : `${message}: the driver was changed without a restart, or two drivers are installed`,
      because: [...(load ? [ruleWords(load)] : []), ...(load?.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : [])],
      evidence: [
        `kernel: ${kernel} (/proc/driver/nvidia/version)`,
        `${stopName(run, stop)} gets error 803, “unsupported display driver / cuda driver combination”`,
      ],
      facts: {
        ...(load ? { loads: [loadFact(load)] } : { copies: [fileFact(stack, file, "other")] }),
        driver: kernel === undefined ? {} : { version: kernel },
      },
      advice:
        0 < steered.length
          ? steered
          : compat
            ? [`remove the cuda-compat package, or take its folder out of the search`]
            : ["restart the machine, so that the kernel gets the module of the installed driver"],
    };
  },
});
