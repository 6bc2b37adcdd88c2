import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { frameworks, sentencesOf, wished, type Sentence } from "../sentence.ts";

const replaces =
  /\b(?:replac(?:e|es|ed|ing)|uninstall(?:s|ed|ing)?|overwrit(?:e|es|ten|ing)|overwrote|downgrad(?:e|es|ed|ing)|re-?install(?:s|ed|ing)?|resets?|resetting|swap(?:s|ped)|switch(?:es|ed)|remov(?:e|es|ed|ing)|breaks?|broke)\b/i;
const installing =
  /\b(?:pip|uv|conda|mamba|poetry|install(?:s|ed|er|ing|ation)?|requirements(?:\.txt)?|updat(?:e|es|ed|ing)|upgrad(?:e|es|ed|ing)|node|extension)\b/i;
const theCpuBuild = /\b(?:cpu(?:[ -]?only)?|non-?cuda|without cuda|no cuda|not? (?:have )?cuda|the normal|the plain)\b|\+cpu\b/i;
const ofCuda = /\bcuda\b|\+cu\d{2,3}\b|\bgpu\b/i;
// What somebody did himself, or asks how to do.
const own = /\b(?:I|we) (?:\w{2,9} )?(?:re-?install(?:ed)?|uninstalled|replaced|removed|downgraded|switched)\b/i;

const told = ({ has, near }: Sentence): boolean =>
  !has(wished) && !has(own) && has(installing) && has(ofCuda) && frameworks.some(([, pattern]) => near(60, replaces, pattern));

/** A package that was installed took the framework's CUDA build away, and put another in its place. */
export default {
  id: "people-lose-build",
  vague: true,
  literals: ["torch", "tensorflow", "jax", "onnx"],
  examples: [
    "Installing the node uninstalls my CUDA torch and puts the CPU version in its place",
    "pip install somepackage reinstalls torch, but I need torch 1.6.0+cu101",
    "the installer overwrites torch-2.2.1+cu118 with a PyTorch without CUDA",
  ],
  read: (text): Draft[] =>
    sentencesOf(text)
      .filter(told)
      .slice(0, 1)
      .map((sentence) => ({
        kind: "notice",
        id: "build-replaced",
        subject: frameworks.find(([, pattern]) => sentence.has(pattern))![0],
        ...(sentence.has(theCpuBuild) ? { found: "cpu" } : {}),
      })),
} satisfies Frame;
