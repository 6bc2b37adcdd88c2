import { identityOf } from "../../lib/compare.ts";
import { commandLine } from "../../lib/shell.ts";
import type { Advice } from "../../model/finding.ts";
import type { Reach } from "../../model/fix.ts";
import { defineFix } from "../fix.ts";

/** What only a person can do, or should decide: drivers, system packages, containers, rights. Shown, never applied. */
export default defineFix({
  id: "by-hand",
  title: "For a person to do",
  proposes(stack, finding) {
    const [first, ...others] = finding.advice;
    if (!first) return [];
    const isOwn = ({ command = [] }: Advice) => stack.environments.some(({ python }) => command.includes(python));
    return [
      {
        title: first.words,
        of: identityOf(finding),
        reach: reachOf(first, isOwn(first)),
        safety: "display-only",
        commands: [...(first.command ? [commandLine(first.command)] : []), ...others.flatMap(lines)],
        steps: [],
        changes: [],
      },
    ];
  },
});

/** Lines that can be pasted as they are: words are remarks. */
const lines = ({ words, command }: Advice): string[] => (command ? [`# ${words}:`, commandLine(command)] : [`# ${words}`]);

function reachOf({ scope }: Advice, isOwn: boolean): Reach {
  if (scope === "once") return "command";
  if (scope === "shell") return "shell";
  return isOwn ? "environment" : "machine";
}
