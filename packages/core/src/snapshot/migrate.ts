import { problemOf, type Problem } from "../model/problem.ts";

/** Brings a snapshot of an older schema to the present one. A published schema never changes: it gets a successor and an entry here. */
const migrations: { [schema: string]: (old: object) => object } = {};

const present = "culprit/snapshot@1";

export function migrate(value: unknown): { value: object } | Problem {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return problemOf("damaged", "it is JSON, but not an object");
  let current: object = value;
  for (;;) {
    const schema = "schema" in current ? current.schema : undefined;
    if (schema === present) return { value: current };
    if (typeof schema !== "string" || !schema.startsWith("culprit/"))
      return problemOf("unsupported", "its field `schema` does not say `culprit/snapshot@1`");
    if (!schema.startsWith("culprit/snapshot@")) return problemOf("unsupported", `it is a \`${schema}\` document`);
    const next = migrations[schema];
    if (!next) return problemOf("unsupported", `it was written by a newer culprit (\`${schema}\`); this one reads up to \`${present}\``);
    current = next(current);
  }
}
