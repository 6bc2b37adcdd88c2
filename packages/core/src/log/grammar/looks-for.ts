import type { Frame } from "../frame.ts";
import { objectNamed } from "../objects.ts";

const file = "(?:lib[a-z][\\w+-]{1,60}\\.so(?:\\.\\d{1,4}){0,4}|(?:cu|nv)[a-z][\\w.-]{2,30}\\.dll)";
const sentence = new RegExp(
  `\\b(?:look(?:s|ing|ed)?|search(?:es|ing|ed)?|tr(?:y|ies|ying|ied) to (?:load|open|find)|expect(?:s|ing|ed)?|wants?|ask(?:s|ing|ed)?|need(?:s|ed)?|requires?)\\b[^\\n]{0,40}?(?<![\\w.-])(?<wanted>${file})(?![\\w-])[^\\n]{0,60}?\\b(?:but|however|whereas|while|instead|although|though|yet|only)\\b[^\\n]{0,90}?(?<![\\w.-])(?<there>${file})(?![\\w-])`,
  "i",
);

/** One file is looked for, and another of the same library is there: looks for A, but B is installed. */
export default {
  id: "looks-for",
  literals: [".so", ".dll"],
  examples: [
    "it looks for the dll 'cupti64_110.dll', however the toolkit installs 'cupti64_2020.1.0.dll'",
    "the plugin wants libcudnn.so.8 but only libcudnn.so.9 is here",
  ],
  read(text) {
    const { wanted, there } = sentence.exec(text)?.groups ?? {};
    const [a, b] = [wanted, there].map((name) => (name === undefined ? undefined : objectNamed(name)));
    if (!a || !b || a.stem !== b.stem || a.name === b.name) return [];
    return [
      { kind: "not-found", name: a.name, by: "said" },
      { kind: "file", path: b.name },
    ];
  },
} satisfies Frame;
