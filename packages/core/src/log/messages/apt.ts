import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

// Packages of the driver, of CUDA and of what is built on it, as NVIDIA, Debian and Ubuntu name them.
const ours = String.raw`(?:lib)?(?:nvidia|cuda|cudnn|cublas|cufft|curand|cusolver|cusparse|cupti|nvinfer|nvrtc|nccl|tensorrt|nvjpeg|npp)[\w.+:~-]{0,60}`;

/** apt (apt-private/private-output.cc, ShowBrokenPackage) and dpkg (lib/dpkg/unpack.c). */
export default [
  notice(
    "linux-driver-asked",
    ["nvidia-utils", "nvidia-driver", "nvidia-dkms", "libnvidia-compute", "cuda-drivers"],
    /\b(?:apt(?:-get)?|dnf|yum|pacman|zypper)\b[^\n]{0,24}\b(?:install|-S)\b[^\n]{0,80}\b(?:nvidia-(?:utils|driver|dkms)|libnvidia-compute|cuda-drivers)(?:-\d{3})?\b/i,
    "apt install nvidia-utils-510",
  ),
  notice(
    "apt-unmet",
    ["is to be installed", "is not going to be installed", "is not installable", " is installed"],
    new RegExp(
      String.raw`(?:Depends|PreDepends|Conflicts|Breaks): ?(?<subject>${ours})(?: \((?<required>[^()\n]{3,60})\))?,? but (?:(?<found>\d[\w.+:~-]{0,60}) (?:is to be installed|is installed)|it is not going to be installed|it is not installable)`,
    ),
    " nvidia-driver-525 : Depends: nvidia-kernel-common-525 (>= 525.60.13) but 525.53-0ubuntu1 is to be installed",
    " cuda-12-2 : Depends: cuda-runtime-12-2 (>= 12.2.2) but it is not going to be installed",
  ),
  {
    // What is wanted is no package of ours, but the one that wants it is.
    literals: ["is not going to be installed", "is not installable", "is to be installed"],
    pattern: new RegExp(
      String.raw`^ {0,4}(?<by>${ours}) ?: (?:Depends|PreDepends|Conflicts|Breaks): (?!${ours})(?<subject>[a-z][\w.+:~-]{1,60})(?: \((?<required>[^()\n]{3,60})\))? but (?:(?<found>\d[\w.+:~-]{0,60}) is to be installed|it is not (?:going to be installed|installable))`,
    ),
    examples: [" nvidia-settings : Depends: libgtk-3-0t64 (>= 3.16.2) but it is not installable"],
    facts: ({ subject, required, found }) => ({
      kind: "notice",
      id: "apt-unmet",
      subject: subject!,
      ...(required === undefined ? {} : { required }),
      ...(found === undefined ? {} : { found }),
    }),
  },
  {
    ...notice(
      "apt-no-candidate",
      ["unable to locate package", "was not found", "has no installation candidate"],
      new RegExp(
        String.raw`E: (?:Version '(?<required>[^'\n]{3,60})' for '(?<subject>${ours})' was not found|Unable to locate package (?<name>${ours})|Package '(?<other>${ours})' has no installation candidate)`,
      ),
      "E: Version '8.2.0.53-1+cuda11.3' for 'libcudnn8' was not found",
      "E: Unable to locate package libcudnn8",
    ),
    facts: ({ subject, name, other, required }) => ({
      kind: "notice",
      id: "apt-no-candidate",
      subject: (subject ?? name ?? other)!,
      ...(required === undefined ? {} : { required }),
    }),
    means: {
      weight: weights.refused,
      about: (facts) => {
        const [{ subject, required } = {}] = facts.notices("apt-no-candidate");
        return {
          ...(subject === undefined ? {} : { name: subject }),
          ...(required === undefined ? {} : { required: `${subject} ${required}` }),
        };
      },
      may: [
        {
          cause: "package-conflict",
          certainty: "likely",
          message:
            "apt knows no such package or release: NVIDIA's repository is not among its sources, or never had it for this release of the system",
          fixes: (facts) => {
            const name = facts.notices("apt-no-candidate")[0]?.subject?.split("=")[0] ?? "";
            return [
              fix("see which releases there are, and take one of them", "sudo apt-get update", `apt-cache madison ${name}`),
              fix(
                "where none is listed, add NVIDIA's repository for this system (the package `cuda-keyring` of NVIDIA's download page does)",
              ),
            ];
          },
        },
        { cause: "library-missing", message: "so the library that it would bring is not there" },
      ],
    },
  },
  // /var/log/apt/history.log, /var/log/dpkg.log and what dpkg prints: from which release of the driver to which.
  notice(
    "driver-upgraded",
    ["upgrade: ", "nvidia-"],
    /(?:lib)?nvidia-[\w-]{2,40}(?::\w{3,8})? \((?<required>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-[^,()\s]{1,40}, (?<found>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-[^,()\s]{1,40}\)/,
    "Upgrade: nvidia-utils-535:amd64 (535.129.03-0ubuntu0.22.04.1, 535.154.05-0ubuntu0.22.04.1)",
  ),
  notice(
    "driver-upgraded",
    ["upgrade nvidia-", "upgrade libnvidia-"],
    /\bupgrade (?:lib)?nvidia-[\w-]{2,40}(?::\w{3,8})? (?<required>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-\S{1,40} (?<found>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-\S{1,40}/,
    "2024-01-20 06:12:01 upgrade libnvidia-compute-535:amd64 535.129.03-0ubuntu0.22.04.1 535.154.05-0ubuntu0.22.04.1",
  ),
  notice(
    "driver-upgraded",
    ") over (",
    /Unpacking (?:lib)?nvidia-[\w-]{2,40}(?::\w{3,8})? \((?<found>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-[^()\s]{1,40}\) over \((?<required>\d{3}\.\d{1,3}(?:\.\d{1,3})?)-/,
    "Unpacking nvidia-utils-535 (535.154.05-0ubuntu0.22.04.1) over (535.129.03-0ubuntu0.22.04.1) ...",
  ),
  notice(
    "dpkg-overwrite",
    "which is also in package",
    new RegExp(
      String.raw`trying to overwrite '(?<required>[^'\n]{3,200})', which is also in package (?<subject>${ours})(?: (?<found>\d[\w.+:~-]{0,60}))?`,
    ),
    "trying to overwrite '/usr/lib/x86_64-linux-gnu/libnvidia-cfg.so', which is also in package nvidia-340 340.108-0ubuntu2",
  ),
] satisfies Signature[];
