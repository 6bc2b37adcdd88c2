import { guiltyElement, modulesGiving } from "../../diagnose/words.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Stack } from "../../diagnose/stack.ts";
import { defineFix, type Candidate } from "../fix.ts";
import { withVariable } from "../simulate.ts";
import {
  changeLines,
  startupSources,
  comesBack,
  expansionAt,
  isUnclear,
  lastingChange,
  plain,
  valueAfter,
  withoutElements,
} from "../startup.ts";
import { pasted } from "../../lib/shell.ts";

const name = "LD_LIBRARY_PATH";

/** LD_LIBRARY_PATH without the folder that brings the wrong copy: for one command, for this shell, or where it is set. */
export default defineFix({
  id: "drop-from-path",
  title: "Take a folder out of LD_LIBRARY_PATH",
  proposes(stack, { facts }, snapshot) {
    const value = stack.variables[name];
    if (!value) return [];
    const found = (facts.loads ?? [])
      .filter(({ library, role }) => library !== undefined || role === "guilty")
      .map((load) => guiltyElement(stack, load))
      .filter((element) => element !== undefined);
    const guilty = [...new Set(found.map(plain))];
    if (guilty.length === 0) return [];
    // Behind the folder that is to blame, another one may wait with a copy that fits no better.
    const elements = [...new Set(value.split(/[:;]/).map(plain))];
    const holding = elements.filter((element) => guilty.includes(element) || holdsLibraries(stack, element));
    const sets = [...guilty.map((element) => [element]), guilty, holding];
    return [
      ...moves(value, guilty),
      ...sets
        .filter(
          (set, index) => sets.findIndex((other) => other.length === set.length && other.every((each) => set.includes(each))) === index,
        )
        .flatMap((set) =>
          candidates(stack, snapshot, value, set).map((each) => (set.length === 1 ? each : { ...each, wider: true as const })),
        ),
    ];
  },
});

/** Behind the others, a folder brings only what none of them has: for where it is needed for something else. */
function moves(value: string, guilty: string[]): Candidate[] {
  const elements = value.split(/[:;]/);
  const isGuilty = (element: string) => guilty.includes(plain(element));
  const moved = [...elements.filter((element) => !isGuilty(element)), ...elements.filter(isGuilty)].join(":");
  if (moved === value || elements.every(isGuilty)) return [];
  const move = {
    safety: "safe" as const,
    steps: [],
    changes: [],
    wider: true as const,
    simulate: (given: Snapshot) => withVariable(given, name, moved),
  };
  const what = guilty.join(" and ");
  return [
    {
      ...move,
      title: `start one command with ${what} last in ${name}`,
      reach: "command",
      commands: [`env ${name}=${pasted(moved)} COMMAND`],
    },
    { ...move, title: `put ${what} last in ${name} in this shell`, reach: "shell", commands: [`export ${name}=${pasted(moved)}`] },
  ];
}

/** Whether a folder holds copies of GPU libraries. */
function holdsLibraries({ inventory: { copies }, pointers }: Stack, element: string): boolean {
  const folders = new Set([
    element,
    ...pointers.searchPath.flatMap(({ text, real }) => (plain(text) === element && real !== undefined ? [real] : [])),
  ]);
  const holds = (path: string) => folders.has(path.slice(0, path.lastIndexOf("/")));
  return copies.some(({ file, names }) => [file, ...names].some(holds));
}

function candidates(stack: Stack, snapshot: Snapshot, value: string, unwanted: string[]): Candidate[] {
  const rest = value
    .split(/[:;]/)
    .filter((each) => !unwanted.includes(plain(each)))
    .join(":");
  const what = unwanted.map((element) => (element === "" ? "the empty element (the current folder)" : element)).join(" and ");
  const left = rest === "" ? undefined : rest;
  const simulate: Candidate["simulate"] = (given) => withVariable(given, name, left);
  const setters = startupSources(stack, name);
  const expand = new Map(setters.map((setter) => [setter, expansionAt(stack, snapshot, setter)]));
  const without = (setter: (typeof setters)[number]) => withoutElements(setter.text, name, unwanted, /[:;]/, expand.get(setter));
  const isNamed = ({ text }: { text: string }) => unwanted.some((element) => element !== "" && text.includes(element));
  const guilty = setters.filter((setter) => without(setter) !== undefined || isNamed(setter));
  // A line that may bring the folder back must not be passed over, and cannot be changed.
  const unclear = setters.filter(
    (setter) => without(setter) === undefined && (isNamed(setter) || isUnclear(setter.text, name, expand.get(setter)!)),
  );
  const change = unclear.length === 0 ? changeLines(snapshot, guilty, without) : undefined;
  // A line that goes over two is understood, and not changed.
  const remaining = 0 < unclear.length ? unclear : change ? [] : guilty;
  const byHand =
    remaining.length === 0
      ? setters.length === 0
        ? comesAgain(stack, snapshot, unwanted)
        : {}
      : {
          warning: `it may come back from ${remaining.map(({ file, line }) => `${file}:${line}`).join(" and ")}, a line that is not understood: change it there`,
        };
  const found: Candidate[] = [
    {
      title: `start one command without ${what} in ${name}`,
      reach: "command",
      safety: "safe",
      commands: [left === undefined ? `env -u ${name} COMMAND` : `env ${name}=${pasted(left)} COMMAND`],
      steps: [],
      changes: [],
      simulate,
    },
    {
      title: `take ${what} out of ${name} in this shell`,
      reach: "shell",
      safety: "safe",
      commands: [left === undefined ? `unset ${name}` : `export ${name}=${pasted(left)}`],
      steps: [],
      ...byHand,
      changes: [],
      simulate,
    },
  ];
  if (change) {
    const lines = setters.map((setter) => ({ setter, expand: expand.get(setter)!, after: without(setter) ?? setter.text }));
    const predicted = valueAfter(stack, lines, name);
    const then = predicted.known ? predicted.value : left;
    found.push(lastingChange(stack, change, `take ${what} out of ${name} where it is set`, name, then));
  }
  return found;
}

/** What a shell has again when it is started, or a module loaded, the next time. */
function comesAgain(stack: Stack, snapshot: Snapshot, unwanted: string[]): { warning?: string } {
  const [module] = unwanted.flatMap((element) => modulesGiving(stack, name, element));
  return module === undefined ? comesBack(snapshot, name) : { warning: `the module ${module} sets it again where it is loaded` };
}
