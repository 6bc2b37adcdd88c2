// What `import` of a package runs for certain, as far as its source says so, and at which statement it would end.
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { ModuleFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";
import { findModule, foldersOf, hasHooks, isStandard } from "./python-modules.ts";

/** So many files are gone through at most: packages of thousands import most of them later. */
const mostFiles = 200;

/** An import that no test and no `try` is around, and that cannot work. */
export interface FailedImport {
  /** The file that has it. */
  by: string;
  module: string;
  /** What is asked of the module, which is there. */
  name?: string;
  file?: string;
}

export interface Imports {
  /** The module that is imported. */
  start: string;
  /** Modules of the package that its import comes to: by imports at the left margin, one leading to the next. */
  reached: Set<string>;
  /** Modules of others that these import, by the first parts of their names: one, and two for those in a namespace. */
  others: Set<string>;
  /** Extension modules of others that these import by name. */
  binaries: Set<string>;
  /** Texts in those that open libraries when they are run. */
  opens: Set<string>;
  /** Files that define operators with such parameters, and the first of each. */
  operators: Map<string, string>;
  failure?: FailedImport;
}

interface Walk {
  view: View;
  environment: PythonEnvironment;
  /** Where the package lies, and the module that is imported of it. */
  folder: string;
  start: string;
  found: Imports;
  /** A file may have changed what can be imported, or could not be read: nothing after it is called impossible. */
  isUnsure: boolean;
}

/** What `import` of a module of a package comes to in any case. What is behind a test, in a function or caught is not followed. */
export function importsOf(view: View, environment: PythonEnvironment, { folder }: PythonPackage, start: string): Imports {
  const found: Imports = { start, reached: new Set(), others: new Set(), binaries: new Set(), opens: new Set(), operators: new Map() };
  const walk: Walk = { view: view.wishing, environment, folder, start, found, isUnsure: hasHooks(environment) };
  enter(walk, start, start);
  return found;
}

/** Whether a file is among what was reached: as a module, or as a library that is opened by its name. */
export function isReached({ start, reached, opens }: Imports, { folder }: PythonPackage, file: string): boolean {
  const inside = file.slice(folder.length + 1).replace(/(\.cpython-[^.]*|\.abi3)?\.so$/, "");
  const name = nameOf(file);
  const isOpened =
    inside.startsWith(`${start.replaceAll(".", "/")}/`) &&
    [...opens].some((text) => nameOf(text) === name || nameOf(text) === name.split(".")[0]);
  return isOpened || reached.has(inside.replaceAll("/", "."));
}

interface Entered {
  /** None where it is a namespace. */
  file?: string;
  /** Where its parts lie. */
  folders: string[];
  isOwn: boolean;
}

/** Imports a module by its full name: the packages around it first. What it is, where that is Python. */
function enter(walk: Walk, name: string, by: string): Entered | undefined {
  const parts = name.split(".");
  const isOwn = isWithin(walk.start, name);
  if (!isOwn) for (const other of new Set([parts[0]!, parts.slice(0, 2).join(".")])) walk.found.others.add(other);
  if (!isOwn && isStandard(parts[0]!)) return undefined;
  let around: Entered | undefined;
  for (const [index, part] of parts.entries()) {
    const module = parts.slice(0, index + 1).join(".");
    const folders: string[] = around?.folders ?? (isOwn ? [walk.folder] : walk.environment.path);
    around = enterPart(walk, { folders, part, module, by, isOwn }, around);
    if (!around) return undefined;
  }
  return around;
}

const isWithin = (start: string, name: string) => `${name}.`.startsWith(`${start}.`);

interface Part {
  folders: string[];
  part: string;
  /** Its full name. */
  module: string;
  by: string;
  isOwn: boolean;
}

function enterPart(walk: Walk, { folders, part, module, by, isOwn }: Part, around: Entered | undefined): Entered | undefined {
  const found = folders.length === 0 ? undefined : findModule(walk.view, walk.environment, folders, part);
  if (found?.kind === "absent" && !isOwn && !(around?.file !== undefined && isChanged(walk, around.file))) fail(walk, { by, module });
  if (found?.kind === "binary") noteBinary(walk, module, found.file, isOwn);
  if (found?.kind === "other" && found.folders !== undefined) return { folders: found.folders, isOwn };
  if (found?.kind !== "source") return undefined;
  const entered: Entered = { file: found.file, isOwn, folders: foldersOf(found) };
  if (isOwn) run(walk, module, found.file, found.folder);
  return entered;
}

function noteBinary({ found }: Walk, module: string, file: string, isOwn: boolean): void {
  if (isOwn) found.reached.add(module);
  else found.binaries.add(file);
}

/** Goes through a file of the package, in the order of its statements; once. */
function run(walk: Walk, module: string, file: string, folder: string | undefined): void {
  const { reached, opens, operators } = walk.found;
  if (reached.has(module)) return;
  if (mostFiles <= reached.size) {
    walk.isUnsure = true;
    return;
  }
  reached.add(module);
  const { fact, imports } = readModule(walk.view, file);
  if (!fact || fact.meddles) walk.isUnsure = true;
  for (const text of fact?.opens ?? []) opens.add(text);
  if (fact?.operators) operators.set(file, fact.operators[0]!);
  for (const statement of fact?.imports ?? imports) {
    const [written = "", listed = ""] = statement.split(":");
    const from = fullName(module, folder !== undefined, written);
    const entered = enter(walk, from, file);
    for (const name of listed.split(",").filter((each) => /^\w+$/.test(each))) take(walk, from, entered, name, file);
  }
}

/** The full name of what a module imports by dots. */
export function fullName(module: string, isPackage: boolean, written: string): string {
  const dots = /^\.*/.exec(written)![0].length;
  if (dots === 0) return written;
  const parts = module.split(".");
  return [...parts.slice(0, parts.length - dots + (isPackage ? 1 : 0)), ...written.slice(dots).split(".")]
    .filter((part) => part !== "")
    .join(".");
}

/** `from module import name`: a module in the folder of the first, or a name that it binds. */
function take(walk: Walk, from: string, entered: Entered | undefined, name: string, by: string): void {
  if (!entered) return;
  const { file, folders } = entered;
  if (file === undefined && !entered.isOwn) walk.found.others.add(`${from}.${name}`);
  const part = folders.length === 0 ? undefined : findModule(walk.view, walk.environment, folders, name);
  if (part?.kind === "binary") noteBinary(walk, `${from}.${name}`, part.file, entered.isOwn);
  if (part?.kind === "source" && entered.isOwn) run(walk, `${from}.${name}`, part.file, part.folder);
  const isPart = 0 < folders.length && part?.kind !== "absent";
  if (entered.isOwn || isPart || /^__\w+__$/.test(name)) return;
  // Of a namespace nothing binds a name but its parts.
  if (file === undefined || binds(walk.view, file, name) === false)
    fail(walk, { by, module: from, name, ...(file === undefined ? {} : { file }) });
}

/** Whether the text of a module has a name; undefined where that is not known, or the text does not tell. */
function binds(view: View, file: string, name: string): boolean | undefined {
  const { fact } = readModule(view, file);
  if (!fact || fact.open || fact.meddles) return undefined;
  const isThere = fact.words?.[name];
  if (isThere === undefined) view.need(file, "module", [name]);
  return isThere;
}

function fail({ found, isUnsure }: Walk, failure: FailedImport): void {
  if (!isUnsure) found.failure ??= failure;
}

/** Whether the package at a file may have parts that do not lie in its folder. */
function isChanged({ view }: Walk, file: string): boolean {
  const { fact } = readModule(view, file);
  return !fact || fact.meddles === true;
}

function readModule(view: View, file: string): { fact?: ModuleFact; imports: string[] } {
  const at = view.lookup(file);
  if (!("found" in at) || at.entry.kind !== "file") return { imports: [] };
  const { module, imports = [], unreadable } = at.entry;
  if (module === undefined && unreadable === undefined) view.need(at.found, "module");
  return module ? { fact: module, imports } : { imports };
}
