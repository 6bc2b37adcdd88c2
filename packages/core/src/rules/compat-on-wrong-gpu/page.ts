import { describeRule } from "../rule.ts";

export default describeRule({
  id: "compat-on-wrong-gpu",
  title: "A compat library is used on a GPU that does not allow it",
  cause: "forward-compat-misuse",
  severity: "error",
  page: {
    what: "libcuda comes from a cuda-compat package that is newer than the kernel's driver, and the GPU is one for consumers: “forward compatibility was attempted on non supported HW” (error 804).",
    why: "NVIDIA allows forward compatibility on data-center GPUs, some workstation cards and Jetson. Images bring cuda-compat, and an LD_LIBRARY_PATH or a start-up script puts it first. The same error without any compat library comes from a driver that was upgraded without a restart.",
    how: "The libcuda that would be loaded lies in a folder `compat` and is newer than the kernel's driver; the GPU's name is known as one for consumers.",
    fix: "Take the compat folder out of the search, and upgrade the driver on the host.",
    observed: "Known from NVIDIA's documents and from reports only.",
  },
});
