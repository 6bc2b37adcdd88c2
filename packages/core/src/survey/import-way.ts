// Whether `import` of a package comes to a module of another one, be it through a third that imports late: by the text of their files.
import { isCaught } from "../lib/python-exceptions.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { ModuleFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";
import { fullName } from "./imports.ts";
import { findModule, foldersOf, moduleNamed, type FoundModule } from "./python-modules.ts";

/** So many files are gone through at most. */
const mostFiles = 1500;

export interface Sought {
  /** Names of modules (in a namespace with its name before them), and what Python raises at their import; `*` where that is not known. */
  modules: Map<string, string>;
  /** Names of such modules that are gone through on the way. */
  through: Set<string>;
}

export interface Way {
  module: string;
  /** The files that import each other, from the one that is asked for to the one that imports the module. */
  files: string[];
}

interface Walk {
  view: View;
  environment: PythonEnvironment;
  sought: Sought;
  /** Where modules were found: dozens of files import the same few. */
  places: Map<string, FoundModule>;
  seen: Set<string>;
  /** Files that are being run, the outermost first. */
  running: string[];
  found?: Way;
}

/** The way from a module to the first of some others that its import comes to, with nothing around it that would catch the error. */
export function wayTo(
  view: View,
  environment: PythonEnvironment,
  start: string,
  sought: Sought,
  places: Map<string, FoundModule> = new Map(),
): Way | undefined {
  const { wishing } = view;
  const before = new Set(wishing.needs.keys());
  const walk: Walk = { view: wishing, environment, sought, places, seen: new Set(), running: [] };
  enter(walk, start, []);
  // One way is enough: what the files beside it say need not be read.
  if (walk.found) for (const key of wishing.needs.keys()) if (!before.has(key)) wishing.needs.delete(key);
  return walk.found;
}

interface Entered {
  module: string;
  file?: string;
  folders: string[];
}

/** Runs a module by its full name, and the packages around it before. */
function enter(walk: Walk, name: string, caught: string[]): Entered | undefined {
  const parts = name.split(".");
  const around = parts.map((_, index) => parts.slice(0, index + 1).join("."));
  if (around.some((module) => isHit(walk, module, caught)) || !around.some((module) => isOnWay(walk, module))) return undefined;
  let folders = walk.environment.path;
  let entered: Entered | undefined;
  for (const [index, part] of parts.entries()) {
    const at = moduleIn(walk, folders, part);
    if (walk.found || !at || at.kind === "absent" || at.kind === "binary") return undefined;
    entered = { module: around[index]!, ...("file" in at ? { file: at.file } : {}), folders: foldersOf(at) };
    run(walk, entered, caught);
    ({ folders } = entered);
    if (folders.length === 0 && index + 1 < parts.length) return undefined;
  }
  return entered;
}

/** A namespace around what is gone through is on the way, too. */
const isOnWay = ({ sought: { through } }: Walk, module: string) =>
  through.has(module) || [...through].some((each) => each.startsWith(`${module}.`));

function isHit(walk: Walk, module: string, caught: string[]): boolean {
  const raised = walk.sought.modules.get(module);
  if (raised === undefined) return false;
  if (!isCaught(raised === "*" ? undefined : raised, caught)) walk.found ??= { module, files: [...walk.running] };
  return true;
}

function run(walk: Walk, { module, file, folders }: Entered, caught: string[]): void {
  const key = `${module} ${caught.join()}`;
  if (walk.found || file === undefined || walk.seen.has(key) || mostFiles <= walk.seen.size) return;
  walk.seen.add(key);
  const fact = factOf(walk.view, file);
  if (!fact) return;
  walk.running.push(file);
  const follow = (statement: string, around: string[]) => {
    if (!walk.found) runStatement(walk, fullName(module, 0 < folders.length, statement.split(":")[0]!), statement, around);
  };
  for (const statement of fact.imports) follow(statement, caught);
  for (const { with: needed, caught: own, imports } of fact.guarded ?? [])
    if (needed.every((name) => isThere(walk, name))) for (const statement of imports) follow(statement, [...new Set([...caught, ...own])]);
  walk.running.pop();
}

function runStatement(walk: Walk, from: string, statement: string, caught: string[]): void {
  const entered = enter(walk, from, caught);
  const names = statement.split(":")[1]?.split(",") ?? [];
  if (entered) for (const name of names) take(walk, entered, name, caught);
}

/** `from module import name`: a module in its folder, or a name that it gets from another one when it is asked for. */
function take(walk: Walk, entered: Entered, name: string, caught: string[]): void {
  const { module, file, folders } = entered;
  if (walk.found || !/^\w+$/.test(name)) return;
  if (isHit(walk, `${module}.${name}`, caught)) return;
  const part = folders.length === 0 ? undefined : moduleIn(walk, folders, name);
  if (part?.kind === "source") run(walk, { module: `${module}.${name}`, file: part.file, folders: foldersOf(part) }, caught);
  const fact = part?.kind === "absent" && file !== undefined ? factOf(walk.view, file) : undefined;
  if (!fact?.open) return;
  if (fact.words?.[name] === undefined) walk.view.need(file!, "module", [name]);
  const from = fact.bound?.[name];
  if (from === undefined || walk.seen.has(`${module}:${name} ${caught.join()}`)) return;
  walk.seen.add(`${module}:${name} ${caught.join()}`);
  runStatement(walk, fullName(module, true, from), `${from}:${name}`, caught);
}

function isThere(walk: Walk, name: string): boolean {
  const found = moduleIn(walk, walk.environment.path, moduleNamed(name));
  return found !== undefined && found.kind !== "absent";
}

function moduleIn({ view, environment, places }: Walk, folders: string[], name: string): FoundModule | undefined {
  const key = `${folders.join(":")} ${name}`;
  const known = places.get(key) ?? findModule(view, environment, folders, name);
  if (known) places.set(key, known);
  return known;
}

function factOf(view: View, file: string): ModuleFact | undefined {
  const at = view.lookup(file);
  if (!("found" in at) || at.entry.kind !== "file") return undefined;
  if (at.entry.module === undefined && at.entry.unreadable === undefined) view.need(at.found, "module");
  return at.entry.module;
}
