import { weights } from "../cause.ts";
import { containerOption, fix } from "../fixes.ts";
import type { Meaning } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const devices = "--device=/dev/kfd --device=/dev/dri --group-add video --group-add render";

const kept = {
  weight: weights.said,
  name: "/dev/kfd",
  required: "the device file of AMD's driver, open for this user",
  next: ["ls -l /dev/kfd /dev/dri; groups", "rocminfo"],
} satisfies Partial<Meaning>;

const join = fix("join the groups that may use the GPU, then log in again", "sudo usermod -a -G render,video $LOGNAME");

/** rocminfo and the HSA runtime, where a process does not reach AMD's driver (rocminfo.cc). */
export default [
  {
    ...notice(
      "amdgpu-not-loaded",
      ["rock module is not loaded", "amdgpu not found in modules"],
      /ROCk module is NOT loaded|amdgpu not found in modules/,
      "ROCk module is NOT loaded, possibly no GPU devices",
      "ERROR:root:Driver not initialized (amdgpu not found in modules)",
    ),
    means: {
      weight: weights.said,
      name: "amdgpu",
      required: "AMD's kernel module amdgpu",
      found: "it is not loaded",
      next: ["lsmod | grep amdgpu", "sudo dmesg | grep -i amdgpu | tail"],
      may: [
        {
          cause: "kernel-module-missing",
          certainty: "likely",
          message: "the kernel module amdgpu is not loaded: ROCm reaches no GPU without it",
          fixes: [fix("load it; where it is not there, install amdgpu-dkms for this kernel", "sudo modprobe amdgpu")],
        },
        { cause: "driver-not-exposed", name: "/dev/kfd", message: "or it is a container or WSL without AMD's device files", fixes: [] },
        { cause: "not-a-mismatch", name: "the GPU", message: "or there is no GPU of AMD's in this machine", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "kfd-refused",
      ["/dev/kfd", '"render" group', "render group"],
      /(?:open(?:ing)?|access(?:ing)?|read(?:ing)?|cannot use)\b[^\n]{0,20} ["'`]?\/dev\/kfd\b[^\n]{0,60}\bPermission denied|is not (?:a )?member of (?:the )?["'`]?render["'`]? group/i,
      "Unable to open /dev/kfd read-write: Permission denied",
      'lena is not member of "render" group, the default DRM access group. Users must be a member of the "render" group or another DRM access group',
    ),
    means: {
      ...kept,
      found: "a user that may not open it",
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "this user may not open /dev/kfd, through which every ROCm program reaches the GPU",
          fixes: [join, containerOption("in a container: give it the devices and their groups", devices)],
        },
      ],
    },
  },
  {
    ...notice(
      "kfd-absent",
      "/dev/kfd",
      /\/dev\/kfd\b[^\n]{0,60}\bNo such file or directory|\bno (?:such )?(?:device )?["'`]?\/dev\/kfd\b/i,
      "Unable to open /dev/kfd read-write: No such file or directory",
    ),
    means: {
      ...kept,
      found: "no such file",
      symptom: "/dev/kfd, through which every ROCm program reaches the GPU, is not there",
      next: ["lsmod | grep amdgpu; ls -l /dev/kfd /dev/dri", "dmesg | grep -i kfd"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "/dev/kfd is not there: the container was started without AMD's devices, or no driver made it",
          fixes: [containerOption("in a container: give it the devices and their groups", devices)],
        },
        {
          cause: "kernel-module-missing",
          message: "or amdgpu is not loaded, or its kernel has no KFD: WSL has none",
          fixes: [fix("on a machine: install AMD's driver for its kernel, and restart", "sudo modprobe amdgpu")],
        },
      ],
    },
  },
] satisfies Signature[];
