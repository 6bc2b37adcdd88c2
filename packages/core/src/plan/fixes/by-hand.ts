import { identityOf } from "../../lib/compare.ts";
import { adviceLine } from "../../lib/shell.ts";
import { defineFix } from "../fix.ts";

/** What only a person can do, or should decide: drivers, system packages, containers, rights. Shown, never applied. */
export default defineFix({
  id: "by-hand",
  title: "For a person to do",
  proposes(_stack, finding) {
    const commands = finding.advice.map(adviceLine);
    if (commands.length === 0) return [];
    return [{ title: commands[0]!, of: identityOf(finding), reach: "machine", safety: "display-only", commands, steps: [], changes: [] }];
  },
});
