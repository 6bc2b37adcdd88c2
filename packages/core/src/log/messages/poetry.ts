import type { Signature } from "../signature.ts";

/** poetry/installation/chooser.py and poetry-core's version solver. */
export default [
  {
    literals: ["unable to find installation candidates for"],
    pattern: /Unable to find installation candidates for (?<name>[\w.-]{2,60}) \((?<version>[^)\s]{1,40})\)/,
    examples: ["    | Unable to find installation candidates for torch (2.5.1+cu124)"],
    facts: ({ name, version }) => ({ kind: "notice", id: "no-such-version", subject: `${name}==${version}`, required: version! }),
  },
  {
    literals: ["which doesn't match any versions", "no versions of"],
    pattern:
      /(?:depends on (?<name>(?:nvidia|torch|tensorflow|jax|cupy|cuda|onnxruntime)[\w.-]{0,60}) \((?<version>[^)\n]{1,60})\) which doesn't match any versions|no versions of (?<named>(?:nvidia|torch|tensorflow|jax|cupy|cuda|onnxruntime)[\w.-]{0,60}) match (?<wanted>[<>=!~^][^\s,]{1,40}))/,
    examples: [
      "Because foo depends on torch (2.0.0+cu118) which doesn't match any versions, version solving failed.",
      "Because no versions of torch match >2.1,<2.2 || >2.2",
    ],
    facts: ({ name, version, named, wanted }) => ({
      kind: "notice",
      id: "no-such-version",
      subject: name === undefined ? `${named}${wanted}` : `${name}==${version}`,
      required: (version ?? wanted)!,
    }),
  },
] satisfies Signature[];
