import type { Problem, Suspect } from "./cause.ts";
import { weights } from "./cause.ts";
import type { Context } from "./context.ts";
import type { Fact, Facts } from "./fact.ts";
import { signatures } from "./index.generated.ts";
import type { May, Meaning } from "./meaning.ts";

/** Rows whose meaning stands beside their message. */
const rows = signatures.flat().flatMap(({ notice, means }) => (notice === undefined || means === undefined ? [] : [{ id: notice, means }]));

/** What messages mean that say all by themselves. */
export function told(facts: Facts, context: Context): Problem[] {
  return rows.flatMap(({ id, means }) => {
    const evidence = facts.notices(id);
    return evidence.length === 0 || means.unless?.(facts, context) ? [] : [problemOf(means, evidence, facts, context)];
  });
}

function problemOf(means: Meaning, evidence: Fact<"notice">[], facts: Facts, context: Context): Problem {
  const { weight = weights.hint, symptom, unless: _unless, about, may, ...row } = means;
  const more = about?.(facts, context, evidence);
  const suspectOf = ({ fixes = [], message, when: _when, ...own }: May): Suspect => ({
    certainty: "possible",
    evidence,
    ...row,
    ...more,
    ...own,
    message: typeof message === "function" ? message(facts, context, evidence) : message,
    fixes: typeof fixes === "function" ? fixes(facts, context, evidence) : fixes,
  });
  return {
    weight: typeof weight === "function" ? weight(facts, context) : weight,
    ...(symptom === undefined ? {} : { symptom: typeof symptom === "function" ? symptom(facts, context, evidence) : symptom }),
    suspects: may.filter(({ when }) => when?.(facts, context) ?? true).map(suspectOf),
  };
}
