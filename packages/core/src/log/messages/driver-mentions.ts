import type { Signature } from "../signature.ts";

/** Releases of the driver, as people and installers name them. */
export default [
  {
    literals: ["driver ", "drivers ", "driver:", "driver version"],
    pattern:
      /(?:nvidia|gpu|display|graphics)?[ -]?drivers?(?: version)?[ :=]{1,3}(?:is |was )?v?(?<version>[3-9]\d{2}\.\d{1,3}(?:\.\d{1,3})?)\b/i,
    examples: ["driver 470.103.01, nvidia-docker2, docker 20.10.12", "NVIDIA driver version: 535.104.05"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
  },
  {
    literals: ["nvidia driver 5", "nvidia driver 4", "nvidia driver 3"],
    pattern: /nvidia driver (?<version>[3-6]\d\d)\b(?!\.\d)/i,
    examples: ["Nvidia driver 535 version"],
    facts: ({ version }) => ({ kind: "driver", version: version!, of: "any" }),
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
