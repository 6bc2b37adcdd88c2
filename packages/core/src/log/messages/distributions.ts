import type { Signature } from "../signature.ts";

/** Which Linux, and which image of NVIDIA's, a text speaks of: what can be installed there goes by it. */
export default [
  {
    // Templates of issues ask for one with an example.
    literals: [
      "fedora",
      "centos",
      "red hat",
      "redhat",
      "rhel",
      "rocky",
      "alma",
      "oracle linux",
      "amazon linux",
      ".el7",
      ".el8",
      ".el9",
      "dnf ",
      "yum ",
    ],
    pattern:
      /\b(?:Fedora|CentOS|Red ?Hat|RHEL|Rocky(?: Linux)? ?\d|Alma ?Linux|Oracle Linux|Amazon Linux|(?:dnf|yum) (?:-\w{1,3} ){0,2}install)\b|\.el[789](?:_\d{1,2})?\b/i,
    examples: ["OS Platform and Distribution (e.g., Linux Ubuntu 16.04): Centos 7", "4.18.0-240.el8.x86_64", "Fedora 34"],
    facts: () => ({ kind: "notice", id: "linux-family", subject: "redhat" }),
    single: true,
  },
  {
    literals: ["arch linux", "archlinux", "manjaro", "endeavour", "pacman -s"],
    pattern: /\bArch ?Linux\b|\bManjaro\b|\bEndeavour ?OS\b|\bpacman -S/i,
    examples: ["Arch linux -- endeavour OS"],
    facts: () => ({ kind: "notice", id: "linux-family", subject: "arch" }),
    single: true,
  },
  {
    literals: ["ubuntu", "debian", "linux mint", "pop!_os", "apt install", "apt-get install"],
    pattern:
      /(?<!e\.g\.,? ?(?:Linux )?)\b(?:(?:K|L|X)?Ubuntu|Debian|Linux Mint|Pop!_OS)\b[ -]{0,2}(?:v(?:ersion)? ?)?(?<release>\d{2}\.(?:04|10))?|(?<=[-:])ubuntu(?<image>\d{2}\.\d{2})|\bapt(?:-get)? install\b/i,
    examples: ["Ubuntu 22.04.5 LTS", "nvidia/cuda:11.8.0-base-ubuntu22.04", "sudo apt-get install libcudnn8"],
    facts: ({ release, image }) => ({
      kind: "notice",
      id: "linux-family",
      subject: "debian",
      ...((release ?? image) === undefined ? {} : { found: (release ?? image)! }),
    }),
    single: true,
  },
  {
    literals: ["nvidia/cuda:"],
    pattern:
      /\bnvidia\/cuda:(?<cuda>\d{1,2}\.\d{1,2})(?:\.\d{1,2})?-(?<parts>(?:cudnn\d?-)?(?:base|runtime|devel))-ubuntu(?<release>\d{2}\.\d{2})/,
    examples: ["FROM nvidia/cuda:11.8.0-base-ubuntu22.04"],
    facts: ({ cuda, parts, release }) => ({ kind: "notice", id: "cuda-image", subject: cuda!, required: release!, found: parts! }),
  },
] satisfies Signature[];
