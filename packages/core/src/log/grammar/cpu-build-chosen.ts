import type { Draft } from "../fact.ts";
import type { Frame } from "../frame.ts";
import { frameworks, sentencesOf, type Sentence } from "../sentence.ts";

const manager = /\b(?:conda|mamba|micromamba|pixi|pip|uv|poetry|pipenv|solver)\b/i;
const cpu = /\bcpu(?:[ -]?only)?[ -](?:version|build|variant|wheel|package|flavou?r)s?\b|\bcpu-?only\b|\b(?:\+|py[\d.]{1,4}_)cpu\b/i;
const chosen =
  /\b(?:install(?:s|ed|ing)?|get(?:s|ting)?|got|pick(?:s|ed)?|choos(?:e|es)|chose|select(?:s|ed)?|pull(?:s|ed)?|resolv(?:e|es|ed)|download(?:s|ed)?|ends? up|prefer(?:s|red)?|replac(?:e|es|ed))\b/i;
// It is not what was meant.
const against =
  /\b(?:instead|even (?:if|though|when)|although|though|despite|while|but|unexpected(?:ly)?|wrong(?:ly)?|rather than|not the (?:gpu|cuda)|silently|always|keeps?)\b/i;
// Who wants it so, or asks how.
const wanted =
  /\b(?:I want|we want|want(?:ed)? the cpu|need the cpu|prefer the cpu|how (?:do|can|to)|should I|only need|smaller|save space|without (?:a )?GPU|no GPU)\b/i;

const told = ({ has, near }: Sentence): boolean => has(manager) && near(70, cpu, chosen) && has(against) && !has(wanted);

/** Somebody tells that his package manager takes the build for the CPU, though he meant the other. */
export default {
  id: "cpu-build-chosen",
  vague: true,
  literals: ["cpu"],
  examples: [
    "conda picks the CPU build of pytorch although the machine has CUDA",
    "poetry always resolves torch to the cpu-only wheel instead of the CUDA one",
    "With mamba the cpu version of jaxlib gets installed even though a driver is there",
  ],
  read: (text): Draft[] =>
    sentencesOf(text)
      .filter(told)
      .slice(0, 1)
      .map((sentence) => ({
        kind: "notice",
        id: "cpu-build-chosen",
        subject: frameworks.find(([, pattern]) => pattern.test(text))?.[0] ?? "torch",
        found: /\b(?:conda|mamba|micromamba|pixi|conda-forge)\b/i.test(sentence.text) ? "conda" : "pip",
      })),
} satisfies Frame;
