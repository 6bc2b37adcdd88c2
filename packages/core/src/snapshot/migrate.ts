/** Brings a snapshot of an older schema to the present one. A published schema never changes: it gets a successor and an entry here. */
const migrations: { [schema: string]: (old: object) => object } = {};

const present = "culprit/snapshot@1";

export function migrate(value: unknown): { value: object } | { problem: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: "it is JSON, but not an object" };
  let current: object = value;
  for (;;) {
    const schema = "schema" in current ? current.schema : undefined;
    if (schema === present) return { value: current };
    if (typeof schema !== "string" || !schema.startsWith("culprit/"))
      return { problem: "its field `schema` does not say `culprit/snapshot@1`" };
    if (!schema.startsWith("culprit/snapshot@")) return { problem: `it is a \`${schema}\` document` };
    const next = migrations[schema];
    if (!next) return { problem: `it was written by a newer culprit (\`${schema}\`); this one reads up to \`${present}\`` };
    current = next(current);
  }
}
