import { describeRule } from "../rule.ts";

export default describeRule({
  id: "driver-too-old",
  title: "The driver is too old",
  cause: "driver-too-old",
  severity: "error",
  page: {
    what: "A program was built for a CUDA release that this driver does not run. Where the driver is only older than the release itself, but not than the first of the same major, the program runs: that is NVIDIA's minor-version compatibility, and is merely noted.",
    why: "A driver runs programs of its own CUDA release, of all older ones, and of newer ones of the same major as long as no PTX has to be compiled. `nvidia-smi` prints the driver's own release, not a limit and not what is installed. A cuda-compat library before the driver counts as the driver of its release, on GPUs that allow it. Of an image that brings one in /usr/local/cuda/compat, the container toolkit puts it before an older driver by itself: on data-center GPUs that is a warning only.",
    how: "The release that the program was built for comes from its own files; the driver from /proc/driver/nvidia/version, or from the real name of libcuda; what runs on what from NVIDIA's tables. NVIDIA_REQUIRE_CUDA of a container image is read as the container toolkit reads it: a space means or, a comma means and.",
    fix: "Install a newer driver, or a build of the program for the CUDA release that the driver has. On data-center GPUs cuda-compat may do.",
    observed:
      "That a driver runs its own release and older ones: on an H200 with driver 580.159.04, CUDA 13.0. Older drivers are known from NVIDIA's documents and from reports only.",
  },
});
