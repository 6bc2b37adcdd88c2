import type { Facts } from "../fact.ts";
import { driverReaches } from "../../knowledge/dotted.ts";
import type { Fact } from "../fact.ts";
import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { ownMatter, libcuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

const withoutDriver = [
  fix(
    "remove the driver's libraries from the image, as its last step",
    "RUN rm -f /usr/lib/x86_64-linux-gnu/libcuda.so* /usr/lib/x86_64-linux-gnu/libnvidia-*.so*",
  ),
];

// NVIDIA's images say at their start for which driver they were built.
const belowImage = (all: Fact<"notice">[]) => all.find(({ required, found }) => !driverReaches(found!, required!))!;

const ofAmd = (device: string) => /kfd|dri/.test(device);
const ofAmdOnWindows = (facts: Facts) =>
  facts.on("windows") && facts.notices("docker-device-absent").some(({ subject }) => ofAmd(subject!));
const loadAmd = fix(
  "load AMD's module; where that fails, install AMD's driver for the kernel that runs",
  "sudo modprobe amdgpu",
  "ls -l /dev/kfd /dev/dri",
);

/** libnvidia-container, the container toolkit's hooks, and Docker in front of them. */
export default [
  {
    // The start of NVIDIA's images (nvidia_entrypoint.d/50-gpu-driver-check and its neighbours).
    literals: ["supported in this version of the container", "supported gpu(s) detected to run this container"],
    pattern:
      /Detected (?:NVIDIA )?(?<gpu>[\w .()/+-]{2,60}?) GPU, which (?:is|may) not (?:yet )?(?:be )?supported in this version of the container|No supported GPU\(s\) detected to run this container/,
    examples: [
      "WARNING: Detected NVIDIA GeForce RTX 5080 GPU, which is not yet supported in this version of the container",
      "ERROR: No supported GPU(s) detected to run this container",
    ],
    facts: ({ gpu }) => ({ kind: "gpu-unsupported", by: "container", ...(gpu === undefined ? {} : { gpu: gpu.trim() }) }),
  },
  {
    literals: ["unsatisfied condition"],
    // The tool of C says "requirement error:" before it, the runtime in Go what is there behind it.
    pattern: /unsatisfied condition: {0,2}(?<condition>[\w]{2,20} ?[<>=]{1,2} ?[\w.]{1,20})(?: ?\(cuda=(?<cuda>\d{1,2}\.\d{1,2})\))?/,
    examples: [
      "requirements not met: unsatisfied condition: cuda>=12.8 (cuda=12.2)",
      "requirements not met:unsatisfied condition:cuda>=11.4(cuda=10.2): unknown",
      "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container",
    ],
    facts: ({ condition, cuda }) => [
      { kind: "container", what: "requirement", condition: condition! },
      ...(cuda === undefined ? [] : [{ kind: "driver-cuda" as const, version: cuda }]),
    ],
  },
  {
    literals: ["nvidia-container-cli"],
    pattern:
      /nvidia-container-cli(?:\.real)?: (?:initialization|mount|detection|container|ldcache) error: (?:load library failed: (?<name>[\w.-]{3,60})|(?<any>cannot open shared object file)|driver (?:error|not loaded|rpc error))/i,
    examples: [
      "nvidia-container-cli: initialization error: load library failed: libnvidia-ml.so.1: cannot open shared object file: no such file or directory",
      "nvidia-container-cli: initialization error: driver error: failed to process request",
      "nvidia-container-cli: initialization error: cannot open shared object file: no such file or directory: unknown.",
    ],
    facts: ({ name, any }) => {
      if (any !== undefined) return { kind: "container", what: "no-library" };
      return name === undefined ? { kind: "container", what: "not-loaded" } : { kind: "container", what: "no-library", name };
    },
  },
  {
    literals: ["could not select device driver"],
    pattern:
      /could not select device driver(?: ["'\\]{0,4}(?:nvidia)?["'\\]{0,4})? {1,3}with capabilities: \[\[(?:gpu|nvidia|compute|utility|graphics|video|display)\b/,
    examples: [
      'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
      'Error response from daemon: could not select device driver "nvidia" with capabilities: [[compute utility]]',
    ],
    facts: () => ({ kind: "container", what: "no-runtime" }),
  },
  {
    literals: ["nvidia-container-runtime", "runtime name: nvidia", "runtime specified nvidia"],
    pattern:
      /(?:unknown or invalid runtime name: nvidia|[Uu]nknown runtime specified nvidia|exec: "nvidia-container-runtime(?:-hook)?": executable file not found)/,
    examples: ['exec: "nvidia-container-runtime-hook": executable file not found in $PATH'],
    facts: () => ({ kind: "container", what: "no-runtime" }),
  },
  {
    // containerd under Kubernetes: the class names a runtime that its configuration does not have.
    literals: ["is configured"],
    pattern: /no runtime for \\?"nvidia\\?" is configured/,
    examples: ['failed to get sandbox runtime: no runtime for "nvidia" is configured'],
    facts: () => ({ kind: "container", what: "no-runtime" }),
  },
  notice(
    "nvidia-image-no-driver",
    "the nvidia driver was not detected",
    /WARNING: The NVIDIA Driver was not detected/,
    "WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.",
  ),
  {
    // The entry point of NVIDIA's images (nvidia_entrypoint.sh).
    literals: ["was built for nvidia driver", "built for driver", "built for nvidia driver"],
    pattern:
      /built for (?:NVIDIA )?[Dd]river(?: [Rr]elease)? (?<required>\d{3}(?:\.\d{1,3}){0,2}) or (?:later|newer),? {1,10}but {1,10}(?:version |driver )?(?<found>\d{3}(?:\.\d{1,3}){0,2}) was (?:detected|found)(?<mode> and compatibility mode is ENABLED)?/,
    examples: [
      "ERROR: This container was built for NVIDIA Driver Release 450.51 or later, but version 440.33.01 was detected and compatibility mode is UNAVAILABLE.",
      "ERROR: This container was built for NVIDIA Driver Release 410 or later, but version 396.26 was detected and compatibility mode is UNAVAILABLE.",
    ],
    facts: ({ required, found, mode }) =>
      mode === undefined
        ? [
            { kind: "notice", id: "image-driver", required: required!, found: found! },
            { kind: "driver", version: found!, of: "any" },
          ]
        : { kind: "noise", reason: "the image is newer than the driver and brings a compat library for it" },
    notice: "image-driver",
    means: {
      ...libcuda,
      weight: weights.said,
      next: ["nvidia-smi"],
      unless: (facts) => facts.notices("image-driver").every(({ required, found }) => driverReaches(found!, required!)),
      about: (_facts, _context, all) => {
        const fact = belowImage(all);
        return { required: `driver ${fact.required} or newer`, found: `driver ${fact.found}`, evidence: [fact] };
      },
      may: [
        {
          cause: "driver-too-old",
          certainty: "certain",
          message: (_facts, _context, all) =>
            `the image was built for driver ${belowImage(all).required} or newer, and the host has ${belowImage(all).found}`,
          fixes: (_facts, _context, all) => [
            fix(`install driver ${belowImage(all).required} or newer on the host`),
            fix("or take an older release of the image"),
          ],
        },
        { cause: "forward-compat-misuse", message: "or the compat library in the image does not serve this GPU or this driver branch" },
      ],
    },
  },
  notice(
    "image-compat-mode",
    "cuda minor version compatibility mode",
    /CUDA (?:Minor Version|Forward) Compatibility mode (?:ENABLED|UNAVAILABLE)/i,
    "NOTE: CUDA Minor Version Compatibility mode ENABLED.",
  ),
  {
    ...notice(
      "container-device",
      "device error: ",
      /nvidia-container-cli: device error: (?<subject>[\w:.-]{1,60}): unknown device/,
      "nvidia-container-cli: device error: 2: unknown device: unknown",
    ),
    means: ownMatter(
      "the device",
      "the container asks for a GPU that the host does not have, or that the tool does not know by this name",
      "ask for `--gpus all`, or for an index that `nvidia-smi -L` shows",
    ),
  },
  {
    ...notice(
      "container-file-exists",
      "file exists",
      /nvidia-container-cli: mount error: (?:file creation failed|mount operation failed): [^\s:]{1,300}\/(?<subject>(?:lib)?(?:cuda|nvidia)[\w.-]{2,60}): file exists/,
      "nvidia-container-cli: mount error: file creation failed: /var/lib/docker/overlay2/0a1b/merged/usr/lib/x86_64-linux-gnu/libcuda.so.1: file exists",
    ),
    means: {
      // The toolkit puts the host's driver libraries into the container, and files of that name are in the image already.
      weight: weights.said,
      required: "an image without the driver's libraries",
      next: ["look into the image, started without a GPU: `ls -l /usr/lib/x86_64-linux-gnu/libcuda* /usr/lib/x86_64-linux-gnu/libnvidia*`"],
      about: (_facts, _context, [fact]) => ({
        name: fact!.subject!,
        library: fact!.subject!.startsWith("libnvidia-ml") ? "nvml" : "libcuda",
        found: `${fact!.subject} within the image`,
      }),
      may: [
        {
          cause: "library-shadowed",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the image holds a copy of the driver's \`${fact!.subject}\`, where the host's own should go: it was made or committed with a driver inside`,
          fixes: withoutDriver,
        },
        { cause: "driver-not-exposed", message: "so the host's driver does not reach the container", fixes: withoutDriver },
        { cause: "two-copies", message: "or the host itself has two copies of the driver's libraries", fixes: withoutDriver },
      ],
    },
  },
  {
    ...notice(
      "container-set-up",
      ["bpf_prog_query(bpf_cgroup_device) failed", "ldcache error: ", "driver rpc error: timed out"],
      /bpf_prog_query\(BPF_CGROUP_DEVICE\) failed|nvidia-container-cli: ldcache error: open failed|driver rpc error: timed out/,
      "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters attached to the cgroup: bpf_prog_query(BPF_CGROUP_DEVICE) failed: operation not permitted",
      "nvidia-container-cli: ldcache error: open failed: /sbin/ldconfig.real: no such file or directory",
    ),
    means: ownMatter(
      "nvidia-container-toolkit",
      "the container toolkit is not set up for this host (cgroups, ldconfig, or a driver that is slow to start)",
      "bring the container toolkit up to date, and see its `config.toml`; keep the driver awake with nvidia-persistenced",
    ),
  },
  {
    ...notice(
      "docker-device-absent",
      "error gathering device information",
      /error gathering device information while adding custom device "(?<subject>\/dev\/(?:nvidia[\w-]{0,20}|kfd|dri[\w/]{0,20}|dxg))": no such file/,
      'Error response from daemon: error gathering device information while adding custom device "/dev/nvidia-uvm": no such file or directory',
    ),
    means: {
      weight: weights.said,
      about: (_facts, _context, [fact]) => ({ name: fact!.subject!, required: `${fact!.subject} on the host`, found: "no such file" }),
      next: ["ls -l /dev/nvidia* /dev/dri", "nvidia-smi"],
      may: [
        {
          cause: "kernel-module-missing",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `\`${fact!.subject}\` is not on the host: the driver's module is not loaded, mostly since an update of the kernel, or nothing has used the GPU since the start`,
          when: (facts) => !ofAmdOnWindows(facts),
          fixes: (_facts, _context, [fact]) =>
            ofAmd(fact!.subject!)
              ? [loadAmd]
              : [
                  fix(
                    "load the modules and make their files; where that fails, install the driver for the kernel that runs",
                    "sudo nvidia-modprobe -u -c=0",
                    "nvidia-smi",
                  ),
                  fix(
                    "for good: let nvidia-persistenced start with the machine, and Docker after it; or give GPUs with `--gpus all`, which makes the files itself",
                  ),
                ],
        },
        {
          cause: "driver-not-exposed",
          certainty: "likely",
          when: (facts) => ofAmdOnWindows(facts),
          message:
            "Docker on Windows runs its containers in a virtual machine, which has no /dev/kfd: ROCm's images need Linux on the machine itself",
          fixes: [
            fix("run the image on Linux; in Windows take a build for DirectML or Vulkan, or AMD's own for Windows, which its guide names"),
          ],
        },
        {
          cause: "driver-not-exposed",
          when: (facts) => !ofAmdOnWindows(facts),
          message: "or the host has no driver, or not that GPU",
        },
      ],
    },
  },
] satisfies Signature[];
