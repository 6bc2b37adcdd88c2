// Environment modules: where a name leads, what loading it does to variables, and which loaded module set what.
import { moduleName, modulesIn, readModule, type ModuleText } from "../lib/module-files.ts";
import type { ModuleAction } from "../lib/module-script.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import { variablesThatMatter } from "../lib/shell-lines.ts";
import { withoutSource, type VariableSource } from "../model/inventory.ts";
import type { UnknownThing } from "../model/unknown.ts";
import type { View } from "../resolve/view.ts";
import { kindAt, namesIn, textAt } from "./python.ts";

/** A module by its name (or the path of its file, there), or the text of one or of `module show`. */
export type ModuleRequest = { name: string } | { file: string; text: string };

export interface LoadedModules {
  environment: { [name: string]: string };
  /** What each did to variables that matter, worked out. */
  sources: VariableSource[];
  unknown: UnknownThing[];
  /** Names that lead nowhere, with the sentence to say. */
  problem?: string;
}

/** Where module files lie when nothing says so. */
const usualFolders = [
  "/etc/modulefiles",
  "/usr/share/modulefiles",
  "/usr/share/modules/modulefiles",
  "/usr/share/Modules/modulefiles",
  "/usr/local/modulefiles",
  "/usr/local/Modules/modulefiles",
  "/opt/modulefiles",
  "/opt/apps/modulefiles",
  "/apps/modulefiles",
  "/cm/shared/modulefiles",
  "/opt/ohpc/pub/modulefiles",
  "/opt/nvidia/hpc_sdk/modulefiles",
  "/opt/easybuild/modules/all",
  "/apps/easybuild/modules/all",
];

/** Modules that load each other would otherwise be followed for ever. */
const deepest = 12;

interface Loading extends LoadedModules {
  view: View;
  /** Variables of the question itself: no module changes them. */
  named: string[];
  names: string[];
}

export function loadModules(view: View, requests: ModuleRequest[], named: string[]): LoadedModules {
  const { environment } = view.snapshot;
  const loading: Loading = {
    view,
    named,
    environment: { ...environment },
    sources: [],
    unknown: [],
    names: (environment["LOADEDMODULES"] ?? "").split(":").filter((name) => name !== ""),
  };
  for (const request of requests) {
    if ("text" in request) for (const each of modulesIn(request.file, request.text)) load(loading, each, moduleName(each.file), 0);
    else loadNamed(loading, request.name, 0);
  }
  const { sources, unknown, problem } = loading;
  return { environment: loading.environment, sources, unknown, ...(problem === undefined ? {} : { problem }) };
}

function loadNamed(loading: Loading, name: string, depth: number, by?: { file: string; line: number }): void {
  if (isLoaded(loading, name) || deepest < depth) return;
  const found = name.startsWith("/") ? fileAt(loading.view, name) : findModule(loading, name);
  if (found === undefined) return;
  if (found !== "none") load(loading, { file: found.file, text: textAt(loading.view, found.file) ?? "", offset: 0 }, found.name, depth);
  else if (by) note(loading, `${by.file}:${by.line}`, `it loads the module ${name}, which is not found`);
  else loading.problem ??= notFound(loading, name);
}

function load(loading: Loading, module: ModuleText, name: string, depth: number): void {
  const { view } = loading;
  const unclear = readModule(module, {
    name,
    act: (action) => apply(loading, action, module.file, name, depth),
    variable: (variable) => loading.environment[variable] ?? (isKept(variable) ? null : undefined),
    isLoaded: (other) => isLoaded(loading, other),
    exists: (path) => {
      const kind = kindAt(view.wishing, path);
      return kind === undefined ? undefined : kind !== "none";
    },
  });
  loading.names.push(name);
  for (const { line, text, about } of unclear)
    if (mayMatter(text)) note(loading, `${module.file}:${line}`, `\`${text}\` of the module ${name}: ${about}`);
}

/** Of other variables a snapshot says nothing. */
const isKept = (name: string) => variablesThatMatter.includes(name) || /^(?:LD_|CUDA|CUDNN|NCCL_)/.test(name);

/** A line about variables that decide nothing is passed over. */
function mayMatter(text: string): boolean {
  const named = /(?:setenv|pushenv|unsetenv|_path|-path)\W+([A-Z_][A-Z0-9_]*)\b/.exec(text)?.[1];
  return named === undefined || isKept(named) || named === "PATH" || named === "MODULEPATH";
}

function note({ unknown }: Loading, subject: string, reason: string): void {
  if (!unknown.some((each) => each.subject === subject)) unknown.push({ subject, kind: "variable", reason });
}

const isLoaded = ({ names }: Loading, name: string) => names.some((each) => each === name || each.startsWith(`${name}/`));

function apply(loading: Loading, action: ModuleAction, file: string, module: string, depth: number): void {
  const { environment, sources, named } = loading;
  if (action.do === "load") for (const name of action.modules) loadNamed(loading, name, depth + 1, { file, line: action.line });
  else if (action.do === "unload") unload(loading, action.modules, file, action.line);
  else if (action.do === "use") {
    const list = (environment["MODULEPATH"] ?? "").split(":").filter((folder) => folder !== "");
    environment["MODULEPATH"] = (action.append ? [...list, ...action.folders] : [...action.folders, ...list]).join(":");
  } else if (!named.includes(action.name)) {
    const value = valueAfter(environment[action.name], action, movesAgain(loading, file));
    if (value === undefined) delete environment[action.name];
    else environment[action.name] = value;
    if (action.do !== "remove" && action.do !== "unset" && matters(action.name)) sources.push(sourceOf(action, file, module));
  }
}

const matters = (name: string) => variablesThatMatter.includes(name) || isKept(name);

/** Lmod puts an element that is there already to its new place; others leave it where it is. */
const movesAgain = ({ environment }: Loading, file: string) => file.endsWith(".lua") || environment["LMOD_VERSION"] !== undefined;

type Setting = Exclude<ModuleAction, { do: "load" | "unload" | "use" }>;

function valueAfter(before: string | undefined, action: Setting, moves: boolean): string | undefined {
  if (action.do === "set") return action.value;
  if (action.do === "unset") return undefined;
  const { separator, values } = action;
  const list = before === undefined || before === "" ? [] : before.split(separator);
  if (action.do === "remove") return list.filter((each) => !values.includes(each)).join(separator) || undefined;
  const fresh = values.filter((each, index) => values.indexOf(each) === index && (moves || !list.includes(each)));
  const rest = list.filter((each) => !fresh.includes(each));
  return (action.do === "prepend" ? [...fresh, ...rest] : [...rest, ...fresh]).join(separator);
}

/** As `module show` would print it. */
function sourceOf(action: Setting, file: string, module: string): VariableSource {
  const values = action.do === "set" ? [action.value] : "values" in action ? action.values : [];
  const command = { set: "setenv", unset: "unsetenv", prepend: "prepend-path", append: "append-path", remove: "remove-path" }[action.do];
  return { name: action.name, file, line: action.line, text: `${command} ${action.name} ${values.join(":")}`, module, values };
}

/** What a module had set goes with it, as far as it is known what that was. */
function unload(loading: Loading, modules: string[], file: string, line: number): void {
  for (const name of modules) {
    if (!isLoaded(loading, name)) continue;
    const own = loading.sources.filter((source) => source.module === name || source.module?.startsWith(`${name}/`));
    if (own.length === 0) note(loading, `${file}:${line}`, `it unloads the module ${name}, and what that had set is not known`);
    for (const source of own) withoutSource(loading.environment, source);
    loading.sources = loading.sources.filter((source) => !own.includes(source));
    loading.names = loading.names.filter((each) => each !== name && !each.startsWith(`${name}/`));
  }
}

// ── where a name leads ──────────────────────────────────────────────────────────────────────────────────────────────────────────

interface Found {
  file: string;
  name: string;
}

function foldersOf({ environment }: Loading): string[] {
  const listed = (environment["MODULEPATH"] ?? "").split(":").filter((folder) => folder.startsWith("/"));
  const home = environment["HOME"];
  const own = home === undefined ? [] : [`${home}/modulefiles`, `${home}/privatemodules`, `${home}/.local/easybuild/modules/all`];
  return 0 < listed.length ? listed : [...usualFolders, ...own];
}

/** The first folder that has it counts; undefined while that is not known. */
function findModule(loading: Loading, name: string): Found | "none" | undefined {
  for (const folder of foldersOf(loading)) {
    const found = fileAt(loading.view, `${folder}/${name}`, folder);
    if (found !== "none") return found;
  }
  return "none";
}

function fileAt(view: View, path: string, folder?: string): Found | "none" | undefined {
  // Lmod takes the one in Lua.
  for (const each of [`${path}.lua`, path]) {
    const kind = kindAt(view, each);
    if (kind === undefined) return undefined;
    if (kind === "file") return { file: each, name: moduleName(each, folder) };
    if (kind === "folder") return defaultIn(view, each, folder);
  }
  return "none";
}

/** The release that is marked, else the highest. */
function defaultIn(view: View, path: string, folder: string | undefined): Found | "none" | undefined {
  const names = namesIn(view, path);
  if (names === undefined) return undefined;
  const link = names.includes("default") ? view.snapshot.files[`${path}/default`] : undefined;
  if (names.includes("default") && link === undefined) {
    view.need(`${path}/default`, "entry");
    return undefined;
  }
  const marked = link?.kind === "link" ? nameOf(link.to).replace(/\.lua$/, "") : markedIn(view, path, names);
  if (marked === null) return undefined;
  const releases = names.filter((name) => !/^\.|~$/.test(name) && name !== "default").sort((a, b) => byRelease(a, b));
  const chosen = marked ?? releases.at(-1)?.replace(/\.lua$/, "");
  return chosen === undefined ? "none" : fileAt(view, `${path}/${chosen}`, folder);
}

/** null while it is not known. */
function markedIn(view: View, path: string, names: string[]): string | null | undefined {
  for (const file of [".modulerc.lua", ".modulerc", ".version"]) {
    const text = names.includes(file) ? textAt(view, `${path}/${file}`) : "";
    if (text === undefined) return null;
    const version = text.split("\n").flatMap((line) => markOf(line.trim()) ?? [])[0];
    if (version !== undefined) return nameOf(version);
  }
  return undefined;
}

/** The release that a line makes the default. */
const markOf = (line: string): string | undefined =>
  /^set +ModulesVersion +["{]?([^\s"}]+)/.exec(line)?.[1] ??
  /^module-version +["{]?([^\s"{}]+)["}]? +["{]?default\b/.exec(line)?.[1] ??
  /^module_version\( ?["']([^"']+)["'] ?, ?["']default["']/.exec(line)?.[1];

/** Numbers in names count as numbers: 8.9 before 10.0. */
function byRelease(a: string, b: string): number {
  const parts = (name: string) => name.replace(/\.lua$/, "").split(/([0-9]+)/);
  const [left, right] = [parts(a), parts(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [one = "", other = ""] = [left[at], right[at]];
    if (one === other) continue;
    return at % 2 === 1 ? Number(one) - Number(other) : one < other ? -1 : 1;
  }
  return 0;
}

function notFound(loading: Loading, name: string): string {
  const folders = foldersOf(loading).filter((folder) => kindAt(loading.view, folder) === "folder");
  if (folders.length === 0)
    return `there is no module \`${name}\`: no folder of module files was found; \`--env MODULEPATH=DIR\` names one, or give the file, or what \`module show ${name}\` prints`;
  const beside = folders.flatMap((folder) => {
    const group = name.split("/")[0]!;
    return (namesIn(loading.view, `${folder}/${group}`) ?? [])
      .filter((each) => !each.startsWith("."))
      .map((each) => `${group}/${each.replace(/\.lua$/, "")}`);
  });
  return `there is no module \`${name}\` in ${folders.slice(0, 4).join(", ")}${beside.length === 0 ? "" : `; there is ${[...new Set(beside)].slice(0, 6).join(", ")}`}`;
}

// ── what is loaded now ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lines of the modules that are loaded now and gave variables what they have; `LOADEDMODULES` and `_LMFILES_` name them. */
export function loadedModuleSources(view: View): VariableSource[] {
  const { LOADEDMODULES = "", _LMFILES_ = "", ...environment } = view.snapshot.environment;
  const [names, files] = [LOADEDMODULES.split(":"), _LMFILES_.split(":")];
  const loading: Loading = { view, named: [], environment: { ...environment }, sources: [], unknown: [], names: [] };
  for (const [index, file] of files.entries()) {
    if (!file.startsWith("/")) continue;
    const text = textAt(view, file) ?? "";
    // What it loads in turn is in the list itself.
    if (text !== "") load(loading, { file, text, offset: 0 }, names[index] ?? moduleName(file, folderOf(folderOf(file))), deepest);
  }
  return loading.sources.filter(({ name, values = [] }) => {
    const now = (view.snapshot.environment[name] ?? "").split(":");
    return values.some((value) => value.split(":").every((each) => now.includes(each)));
  });
}
