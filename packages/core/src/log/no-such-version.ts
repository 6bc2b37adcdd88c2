import { compareDotted } from "../knowledge/dotted.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { normalName } from "../lib/pep508.ts";
import { weights } from "./cause.ts";
import type { Facts } from "./fact.ts";
import { fix } from "./fixes.ts";
import { pythonIn } from "./installable.ts";
import type { Meaning } from "./meaning.ts";
import { exactTorchLine, otherTorchBuilds, pythonsOf } from "./torch-lines.ts";

const nameIn = (requirement: string) => requirement.replace(/[=<>!~+].*$/, "");

/** One release of PyTorch in one build: which others there are, and for which Python. */
function torchBuildFixes(requirement: string, facts: Facts): ReturnType<typeof fix>[] {
  const [, version, variant] = /^torch==(\d[\d.]*\d)(?:\+(cu\d{2,3}))?$/.exec(requirement) ?? [];
  if (version === undefined) return [];
  const pythons = pythonsOf(version);
  const python = pythonIn(facts);
  const exact = variant === undefined ? undefined : exactTorchLine(`${version}+${variant}`, facts);
  if (exact !== undefined)
    return [fix(`name PyTorch's own index, which has it${pythons === undefined ? "" : ` for Python ${pythons}`}`, exact)];
  const others = variant === undefined ? [] : otherTorchBuilds(version, variant, facts).map(({ text, line }) => fix(text, line));
  if (0 < others.length) return others;
  return pythons === undefined
    ? []
    : [
        fix(
          `PyTorch ${version} has wheels for Python ${pythons}${python === undefined ? "" : `, and not for ${python}`}: make an environment with one of these`,
        ),
      ];
}

/** The Pythons for which the asked release was published, where the text's own is not among them. */
function otherPythons(facts: Facts): { made: string; last: string; here: string } | undefined {
  const here = pythonIn(facts);
  const subject = facts.notices("no-such-version", "pip-no-version").find((fact) => fact.subject !== undefined)?.subject;
  const [, name, version] = /^([\w.-]+?)(?:\[[\w,-]*\])?==(\d[\w.]*)/.exec(subject ?? "") ?? [];
  if (here === undefined || name === undefined) return undefined;
  const pythons =
    publishedPackage(normalName(name))
      ?.releases.find((each) => each.version === version)
      ?.pythons?.toSorted(compareDotted) ?? [];
  if (pythons.length === 0 || pythons.includes(here)) return undefined;
  return { made: pythons.length === 1 ? pythons[0]! : `${pythons[0]} to ${pythons.at(-1)}`, last: pythons.at(-1)!, here };
}

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
      cause: "wrong-wheel-platform",
      certainty: "likely",
      when: (facts) => facts.on("windows") && 0 < facts.notices("rocm-of-wheel").length,
      message: "PyTorch's index for ROCm has wheels for Linux alone, and this is Windows",
      fixes: [
        fix(
          "on Windows take the wheels that AMD publishes itself for the RX 7000 and 9000 series (its guide for PyTorch on Windows names them), or a project's part for DirectML or Vulkan; or run Linux",
        ),
      ],
    },
    {
      cause: "wrong-wheel-platform",
      certainty: "likely",
      when: (facts) => otherPythons(facts) !== undefined,
      message: (facts, _context, [fact]) =>
        `\`${fact!.subject}\` was published for Python ${otherPythons(facts)!.made}, and this is Python ${otherPythons(facts)!.here}`,
      fixes: (facts) => [
        fix(
          `make an environment with Python ${otherPythons(facts)!.last}, or take a release that was published for ${otherPythons(facts)!.here}`,
          `uv venv --python ${otherPythons(facts)!.last}`,
        ),
      ],
    },
    {
      cause: "package-conflict",
      certainty: "likely",
      message: (_facts, _context, [fact]) => `no index that was asked has \`${fact!.subject}\` for this Python and system`,
      fixes: (facts, _context, [fact]) => {
        const name = fact!.subject!.replace(/[=<>!~].*$/, "");
        const known = name === "torch" ? torchBuildFixes(fact!.subject!, facts) : [];
        if (0 < known.length) return known;
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
