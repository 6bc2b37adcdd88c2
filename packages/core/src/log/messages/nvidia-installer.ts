import { notice, type Signature } from "../signature.ts";

/** nvidia-installer (kernel.c), which the driver's .run file starts. */
export default [
  notice(
    "module-missing",
    [
      "unable to load the kernel module 'nvidia",
      "unable to build the nvidia kernel module",
      "unable to find the kernel source tree for the currently running kernel",
      "failed to install the kernel module through dkms",
    ],
    /(?:Unable to load the kernel module 'nvidia[\w-]{0,12}\.ko'|Unable to build the NVIDIA kernel module|Unable to find the kernel source tree for the currently running kernel|Failed to install the kernel module through DKMS)/,
    "ERROR: Unable to load the kernel module 'nvidia.ko'.  This happens most frequently when this kernel module was built against the wrong or improperly configured kernel sources",
    "ERROR: Unable to find the kernel source tree for the currently running kernel.",
  ),
] satisfies Signature[];
