import { firstToolkitFor, gccNamed, newestGcc } from "../../knowledge/host-compilers.ts";
import { stepFact } from "../../dependency-files/facts.ts";
import { lastingValue } from "../../dependency-files/variables.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: ({ declaration: { steps }, image }) => {
    const newest = image?.kind === "cuda" && image.hasCompiler ? newestGcc(image.cuda!) : undefined;
    if (!image || !newest) return [];
    const named = ["NVCC_CCBIN", "CUDAHOSTCXX", "CC", "CXX"].flatMap((name) => lastingValue(steps, name) ?? [])[0];
    const gcc = named && gccNamed(named.value);
    if (!named || gcc === undefined || gcc <= newest.gcc) return [];
    const better = firstToolkitFor(gcc);
    return [
      {
        subject: named.name,
        place: named.place,
        certainty: newest.certain ? ("certain" as const) : ("likely" as const),
        short: `nvcc takes gcc up to ${newest.gcc}, ${named.name} names gcc ${gcc}`,
        message: `nvcc of ${image.name} takes gcc up to ${newest.gcc}, and ${named.name}=${named.value} names gcc ${gcc}: whatever compiles CUDA code there fails`,
        because: ["host_config.h of the toolkit refuses a newer gcc"],
        advice: [
          `let ${named.name} name gcc ${newest.gcc} or older`,
          ...(better === undefined ? [] : [`or take an image of CUDA ${better} or newer, which takes gcc ${gcc}`]),
        ],
        facts: {
          variables: [stepFact(named)],
          said: `#error -- unsupported GNU version! gcc versions later than ${newest.gcc} are not supported!`,
        },
        sources: newest.sources,
      },
    ];
  },
});
