import { fix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

/** CTranslate2: src/devices.cc and the stubs of src/cuda. */
export default [
  {
    ...notice(
      "ct2-without-cuda",
      "not compiled with cuda support",
      /This CTranslate2 package was not compiled with CUDA support/,
      "ValueError: This CTranslate2 package was not compiled with CUDA support",
    ),
    means: builtWithoutCuda("ctranslate2", fix("install a CTranslate2 with CUDA for this system")),
  },
  {
    literals: ["is not found or cannot be loaded"],
    pattern: /Library (?<name>lib[\w.+-]{3,60}|[\w.]{3,40}\.dll) is not found or cannot be loaded/,
    examples: [
      "RuntimeError: Library libcublas.so.12 is not found or cannot be loaded",
      "RuntimeError: Library cublas64_12.dll is not found or cannot be loaded",
    ],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "ctranslate2" }),
  },
] satisfies Signature[];
