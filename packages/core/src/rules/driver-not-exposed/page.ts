import { describeRule } from "../rule.ts";

export default describeRule({
  id: "driver-not-exposed",
  title: "The driver's library does not reach the program",
  cause: "driver-not-exposed",
  severity: "error",
  page: {
    what: "There is an NVIDIA driver or GPU, but `libcuda.so.1` is nowhere in the search: the program has no way to the driver. Or `libnvidia-ml.so.1` is left out of a container, without which the newest jax finds no GPU.",
    why: "A container that was started without `--gpus`, or with NVIDIA_DRIVER_CAPABILITIES that leave out `compute` (`utility` is what brings libnvidia-ml.so.1); a driver whose user-space package is not installed or whose folder ldconfig does not know.",
    how: "The kernel's driver or the PCI bus shows a GPU, or one is asked about; the replayed search for libcuda.so.1 finds nothing. Of an image, NVIDIA_DRIVER_CAPABILITIES in its configuration says whether the container toolkit would put it in; in a Dockerfile, a devcontainer or a job, NVIDIA_DRIVER_CAPABILITIES without compute stands beside a framework that needs it.",
    fix: "In a container: start it with `--gpus all` and the NVIDIA container toolkit. On the host: install the driver's compute libraries, the same release as the kernel module.",
    observed:
      "On an H200 with the driver's folder moved away: torch says “Found no NVIDIA driver”, jax falls back to the CPU with exit code 0.",
  },
});
