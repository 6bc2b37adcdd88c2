import { weights } from "./cause.ts";
import { fix } from "./fixes.ts";
import type { Meaning } from "./meaning.ts";

const nameIn = (requirement: string) => requirement.replace(/[=<>!~+].*$/, "");

/** A package manager found no release that it was told to install. */
export const noSuchVersion: Meaning = {
  weight: weights.refused,
  found: "no such release for this Python, system and index",
  about: (_facts, _context, [fact]) => ({
    name: fact!.subject!.replace(/[=<>!~].*$/, ""),
    required: fact!.required ?? fact!.subject!,
    evidence: [fact!],
    next: ["python --version; pip --version", `pip index versions ${nameIn(fact!.subject!)}`],
  }),
  may: [
    {
      cause: "package-conflict",
      certainty: "likely",
      message: (_facts, _context, [fact]) => `no index that was asked has \`${fact!.subject}\` for this Python and system`,
      fixes: (_facts, _context, [fact]) => {
        const name = fact!.subject!.replace(/[=<>!~].*$/, "");
        return [
          /^torch(?:vision|audio)?$/.test(name)
            ? fix(
                "take a release that is published for this Python, and name the index that has it",
                `pip install ${name} --index-url https://download.pytorch.org/whl/cu126`,
              )
            : fix("take a release that is published for this Python, or the Python that this release was published for"),
        ];
      },
    },
    {
      // The package ends with 2.12, which holds nothing but the advice to take `tensorflow`.
      cause: "wrong-wheel-cpu-only",
      when: (facts) => facts.notices("no-such-version", "pip-no-version").some(({ subject }) => subject?.startsWith("tensorflow-gpu")),
      message: "`tensorflow-gpu` is no more: `tensorflow` itself has CUDA on Linux, and none on Windows since 2.11",
      fixes: (facts) => [
        facts.on("windows")
          ? fix("use WSL 2 with `tensorflow[and-cuda]`, or TensorFlow 2.10 with Python 3.7 to 3.10", 'pip install "tensorflow<2.11"')
          : fix("install TensorFlow with CUDA", 'pip install "tensorflow[and-cuda]"'),
      ],
    },
    {
      cause: "wrong-wheel-platform",
      message: "or it is published for other systems or other releases of Python only",
      fixes: [fix("use a Python for which wheels exist, or build it")],
    },
  ],
};
