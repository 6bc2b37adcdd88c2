import type { Signature } from "../signature.ts";

// NVIDIA's JetPack archive: which release of Jetson Linux (L4T) a JetPack is.
const ofJetpack: [jetpack: RegExp, l4t: string][] = [
  [/^4\.[2-6]/, "32"],
  [/^5\.0/, "34"],
  [/^5\.1/, "35"],
  [/^6/, "36"],
  [/^7/, "38"],
];

/** Releases of Jetson Linux: of the host, as its file, its people and jtop name them, and of images, by their tags. */
export default [
  {
    literals: ["revision:"],
    pattern: /# R(?<major>3\d) \(release\), REVISION: (?<minor>\d{1,2}\.\d{1,2})/,
    examples: ["# R32 (release), REVISION: 3.1, GCID: 18284527, BOARD: t186ref, EABI: aarch64"],
    facts: ({ major, minor }) => ({ kind: "notice", id: "l4t-host", found: `${major}.${minor}` }),
  },
  {
    literals: ["l4t"],
    pattern: /\[?\bL4T:? (?:version |release )?R?(?<found>3\d\.\d{1,2}(?:\.\d{1,2})?)\b/,
    examples: ["- JetPack: 4.6 [L4T 32.6.1]", "L4T 35.4.1"],
    facts: ({ found }) => ({ kind: "notice", id: "l4t-host", found: found! }),
    single: true,
  },
  {
    literals: ["jetpack"],
    pattern: /\bJet[Pp]ack:? (?:version |SDK )?v?(?<jetpack>[4-7]\.\d)/,
    examples: ["JetPack 6.0 on an Orin"],
    facts: ({ jetpack }) => {
      const l4t = ofJetpack.find(([pattern]) => pattern.test(jetpack!))?.[1];
      return l4t === undefined ? undefined : { kind: "notice", id: "l4t-host", found: l4t };
    },
    single: true,
  },
  {
    literals: ["l4t-", ":r3"],
    pattern: /\b(?<subject>[\w./-]{0,60}(?:l4t[\w-]{0,30}:|l4t-|jetson[\w-]{0,30}:)r(?<required>3\d\.\d{1,2}(?:\.\d{1,2})?))/,
    examples: ["nvcr.io/nvidia/l4t-pytorch:r32.4.2-pth1.5-py3", "dustynv/ros:foxy-desktop-l4t-r35.4.1"],
    facts: ({ subject, required }) => ({ kind: "notice", id: "l4t-image", subject: subject!, required: required! }),
    single: true,
  },
] satisfies Signature[];
