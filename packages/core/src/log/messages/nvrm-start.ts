import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** The kernel module where a GPU does not start (open-gpu-kernel-modules: kernel-open/nvidia/nv.c, nv-pci.c; src/nvidia/arch/nvalloc/unix). */
export default [
  {
    ...notice(
      "gpu-not-started",
      [
        "rminitadapter failed",
        "rm_init_adapter failed",
        "cannot initialize gsp firmware",
        "cannot initialize gsp-rm",
        "failed to wait for gfw",
      ],
      /NVRM:? [^\n]{0,60}(?:RmInitAdapter failed|rm_init_adapter failed|Cannot initialize GSP|cannot initialize GSP-RM|failed to wait for GFW)/i,
      "NVRM: GPU 0000:0a:00.0: RmInitAdapter failed! (0x24:0x72:1568)",
      "NVRM: RmInitAdapter: Cannot initialize GSP firmware RM",
    ),
    means: {
      weight: weights.refused + 1,
      name: "the GPU",
      symptom: "the kernel module is loaded, and the GPU does not start",
      next: ["sudo dmesg | grep -i 'nvrm\\|xid'", "nvidia-smi -q | head -n 40", "lspci -nnk | grep -A3 -i nvidia"],
      may: [
        {
          cause: "arch-unsupported",
          message:
            "the open flavour of the kernel module does not drive this GPU: it needs Turing or newer, and before release 545 it was meant for data centres alone",
          when: (facts) =>
            facts.everything().some(({ at }) => /open (?:gpu )?kernel modules?|open[- ]source driver|nvidia-open/i.test(at.text)),
          fixes: [fix("install the proprietary flavour of the driver, or a newer release, and restart")],
        },
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "the GPU does not start: power, the slot or riser, the firmware's settings (Above 4G Decoding), a virtual machine that passes it through, or the card itself",
          fixes: [
            fix(
              "switch the machine off and on (a restart does not reset the card), then read what the module says first",
              "sudo dmesg | grep -i nvrm | head -n 20",
            ),
            fix(
              "try the card in another slot or machine; in a virtual machine: give it all of the card's functions, and hide no part of its memory",
            ),
          ],
        },
        { cause: "kernel-module-mismatch", message: "or the firmware below /lib/firmware/nvidia is of another release than the module" },
        { cause: "upstream-bug", message: "or this release of the driver does not start this GPU on this machine: another one does" },
      ],
    },
  },
  {
    ...notice(
      "gsp-firmware-missing",
      ["gsp_", "gsp.bin"],
      /(?:Direct firmware load for|failed to (?:load|find)|[Cc]annot (?:find|load)|request_firmware)[^\n]{0,60}nvidia\/(?<found>\d{3}\.[\d.]{1,10})\/(?<subject>gsp[\w.]{0,20})/,
      "nvidia 0000:01:00.0: Direct firmware load for nvidia/535.129.03/gsp_ga10x.bin failed with error -2",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: `/lib/firmware/nvidia/${fact!.found}/${fact!.subject}, of the module's own release`,
        found: "no such file",
      }),
      next: ["ls /lib/firmware/nvidia", "cat /proc/driver/nvidia/version"],
      may: [
        {
          cause: "library-missing",
          certainty: "likely",
          message: "the GPU's firmware of the driver's release is not installed beside its kernel module",
          fixes: [
            fix(
              "install the driver's firmware package of the same release (Ubuntu: nvidia-firmware-…; Debian: firmware-nvidia-gsp), put it into the first file system, and restart",
              "sudo update-initramfs -u",
              "sudo reboot",
            ),
          ],
        },
        { cause: "kernel-module-mismatch", message: "or module and firmware are of two releases: the driver was updated in part" },
      ],
    },
  },
  {
    ...notice(
      "gpu-memory-window",
      ["nvrm: bar", "pci i/o region assigned to your nvidia device is invalid"],
      /NVRM: BAR\d is 0M|PCI I\/O region assigned to your NVIDIA device is invalid/,
      "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:",
    ),
    means: ownMatter(
      "the GPU",
      "the machine's firmware gave the GPU no room for its memory",
      "switch on Above 4G Decoding (and Resizable BAR) in the firmware; or start the kernel with `pci=realloc`",
    ),
  },
  {
    ...notice(
      "open-module-unsupported",
      ["is only ready for use on data center gpus", "nvreg_openrmenableunsupportedgpus"],
      /Open nvidia\.ko is only ready for use on Data Center GPUs|To force use of Open nvidia\.ko/i,
      "NVRM: Open nvidia.ko is only ready for use on Data Center GPUs.",
    ),
    means: {
      weight: weights.said,
      name: "nvidia kernel module",
      // The option that it names has no effect since 545.23.06 (nv-reg.h of the open modules): since then all are driven.
      required: "the proprietary flavour of the module, or release 545 or newer of the open one",
      may: [
        {
          cause: "arch-unsupported",
          certainty: "certain",
          message: "this release of the open kernel module drives GPUs of data centres only",
          fixes: [
            fix("install release 545 or newer of the driver, or its proprietary flavour"),
            fix(
              "or let it try all the same",
              "echo 'options nvidia NVreg_OpenRmEnableUnsupportedGpus=1' | sudo tee /etc/modprobe.d/nvidia-open.conf",
              "sudo reboot",
            ),
          ],
        },
      ],
    },
  },
] satisfies Signature[];
