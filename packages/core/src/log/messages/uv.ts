import { noSuchVersion } from "../no-such-version.ts";
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
    literals: ["depends on", "depend on", "you require"],
    pattern:
      /(?:[Bb]ecause|and) (?:(?<by>[\w.-]{2,60}(?:\[[\w,-]{1,40}\])?[=<>\w.+]{0,30}) depends on|(?<you>you require|your project depends on)) (?<name>(?:nvidia|torch|tensorflow|jax|cupy|cuda)[\w.-]{0,60}?)(?:\[[\w,-]{1,40}\])?(?:\{[^}\n]{1,120}\})?(?<wanted>[<>=!~]{1,2}[\w.+*]{1,30})/,
    examples: [
      "╰─▶ Because torch==2.5.1 depends on nvidia-cudnn-cu12==9.1.0.70 and tensorflow[and-cuda]==2.18.0 depends on nvidia-cudnn-cu12>=9.3",
    ],
    facts: ({ by, name, wanted }) => ({ kind: "requested", by: by ?? "you", name: name!, wanted: wanted! }),
    every: true,
  },
  {
    literals: ["there is no version of", "there are no versions of"],
    pattern:
      /there (?:is no version|are no versions) of (?<name>(?:nvidia|torch|tensorflow|jax|cupy|cuda)[\w.-]{0,60}?)(?:\[[\w,-]{1,40}\])?(?:\{[^}\n]{1,120}\})?(?<wanted>[<>=!~]{1,2}[\w.+*]{1,30})/,
    examples: [
      "╰─▶ Because there is no version of torch==1.6.0+cu101 and your project depends on torch==1.6.0+cu101, we can conclude that your project's requirements are unsatisfiable.",
    ],
    facts: ({ name, wanted }) => ({
      kind: "notice",
      id: "no-such-version",
      subject: `${name}${wanted}`,
      required: wanted!.replace(/^[=<>!~]{1,2}/, ""),
    }),
    notice: "no-such-version",
    means: noSuchVersion,
  },
  {
    // crates/uv-distribution-types and uv-resolver: why a release that exists cannot be used here.
    literals: ["source distribution or wheel for the current platform", "with a matching", "only has wheels"],
    pattern:
      /(?:Distribution `(?<dist>[\w.-]{2,60}==[\w.+]{1,40})[^`\n]{0,160}` can't be installed because it doesn't have a source distribution or wheel for the current platform|(?<name>[\w.-]{2,60}(?:==|<=|>=|<|>)[\w.+,<>=!]{1,60}) (?:has no wheels|is unusable because no wheels are available|and all available versions have no wheels) with a matching (?<what>Python (?:implementation|version|ABI)|platform)|You're (?:using|on) [^\n]{3,60}, but `(?<package>[\w.-]{2,60})` \((?<release>[^)\n]{1,40})\) only has wheels (?:for|with) the following)/,
    examples: [
      "error: Distribution `torch==2.5.1 @ registry+https://download.pytorch.org/whl/cu124` can't be installed because it doesn't have a source distribution or wheel for the current platform",
      "  ╰─▶ Because torch==2.3.0 has no wheels with a matching Python version tag (e.g., `cp313`), we can conclude that torch==2.3.0 cannot be used.",
      "hint: You're on Windows (`win_amd64`), but `torch` (v2.5.1) only has wheels for the following platform: `manylinux_2_28_aarch64`",
    ],
    facts: ({ dist, name, package: named, release }) => {
      const subject = dist ?? name ?? `${named}==${release!.replace(/^v/, "")}`;
      return { kind: "notice", id: "no-such-version", subject, required: subject.replace(/^[\w.-]{2,60}?[=<>]{1,2}/, "") };
    },
  },
] satisfies Signature[];
