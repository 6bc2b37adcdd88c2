import type { Signature } from "../signature.ts";

/** nvidia-smi, plain, -q and -L. */
export default [
  {
    literals: ["driver version"],
    pattern:
      /Driver Version ?(?:: {0,4}| {2,60}: )(?<driver>\d{3}\.\d{1,3}(?:\.\d{1,3})?)(?: {0,40}\|? {0,10}CUDA Version: {1,4}(?<cuda>\d{1,2}\.\d{1,2}))?/,
    examples: [
      "| NVIDIA-SMI 525.105.17   Driver Version: 525.105.17   CUDA Version: 12.0     |",
      "Driver Version                            : 535.104.05",
    ],
    facts: ({ driver, cuda }) => [
      { kind: "driver", version: driver!, of: "any" },
      ...(cuda === undefined ? [] : ([{ kind: "driver-cuda", version: cuda }] as const)),
    ],
    single: true,
  },
  {
    // As people copy it: the two on lines of their own.
    literals: ["driver version"],
    pattern:
      /Driver Version ?[:：] {0,4}(?<driver>\d{3}\.\d{1,3}(?:\.\d{1,3})?)\b[\s|*_-]{1,12}(?:[^\s\w]{1,12}[:：] ?|CUDA[^\s\w]{1,8}[:：] ?)?CUDA Version ?[:：] {0,4}(?<cuda>\d{1,2}\.\d{1,2})\b/,
    examples: ["Driver Version: 460.80 CUDA Version: 11.3"],
    facts: ({ cuda }) => ({ kind: "driver-cuda", version: cuda! }),
  },
  {
    literals: ["nvidia-smi "],
    pattern: /NVIDIA-SMI {1,4}(?<nvml>\d{3}\.\d{1,3}(?:\.\d{1,3})?)/,
    examples: ["| NVIDIA-SMI 340.93     Driver Version: 340.93         |"],
    facts: ({ nvml }) => ({ kind: "driver", version: nvml!, of: "any" }),
    single: true,
  },
  {
    literals: ["cuda version  "],
    pattern: /^CUDA Version {4,60}: (?<cuda>\d{1,2}\.\d{1,2})/,
    examples: ["CUDA Version                              : 12.2"],
    facts: ({ cuda }) => ({ kind: "driver-cuda", version: cuda! }),
    single: true,
  },
  {
    literals: ["(uuid: gpu", "product name", "gpu 0: ", "gpu 1: "],
    pattern: /(?:GPU \d{1,2}: (?<name>[\w][\w .()/+-]{3,60}?)(?: \(UUID: GPU|$)|^ {0,8}Product Name {2,60}: (?<product>[\w .()/+-]{3,60}))/,
    examples: [
      "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-00000000-0000-0000-0000-000000000000)",
      "    Product Name                          : NVIDIA A100",
    ],
    facts: ({ name, product }) => ({ kind: "gpu", name: (name ?? product)!.trim() }),
    single: true,
  },
  {
    literals: ["geforce", "quadro", "tesla", "rtx", "nvidia a", "nvidia h", "nvidia l", "titan"],
    pattern:
      /^\|\s{1,4}\d{1,2}\s{1,4}(?<name>(?:NVIDIA |GeForce |Quadro |Tesla |TITAN )[\w .()/-]{1,40}?)\s{1,12}(?:On|Off|WDDM|TCC|N\/A)\s/,
    examples: ["|   0  NVIDIA GeForce RTX 3090        Off |   00000000:01:00.0 Off |                  N/A |"],
    facts: ({ name }) => ({ kind: "gpu", name: name!.trim() }),
    single: true,
  },
  {
    // In the words of people.
    literals: ["rtx", "gtx", "tesla", "quadro", "a100", "h100", "h200", "b200", "titan"],
    pattern:
      /(?<!\b(?:AMD|Radeon) (?:Radeon )?)\b(?<name>(?:NVIDIA )?(?:GeForce )?(?:RTX|GTX) ?(?:PRO )?(?:A?\d{3,4}0?)(?: ?(?:Ti|SUPER|Super|D|Laptop GPU|Laptop|Ada|Ada Generation|Blackwell)){0,2}|(?:NVIDIA )?(?:Tesla (?:V100|T4|P100|P40|P4|K80|K40c?|M40|M60|M2090)|A100|H100|H200|B200|L40S?|L4|A10G?|A40|A30|TITAN (?:X|Xp|V|RTX)|Quadro \w{2,4} ?\d{3,4}))\b/i,
    examples: ["GPU: NVIDIA Quadro RTX 6000", "RTX 4090", "Not working with RTX5090"],
    facts: ({ name }) => ({ kind: "gpu", name: name!.replace(/(?<=RTX|GTX)(?=\d)/i, " ") }),
  },
  {
    // What people say that nvidia-smi shows is the driver's newest CUDA.
    literals: ["nvidia-smi"],
    pattern:
      /\bnvidia-smi[`'"]{0,3}(?: \w{2,8}){0,2}? (?:shows?|says|reports?|displays?|prints?|gives|showing)(?: \w{1,8}){0,8}? ?(?:CUDA ?(?:version)?:? ?)?v?(?<cuda>\d{1,2}\.\d)(?![.\d])/i,
    examples: ["But `nvidia-smi` still shows the version of the toolkit to be 12.2", "nvidia-smi shows CUDA 12.4"],
    facts: ({ cuda }) => (/^(?:[89]|1\d)\./.test(cuda!) ? { kind: "driver-cuda", version: cuda! } : undefined),
  },
  {
    // nvidia-smi -L
    literals: ["uuid: mig-"],
    pattern: /\bMIG \d{1,2}[cg]?\S{0,20}\s{1,8}Device {1,4}\d{1,2}: \(UUID: (?<subject>MIG-[\w/-]{8,80})\)/,
    examples: ["  MIG 3g.40gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)"],
    facts: ({ subject }) => ({ kind: "notice", id: "mig-part", subject: subject! }),
    single: true,
  },
] satisfies Signature[];
