import { libraryOf } from "../../knowledge/libraries.ts";
import { nameOf } from "../../lib/path.ts";
import { weights, type Problem } from "../cause.ts";
import type { Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

const words = {
  "too-short": "is empty or cut off",
  "not-elf": "is no ELF file (a text, a link that was copied as a file, or a page that was downloaded instead)",
  "wrong-class": "is for another word size (32 or 64 bits)",
  "wrong-machine": "is for another processor",
  "wrong-system": "is for another operating system",
};

/** A file that answers, and is no library that can be loaded. */
export default function damaged(facts: Facts): Problem[] {
  const problems: Problem[] = facts.all("damaged").map((fact) => {
    const name = nameOf(fact.file.replaceAll("\\", "/"));
    const library = libraryOf(name)?.id;
    return {
      weight: weights.said,
      suspects: [
        {
          cause: "library-damaged" as const,
          name,
          ...(library === undefined ? {} : { library }),
          required: "an intact file",
          found: `${fact.file} ${words[fact.reason]}`,
          certainty: "certain" as const,
          message: `\`${fact.file}\` ${words[fact.reason]}`,
          evidence: [fact],
          next: [`ls -lL ${fact.file}; file -L ${fact.file}`],
          fixes: [fix("install the package that brings it again")],
        },
        ...(fact.reason.startsWith("wrong")
          ? [
              {
                cause: "wrong-wheel-platform" as const,
                name,
                certainty: "possible" as const,
                message: "or the package is for another platform",
                evidence: [fact],
                fixes: [],
              },
            ]
          : []),
      ],
    };
  });
  const refused = facts
    .notices("dll-not-found", "dll-refused", "dll-load-failed", "ort-provider-failed")
    .filter(({ subject }) => subject === undefined || !/\.so/.test(subject) || true);
  const explained = facts.has("not-found") || facts.has("undefined-symbol") || facts.has("damaged") || facts.has("cuda-error");
  if (0 < refused.length && !explained) {
    const first = refused.find(({ subject }) => subject !== undefined) ?? refused[0]!;
    const name = first.subject === undefined ? "a library" : nameOf(first.subject.replaceAll("\\", "/"));
    const ort = refused.some(({ id }) => id === "ort-provider-failed");
    const base = {
      name,
      evidence: refused.slice(0, 3),
      required: ort ? "the CUDA and cuDNN that ONNX Runtime was built for" : "all libraries that it depends on",
      next: ort ? ["culprit loads onnxruntime --do device"] : [`dumpbin /dependents ${name}`],
    };
    problems.push({
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "library-missing",
          certainty: "possible",
          message: `\`${name}\` cannot be loaded: a library that it depends on is missing`,
          fixes: [
            fix(
              ort ? "install the CUDA and cuDNN of its requirements page" : "install the package again, and Microsoft's Visual C++ runtime",
            ),
          ],
        },
        {
          ...base,
          cause: "library-not-on-path",
          certainty: "possible",
          message: "or a library that it depends on lies where the loader does not look",
          fixes: [fix("put its folder on PATH")],
        },
        { ...base, cause: "library-wrong-version", certainty: "possible", message: "or one of another release is found", fixes: [] },
        ...(ort
          ? [
              {
                ...base,
                cause: "wrong-wheel-cuda-version" as const,
                certainty: "possible" as const,
                message: "or it is built for another CUDA than the one here",
                fixes: [fix("install a release for this CUDA", "pip install --upgrade onnxruntime-gpu")],
              },
            ]
          : []),
      ],
    });
  }
  return problems;
}
