import type { Suspect } from "./cause.ts";
import type { Fact, Facts } from "./fact.ts";
import { fix } from "./fixes.ts";

interface Reason {
  /** The notices that speak of it. */
  notices: string[];
  /** Said only where the text also says that the module is not loaded: by itself it is no fault. */
  weak?: true;
  message: string;
  found: string;
  next: string[];
  fixes: NonNullable<Suspect["fixes"]>;
}

const rebuild = fix(
  "install the kernel's headers and the driver again, so that the module is built for the running kernel",
  "sudo apt-get install linux-headers-$(uname -r)",
  "sudo dkms autoinstall",
);
const olderKernel = fix("or start the kernel for which the module exists");

const enrol = [
  fix(
    'let the firmware trust the key with which DKMS signs (Ubuntu keeps it here; Fedora\'s is /etc/pki/akmods/certs/public_key.der): choose a password, restart, and confirm it at "Enroll MOK"',
    "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der",
    "sudo reboot",
  ),
  fix(
    "or take the modules that the distribution signs (Ubuntu: the packages linux-modules-nvidia-…), or switch Secure Boot off in the firmware",
  ),
];

/** Why the driver's module is not in the kernel, as the text says it; the first that it speaks of. */
const reasons: Reason[] = [
  {
    notices: ["module-unsigned"],
    message: "the kernel refuses the NVIDIA module because Secure Boot is on, and the module is not signed with a key that it trusts",
    found: "a module without a signature that the kernel trusts",
    next: ["mokutil --sb-state", "modinfo -F signer nvidia; mokutil --list-enrolled | grep CN"],
    fixes: enrol,
  },
  {
    notices: ["nouveau-holds"],
    weak: true,
    message: "nouveau, the free driver, holds the GPU, so the NVIDIA module cannot take it",
    found: "nouveau",
    next: ["lspci -k | grep -A3 -i nvidia", "lsmod | grep nouveau"],
    fixes: [
      fix(
        "keep nouveau out, also of the first file system, and restart",
        "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf",
        "sudo update-initramfs -u",
        "sudo reboot",
      ),
      fix("on Fedora and RHEL the second command is `sudo dracut --force`"),
    ],
  },
  {
    notices: ["secure-boot"],
    weak: true,
    message: "the kernel may refuse the NVIDIA module: Secure Boot is spoken of, and a module that it does not trust is not loaded",
    found: "none is loaded",
    next: ["mokutil --sb-state", "sudo dmesg | grep -i 'nvidia\\|module verification\\|lockdown'"],
    fixes: enrol,
  },
  {
    notices: ["vfio-holds"],
    weak: true,
    message: "vfio-pci holds the GPU for a virtual machine, so the NVIDIA module cannot take it",
    found: "vfio-pci",
    next: ["lspci -k | grep -A3 -i nvidia"],
    fixes: [
      fix(
        "take the GPU's number out of `vfio-pci.ids` (kernel command line, /etc/modprobe.d), and restart; or use it in the virtual machine",
      ),
    ],
  },
  {
    notices: ["module-no-device"],
    message:
      "the NVIDIA module finds no GPU that it can drive: another driver holds it, this release does not support it, or there is none",
    found: "no device that it takes",
    next: ["lspci -nnk | grep -A3 -i nvidia", "sudo dmesg | grep -i nvrm"],
    fixes: [
      fix(
        "see what the module says of the GPU: a release or a flavour that it needs, or a driver that holds it",
        "sudo dmesg | grep -i nvrm",
      ),
      fix("on a virtual machine: pass the GPU through, or take a machine with one; a vGPU needs NVIDIA's guest driver (GRID)"),
    ],
  },
  {
    notices: ["module-other-kernel"],
    message: "the NVIDIA module was built for another kernel, or with another compiler, than the one that runs",
    found: "a module for another kernel",
    next: ["modinfo -F vermagic nvidia; uname -r", "dkms status"],
    fixes: [rebuild, olderKernel],
  },
  {
    notices: ["module-build-failed"],
    message: "the NVIDIA module could not be built for the running kernel: mostly the kernel is newer than this release of the driver",
    found: "a build that failed",
    next: ["dkms status; uname -r", "sudo tail -n 40 /var/lib/dkms/nvidia*/*/build/make.log"],
    fixes: [
      fix(
        "install a release of the driver that knows this kernel (the first errors in its make.log show what the kernel changed)",
        "sudo apt-get install --only-upgrade 'nvidia-driver-*'",
      ),
      fix(
        "where a compiler or the headers are missing: install those of this kernel",
        "sudo apt-get install build-essential linux-headers-$(uname -r)",
        "sudo dkms autoinstall",
      ),
      olderKernel,
    ],
  },
  {
    notices: ["headers-absent"],
    message: "the NVIDIA module could not be built: the headers of the running kernel are not installed",
    found: "no headers of the running kernel",
    next: ["uname -r; ls -d /lib/modules/$(uname -r)/build"],
    fixes: [
      fix("install them, and build the module again", "sudo apt-get install linux-headers-$(uname -r)", "sudo dkms autoinstall"),
      fix(
        "on Fedora and RHEL: `sudo dnf install kernel-devel-$(uname -r)`; where the package is gone, update the kernel and restart first",
      ),
    ],
  },
];

const plain: Reason = {
  notices: [],
  message: "the NVIDIA kernel module is not loaded: it was not built for the running kernel, or the driver is not installed",
  found: "none is loaded",
  next: ["lsmod | grep nvidia", "sudo modprobe nvidia; sudo dmesg | tail", "dkms status"],
  fixes: [rebuild, olderKernel],
};

/** Notices that by themselves say that the module is not loaded. */
export const notLoaded: string[] = reasons.flatMap(({ notices, weak }) => (weak ? [] : notices));

/** The driver's module is not in the kernel, with the reason that the text gives. */
export function moduleMissing(certainty: Suspect["certainty"], evidence: Fact[], facts: Facts): Suspect {
  const { notices, message, found, next, fixes } = reasons.find((each) => 0 < facts.notices(...each.notices).length) ?? plain;
  return {
    cause: "kernel-module-missing",
    name: "nvidia kernel module",
    required: "an NVIDIA kernel module for the running kernel",
    found,
    certainty,
    message,
    evidence: [...new Set([...facts.notices(...notices), ...evidence])],
    next,
    fixes,
  };
}
