import { weights, type Problem } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Facts } from "../fact.ts";
import { fix, withoutSearchPath } from "../fixes.ts";

/** What somebody says is wrong, in words: believed, and said with what it rests on. */
export default function said(facts: Facts, context: Context): Problem[] {
  return [...otherBuild(facts), ...newerWanted(facts, context), ...shadowed(facts, context)];
}

function otherBuild(facts: Facts): Problem[] {
  const [fact] = facts.notices("other-cuda-build");
  if (!fact) return [];
  const base = {
    name: "packages",
    required: `builds for CUDA ${fact.required}`,
    found: `a build for CUDA ${fact.found}`,
    evidence: [fact],
    next: ["conda list | grep -i 'cuda\\|torch'; pip list | grep -i 'nvidia\\|torch'"],
    fixes: [fix(`name the build for CUDA ${fact.required} outright, and see what excludes it if it is refused`)],
  };
  // The package is chosen by its name (`cupy-cuda11x`): no manager took another than was asked for.
  const byName = fact.subject !== undefined;
  const wheel = { ...base, cause: "wrong-wheel-cuda-version" as const };
  return [
    {
      weight: weights.warned,
      suspects: [
        ...(byName
          ? [
              {
                ...wheel,
                certainty: "likely" as const,
                message: `\`${fact.subject}\` is built for CUDA ${fact.found}, and CUDA ${fact.required} is here`,
              },
            ]
          : []),
        {
          ...base,
          cause: "package-conflict",
          certainty: byName ? "possible" : "likely",
          message: `CUDA ${fact.required} is wanted, and the package manager takes a build for CUDA ${fact.found}`,
        },
        ...(byName ? [] : [{ ...wheel, certainty: "possible" as const, message: `so the build is for another CUDA than the rest` }]),
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "and a library of another release than the program wants is loaded",
        },
      ],
    },
  ];
}

function newerWanted(facts: Facts, context: Context): Problem[] {
  const [fact] = facts.notices("wants-newer-cuda");
  if (!fact || facts.has("version-pair")) return [];
  const jax = /jax/i.test(fact.subject!);
  const base = {
    name: fact.required!,
    required: `a newer ${fact.required} for ${fact.subject}`,
    ...(context.toolkits[0] ? { found: `CUDA ${context.toolkits[0].version}` } : {}),
    evidence: [fact],
    next: [`pip list | grep -i 'nvidia\\|${fact.subject!.toLowerCase().split(" ")[0]}'`],
    fixes: [
      jax
        ? fix("let JAX bring the libraries that it was built with", `pip install -U "jax[cuda12]"`)
        : fix(`bring NVIDIA's packages beside ${fact.subject} up to date, or take its release that fits them`),
    ],
  };
  return [
    {
      weight: weights.hint,
      symptom: `${fact.subject} wants a newer ${fact.required}`,
      suspects: [
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: `libraries of an older ${fact.required} are loaded than ${fact.subject} was built with`,
        },
        { ...base, cause: "package-conflict", certainty: "possible", message: "or the packages beside it are pinned to an older release" },
        {
          ...base,
          cause: "driver-too-old",
          name: "libcuda.so.1",
          certainty: "possible",
          message: "or the driver is older than its CUDA needs",
          fixes: [],
        },
      ],
    },
  ];
}

function shadowed(facts: Facts, context: Context): Problem[] {
  // Who tried it without the variable has shown what it is.
  const tried = context.knowsSearchPath ? facts.notices("works-without-variable") : [];
  const evidence = [...facts.notices("said-shadowed"), ...tried];
  if (evidence.length === 0 || facts.has("undefined-symbol") || facts.has("version-pair")) return [];
  const base = {
    name: "LD_LIBRARY_PATH",
    required: "the libraries that the framework brings",
    found: "those of a folder in LD_LIBRARY_PATH",
    evidence,
    next: ["echo $LD_LIBRARY_PATH", "culprit check"],
  };
  return [
    {
      weight: evidence.some(({ grammar }) => grammar === "people-tell-contrasts") ? weights.refused : weights.concluded,
      suspects: [
        {
          ...base,
          cause: "library-shadowed",
          certainty: "likely",
          message: "a folder of LD_LIBRARY_PATH is searched before the framework's own libraries, and another release answers",
          fixes: [withoutSearchPath()],
        },
        {
          ...base,
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or the release in that folder is the one that does not fit",
          fixes: [],
        },
      ],
    },
  ];
}
