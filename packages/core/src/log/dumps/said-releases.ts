import type { Signature } from "../signature.ts";

/** Releases of frameworks in the words of people and in the forms of their issues; TensorFlow's and PyTorch's own prints are with them. */
export default [
  {
    // libtorch by the name of its archive or folder, and as people call it.
    literals: ["libtorch"],
    pattern: /\blibtorch(?:-[a-z\d]{2,8}){0,6}[- ](?<version>\d\.\d{1,2}(?:\.\d)?)(?:%2B|\+|[ ,(]{1,2})cu(?<label>\d{2,3})\b/,
    examples: ["libtorch-cxx11-abi-shared-with-deps-2.3.0%2Bcu118.zip", "libtorch 1.11 cu113"],
    facts: ({ version, label }) => ({
      kind: "framework",
      id: "torch",
      version: version!,
      cuda: `${label!.slice(0, -1)}.${label!.at(-1)}`,
    }),
    single: true,
  },
  {
    // tf.version.GIT_VERSION and VERSION, as its issue form asks for them; and a wheel by its name.
    literals: ["-g", "tensorflow-2.", "tensorflow-1."],
    pattern:
      /\bv?\d\.\d{1,2}\.\d{1,2}(?:-rc\d)?-\d{1,6}-g[\da-f]{7,12} (?<version>[12]\.\d{1,2}\.\d{1,2})\b|(?<![\w/.-])tensorflow-(?<named>[12]\.\d{1,2}\.\d{1,2})\b(?![\w.-]{0,40}\.whl)/,
    examples: ["v2.11.0-rc2-15-g6290819256d 2.11.0", "tensorflow-2.12.0 not support GPU"],
    facts: ({ version, named }) => ({ kind: "framework", id: "tensorflow", version: (version ?? named)! }),
    single: true,
  },
  {
    literals: ["onnxruntime", "onnx runtime"],
    pattern:
      /(?<![\w./-])onnx ?runtime(?<gpu>[-_]gpu)?(?: version| \(version\))?(?: or commit id)?[\s:=v*`]{1,4}(?<version>1\.\d{1,2}(?:\.\d{1,2})?)\b(?!\.\d|\.whl)/i,
    examples: ["onnxruntime-gpu 1.17.0, CUDA 12.2", "ONNX Runtime Version or Commit ID: 1.15.0", "I use ONNX Runtime 1.17 on Ubuntu"],
    facts: ({ version }) => ({ kind: "framework", id: "onnxruntime", version: version! }),
  },
  {
    // "torch 2.5.1" in a sentence; not a release that something asks for, or that somebody is told to take.
    literals: ["torch "],
    pattern:
      /(?<![\w./@=+-])(?:py)?torch(?: version)?[ v]{1,3}(?<version>[12]\.\d{1,2}(?:\.\d)?)\b(?![.+]\w|\.\d|\.whl|\+| or (?:newer|later|above|higher)|x| (?:to|->) )(?:[ ,(-]{1,3}(?:(?:built |compiled )?(?:with|for) |and )?cu(?<label>\d{2,3})\b)?/i,
    examples: [
      "torch 2.5.1 and I installed cudnn 8.9 by apt",
      "with torch 2.3.1, CUDA 12.1",
      "I upgraded to PyTorch 2.6 with cu126",
      "Tesla K80, torch 2.1.",
    ],
    facts: ({ version, label }, { input, index }) =>
      /\b(?:at least|requires?|needs?|minimum|expects?|expected|wants?|compiled|built|supports?|for|to|than|install(?:ing)?|try|use|until|before|since|from)\s*$/i.test(
        // Who upgraded to a release has it.
        input.slice(0, index).replace(/\b(?:upgraded|updated|downgraded|moved|switched) (?:my \w{2,12} )?to\s*$/i, ""),
      )
        ? undefined
        : {
            kind: "framework",
            id: "torch",
            version: version!,
            ...(label === undefined ? {} : { cuda: `${label.slice(0, -1)}.${label.at(-1)}` }),
          },
  },
  {
    // "after updating tensorflow to 2.6.0", "upgraded torch from 1.1 to 1.2".
    literals: ["tensorflow", "torch"],
    pattern:
      /\b(?:updat|upgrad|downgrad|mov|switch)(?:e|ed|es|ing)? (?:my |the |from )?(?<name>tensorflow|(?:py)?torch)(?:-gpu)?(?: from v?\d[\w.]{1,12})? to v?(?<version>\d\.\d{1,2}(?:\.\d{1,2})?)\b(?!\.\w)/i,
    examples: ["Can't find GPUs after updating tensorflow to 2.6.0 (with pip)"],
    facts: ({ name, version }) => ({ kind: "framework", id: /torch/i.test(name!) ? "torch" : "tensorflow", version: version! }),
  },
  {
    // "pip install tensorflow (1.4)", "TF 2.10": what somebody has, in brackets or behind its short name.
    literals: ["tensorflow", "tf "],
    pattern:
      /\b(?:tensorflow ?\(|TF v?|tensorflow v?)(?<version>[12]\.\d{1,2}(?:\.\d{1,2})?)\b(?!\.\w| or (?:newer|later|above|higher)|\+)/,
    examples: ["I did pip install tensorflow (1.4)", "TF 2.10 on Windows does not see it"],
    facts: ({ version }, { input, index }) =>
      /\b(?:at least|requires?|needs?|minimum|expects?|wants?|supports?|for|than|try|use|until|before|since|from|after|below|only)\s*$/i.test(
        input.slice(0, index),
      )
        ? undefined
        : { kind: "framework", id: "tensorflow", version: version! },
  },
  {
    literals: ["jax", "jaxlib"],
    pattern: /(?<![\w./-])jax(?:lib)?(?: version)?[\s:=v*`]{1,4}(?<version>0\.\d{1,2}\.\d{1,3})\b(?!\.\d|\.whl)/i,
    examples: ["jax 0.4.20, jaxlib 0.4.20+cuda11", "jaxlib: 0.4.13"],
    facts: ({ version }) => ({ kind: "framework", id: "jax", version: version! }),
  },
] satisfies Signature[];
