import type { Facts } from "../fact.ts";
import { libcuda } from "../meaning.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { notice, type Signature } from "../signature.ts";

const kernelIn = (facts: Facts) => facts.all("driver").find(({ of }) => of === "kernel");

/** The kernel module (NVRM, Xid; src/nvidia/arch/nvalloc/unix/src/osapi.c and kernel-open/nvidia/nv.c), modprobe and dkms. */
export default [
  notice(
    "api-mismatch",
    "api mismatch",
    /API mismatch: the (?:client|NVIDIA kernel module)[^\n]{0,60}? has the version (?<found>\d{3}\.[\d.]{1,10}\d)[^\n]{0,40}?this (?:kernel module|NVIDIA driver component) has {1,4}(?:NVRM: )?the version (?<required>\d{3}\.[\d.]{1,10}\d)/,
    "NVRM: API mismatch: the client has the version 470.57.02, but NVRM: this kernel module has the version 460.80.  Please",
    "NVRM: API mismatch: the client 'Xorg' (pid 1005) NVRM: has the version 595.84, but this kernel module has NVRM: the version 595.80.",
  ),
  {
    literals: ["nvrm version"],
    pattern: /NVRM version: NVIDIA UNIX (?:Open )?\w{2,8} Kernel Module(?: for \w{2,8})? {1,4}(?<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)/,
    examples: ["NVRM version: NVIDIA UNIX x86_64 Kernel Module  460.80  Fri May  7 06:55:54 UTC 2021"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "kernel" }),
  },
  notice(
    "module-missing",
    "module nvidia",
    /modprobe: FATAL: Module nvidia(?:-\w{2,10})? not found|Module nvidia(?:\/\d{3}[\d.]{1,12})? not found|could not insert 'nvidia\w{0,8}'/i,
    "modprobe: FATAL: Module nvidia not found in directory /lib/modules/5.15.0-91-generic",
  ),
  notice(
    "module-missing",
    "could not insert 'nvidia",
    /could not insert 'nvidia\w{0,8}': (?<found>[^\n]{3,60})/,
    "modprobe: ERROR: could not insert 'nvidia': No such device",
  ),
  notice(
    "module-missing",
    "unable to insert",
    /NVIDIA kernel module '?nvidia[\w.-]{0,12}'?[^\n]{0,20}(?:not|unable)|loading NVIDIA kernel module|unable to insert nvidia/i,
    "ERROR: Unable to load the 'nvidia-drm' kernel module: unable to insert nvidia",
  ),
  {
    ...notice(
      "gpu-unsupported-by-driver",
      "nvrm",
      /NVRM: The NVIDIA (?:[\w ]{0,40}GPU|GPU)[^\n]{0,120}(?:is supported through|not supported by(?: the)?(?: NVRM:)?(?: NVIDIA (?<found>\d{3}\.[\d.]{1,10}\d))?)/,
      "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1180) NVRM: installed in this system is not supported by the NVIDIA 570.86 driver release.",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => (fact!.found === undefined ? {} : { found: fact!.found }),
      may: [
        {
          cause: "arch-unsupported",
          name: "nvidia kernel module",
          required: "a driver branch that supports this GPU",
          certainty: "certain",
          message: "this driver does not support the GPU",
          fixes: [fix("install the driver branch that the message names")],
        },
        {
          ...libcuda,
          cause: "driver-too-old",
          required: "a driver that knows this GPU",
          message: "or the GPU is newer than this driver",
          next: ["lspci -nn | grep -i nvidia"],
          fixes: [fix("install a newer NVIDIA driver")],
        },
      ],
    },
  },
  {
    ...notice(
      "needs-open-module",
      "nvidia open kernel modules",
      /requires use of (?:the )?NVIDIA open kernel modules/i,
      "NVRM: installed in this system requires use of the NVIDIA open kernel modules.",
    ),
    means: {
      weight: weights.said,
      name: "nvidia kernel module",
      required: "the open flavor of the kernel module",
      next: ["cat /proc/driver/nvidia/version"],
      about: (facts, _context, evidence) => {
        const kernel = kernelIn(facts);
        return {
          found: `the proprietary one${kernel ? ` of driver ${kernel.version}` : ""}`,
          evidence: [...evidence.slice(0, 2), ...(kernel ? [kernel] : [])],
        };
      },
      may: [
        {
          cause: "arch-unsupported",
          certainty: "certain",
          message: "this GPU is driven by the open flavor of the NVIDIA kernel module only, and the proprietary one is loaded",
          fixes: (facts) => {
            const branch = kernelIn(facts)?.version.split(".")[0];
            return [
              fix(
                "install the open flavor of the driver, and restart",
                ...(branch === undefined ? [] : [`sudo apt-get install nvidia-driver-${branch}-open`]),
              ),
            ];
          },
        },
      ],
    },
  },
  {
    ...notice(
      "no-adapter",
      "no nvidia graphics adapter found",
      /NVRM: No NVIDIA graphics adapter found/,
      "NVRM: No NVIDIA graphics adapter found!",
    ),
    means: {
      weight: weights.refused + 1,
      name: "the GPU",
      required: "a GPU that this system sees",
      found: "none",
      unless: (facts) => facts.all("container").some(({ what }) => what === "no-library" || what === "not-loaded" || what === "no-runtime"),
      about: (_facts, _context, evidence) => ({ evidence: evidence.slice(0, 2) }),
      next: ["lspci -nn | grep -i nvidia"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "the kernel module finds no NVIDIA GPU in this machine: it has none, or the virtual machine was not given it",
          fixes: [fix("take a machine with a GPU, or pass one through")],
        },
      ],
    },
  },
  {
    ...notice(
      "xid",
      "nvrm: xid",
      /NVRM: Xid \([^)]{3,60}\): (?<subject>\d{1,3})/,
      "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.",
    ),
    means: {
      weight: weights.other + 1,
      next: ["sudo dmesg | grep -i xid", "nvidia-smi -q"],
      about: (_facts, _context, [fact]) => ({ name: `Xid ${fact!.subject}` }),
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: (_facts, _context, [fact]) => `the driver reports Xid ${fact!.subject}: the GPU or a program on it misbehaved`,
          fixes: [fix("look the number up in NVIDIA's list of Xid errors; restart the machine, and check cooling and power")],
        },
      ],
    },
  },
  notice(
    // nvidia-nvswitch, and the Fabric Manager that speaks to it.
    "nvswitch-mismatch",
    "version mismatch, kernel version",
    /nvidia-nvswitch: Version mismatch, kernel version (?<required>\d{3}\.[\d.]{2,8}\d) user version (?<found>\d{3}\.[\d.]{2,8}\d)/,
    "nvidia-nvswitch: Version mismatch, kernel version 450.80.02 user version 450.51.06",
  ),
  {
    // In the words of those who tell of it; a line with the Xid says it by its number.
    literals: ["off the bus", "off of the bus"],
    pattern: /(?:\bGPUs?\b[^\n]{0,40}|NVRM: )\bf(?:all|alls|allen|ell|alling) off (?:of )?the (?:PCIe? )?bus/i,
    examples: [
      "GPU has fallen off of the bus",
      "NVRM: fallen off the bus and is not responding to commands.",
      "gpu randomly falls off the bus when playing games",
    ],
    facts: (_, { input }) => (/\bXid\b/.test(input) ? undefined : { kind: "notice", id: "gpu-lost", found: "fell off the bus" }),
  },
  notice(
    "module-missing",
    ["nvidia probe routine was not called", "no nvidia gpu found"],
    /NVRM: The NVIDIA probe routine was not called for \d{1,3} device|NVRM: No NVIDIA GPU found/,
    "NVRM: The NVIDIA probe routine was not called for 1 device(s).",
  ),
  notice(
    // nvidia-docker 1, and libnvidia-container in its own log.
    "module-missing",
    ["could not load uvm kernel module", "could not load kernel module nvidia"],
    /[Cc]ould not load (?:UVM kernel module|kernel module nvidia(?:_uvm)?\b(?!_))/,
    "nvidia-docker | 2016/07/13 23:40:32 Error: Could not load UVM kernel module",
  ),
  notice(
    "module-missing",
    ["nvidia: version magic", "nvidia: disagrees about version of symbol"],
    /nvidia(?:_\w{2,10})?: (?:version magic '[^'\n]{3,120}' should be|disagrees about version of symbol)/,
    "nvidia: version magic '5.15.0-91-generic SMP mod_unload modversions ' should be '5.15.0-92-generic SMP mod_unload modversions '",
  ),
  notice(
    "module-missing",
    ["/var/lib/dkms/nvidia", "dkms module 'nvidia", "failed for nvidia", "dkms install"],
    // dkms names the module only in the line after the one that says that its build failed.
    /Consult \/var\/lib\/dkms\/nvidia[\w-]{0,20}\/\d{3}[\d.]{1,12}\/build\/make\.log|DKMS module 'nvidia[\w-]{0,20}-\d{3}[\d.]{1,12}' failed to (?:build|install)|dkms autoinstall on \S{3,80} failed for nvidia|dkms install (?:--[\w-]{2,20} )?nvidia[\w-]{0,20}\/\d{3}[\d.]{1,12} -k \S{3,60}['"]? exited [1-9]/,
    "Consult /var/lib/dkms/nvidia/535.129.03/build/make.log for more information.",
    "DKMS module 'nvidia-535.129.03' failed to build, please check /var/lib/dkms",
    "==> WARNING: `dkms install --no-depmod nvidia/550.78 -k 6.9.1-arch1-1' exited 10",
  ),
] satisfies Signature[];
