import { weights, type Problem, type Suspect } from "../cause.ts";
import { majorOf } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";
import { nameOf } from "../../lib/path.ts";
import { objectNamed } from "../objects.ts";

/** Wheels of NVIDIA for two majors of CUDA in one environment, of which a program took parts of both. */
export default function twoMajors(facts: Facts): Problem[] {
  const older = facts.notices("nvjitlink-older");
  const majors = new Map<string, Fact<"file">>();
  for (const fact of facts.all("file")) {
    const folder = /(?:site|dist)-packages\/nvidia\/([\w-]{2,30})\//.exec(fact.path)?.[1];
    const cuda = objectNamed(fact.path)?.cuda?.first;
    const major = /^cu(\d{2})$/.exec(folder ?? "")?.[1] ?? (folder === undefined || cuda === undefined ? undefined : majorOf(cuda));
    if (major !== undefined && !majors.has(major)) majors.set(major, fact);
  }
  if (majors.size < 2 && older.length === 0) return [];
  const files = [...majors.values()];
  const base = {
    name: files[0] ? nameOf(files[0].path) : "libnvJitLink.so",
    required: "NVIDIA's packages for one major of CUDA",
    evidence: [...older, ...files],
    next: ["pip list | grep -i 'nvidia\\|cuda'"],
  };
  const conflict: Suspect = {
    ...base,
    cause: "package-conflict",
    ...(1 < majors.size ? { found: [...majors].map(([major, { path }]) => `CUDA ${major}: ${path}`).join("; ") } : {}),
    certainty: 1 < majors.size ? "likely" : "possible",
    message:
      1 < majors.size
        ? `packages for CUDA ${[...majors.keys()].sort().join(" and ")} lie in one environment, and the program takes parts of both`
        : "nvJitLink is older than the compiler whose output it is given: packages of two CUDA releases meet",
    fixes: [fix("keep the packages of one major: remove those of the other, then install again what needs them")],
  };
  return [
    {
      weight: 0 < older.length ? weights.refused : weights.concluded,
      symptom: "nvJitLink refuses what it is given",
      suspects: [
        conflict,
        {
          ...base,
          name: "libnvJitLink.so",
          library: "nvjitlink",
          cause: "library-wrong-version",
          certainty: "possible",
          message: "or an older nvJitLink is found than the one that belongs to the compiler",
          fixes: [fix("bring it up to date", "pip install --upgrade nvidia-nvjitlink-cu12")],
        },
      ],
    },
  ];
}
