import { weights } from "../cause.ts";
import type { Draft, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { libcuda, type Meaning, type ToldFixes } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const toolkit = "nvidia-container-toolkit";

const upToDate = fix(
  "bring the container toolkit up to date on the host, and start its runtime anew",
  "sudo apt-get install --only-upgrade nvidia-container-toolkit libnvidia-container1",
  "sudo systemctl restart docker",
);

/** What the tool says of NVML's answer, in NVML's own words and in small letters (driver.c, error.c). */
const answers: [words: RegExp, draft: Draft][] = [
  [/mismatch/i, { kind: "container", what: "mismatch" }],
  [/^driver not loaded/i, { kind: "container", what: "not-loaded" }],
  [/^unknown error/i, { kind: "notice", id: "nvml-unknown" }],
  [/^gpu access blocked/i, { kind: "notice", id: "nvml-blocked" }],
  [/^function not found/i, { kind: "notice", id: "nvml-mismatch" }],
  [/^gpu (?:is lost|requires reset)/i, { kind: "notice", id: "gpu-lost", found: "GPU is lost" }],
  [/^(?:insufficient permissions|no permission)/i, { kind: "notice", id: "container-no-rights" }],
];

/** What is not given to the container, whoever is to blame. */
const withheld = (message: string, fixes: Meaning["may"][number]["fixes"]): Meaning["may"] => [
  { ...libcuda, cause: "driver-not-exposed", certainty: "likely", message, ...(fixes === undefined ? {} : { fixes }) },
  {
    cause: "not-a-mismatch",
    name: toolkit,
    message: "or the host, or what runs the container, forbids it: cgroups, user namespaces, SELinux, a container in a container",
  },
];

const wholeDriver: ToldFixes = (facts) =>
  facts.on("wsl2")
    ? [fix("bring WSL and the NVIDIA driver of Windows up to date, and start WSL anew", "wsl.exe --update", "wsl.exe --shutdown"), upToDate]
    : facts.on("jetson")
      ? [
          fix(
            "take an image for the L4T of the host (its number stands in /etc/nv_tegra_release): files that the host's JetPack does not have cannot be handed in",
            "cat /etc/nv_tegra_release",
          ),
          fix("or install what JetPack lacks", "sudo apt-get install nvidia-jetpack nvidia-container"),
        ]
      : [
          fix(
            "let the loader's list of the host name what is really there, and start Docker anew",
            "sudo ldconfig",
            "sudo systemctl restart docker",
          ),
          fix("where the file belongs to the driver that runs (`cat /proc/driver/nvidia/version`): install that driver again, as a whole"),
        ];

/** What another row of this tool says outright. */
const outright = (facts: Facts): boolean =>
  facts.has("container") ||
  0 <
    facts.notices(
      "nvml-unknown",
      "nvml-blocked",
      "nvml-mismatch",
      "gpu-lost",
      "container-no-rights",
      "container-mount-absent",
      "container-mount-refused",
      "container-cgroups",
      "container-ldconfig",
      "container-old-tool",
      "container-device",
      "container-file-exists",
      "container-set-up",
      "wsl-no-adapter",
    ).length;

/** libnvidia-container (driver.c, nvc.c, nvc_mount.c, nvc_ldcache.c, cgroup*.c): `nvidia-container-cli: PHASE error: REASON`. */
export default [
  {
    literals: ["nvml error: "],
    pattern: /nvidia-container-cli(?:\.real)?: \w{4,20} error: nvml error: (?<said>[\w/ ]{4,60})/i,
    examples: [
      "nvidia-container-cli: initialization error: nvml error: driver not loaded",
      "nvidia-container-cli.real: initialization error: nvml error: insufficient permissions: unknown",
      "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: unknown",
    ],
    facts: ({ said }) => answers.find(([words]) => words.test(said!))?.[1],
  },
  {
    ...notice(
      "container-no-rights",
      "insufficient permissions",
      /nvidia-container-cli[^\n]{0,60} error: permission error: |nvidia-container-cli: permission error: (?<subject>[\w :/-]{4,80})/,
      "nvidia-container-cli: permission error: capability change failed: operation not permitted",
    ),
    literals: ["insufficient permissions", "permission error: "],
    means: {
      weight: weights.said,
      name: toolkit,
      required: "device files that the hook may open",
      found: "files that are closed to it",
      next: ["ls -lZ /dev/nvidia*", "nvidia-smi -L"],
      may: withheld("the hook that gives the container its GPU may not open the device files of the driver", [
        fix(
          'let the hook run as a user that may: `user = "root:video"` (the group that `ls -l /dev/nvidiactl` shows) in /etc/nvidia-container-runtime/config.toml',
        ),
        fix(
          "without root (podman, rootless Docker): let no cgroup be changed",
          "sudo nvidia-ctk config --in-place --set nvidia-container-cli.no-cgroups=true",
        ),
        fix("with SELinux (Fedora, RHEL): allow the devices", "sudo setsebool -P container_use_devices 1"),
      ]),
    },
  },
  {
    ...notice(
      "container-mount-absent",
      ["mount error: ", "detection error: "],
      /nvidia-container-cli(?:\.real)?: (?:mount|detection|initialization) error: (?!file creation)[\w ]{3,30} failed: (?:[^\s:]{0,200}\/)?(?<subject>[\w.+-]{2,80}): no such file or directory/i,
      "nvidia-container-cli: mount error: stat failed: /usr/lib/x86_64-linux-gnu/libnvidia-ml.so.535.54: no such file or directory: unknown",
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        required: `the host's \`${fact!.subject}\`, to hand it in`,
        found: "no such file on the host",
      }),
      next: ["nvidia-container-cli -k list", "ldconfig -p | grep -i nvidia"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the container toolkit wants to hand in the host's \`${fact!.subject}\`, and the host does not have it: its driver is not whole, or its list of libraries is of a driver that is gone`,
          fixes: wholeDriver,
        },
        { cause: "library-missing", message: "or a part of the driver was never installed on the host" },
        { cause: "kernel-module-mismatch", message: "or the driver was updated, and the old one still runs" },
      ],
    },
  },
  {
    ...notice(
      "container-mount-refused",
      ["mount error: ", "ldcache error: ", "container error: "],
      /nvidia-container-cli(?:\.real)?: (?:mount|ldcache|container) error: (?!failed to add device rules)[^\n]{3,300}?: (?<subject>permission denied|operation not permitted|read-only file system|no such device|device or resource busy|invalid argument)/i,
      "nvidia-container-cli: mount error: mount operation failed: /var/lib/docker/overlay2/x/merged/proc/driver/nvidia: operation not permitted: unknown",
    ),
    means: {
      weight: weights.said,
      name: toolkit,
      unless: (facts) => 0 < facts.notices("container-set-up", "container-cgroups", "container-file-exists").length,
      next: ["nvidia-container-cli -k -d /dev/tty info", "id; cat /proc/self/uid_map"],
      may: withheld("the driver's files could not be put into the container: what runs it does not allow that", [
        fix(
          "in an LXC or another container: let it be (`no-cgroups = true` in /etc/nvidia-container-runtime/config.toml), and give the outer container the devices",
          "sudo nvidia-ctk config --in-place --set nvidia-container-cli.no-cgroups=true",
        ),
        fix("or give devices by CDI, which mounts nothing itself", "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"),
      ]),
    },
  },
  {
    ...notice(
      "container-cgroups",
      ["cgroup subsystem devices not found", "failed to get device cgroup", "failed to add device rules", "device filter"],
      /nvidia-container-cli(?:\.real)?: (?:container|mount) error: (?:cgroup subsystem \w{3,20} not found|failed to get device cgroup|failed to add device rules: (?!unable to find any existing device filters attached to the cgroup: bpf_prog_query\(BPF_CGROUP_DEVICE\) failed))/,
      "nvidia-container-cli: container error: cgroup subsystem devices not found: unknown.",
      "nvidia-container-cli: mount error: failed to add device rules: unable to generate new device filter program from existing programs",
    ),
    means: {
      weight: weights.said,
      name: toolkit,
      required: "a container toolkit that knows the cgroups of this host (1.8 or newer for cgroup v2)",
      next: ["stat -fc %T /sys/fs/cgroup", "nvidia-container-cli --version"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message:
            "the container toolkit does not find its way in the cgroups of this host: it is older than cgroup v2, or older than the kernel",
          fixes: [
            upToDate,
            fix(
              "or go back to cgroup v1 with the kernel's option `systemd.unified_cgroup_hierarchy=0`; or let the toolkit change no cgroups, and name the devices (`--device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm`)",
            ),
          ],
        },
        {
          cause: "library-wrong-version",
          name: "libnvidia-container.so.1",
          message: "libnvidia-container is older than this host's kernel",
        },
        { cause: "not-a-mismatch", message: "or the host has no cgroup for devices at all" },
      ],
    },
  },
  {
    ...notice(
      "container-ldconfig",
      "ldcache error: process",
      /nvidia-container-cli(?:\.real)?: ldcache error: process (?<subject>[\w/.-]{3,80}) (?:failed with error code|terminated with signal)/,
      "nvidia-container-cli: ldcache error: process /sbin/ldconfig.real failed with error code: 1",
    ),
    means: {
      weight: weights.said,
      name: toolkit,
      next: ["ls -l /sbin/ldconfig*", "grep ldconfig /etc/nvidia-container-runtime/config.toml"],
      may: withheld("the host's ldconfig failed on the image: the image is for another processor, is damaged, or its libc is another one", [
        fix("take the image for this processor (`docker image inspect` shows its Architecture beside `uname -m`), or fetch it anew"),
        fix(
          'see that `ldconfig` in /etc/nvidia-container-runtime/config.toml names the host\'s own, with its "@" (`"@/sbin/ldconfig"`; Ubuntu: `"@/sbin/ldconfig.real"`)',
        ),
      ]),
    },
  },
  {
    // Before 1.1 it asked CUDA, and not NVML, about the GPUs.
    ...notice(
      "container-old-tool",
      "error: cuda error: ",
      /nvidia-container-cli(?:\.real)?: \w{4,20} error: cuda error: (?<subject>[\w -]{4,60})/,
      "nvidia-container-cli: detection error: cuda error: invalid device ordinal: unknown",
    ),
    means: {
      weight: weights.said,
      symptom: (_facts, _context, [fact]) => `libnvidia-container asks CUDA about the GPUs, and gets "${fact!.subject!.trim()}"`,
      name: "libnvidia-container.so.1",
      required: "libnvidia-container 1.1 or newer, which asks NVML",
      found: "an older one, which asks CUDA",
      next: ["nvidia-container-cli --version", "nvidia-smi -L"],
      may: [
        {
          ...libcuda,
          cause: "driver-not-exposed",
          message: "the host's driver shows no GPU: none is there, or this driver does not drive it",
          when: (facts) => facts.notices("container-old-tool").some(({ subject }) => subject!.startsWith("no cuda-capable device")),
          fixes: [fix("see whether the host itself sees a GPU", "nvidia-smi -L"), upToDate],
        },
        {
          cause: "kernel-module-mismatch",
          message: "the driver does not answer as it should: mostly it was updated, or the machine slept, and was not restarted",
          when: (facts) => !facts.everything().some(({ at }) => /\bMIG\b|invalid device ordinal/i.test(at.text)),
          fixes: [fix("restart the machine", "sudo reboot"), upToDate],
        },
        {
          cause: "library-wrong-version",
          message: "libnvidia-container is older than what it is to show: of GPUs that are divided (MIG) it knows nothing",
          fixes: [upToDate],
        },
        { cause: "kernel-module-missing", message: "or the kernel module is not loaded" },
        { cause: "driver-not-exposed", message: "or no driver is installed on the host" },
      ],
    },
  },
  {
    ...notice(
      "wsl-no-adapter",
      "no adapters were found",
      /WSL environment detected but no adapters were found/,
      "nvidia-container-cli: initialization error: WSL environment detected but no adapters were found: unknown",
    ),
    means: {
      weight: weights.said,
      ...libcuda,
      required: "an NVIDIA GPU, with its driver in Windows",
      found: "none that WSL is shown",
      next: ["nvidia-smi.exe", "ls /usr/lib/wsl/drivers"],
      may: [
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          message: "Windows shows WSL no NVIDIA GPU: its NVIDIA driver is missing or too old for WSL, or the GPU is of another maker",
          fixes: [
            fix(
              "install the newest NVIDIA driver in Windows, bring WSL up to date, and start it anew; in Linux install none",
              "wsl.exe --update",
              "wsl.exe --shutdown",
            ),
          ],
        },
        { cause: "wrong-vendor", message: "or the machine has no NVIDIA GPU: images for CUDA need one" },
        { cause: "not-a-mismatch", message: "or the GPU is switched off in Windows" },
      ],
    },
  },
  {
    ...notice(
      "container-cli-failed",
      "nvidia-container-cli",
      /nvidia-container-cli(?:\.real)?: (?!requirement)(?<subject>\w{4,20}) error: (?<found>[^\n]{4,100})/,
      "nvidia-container-cli: initialization error: change root failed: no such file or directory: unknown",
    ),
    means: {
      weight: weights.refused,
      name: toolkit,
      unless: outright,
      next: ["nvidia-smi", "nvidia-container-cli -k -d /dev/tty info"],
      may: withheld("the container toolkit could not give the container its GPU", [
        fix(
          "see whether the driver itself answers on the host, then what the toolkit finds of it",
          "nvidia-smi",
          "nvidia-container-cli -k -d /dev/tty info",
        ),
        upToDate,
      ]),
    },
  },
] satisfies Signature[];
