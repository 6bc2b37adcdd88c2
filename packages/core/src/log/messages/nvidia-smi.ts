import { fix, gpuAccess } from "../fixes.ts";
import { weights } from "../cause.ts";
import { libcuda, ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** nvidia-smi. */
export default [
  notice(
    "smi-no-cuda",
    ["cuda version: n/a", "cuda version of n/a"],
    /CUDA [Vv]ersion(?:: | of )[Nn]\/[Aa]/,
    "| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: N/A      |",
  ),
  {
    ...notice(
      "smi-cuda-err",
      "cuda version: err!",
      /CUDA Version: ERR!/,
      "| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: ERR!     |",
    ),
    means: {
      weight: weights.failed,
      symptom: "nvidia-smi reaches the driver, and finds no libcuda that fits it",
      ...libcuda,
      next: ["ldconfig -p | grep libcuda", "culprit why libcuda.so.1"],
      may: [
        {
          cause: "driver-not-exposed",
          message: "libcuda is not there: the driver was installed without its CUDA part, or a container was not given it",
          fixes: (_, context) => [
            gpuAccess(context, "in a container: start it with"),
            fix("on a machine: install the whole driver, with its libcuda"),
          ],
        },
        { cause: "library-not-on-path", message: "or it lies where the loader does not look" },
        { cause: "library-shadowed", message: "or LD_LIBRARY_PATH leads to another one, such as a stub or that of another release" },
        { cause: "kernel-module-mismatch", message: "or it is of another release than the kernel module" },
      ],
    },
  },
  notice(
    "smi-failed",
    ["nvidia-smi has failed", "communicate with the", "communicate to the", "communicate"],
    // nvidia-smi's own words, and those of people who tell of them.
    /NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver|\bnvidia-smi\b[^\n]{0,60}\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|fail(?:s|ed) to) communicate (?:with|to) the (?:NVIDIA )?driver|^\W{0,4}Unable to communicate with the NVIDIA driver|\bnvidia-smi\b[^\n]{0,24}\b(?:can(?:not|'t)|could(?: not|n't)) communicate\b/i,
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
  ),
  notice(
    "smi-no-nvml",
    "couldn't find libnvidia-ml",
    /NVIDIA-SMI couldn't find libnvidia-ml\.so/,
    "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA Display Driver is properly installed and present in your system.",
  ),
  notice("no-devices", "no devices were found", /^No devices were found/, "No devices were found"),
  notice(
    "smi-missing",
    "nvidia-smi",
    /nvidia-smi: (?:command )?not found|'nvidia-smi' is not recognized|exec: \\?"nvidia-smi\\?": executable file not found|stat nvidia-smi: no such file/,
    "bash: nvidia-smi: command not found",
    'OCI runtime create failed: runc create failed: unable to start container process: exec: "nvidia-smi": executable file not found in $PATH: unknown',
  ),
  {
    ...notice(
      "gpu-lost",
      "unable to determine the device handle",
      /Unable to determine the device handle for GPU ?[\w:.]{1,20}(?: [\w:.]{7,16})?: (?<found>GPU is lost|Unknown Error|Not Found|GPU requires reset)/i,
      "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU",
    ),
    means: ownMatter(
      "the GPU",
      "the driver lost the GPU: heat, power, the slot or the card itself",
      "restart the machine; look at `sudo dmesg | grep -i xid`",
    ),
  },
  // Closed: the words are as users' logs have them.
  notice(
    "smi-nvml-mismatch",
    "mismatch in versions between nvidia-smi and nvml",
    /Mismatch in versions between nvidia-smi and NVML/,
    "Mismatch in versions between nvidia-smi and NVML.",
  ),
  {
    ...notice(
      "one-mig-part",
      "mig",
      /\bMIG\b[^\n]{0,120}\b(?:only (?:one|1|a single)|just one)\b[^\n]{0,24}\b(?:GPUs?|devices?|instances?)\b|\b(?:only (?:one|1|a single)|just one)\b[^\n]{0,24}\b(?:GPUs?|devices?|instances?)\b[^\n]{0,120}\bMIG\b/i,
      "an A100 with MIG, and torch.cuda.device_count() shows only one gpu",
    ),
    means: ownMatter(
      "MIG",
      "a process sees one part of a divided GPU alone (MIG): CUDA counts no second one, whatever the framework",
      "start one process for each part, each with its own in CUDA_VISIBLE_DEVICES (`nvidia-smi -L` lists them), or switch MIG off to use the GPU as a whole",
    ),
  },
] satisfies Signature[];
