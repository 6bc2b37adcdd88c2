import { weights, type Problem } from "../cause.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** A compiled module and NumPy of two majors: it imports with a warning, and hands no arrays over. */
export default function numpy(facts: Facts): Problem[] {
  const two = facts.notices("numpy-two");
  const older = facts.notices("numpy-older");
  const named = facts
    .all("traceback")
    .map(({ package: name }) => name)
    .findLast((name) => name !== "numpy" && !name.endsWith(".py"));
  const module_ = named === undefined ? "a compiled module" : `\`${named}\` or what it imports`;
  const base = { name: "numpy", next: ["pip list | grep -i numpy"] };
  if (0 < two.length) {
    const found = two.find((fact) => fact.found !== undefined)?.found;
    return [
      {
        weight: weights.refused,
        suspects: [
          {
            ...base,
            cause: "package-conflict",
            required: "NumPy 1 (numpy<2)",
            found: `NumPy ${found ?? 2}`,
            certainty: "likely",
            message: `${module_} was compiled for NumPy 1, and NumPy ${found ?? "2"} is installed`,
            because: ["what was compiled for NumPy 1 cannot use arrays of NumPy 2; what was compiled for NumPy 2 serves both"],
            evidence: two.slice(0, 3),
            fixes: [
              fix("put NumPy 1 back", `pip install "numpy<2"`),
              fix(
                "or take a release of the module that was compiled for NumPy 2",
                ...(named === undefined ? [] : [`pip install --upgrade ${named}`]),
              ),
            ],
          },
        ],
      },
    ];
  }
  const none = facts.notices("numpy-unavailable");
  if (0 < none.length) return [unavailable(none)];
  if (older.length === 0) return [];
  return [
    {
      weight: weights.refused,
      suspects: [
        {
          ...base,
          cause: "package-conflict",
          required: "a NumPy as new as the one that the module was compiled with",
          found: "an older NumPy",
          certainty: "likely",
          message: `${module_} was compiled with a newer NumPy than the one that is installed`,
          evidence: older.slice(0, 2),
          fixes: [fix("bring NumPy up to date", "pip install --upgrade numpy"), fix("or install the module again, built for this NumPy")],
        },
      ],
    },
  ];
}

// PyTorch could not import NumPy, and kept the reason to itself.
function unavailable(evidence: Fact[]): Problem {
  const base = { name: "numpy", evidence, next: ["python -c 'import numpy; print(numpy.__version__)'"] };
  return {
    weight: weights.failed,
    symptom: "PyTorch cannot use NumPy",
    suspects: [
      {
        ...base,
        cause: "package-conflict",
        required: "NumPy 1 (numpy<2)",
        certainty: "possible",
        message: "this PyTorch was compiled for NumPy 1, and NumPy 2 is installed (PyTorch before 2.3)",
        fixes: [fix("put NumPy 1 back", `pip install "numpy<2"`)],
      },
      {
        ...base,
        cause: "not-a-mismatch",
        certainty: "possible",
        message: "or NumPy is not installed",
        fixes: [fix("install it", `pip install "numpy<2"`)],
      },
    ],
  };
}
