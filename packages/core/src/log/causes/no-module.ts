import { frameworkNames } from "../../model/framework-names.generated.ts";
import { weights, type Problem } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

// Python finds no module: not installed in this environment, or a compiled part that was never built.
const installable = (module_: string) =>
  frameworkNames.some(({ packages, companions = [] }) => [...packages, ...companions].includes(module_));

/** Python finds no module: not installed in this environment, or a compiled part that was never built. */
export default function noModule(facts: Facts): Problem[] {
  const [first, ...others] = facts.notices("no-module");
  if (first?.subject === undefined) return [];
  if (first.subject === "flash_attn_cuda") return [otherFlashAttention(first)];
  const [isolated] = facts.notices("isolated-build");
  if (isolated && /^(?:torch|numpy|packaging|wheel|psutil)$/.test(first.subject))
    return [inIsolation(first, facts.notices("isolated-build-of")[0] ?? isolated)];
  // Who does without it says so.
  if (first.subject === "triton" && 0 < facts.notices("triton-optional").length) return [];
  const compiled = /(?:_cuda|_C|_ext|_ops)$/.test(first.subject);
  if (first.subject.includes(".")) return [withoutPart(first)];
  return [
    {
      // Below what is known to be harmless: such a line may come from a part that the program does without.
      weight: weights.harmless - 1,
      suspects: [
        {
          cause: "not-a-mismatch",
          name: first.subject,
          certainty: "likely",
          message: compiled
            ? `the compiled part \`${first.subject}\` is not there: it was never built, or its build failed`
            : `the Python that runs has no module \`${first.subject}\`: it is not installed in this environment`,
          evidence: [first, ...others].slice(0, 2),
          next: ["python -m pip list", "which -a python"],
          fixes: [
            compiled
              ? fix("build the package again and read what the build says; it needs the CUDA toolkit")
              : installable(first.subject)
                ? fix("install it with the Python that runs the program", `python -m pip install ${first.subject}`)
                : fix("install it with the Python that runs the program"),
          ],
        },
      ],
    },
  ];
}

/** A package that is there, without the module that is compiled of it. */
function withoutPart(fact: Fact<"notice">): Problem {
  const package_ = fact.subject!.split(".")[0]!;
  const base = {
    name: fact.subject!,
    required: `${package_} with its compiled part, for this PyTorch`,
    found: `${package_} without it`,
    certainty: "possible" as const,
    evidence: [fact],
    next: [`pip list | grep -i 'torch\\|${package_}'`],
  };
  return {
    weight: weights.failed,
    symptom: `\`${package_}\` is installed without its compiled part`,
    suspects: [
      {
        ...base,
        cause: "package-conflict",
        message: `there is no wheel of this release of ${package_} for the PyTorch, CUDA and Python that are installed: what pip took instead has no compiled part`,
        fixes: [
          fix(
            package_ === "mmcv"
              ? "take a release of mmcv that OpenMMLab built for this PyTorch and this CUDA: its installation page has the line for each; `mmcv-lite`, and 1.x without `-full`, have no such part"
              : `take a release of ${package_} whose project names this PyTorch and this CUDA, or the PyTorch that it names`,
          ),
        ],
      },
      {
        ...base,
        cause: "library-missing",
        message: "or it was built from source, and the compiled part was left out or failed",
        fixes: [],
      },
      { ...base, cause: "wrong-wheel-cpu-only", message: "or it was built where no CUDA toolkit was found", fixes: [] },
      {
        ...base,
        cause: "not-a-mismatch",
        message: "or Python starts in the folder of the sources, which hide the installed package",
        fixes: [],
      },
    ],
  };
}

/** pip and uv build in an environment of their own, which has what the package asks for to be built, and not what is installed. */
const inIsolation = (fact: Fact<"notice">, build: Fact<"notice">): Problem => ({
  weight: weights.failed,
  suspects: [
    {
      cause: "not-a-mismatch",
      name: build.subject ?? "the package",
      required: `\`${fact.subject}\` where the package is built`,
      found: "a build in isolation, without what is installed",
      certainty: "likely",
      message: `the package needs \`${fact.subject}\` to be built, and does not say so: pip builds it in an environment of its own, where there is none`,
      evidence: [fact, build],
      next: [`python -c "import ${fact.subject}; print(${fact.subject}.__version__)"`],
      fixes: [
        fix(
          `install \`${fact.subject}\` first, and build without isolation; it is compiled then, and needs the CUDA toolkit of that torch`,
          "pip install wheel setuptools packaging ninja",
          `pip install --no-build-isolation ${build.subject ?? "."}`,
        ),
      ],
    },
    {
      cause: "not-a-mismatch",
      name: fact.subject!,
      certainty: "possible",
      message: `or \`${fact.subject}\` is not installed in this environment at all`,
      evidence: [fact],
      fixes: [],
    },
  ],
});

// The compiled part of flash-attn is called `flash_attn_2_cuda` since 2.0: who imports the old name is of version 1.
const otherFlashAttention = (fact: Fact<"notice">): Problem => ({
  weight: weights.failed,
  suspects: [
    {
      cause: "package-conflict",
      name: "flash-attn",
      required: "flash-attn 1",
      found: "flash-attn 2 or none",
      certainty: "likely",
      message: "the program imports `flash_attn_cuda`, the compiled part of flash-attn 1; version 2 has `flash_attn_2_cuda` in its place",
      evidence: [fact],
      next: ["pip list | grep -i flash"],
      fixes: [
        fix("take a release of the program that knows flash-attn 2"),
        fix("or install the version that it was written for", 'pip install "flash-attn<2" --no-build-isolation'),
      ],
    },
  ],
});
