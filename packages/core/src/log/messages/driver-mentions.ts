import type { Signature } from "../signature.ts";

/** A release that is asked for is not the one that is here. */
const isDemand = (input: string, index: number, whole: string): boolean =>
  /^\+| or (?:newer|later|higher|above|greater)\b|^ ?(?:is|are) required/i.test(
    input.slice(index + whole.length, index + whole.length + 20),
  ) ||
  /\b(?:requires?|needs?|at least|minimum|install|upgrade to|update to)(?: \w{2,12}){0,4} ?$/i.test(
    input.slice(Math.max(0, index - 50), index),
  );

/** Releases of the driver, as people and installers name them. */
export default [
  {
    literals: ["driver ", "drivers ", "driver:", "driver version", "driver="],
    pattern:
      /(?:nvidia|gpu|display|graphics)?[ -]?drivers?(?: version)?(?:[ :=]{1,3}|==)(?:is |was )?v?(?<version>[3-9]\d{2}\.\d{1,3}(?:\.\d{1,3})?)\b/i,
    examples: ["driver 470.103.01, nvidia-docker2, docker 20.10.12", "NVIDIA driver version: 535.104.05"],
    facts: ({ version }, { input, index, 0: whole }) =>
      isDemand(input, index, whole) ? undefined : { kind: "driver", version: version!, of: "any" },
  },
  {
    // OpenGL's own version, a package by its name, a line of dpkg.
    literals: ["nvidia"],
    pattern:
      /\bNVIDIA (?<plain>[3-6]\d{2}\.\d{2,3}(?:\.\d{2,3})?)\b(?! or (?:newer|later))|(?<![\w/.-])nvidia-(?:drivers?-)?(?<named>[3-6]\d{2}\.\d{2,3}(?:\.\d{2,3})?)\b(?!\.\w|-?\w)|^ii {1,4}(?:[a-z][\w.+-]{0,40}-)?nvidia[\w.+-]{0,40}(?::\w{3,8})? {1,60}(?:\d:)?(?<listed>[3-6]\d{2}\.\d{2,3}(?:\.\d{2,3})?)-|^ii {1,4}lib(?:egl|gl|glx|gles|cuda|nvcuvid)[\w.+-]{0,20}nvidia[\w.+-]{0,20}(?::\w{3,8})? {1,60}(?:\d:)?(?<part>[3-6]\d{2}\.\d{2,3}(?:\.\d{2,3})?)-/,
    examples: [
      "GL_VERSION   = 4.6.0 NVIDIA 550.40.82",
      "- nvidia-390.138",
      "ii  firmware-nvidia-gsp               535.247.01-1~deb12u1                    amd64        NVIDIA GSP firmware",
    ],
    facts: ({ plain, named, listed, part }) => ({ kind: "driver", version: (plain ?? named ?? listed ?? part)!, of: "any" }),
    single: true,
  },
  {
    literals: ["driver 5", "driver 4", "driver 3", "driver r5", "driver r4"],
    pattern:
      /(?:\bnvidia|\b(?:with|on|has|have|is|and|runs?|running|using|the|our|my|host)|[,(:]) (?:(?:nvidia|the|a|our|my) )?driver r?(?<version>[3-6]\d[05])\b(?!\.\d|x)/i,
    examples: ["Nvidia driver 535 version", "on a machine with driver 525."],
    facts: ({ version }, { input, index, 0: whole }) =>
      isDemand(input, index, whole) ? undefined : { kind: "driver", version: version!, of: "any" },
  },
  {
    // "the 566.36 driver", "Updating the driver to latest version 528.02", "drivers (555.42.02)".
    literals: [" driver", "driver to ", "drivers to ", "driver (", "drivers (", "driver is "],
    pattern:
      /(?<![\w.+>=<-])v?(?<before>[3-6]\d{2}\.\d{2,3}(?:\.\d{1,3})?) (?:(?:nvidia|gpu|game ready|studio|display|graphics|proprietary|open) ){0,2}drivers?\b(?! (?:or (?:newer|later|higher)|is required))|\bdrivers?(?: (?:to|is|are|was)| currently| installed| used){0,3}(?: the)?(?: latest| newest| current| recommended)?(?: version| release)? ?\(?v?(?<behind>[3-6]\d{2}\.\d{2,3}(?:\.\d{1,3})?)\)?(?! or (?:newer|later|higher))/i,
    examples: ["NVENC does not work on the 566.36 driver", "Updating Nvidia driver to latest version 528.02 did not help."],
    facts: ({ before, behind }, { input }) =>
      /\b(?:minimum|requires?|required|need(?:s|ed)?|at least|or (?:newer|later))\b/i.test(input)
        ? undefined
        : { kind: "driver", version: (before ?? behind)!, of: "any" },
  },
  {
    // "driver says CUDA 12.4", "an A100 that has drivers for 12.4".
    literals: ["driver says", "driver shows", "driver reports", "driver supports", "drivers for ", "driver for ", "driver runs"],
    pattern: /\bdrivers? (?:says|shows|reports|supports|runs|for)(?: up to)?(?: CUDA)? (?<version>(?:9|1\d)\.\d)\b(?!\.\d)/i,
    examples: ["A100 node, driver says CUDA 12.4"],
    facts: ({ version }) => ({ kind: "driver-cuda", version: version! }),
  },
  {
    // Windows numbers drivers its own way: the last five digits are NVIDIA's release.
    literals: [".0.1", ".21.1"],
    pattern: /(?<![\d.])(?:2[6-9]|3[0-9])\.(?:21|0)\.1(?<tens>\d)\.(?<rest>\d{4})(?![\d.])/,
    examples: ["NVIDIA GeForce RTX 3060, driver version 31.0.15.3623"],
    facts: ({ tens, rest }, { input, index, 0: whole }) =>
      isDemand(input, index, whole) || /\b(?:intel|radeon|amd)\b/i.test(input)
        ? undefined
        : { kind: "driver", version: `${tens}${rest!.slice(0, 2)}.${rest!.slice(2)}`, of: "any" },
  },
  {
    // The driver's own files have its release in their names.
    literals: ["libcuda.so.", "libnvidia-"],
    pattern: /\blib(?:cuda|nvidia-ml|nvidia-ptxjitcompiler)\.so\.(?<version>[3-6]\d{2}\.\d{1,3}(?:\.\d{1,3})?)\b/,
    examples: ["library=/usr/lib64/libcuda.so.460.106.00"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
    single: true,
  },
  {
    literals: ["nvidia-linux-x86_64-"],
    pattern: /NVIDIA-Linux-x86_64-(?<version>\d{3}\.[\d.]{1,10}\d)(?:-\w{1,20})?\.run/,
    examples: ["bash ./NVIDIA-Linux-x86_64-570.124.04.run --no-kernel-modules"],
    facts: ({ version }) => ({ kind: "notice", id: "driver-runfile", found: version! }),
  },
  {
    // rpm -qa
    literals: ["nvidia-driver", "cuda-drivers-"],
    pattern:
      /(?<![\w/-])(?<name>nvidia-driver(?:-[a-z][a-z-]{2,40})?|cuda-drivers)-(?:\d:)?(?<version>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-\d[\w.~]{0,30}\.(?:x86_64|aarch64|ppc64le)\b/,
    examples: ["nvidia-driver-latest-dkms-cuda-libs-530.30.02-1.el8.x86_64", "cuda-drivers-530.30.02-1.x86_64"],
    facts: ({ name, version }) => ({ kind: "package", manager: "rpm", name: name!, version: version! }),
    single: true,
  },
] satisfies Signature[];
