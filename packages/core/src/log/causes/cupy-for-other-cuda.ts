import { compareDotted } from "../../knowledge/dotted.ts";
import { weights, type Problem } from "../cause.ts";
import { majorOf, type Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** CuPy's packages have their CUDA in the name: up to 11.1 the release (`92`, `102`), then the major (`11x`). */
const firstOfMajor = "11.2";

const nameFor = (cuda: string): string =>
  `cupy-cuda${compareDotted(cuda, firstOfMajor) < 0 ? cuda.split(".").slice(0, 2).join("") : `${majorOf(cuda)}x`}`;

const titleOf = (build: string): string => `CUDA ${build.endsWith("x") ? build.slice(0, -1) : `${build.slice(0, -1)}.${build.at(-1)}`}`;

const fails = /\b(?:stop\w{0,4} working|fail\w{0,4}|broken|unusable|crash\w{0,3}|not work\w{0,3})\b|n['\u2019]t work\b/i;

/** The text names one CuPy and a CUDA that it is not for, and something of it does not work. */
export default function cupyForOtherCuda(facts: Facts, { toolkits, packages }: Context): Problem[] {
  const named = facts.notices("cupy-build");
  const builds = new Set(named.map(({ subject }) => subject!));
  const unserved: Fact[] = [
    ...facts.notices("no-gpu-seen", "gpu-not-seen", "gpu-unused", "cupy-import", "cupy-function-missing"),
    ...named.filter(({ at }) => fails.test(at.text)),
  ];
  const [build] = builds;
  if (build === undefined || 1 < builds.size || unserved.length === 0 || facts.has("not-found") || facts.has("cuda-error")) return [];
  const own = `cupy-cuda${build}`;
  // Who says for which CUDA the package is speaks of no toolkit.
  const here = toolkits.filter((each) => each.from !== "said" || nameFor(each.version) !== own);
  const [toolkit] = here;
  if (!toolkit || here.some((each) => nameFor(each.version) === own)) return [];
  const evidence: Fact[] = [...unserved.slice(0, 1), named[0]!, toolkit];
  return [
    {
      weight: weights.concluded,
      suspects: [
        {
          cause: "wrong-wheel-cuda-version",
          name: "cupy",
          required: titleOf(build),
          found: `CUDA ${toolkit.version}`,
          certainty: "likely",
          message: `${own} is built for ${titleOf(build)}, and CUDA ${toolkit.version} is here`,
          evidence,
          next: ["python -c 'import cupy; cupy.show_config()'", "pip list | grep -i cupy"],
          fixes: [
            fix(
              `install the CuPy for CUDA ${toolkit.version} in its place`,
              `pip uninstall -y ${[...new Set([own, ...packages(/^cupy(?:-cuda\w+)?$/).map(({ name }) => name)])].join(" ")}`,
              `pip install ${nameFor(toolkit.version)}`,
            ),
          ],
        },
        {
          cause: "library-missing",
          name: "cupy",
          certainty: "possible",
          message: `or ${titleOf(build)} is to be there, and its libraries are not installed`,
          evidence,
          fixes: [],
        },
      ],
    },
  ];
}
