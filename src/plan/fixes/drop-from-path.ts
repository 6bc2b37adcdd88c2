import { guiltyElement, settersOf } from "../../diagnose/words.ts";
import type { Load } from "../../model/loads.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import { changeLines, quoted, reachOf, withoutElement } from "../startup.ts";

const name = "LD_LIBRARY_PATH";

/** LD_LIBRARY_PATH without the folder that brings the wrong copy: for one command, for this shell, or where it is set. */
export default defineFix({
  id: "drop-from-path",
  title: "Take a folder out of LD_LIBRARY_PATH",
  proposes(stack, finding, snapshot) {
    const value = stack.variables[name];
    if (!value) return [];
    const named = [finding.subject, ...finding.evidence, ...finding.because].join("\n");
    const elements = new Set(
      stack.runs
        .flatMap(({ loads }) => loads.loads)
        .filter((load) => load.library !== undefined && (named.includes(load.file) || named.includes(load.path)))
        .map((load) => guiltyElement(stack, load as Load))
        .filter((element) => element !== undefined),
    );
    return [...elements].flatMap((element) => candidates(stack, snapshot, value, element));
  },
});

function candidates(stack: Stack, snapshot: Snapshot, value: string, element: string): Candidate[] {
  const rest = value
    .split(/[:;]/)
    .filter((each) => each !== element)
    .join(":");
  const what = element === "" ? "the empty element (the current folder)" : element;
  const left = rest === "" ? undefined : rest;
  const simulate: Candidate["simulate"] = (snapshot) => withVariable(snapshot, name, left);
  const found: Candidate[] = [
    {
      title: `start one command without ${what} in ${name}`,
      reach: "command",
      safety: "safe",
      commands: [left === undefined ? `env -u ${name} COMMAND` : `env ${name}=${quoted(left)} COMMAND`],
      steps: [],
      changes: [],
      simulate,
    },
    {
      title: `take ${what} out of ${name} in this shell`,
      reach: "shell",
      safety: "safe",
      commands: [left === undefined ? `unset ${name}` : `export ${name}=${quoted(left)}`],
      steps: [],
      changes: [],
      simulate,
    },
  ];
  const setters = settersOf(stack, name).filter(({ text }) => names(text, element));
  const change = changeLines(snapshot, setters, (text) => withoutElement(text, name, element));
  if (change) {
    found.push({
      title: `take ${what} out of ${name} where it is set, ${change.places.join(" and ")}`,
      reach: reachOf(stack, change.files),
      safety: "safe",
      commands: change.commands,
      steps: change.steps,
      warning: "shells that are open keep the old value",
      changes: change.files,
      variables: [left === undefined ? { name } : { name, value: left }],
      simulate: (given) => withVariable(change.simulate(given), name, left),
    });
  }
  return found;
}

/** Whether a line has to do with an element: one that is not understood must not be passed over. */
const names = (text: string, element: string) => (element === "" ? withoutElement(text, name, "") !== undefined : text.includes(element));
