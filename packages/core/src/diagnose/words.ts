// How findings name things. One way for all rules, so that two findings about one file read alike.
import { environmentWith, pipAdvice } from "./pip.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { folderOf, nameOf } from "../lib/path.ts";
import { quoted } from "../lib/shell.ts";
import type { Advice } from "../model/finding.ts";
import type { Copy, VariableSource } from "../model/inventory.ts";
import type { Failure, Load } from "../model/loads.ts";
import type { Run, Stack, Stop } from "./stack.ts";
import { cudaMajorInName } from "../model/frameworks.ts";

export const copyAt = ({ inventory }: Stack, file: string): Copy | undefined => inventory.copies.find((copy) => copy.file === file);

/** `torch 2.11.0`, or the path of an executable. */
export function programName(run: Run, id: string): string {
  const program = run.programs.find((each) => each.id === id);
  return program?.package ? `${id} ${program.package.version}` : id;
}

export const stopName = (run: Run, { program }: Stop) => programName(run, program);

/** `/usr/lib/…/libcudnn.so.9.14.0 (cuDNN 9.14.0, of the package libcudnn9-cuda-13)`. */
export function fileWords(stack: Stack, file: string, load?: Load): string {
  const copy = copyAt(stack, file);
  const library = libraryOf(file);
  const version = load?.version ?? copy?.version;
  const facts = [
    ...(library ? [version === undefined ? library.name : `${library.name} ${version}`] : []),
    ...(copy?.owner ? [`of ${ownerWords(copy.owner)}`] : []),
  ];
  return facts.length === 0 ? file : `${file} (${facts.join(", ")})`;
}

export function ownerWords({ kind, name }: NonNullable<Copy["owner"]>): string {
  return `the ${kind === "pip" ? "wheel" : kind === "conda" ? "conda package" : "package"} ${name}`;
}

/** How the loader came to a file. */
export function ruleWords({ via, from, requestedBy, path }: Load): string {
  switch (via) {
    case "ld-library-path":
      return "LD_LIBRARY_PATH goes before RUNPATH, ld.so.cache and the system folders";
    case "preload":
      return "it is preloaded (LD_PRELOAD, /etc/ld.so.preload), before anything else is searched";
    case "rpath":
      return `the RPATH of ${nameOf(from ?? requestedBy)} leads there`;
    case "runpath":
      return `the RUNPATH of ${nameOf(requestedBy)} leads there`;
    case "cache":
      return "ld.so.cache lists it";
    case "default":
      return "it lies in a system folder";
    default:
      return `it was asked for as ${path}`;
  }
}

/** `LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu, set in /etc/profile.d/cuda.sh:3`. */
export function variableWords(stack: Stack, name: string): string {
  const value = stack.variables[name] ?? "";
  const places = isOfImage(stack, name) ? ["an ENV of the image"] : settersOf(stack, name).map(placeOf);
  return `${name}=${value}${places.length === 0 ? "" : `, set in ${places.join(" and ")}`}`;
}

/** `/etc/profile.d/cuda.sh:3`, or `the module cudnn/8.9 (/apps/modulefiles/cudnn/8.9:12)`. */
const placeOf = ({ file, line, module }: VariableSource) =>
  module === undefined ? `${file}:${line}` : `the module ${module} (${file}:${line})`;

/** The modules that put an element into a variable. */
export const modulesGiving = ({ inventory }: Stack, name: string, element: string): string[] =>
  unique(
    inventory.variables.flatMap((each) =>
      each.module !== undefined && each.name === name && each.values?.includes(element) ? each.module : [],
    ),
  );

/** Without a login shell, nothing but its ENV gives a program of an image its variables. */
const isOfImage = ({ imageVariables }: Stack, name: string) => imageVariables?.includes(name) === true;

/** Whether it is known where a variable is set. */
export const isSetAt = (stack: Stack, name: string): boolean => isOfImage(stack, name) || 0 < settersOf(stack, name).length;

/** Lines of start-up files that set a variable: those first that name part of its value. */
export function settersOf({ inventory, variables }: Stack, name: string) {
  const parts = (variables[name] ?? "").split(/[:;]/).filter((part) => part !== "");
  const all = inventory.variables.filter((source) => source.name === name);
  const naming = all.filter(({ text }) => parts.some((part) => text.includes(part)));
  return 0 < naming.length ? naming : all;
}

/** Copies of a library that are there under the very name that is asked for. */
export const copiesOf = ({ inventory }: Stack, name: string) =>
  inventory.copies.filter(
    ({ file, names, soname, stub }) =>
      !stub && [file, ...names, ...(soname === undefined ? [] : [soname])].some((path) => nameOf(path) === name),
  );

export const isInstalled = (stack: Stack, name: string): boolean => 0 < copiesOf(stack, name).length;

/** Folders below an element in which the loader looks first: for this processor, as glibc names them since 2.33, and before. */
const processorFolder =
  /^\/(?:glibc-hwcaps\/[^/]+|(?:(?:tls|haswell|xeon_phi|avx512_1|x86_64|i[3-6]86|sse2|aarch64|atomics|power\d+)(?:\/|$))+)$/;

/** The element of LD_LIBRARY_PATH whose folder is the one in which a file was found; an empty one is the current folder, and no other. */
export function guiltyElement(
  { variables, pointers }: Pick<Stack, "variables" | "pointers">,
  { via, path, name }: Pick<Load, "via" | "path" | "name">,
): string | undefined {
  if (via !== "ld-library-path") return undefined;
  const elements = (variables["LD_LIBRARY_PATH"] ?? "").split(/[:;]/);
  const plain = (text: string) => text.replace(/\/+/g, "/").replace(/(?<=[^/])\/$/, "");
  if (path === name) return elements.find((element) => element === "");
  const folder = plain(folderOf(path));
  const realOf = (element: string) => pointers.searchPath.find(({ text }) => text === element)?.real;
  const ways = [
    (element: string) => element !== "" && plain(element) === folder,
    (element: string) => element !== "" && folder.startsWith(plain(element)) && processorFolder.test(folder.slice(plain(element).length)),
    (element: string) => realOf(element) === folder,
  ];
  for (const way of ways) {
    const found = elements.find(way);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The load that a variable or /etc/ld.so.preload brought, and that brought this one in turn: what it needs, its RUNPATH finds. */
export function steeredBy(loads: Load[], load: Load): Load | undefined {
  const seen = new Set<Load>();
  for (let at: Load | undefined = load; at && !seen.has(at);) {
    seen.add(at);
    const { via, requestedBy }: Load = at;
    if (via === "ld-library-path" || via === "preload") return at;
    at = loads.find(({ file, path }) => file === requestedBy || path === requestedBy);
  }
  return undefined;
}

/** Whether a line that sets LD_LIBRARY_PATH may have put an element there: one with variables in it may have put anything. */
const mayName = (text: string, element: string): boolean =>
  text.includes(element) || /\$(?!\{?LD_LIBRARY_PATH\b)|[`~\\]/.test(text) || !text.includes("/");

/** What to do about an element of LD_LIBRARY_PATH, or about LD_PRELOAD. */
export function unsetAdvice(stack: Stack, loads: Load[]): Advice[] {
  const advice: Advice[] = [];
  const elements = new Set(loads.map((load) => guiltyElement(stack, load)).filter((element) => element !== undefined));
  const preloaded = loads.filter(({ via }) => via === "preload");
  const inVariable = (stack.variables["LD_PRELOAD"] ?? "").split(/[: ]/);
  const isPreloaded = preloaded.some(({ name }) => inVariable.includes(name));
  for (const { name } of preloaded) if (!inVariable.includes(name)) advice.push({ words: `take ${name} out of /etc/ld.so.preload` });
  for (const element of elements) {
    const what = element === "" ? "the empty element (it means the current folder)" : element;
    const places = isOfImage(stack, "LD_LIBRARY_PATH")
      ? ["its ENV"]
      : settersOf(stack, "LD_LIBRARY_PATH")
          .filter(({ text }) => mayName(text, element))
          .map(({ file, line, module }) => (module === undefined ? `${file}, line ${line}` : `the module ${module}`));
    advice.push(...modulesGiving(stack, "LD_LIBRARY_PATH", element).map(unloading));
    advice.push({ words: `take ${what} out of LD_LIBRARY_PATH${places.length === 0 ? "" : `, in ${places.join(" and ")}`}` });
  }
  const lists: { [name: string]: string | undefined } = {};
  if (0 < elements.size) lists["LD_LIBRARY_PATH"] = restOf(stack, "LD_LIBRARY_PATH", /[:;]/, (element) => elements.has(element));
  if (isPreloaded) {
    const rest = restOf(stack, "LD_PRELOAD", /[: ]/, (element) => element === "" || preloaded.some(({ name }) => name === element));
    lists["LD_PRELOAD"] = rest;
    const command = rest === undefined ? ["unset", "LD_PRELOAD"] : ["export", `LD_PRELOAD=${rest}`];
    advice.push({ words: "in this shell", command, scope: "shell" });
  }
  if (0 < Object.keys(lists).length) advice.push(withVariables(lists));
  return advice;
}

const unloading = (module: string): Advice => ({
  words: `the module ${module} set it: unload it`,
  command: ["module", "unload", module],
  scope: "shell",
  fix: "unload-module",
});

/** The element of PYTHONPATH below which a file was found: of two, one inside the other, the inner one, as packages lie in it by their names. */
export function pythonPathElement({ variables }: Pick<Stack, "variables">, file: string): string | undefined {
  const partsOf = (text: string) => text.split("/").filter((part) => part !== "" && part !== ".");
  const parts = partsOf(file);
  const isAbove = (element: string) => partsOf(element).every((part, index) => parts[index] === part);
  return (variables["PYTHONPATH"] ?? "")
    .split(":")
    .filter((element) => element.startsWith("/") && file.startsWith("/") && isAbove(element))
    .sort((a, b) => partsOf(b).length - partsOf(a).length)[0];
}

/** What to do about a package that only PYTHONPATH leads to. */
export function pythonPathAdvice(stack: Stack, elements: string[]): Advice[] {
  const places = settersOf(stack, "PYTHONPATH").map(({ file, line }) => `${file}, line ${line}`);
  const where = places.length === 0 ? "" : `, in ${places.join(" and ")}`;
  const rest = restOf(stack, "PYTHONPATH", ":", (element) => elements.includes(element));
  return [{ words: `take ${elements.join(" and ")} out of PYTHONPATH${where}` }, withVariables({ PYTHONPATH: rest })];
}

/** What is left of a list without its guilty elements, and without those that a file from Windows left a carriage return in: they lead nowhere. Undefined where nothing is. */
function restOf({ variables }: Pick<Stack, "variables">, name: string, separator: RegExp | string, isGuilty: (element: string) => boolean) {
  const rest = (variables[name] ?? "").split(separator).filter((element) => !isGuilty(element) && !/\p{Cc}/u.test(element));
  return rest.every((element) => element === "") ? undefined : rest.join(":");
}

/** One command with other values of variables, or without them. */
function withVariables(values: { [name: string]: string | undefined }): Advice {
  const unset = Object.keys(values).filter((name) => values[name] === undefined);
  const set = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return { words: "for one command", command: ["env", ...unset.flatMap((name) => ["-u", name]), ...set, "COMMAND"], scope: "once" };
}

export const withoutVariables = (names: string[]): Advice => withVariables(Object.fromEntries(names.map((name) => [name, undefined])));

/** For a folder that the loader does not search: a variable for one command. */
export const withFolders = (folders: string[]): Advice => ({
  words: "for one command",
  command: ["env", `LD_LIBRARY_PATH=${folders.join(":")}`, "COMMAND"],
  scope: "once",
});

/** Where the loader is told of folders, by advice and by fixes alike. A line is added: another may be there already. */
export const ldconfigFile = "/etc/ld.so.conf.d/culprit.conf";

/** The loader is told of a folder for good. */
export const tellLdconfig = (folder: string): Advice => ({
  words: "for the whole system",
  command: ["sudo", "sh", "-c", `echo ${quoted(folder)} >> ${ldconfigFile} && ldconfig`],
  scope: "file",
});

/** The package that brought a file, once more, with the tool that brought it. */
export function reinstallAdvice(stack: Stack, file: string): Advice | undefined {
  const owner = copyAt(stack, file)?.owner;
  if (!owner) return undefined;
  const { kind, name, version } = owner;
  const environment = environmentWith(stack, file);
  const exact = version === undefined ? name : `${name}==${version}`;
  if (kind === "pip") return pipAdvice(environment, "install the wheel again", "install", "--force-reinstall", "--no-deps", exact);
  const again = { words: "install the package again", scope: "install" as const };
  if (kind === "conda" && environment)
    return { ...again, command: ["conda", "install", "--prefix", environment.prefix, "--force-reinstall", exact.replace("==", "=")] };
  return kind === "dpkg" ? { ...again, command: ["sudo", "apt", "install", "--reinstall", name] } : undefined;
}

/** The major of CUDA that a program was compiled for; where it does not say, that of most wheels beside it. */
export function cudaMajorOf({ programs, environment }: Run, program: string): number | undefined {
  const built = programs.find(({ id }) => id === program)?.compiledFor["cuda"]?.version;
  if (built !== undefined) return Number(built.split(".")[0]);
  const counts = new Map<number, number>();
  for (const { name } of environment?.packages ?? []) {
    const major = cudaMajorInName(name);
    if (major !== undefined) counts.set(major, (counts.get(major) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Where a search looked, one line. */
export function triedWords({ tried }: Failure): string[] {
  const folders = [...new Set(tried.map((path) => path.slice(0, path.lastIndexOf("/")) || "/"))];
  return folders.length === 0
    ? []
    : [`looked in ${folders.slice(0, 6).join(", ")}${6 < folders.length ? ` and ${folders.length - 6} more` : ""}`];
}

export const unique = <T>(items: T[]) => [...new Set(items)];
