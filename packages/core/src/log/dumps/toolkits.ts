import type { Draft } from "../fact.ts";
import type { Signature } from "../signature.ts";

/** nvcc --version, folders of toolkits, and what people say about theirs. */
export default [
  {
    literals: ["cuda compilation tools"],
    pattern: /Cuda compilation tools, release (?<version>\d{1,2}\.\d{1,2})(?:, V(?<full>\d{1,2}\.\d{1,2}\.\d{1,4}))?/,
    examples: ["Cuda compilation tools, release 11.6, V11.6.55"],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "nvcc" }),
  },
  {
    // nvcc's build, its last line.
    literals: ["/compiler."],
    pattern: /\bcuda_(?<version>\d{1,2}\.\d{1,2})\.r\d{1,2}\.\d{1,2}\/compiler\./,
    examples: ["Build cuda_11.8.r11.8/compiler.31833905_0"],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "nvcc" }),
    single: true,
  },
  {
    // An image by its tag: `nvidia/cuda:12.4.1-devel`, `pytorch:2.1-cuda12.1-cudnn8-runtime`.
    literals: ["/cuda:", "-cuda1", "-cuda9", "-cuda8", "_cuda1"],
    pattern: /\b[\w.-]{2,40}\/cuda:(?<tag>\d{1,2}\.\d{1,2})[\w.-]{0,40}|:[\w.-]{1,30}[-_]cuda(?<named>\d{1,2}\.\d{1,2})[\w.-]{0,40}/,
    examples: ["FROM nvidia/cuda:12.4.1-devel-ubuntu22.04", "pytorch/torchserve:0.2.0-cuda10.1-cudnn7-runtime"],
    facts: ({ tag, named }) => ({ kind: "notice", id: "image-cuda", found: (tag ?? named)! }),
    single: true,
  },
  {
    literals: ["gcc", "pkgversion="],
    pattern:
      /\bgcc(?:-\d{1,2})? \((?:Ubuntu|Debian|GCC|Red Hat|SUSE|Gentoo|Anaconda|conda-forge)[^)\n]{0,40}\) (?<banner>\d{1,2}\.\d{1,2})\.\d|\bgcc version (?<version>\d{1,2}\.\d{1,2})\.\d|pkgversion='[A-Za-z ]{3,12}(?<built>\d{1,2}\.\d{1,2})\.\d|\b(?:gcc|g\+\+)[ :=v-]{1,3}(?<said>\d{1,2}\.\d{1,2}|(?:[6-9]|1\d)(?![.\d]))(?:\.\d{1,2})?\b(?! or (?:newer|later|older))/i,
    examples: ["gcc (Ubuntu 13.2.0-23ubuntu4) 13.2.0", "gcc version 9.3.0 (Ubuntu 9.3.0-17ubuntu1~20.04)", "gcc 11.4"],
    facts: ({ banner, version, built, said }) => ({ kind: "notice", id: "gcc-here", found: (banner ?? version ?? built ?? said)! }),
    single: true,
  },
  {
    literals: ["/cuda-", "/cuda/", "\\cuda\\v", "cuda_path_v"],
    pattern: /(?:\/cuda-|\/cuda\/v?|\\CUDA\\v)(?<version>\d{1,2}\.\d{1,2})(?:\.\d{1,3})?(?=[\s/\\:;"'),]|$)/,
    examples: [
      "/usr/local/cuda-11.5/targets/x86_64-linux/lib/libcupti.so",
      "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.2\\bin",
    ],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "path" }),
    every: true,
  },
  {
    literals: [
      "cuda 1",
      "cuda 9",
      "cuda 8",
      "cuda 7",
      "cuda1",
      "cuda9",
      "cuda8",
      "cuda: ",
      "cuda=1",
      "cuda v1",
      "cuda is ",
      "cuda version",
      "cuda runtime",
      "cudatoolkit",
      "cuda toolkit",
    ],
    pattern:
      /(?<!Driver Version:? {0,4}[\d.]{3,12}[ |]{0,40})(?<!(?:[Bb]uilt|ompiled) with )\bcuda(?: ?toolkit| version| runtime| runtime version| driver)?(?: is)? {0,2}[:=：]? ?v?(?<version>\d{1,2}\.\d{1,2})(?:\.\d{1,4})?\b(?!\.\d{1,4}\.)/i,
    examples: [
      "CUDA 11.3",
      "Cudatoolkit 11.0.221",
      "  - CUDA Runtime 12.8",
      "CUDA runtime version: 11.8.89",
      "nvidia-smi says CUDA Version: 12.2",
    ],
    facts: ({ version }, match) => (/driver/i.test(match[0]) || !/^(?:[5-9]|1\d)\./.test(version!) ? undefined : said(version!, match)),
    // People name two of them in one sentence.
    every: true,
  },
  {
    // "NVIDIA CUDA Tool Kit (VERSION 12.2)"
    literals: ["cuda tool kit", "cuda toolkit (", "cuda ("],
    pattern:
      /\bcuda(?: ?tool ?kit)? ?\((?:version |ver\.? |v)?(?<bracketed>\d{1,2}\.\d{1,2})(?:\.\d{1,4})?\)|\bcuda tool kit v?(?<plain>\d{1,2}\.\d{1,2})\b(?!\.\d{4})/i,
    examples: ["NVIDIA CUDA Tool Kit (VERSION 12.2)", "NVIDIA CUDA Tool Kit 12.2, cuDNN 8.9"],
    facts: ({ bracketed, plain }) => {
      const version = (bracketed ?? plain)!;
      return /^(?:[7-9]|1\d)\./.test(version) ? { kind: "toolkit", version, from: "said" } : undefined;
    },
  },
  {
    literals: ["nvcc version", "nvcc: 1", "nvcc: 9", "nvcc 1", "nvcc -v", "nvcc --version", "nvcc`"],
    pattern:
      /\bnvcc(?: -V| --version)?[`'"]{0,3}(?: version)?(?: (?:it )?(?:shows?|says|reports?|displays?|prints?|gives))?[:= ]{1,3}(?:it'?s |release )?v?(?<version>\d{1,2}\.\d)\b/i,
    examples: ["nvcc version: 12.4", "`nvcc -V` shows 11.3"],
    facts: ({ version }) => ({ kind: "toolkit", version: version!, from: "nvcc" }),
  },
  {
    literals: ["cuda version "],
    pattern: /\bcuda version (?:[a-z]{2,12} ){1,6}is {1,2}v?(?<version>\d{1,2}\.\d)\b/i,
    examples: ["the CUDA version used when building it is 11.3"],
    facts: ({ version }, match) => (/^(?:[5-9]|1\d)\./.test(version!) ? said(version!, match) : undefined),
  },
  {
    // The form that TensorFlow's issues are written in, also with the answer on the next line.
    literals: ["cuda/cudnn version"],
    pattern: /\bCUDA\/cuDNN version[:\s]{1,4}(?:CUDA(?: toolkit)?[ :=]{0,3})?v?(?<version>\d{1,2}\.\d)(?:\.\d{1,4})?\b/i,
    examples: ["CUDA/cuDNN version: 10.2.89", "### CUDA/cuDNN version 11.2/8.1"],
    facts: ({ version }) => (/^(?:[7-9]|1\d)\./.test(version!) ? { kind: "toolkit", version: version!, from: "said" } : undefined),
  },
] satisfies Signature[];

/** What nvidia-smi shows is the newest CUDA of the driver, whatever is installed. */
function said(version: string, { input, index }: RegExpMatchArray): Draft | undefined {
  const before = (input ?? "").slice(Math.max(0, (index ?? 0) - 60), index);
  // What a release supports, or might, is not what is here.
  if (/\b(?:supports?|supporting|compatible with|compatibility with)\s*$/i.test(before)) return undefined;
  return /nvidia-smi(?![^\n]{0,60}\bnvcc)/i.test(before) ? { kind: "driver-cuda", version } : { kind: "toolkit", version, from: "said" };
}
