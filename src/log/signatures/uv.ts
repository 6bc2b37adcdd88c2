import type { Signature } from "../signature.ts";

/** uv. */
export default [
  {
    literals: ["no solution found when resolving"],
    pattern: /No solution found when resolving/,
    examples: ["  × No solution found when resolving dependencies:"],
    facts: () => ({ kind: "notice", id: "uv-conflict" }),
  },
  {
    literals: ["depends on", "depend on"],
    pattern:
      /(?:[Bb]ecause|and) (?<by>[\w.-]{2,60}[=<>\w.+]{0,30}) depends on (?<name>(?:nvidia|torch|tensorflow|jax|cupy|cuda)[\w.-]{0,60}?)(?<wanted>[<>=!~]{1,2}[\w.+*]{1,30})/,
    examples: [
      "╰─▶ Because torch==2.5.1 depends on nvidia-cudnn-cu12==9.1.0.70 and tensorflow[and-cuda]==2.18.0 depends on nvidia-cudnn-cu12>=9.3",
    ],
    facts: ({ by, name, wanted }) => ({ kind: "requested", by: by!, name: name!, wanted: wanted! }),
    every: true,
  },
] satisfies Signature[];
