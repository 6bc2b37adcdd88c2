declare module "vitest" {
  interface TaskMeta {
    /** Why this was skipped; tests/closing-line.ts says it at the end. */
    skipped?: string;
  }
}

/**
 * The options of a test, or of a group, that needs something of the machine: `test("…", needs({ gcc: hasTool("gcc") }), …)`.
 * Where it is not there, nothing runs, and the end of the run says why. A reason may be given in words instead.
 */
export function needs(what: { [name: string]: unknown } | string | undefined): { skip?: true; meta?: { skipped: string } } {
  const missing =
    typeof what === "object"
      ? Object.keys(what)
          .filter((name) => !what[name])
          .map((name) => `needs ${name}`)[0]
      : what;
  return missing === undefined ? {} : { skip: true, meta: { skipped: missing } };
}
