import type { Stack } from "../../diagnose/stack.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import { changeLines, expansionAt, reachOf, startupSources, withElements } from "../startup.ts";
import { quoted } from "../../lib/shell.ts";

const name = "LD_LIBRARY_PATH";

/** An element that the loader cannot use as it is written: the folder that it was meant to name, in full. */
export default defineFix({
  id: "mend-path",
  title: "Write an element of LD_LIBRARY_PATH in full",
  proposes(stack, { rule, facts }, snapshot) {
    if (rule !== "library-path-malformed") return [];
    const guilty = facts.variables?.find((each) => each.name === name)?.elements ?? [];
    const element = stack.pointers.searchPath.find(({ text, flaw }) => flaw !== undefined && guilty.includes(text));
    return element ? candidates(stack, snapshot, element) : [];
  },
});

function candidates(stack: Stack, snapshot: Snapshot, { text, meant }: Stack["pointers"]["searchPath"][number]): Candidate[] {
  const folders = meant.map(({ folder }) => folder).join(":");
  // What names nothing at all is better gone.
  const other = (element: string) => (element === text ? folders : undefined);
  const value = (stack.variables[name] ?? "")
    .split(/[:;]/)
    .flatMap((element) => {
      const become = other(element) ?? element;
      return become === "" && element !== "" ? [] : [become];
    })
    .join(":");
  const left = value === "" ? undefined : value;
  const what = folders === "" ? `take ${JSON.stringify(text)} out of ${name}` : `write ${folders} for ${JSON.stringify(text)} in ${name}`;
  const setters = startupSources(stack, name).filter((source) => source.text.includes(text));
  const change = /["'`$\\\s]/.test(folders)
    ? undefined
    : changeLines(snapshot, setters, (setter) => withElements(setter.text, name, other, /[:;]/, expansionAt(stack, snapshot, setter)));
  const simulate = (given: Snapshot) => withVariable(given, name, left);
  return [
    {
      title: `${what}, in this shell`,
      reach: "shell",
      safety: "safe",
      commands: [left === undefined ? `unset ${name}` : `export ${name}=${quoted(left)}`],
      steps: [],
      changes: [],
      simulate,
    },
    ...(change
      ? [
          {
            title: `${what}, where it is set, ${change.places.join(" and ")}`,
            reach: reachOf(stack, change.files),
            safety: "safe" as const,
            commands: change.commands,
            steps: change.steps,
            warning: "shells that are open keep the old value",
            changes: change.files,
            variables: [left === undefined ? { name } : { name, value: left }],
            simulate: (given: Snapshot) => simulate(change.simulate(given)),
          },
        ]
      : []),
  ];
}
