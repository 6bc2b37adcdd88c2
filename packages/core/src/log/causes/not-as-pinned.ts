import type { Facts } from "../fact.ts";
import { frameworkRelease } from "../../knowledge/frameworks.ts";
import { isWithin } from "../../lib/pep440.ts";
import { weights, type Problem } from "../cause.ts";
import { type Context } from "../context.ts";
import { fix } from "../fixes.ts";

/** A list of packages in which a library is not the one that the framework beside it pins. Said last: pip itself would complain. */
export default function unpinned(_facts: Facts, context: Context): Problem[] {
  const problems: Problem[] = [];
  for (const id of ["torch", "tensorflow"] as const) {
    const own = context.packages(new RegExp(`^${id}$`)).find(({ manager }) => manager === "pip");
    const known = own && frameworkRelease(id, own.version);
    if (!own || !known?.exact || !known.release.pins) continue;
    for (const [name, wanted] of Object.entries(known.release.pins)) {
      const has = context.packages(new RegExp(`^${name}$`)).find(({ manager }) => manager === "pip");
      if (!has || isWithin(has.version, wanted) !== false) continue;
      problems.push({
        weight: weights.other - 1,
        suspects: [
          {
            cause: "package-conflict",
            name,
            required: `${own.name} ${own.version} requires ${name}${wanted}`,
            found: `${name} ${has.version}`,
            certainty: "likely",
            message: `${own.name} ${own.version} pins ${name}${wanted}, and ${has.version} is in the list`,
            evidence: [own, has],
            next: ["pip check"],
            fixes: [fix("put back what the framework pins", `pip install "${name}${wanted}"`)],
          },
        ],
      });
    }
  }
  return problems.slice(0, 2);
}
