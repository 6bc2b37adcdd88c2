import { pythonPathElement, settersOf } from "../../diagnose/words.ts";
import type { Stack } from "../../diagnose/stack.ts";
import type { Finding } from "../../model/finding.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import { choosingVariables, withoutAssignment } from "../../lib/shell-lines.ts";
import type { VariableSource } from "../../model/inventory.ts";
import { changeLines, startupSources, comesBack, expansionAt, lastingChange, valueAfter, withoutElements } from "../startup.ts";
import { pasted } from "../../lib/shell.ts";

/** A variable that should not be set at all: LD_PRELOAD that brings a wrong copy, CUDA_VISIBLE_DEVICES that hides every GPU. */
export default defineFix({
  id: "unset-variable",
  title: "Unset a variable",
  proposes(stack, finding, snapshot) {
    const isNamed = (name: string) => (finding.facts.variables ?? []).some((each) => each.name === name);
    return ["LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "PYTHONPATH", ...choosingVariables]
      .filter((name) => stack.variables[name] !== undefined && (isNamed(name) || 0 < guiltyIn(stack, finding, name).length))
      .flatMap((name): Candidate[] => {
        const kept = milder(stack, finding, snapshot, name);
        const simulate: Candidate["simulate"] = (given) => withVariable(given, name, undefined);
        return [
          ...kept,
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
            ...(settersOf(stack, name).length === 0 ? comesBack(snapshot, name) : {}),
            changes: [],
            simulate,
          },
          ...lasting(stack, snapshot, name),
        ];
      });
  },
});

/** Without the lines that give it its value; where another line then gives it one that is no better, without all of them. */
function lasting(stack: Stack, snapshot: Snapshot, name: string): Candidate[] {
  const all = startupSources(stack, name);
  const guilty = settersOf(stack, name).filter(({ module }) => module === undefined);
  return (guilty.length === all.length ? [all] : [guilty, all]).flatMap((setters, index) => {
    const change = changeLines(snapshot, setters, ({ text }) => withoutAssignment(text, name));
    if (!change) return [];
    const isWhole = change.steps.every((step) => step.do === "edit" && step.after === undefined);
    const lines = setters.length === 1 ? "line that sets" : "lines that set";
    const title = isWhole ? `remove the ${lines} ${name}` : `take ${name} out of the ${lines} it`;
    const fix = lastingChange(stack, change, title, name, valueWithout(stack, snapshot, name, all, setters));
    return [index === 0 ? fix : { ...fix, wider: true as const }];
  });
}

/** What the lines that are left give it. */
function valueWithout(
  stack: Stack,
  snapshot: Snapshot,
  name: string,
  all: VariableSource[],
  without: VariableSource[],
): string | undefined {
  const left = all.map((setter) => ({
    setter,
    expand: expansionAt(stack, snapshot, setter),
    after: without.includes(setter) ? (withoutAssignment(setter.text, name) ?? "") : setter.text,
  }));
  const predicted = valueAfter(stack, left, name);
  return predicted.known ? predicted.value : undefined;
}

const elementsIn = ({ variables }: Stack, name: string) =>
  (variables[name] ?? "").split(name === "LD_PRELOAD" ? /[: ]/ : ":").filter((each) => each !== "");

/** Elements of a list that bring files which a finding speaks of: a preloaded library, a folder of Python packages. */
function guiltyIn(stack: Stack, finding: Finding, name: string): string[] {
  const preloaded = (finding.facts.loads ?? []).filter(
    ({ via, library, role }) => via === "preload" && (library !== undefined || role === "guilty"),
  );
  const named = (finding.facts.variables ?? []).find((each) => each.name === name)?.elements;
  const isGuilty = (element: string) => {
    if (name === "LD_PRELOAD") return preloaded.some((load) => load.name === element);
    if (name !== "PYTHONPATH") return false;
    return named ? named.includes(element) : pathsOf(finding).some((path) => pythonPathElement(stack, path) === element);
  };
  return elementsIn(stack, name).filter(isGuilty);
}

/** Everything on the disk that a finding speaks of. */
function pathsOf({ facts: { loads = [], copies = [], packages = [], wanted } }: Finding): string[] {
  return [
    ...loads.flatMap(({ file, path, requestedBy }) => [file, path, requestedBy]),
    ...copies.map(({ file }) => file),
    ...packages.flatMap(({ path, files = [] }) => [...(path === undefined ? [] : [path]), ...files]),
    ...(wanted ? [wanted.requestedBy] : []),
  ];
}

/** Where a list names more than what is wrong, the rest of it stays. */
function milder(stack: Stack, finding: Finding, snapshot: Snapshot, name: string): Candidate[] {
  const elements = elementsIn(stack, name);
  const guilty = new Set(guiltyIn(stack, finding, name));
  const separator = name === "LD_PRELOAD" ? /[: ]/ : /:/;
  const value = elements.filter((each) => !guilty.has(each)).join(":");
  if (guilty.size === 0 || value === "") return [];
  const what = [...guilty].join(" and ");
  const simulate: Candidate["simulate"] = (given) => withVariable(given, name, value);
  const change = changeLines(
    snapshot,
    settersOf(stack, name).filter(({ module }) => module === undefined),
    ({ text }) => withoutElements(text, name, [...guilty], separator),
  );
  const found: Candidate[] = [
    {
      title: `start one command without ${what} in ${name}`,
      reach: "command",
      safety: "safe",
      commands: [`env ${name}=${pasted(value)} COMMAND`],
      steps: [],
      changes: [],
      simulate,
    },
  ];
  if (change) found.push(lastingChange(stack, change, `take ${what} out of ${name} where it is set`, name, value));
  return found;
}
