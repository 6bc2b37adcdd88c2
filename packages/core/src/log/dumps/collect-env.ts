import type { Signature } from "../signature.ts";

/** python -m torch.utils.collect_env */
export default [
  {
    literals: ["cuda used to build pytorch"],
    pattern: /CUDA used to build PyTorch: {0,2}(?:(?<cuda>\d{1,2}\.\d{1,2})|(?<none>None|Could not collect|N\/A))/,
    examples: ["CUDA used to build PyTorch: 11.7", "CUDA used to build PyTorch: Could not collect"],
    facts: ({ cuda }) =>
      cuda === undefined ? { kind: "framework", id: "torch", cpuOnly: true } : { kind: "framework", id: "torch", cuda },
    single: true,
  },
  {
    literals: ["is cuda available"],
    // Programs that use more than one framework took the script over, and say of which they speak.
    pattern: /Is CUDA available(?: \((?:PyTorch|(?<tensorflow>TensorFlow))\))?: (?<value>True|False|Yes|No)/,
    examples: ["Is CUDA available: False", "Is CUDA available (TensorFlow): No"],
    facts: ({ tensorflow, value }) => ({
      kind: "available",
      by: tensorflow === undefined ? "torch" : "tensorflow",
      value: value === "True" || value === "Yes",
    }),
    single: true,
  },
  {
    literals: ["cuda runtime version"],
    pattern: /CUDA runtime version: (?<version>\d{1,2}\.\d{1,2})/,
    examples: ["CUDA runtime version: 11.8.89"],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "runtime" }),
    single: true,
  },
  {
    literals: ["nvidia driver version"],
    pattern: /Nvidia driver version: (?:(?<version>\d{3}\.[\d.]{1,10}\d)|(?<none>Could not collect))/,
    examples: ["Nvidia driver version: 530.30.02", "Nvidia driver version: Could not collect"],
    facts: ({ version }) => (version === undefined ? { kind: "notice", id: "driver-not-seen" } : { kind: "driver", version, of: "any" }),
    single: true,
  },
  {
    literals: ["gpu models and configuration"],
    pattern: /GPU models and configuration: (?:GPU \d: (?<name>[\w .()/+-]{3,60})|(?<none>Could not collect|No CUDA))/,
    examples: [
      "GPU models and configuration: GPU 0: NVIDIA GeForce RTX 3060 Laptop GPU",
      "GPU models and configuration: Could not collect",
    ],
    facts: ({ name }) => (name === undefined ? { kind: "notice", id: "gpu-not-seen" } : { kind: "gpu", name: name.trim() }),
    single: true,
  },
  {
    literals: ["[pip3]", "[pip]", "[pip2]"],
    pattern: /^\[pip\d?\] (?<name>[\w.-]{2,60})==(?<version>[\w.+!-]{1,40})/,
    examples: ["[pip3] torch==2.0.1+cu117"],
    facts: ({ name, version }) => ({ kind: "package", manager: "pip", name: name!, version: version! }),
    single: true,
  },
  {
    literals: ["[conda]"],
    pattern: /^\[conda\] (?<name>[\w.-]{2,60}) {1,40}(?<version>[\w.+!-]{1,40}) {1,40}(?<build>[\w.]{1,60})/,
    examples: ["[conda] cudatoolkit               11.3.1               h59b6b97_2"],
    facts: ({ name, version, build }) => ({ kind: "package", manager: "conda", name: name!, version: version!, build: build! }),
    single: true,
  },
  {
    literals: ["microsoft windows"],
    pattern: /^OS: Microsoft Windows/,
    examples: ["OS: Microsoft Windows 11 Enterprise"],
    facts: () => ({ kind: "platform", is: "windows" }),
    single: true,
  },
] satisfies Signature[];
