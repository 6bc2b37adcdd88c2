import { settersOf } from "../../diagnose/words.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import { changeLines, reachOf, readAssignment } from "../startup.ts";

/** A variable that should not be set at all: LD_PRELOAD that brings a wrong copy, CUDA_VISIBLE_DEVICES that hides every GPU. */
export default defineFix({
  id: "unset-variable",
  title: "Unset a variable",
  proposes(stack, finding, snapshot) {
    const said = [finding.subject, finding.message, ...finding.because, ...finding.advice].join("\n");
    return ["LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "PYTHONPATH"]
      .filter((name) => stack.variables[name] !== undefined && said.includes(name))
      .flatMap((name): Candidate[] => {
        const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, undefined);
        return [
          {
            title: `start one command without ${name}`,
            reach: "command",
            safety: "safe",
            commands: [`env -u ${name} COMMAND`],
            steps: [],
            changes: [],
            simulate,
          },
          {
            title: `unset ${name} in this shell`,
            reach: "shell",
            safety: "safe",
            commands: [`unset ${name}`],
            steps: [],
            changes: [],
            simulate,
          },
          ...lasting(stack, snapshot, name),
        ];
      });
  },
});

function lasting(stack: Stack, snapshot: Snapshot, name: string): Candidate[] {
  const change = changeLines(snapshot, settersOf(stack, name), (text) => (readAssignment(text, name) ? "" : undefined));
  if (!change) return [];
  return [
    {
      title: `remove the line that sets ${name}, ${change.places.join(" and ")}`,
      reach: reachOf(stack, change.files),
      safety: "safe",
      commands: change.commands,
      steps: change.steps,
      warning: "shells that are open keep the old value",
      changes: change.files,
      variables: [{ name }],
      simulate: (given) => withVariable(change.simulate(given), name, undefined),
    },
  ];
}
