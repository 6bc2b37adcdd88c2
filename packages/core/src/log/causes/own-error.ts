import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

// Exceptions of Python's own, which name the program's code and no library.
const ofPython =
  /^(?:KeyError|IndexError|NameError|SyntaxError|IndentationError|ZeroDivisionError|UnicodeDecodeError|RecursionError|(?:json\.decoder\.)?JSONDecodeError)$/;

// A name that a package of this stack does not have, or not any more: most often it is of another release than its user was written for.
const ofStack =
  /module '(?:torch|torchvision|torchaudio|triton|transformers|diffusers|accelerate|xformers|vllm|bitsandbytes|deepspeed|peft|tensorrt|onnxruntime|flash_attn|apex|numba|cupy|jax|jaxlib|tensorflow|keras|huggingface_hub|tensorrt_llm|torch_tensorrt)(?:\.\w{1,40}){0,5}' has no attribute '|'tensorrt(?:_bindings)?\.tensorrt\.\w{2,40}' object has no attribute '/;

const ofPackages = /^(?:AttributeError|TypeError)$/;

/** An exception of Python's own, which is the program's. */
export default function ownError(facts: Facts): Problem[] {
  const last = facts.notices("ended-with-error").at(-1);
  const subject = last?.subject ?? "";
  const own = ofPython.test(subject);
  if (!last || (!own && !ofPackages.test(subject)) || 0 < facts.notices("numpy-removed").length) return [];
  const error: Suspect = {
    cause: "not-a-mismatch",
    name: subject,
    certainty: own ? "likely" : "possible",
    message: `the program ended with ${/^[AEIOU]/.test(subject) ? "an" : "a"} ${subject} of Python: an error of its code, its settings or its data`,
    evidence: [last],
    next: [],
    fixes: [fix("read the lines above it: the last that names a file of the program is where it happens")],
  };
  const drift: Suspect = {
    ...error,
    cause: "package-conflict",
    certainty: "possible",
    message: "or two Python packages are of releases that do not know each other: one calls what the other no longer has",
    next: ["pip check"],
    fixes: [fix("install the releases that the project names in its requirements, in an environment of their own")],
  };
  if (ofStack.test(last.at.text))
    return [
      {
        weight: weights.hint,
        suspects: [
          { ...drift, certainty: "likely", ...otherRelease(last.at.text) },
          { ...error, message: `or ${error.message}` },
        ],
      },
    ];
  // What ended a program is told before what is harmless in its log.
  return [{ weight: weights.harmless + 2, suspects: own ? [error] : [error, drift] }];
}

function otherRelease(text: string): Pick<Suspect, "name" | "message"> {
  const [, module_ = "the package", name = "it"] = /'([\w.]{2,80})'(?: object)? has no attribute '(\w{1,60})'/.exec(text) ?? [];
  const package_ = module_.split(".")[0]!;
  return {
    name: package_,
    message: `the ${package_} that is installed has no \`${name}\`: what calls it was written for an older or newer release`,
  };
}
