import { defineFix } from "../fix.ts";

/** What only a person can do, or should decide: drivers, system packages, containers, rights. Shown, never applied. */
export default defineFix({
  id: "by-hand",
  title: "For a person to do",
  proposes: (_stack, { advice }) =>
    advice.length === 0 ? [] : [{ title: advice[0]!, reach: "machine", safety: "display-only", commands: advice, steps: [], changes: [] }],
});
