import type { Signature } from "../signature.ts";

/** Which Python a text comes from: what it says of itself, or the folder of its packages. */
export default [
  {
    literals: ["python 3.", "python version", "python: 3.", "python==3.", "python=3."],
    pattern:
      /\bpython(?: ?version)?(?: is)?[ :=]{1,3}(?:Python |CPython )?v?(?<version>3\.\d{1,2})(?:\.\d{1,2})?\b(?! ?(?:or|and|to|-|\+|<|>))/i,
    examples: ["Python 3.11.4", "Python version: 3.10.12 | packaged by conda-forge", "conda create -n tf python=3.9"],
    facts: ({ version }) => ({ kind: "python", version: version! }),
  },
  {
    literals: ["/site-packages", "\\site-packages", "\\lib\\"],
    pattern: /(?:python(?<unix>3\.\d{1,2})\/site-packages|Python(?<major>3)(?<minor>\d{1,2})\\[Ll]ib\\)/,
    examples: [
      '  File "/opt/venv/lib/python3.11/site-packages/torch/__init__.py", line 229, in <module>',
      '  File "C:\\Users\\u\\AppData\\Local\\Programs\\Python\\Python311\\Lib\\site-packages\\x.py", line 1, in <module>',
    ],
    facts: ({ unix, major, minor }) => ({ kind: "python", version: unix ?? `${major}.${minor}` }),
  },
] satisfies Signature[];
