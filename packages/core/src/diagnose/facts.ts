// What findings are made of, in the form that fixes and reports go by.
import { libraryOf } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import type { CopyFact, Facts, GpuFact, LoadFact, PackageFact, VariableFact, WantedFact } from "../model/finding.ts";
import type { Copy, Gpu } from "../model/inventory.ts";
import type { Failure, Load } from "../model/loads.ts";
import { driverless, type GpuKind } from "./device.ts";
import type { Program, Run, Stack, Stop } from "./stack.ts";
import { guiltyElement, settersOf, steeredBy } from "./words.ts";

export const loadFact = (
  { name, file, path, via, library, version, requestedBy, from }: Load,
  role: LoadFact["role"] = "guilty",
): LoadFact => ({
  role,
  name,
  file,
  path,
  via,
  ...(library === undefined ? {} : { library }),
  ...(version === undefined ? {} : { version }),
  requestedBy,
  ...(from === undefined ? {} : { from }),
});

export const copyFact = ({ file, library, version, owner }: Copy, role: CopyFact["role"]): CopyFact => ({
  role,
  file,
  library,
  ...(version === undefined ? {} : { version }),
  ...(owner ? { owner } : {}),
});

/** A file that may be no known copy. */
export function fileFact({ inventory }: Stack, file: string, role: CopyFact["role"]): CopyFact {
  const copy = inventory.copies.find((each) => each.file === file);
  const library = libraryOf(file)?.id;
  return copy ? copyFact(copy, role) : { role, file, ...(library === undefined ? {} : { library }) };
}

export function variableFact(stack: Stack, name: string, elements: string[] = []): VariableFact {
  return {
    name,
    ...(elements.length === 0 ? {} : { elements }),
    setAt: settersOf(stack, name).map(({ file, line }) => ({ file, line })),
  };
}

export function wantedFact({ name, requestedBy, tried }: Failure, soname = nameOf(name)): WantedFact {
  const library = libraryOf(soname)?.id;
  const folders = tried.map((path) => path.slice(0, path.lastIndexOf("/")) || "/");
  return { name: soname, ...(library === undefined ? {} : { library }), requestedBy, tried: [...new Set(folders)] };
}

/** What every run that stops tells: what it would print, what it did not find, which objects it stopped at and who asked. */
export function stopFacts({ loads: { loads } }: Run, { failure }: Stop): Facts {
  const failed = failure.underlying ?? failure;
  const isFile = (load: Load, ...files: (string | undefined)[]) => files.includes(load.file) || files.includes(load.path);
  const stopped = loads.filter((load) => isFile(load, failure.file, failed.file));
  const origins = stopped.flatMap((load) => steeredBy(loads, load) ?? []).filter((load) => !stopped.includes(load));
  const asking = loads.filter((load) => ![...stopped, ...origins].includes(load) && isFile(load, failure.requestedBy, failed.requestedBy));
  return {
    loads: [...[...stopped, ...new Set(origins)].map((load) => loadFact(load)), ...asking.map((load) => loadFact(load, "asks"))],
    ...(failed.reason === "not-found" && !(failure.refusal && failed === failure) ? { wanted: wantedFact(failed) } : {}),
    // Of the driver's refusals the words are ours; each program has its own.
    ...(driverless.has(failure.refusal?.kind ?? "") ? {} : { said: failure.message }),
  };
}

/** The variables that led to guilty loads, and which of their elements did. */
export function steering(stack: Stack, loads: LoadFact[]): VariableFact[] {
  const guilty = loads.filter(({ role }) => role === "guilty");
  const elements = guilty.flatMap((load) => guiltyElement(stack, load) ?? []);
  const listed = (stack.variables["LD_PRELOAD"] ?? "").split(/[: ]/);
  const preloaded = guilty.filter(({ via, name }) => via === "preload" && listed.includes(name)).map(({ name }) => name);
  return [
    ...(elements.length === 0 ? [] : [variableFact(stack, "LD_LIBRARY_PATH", [...new Set(elements)])]),
    ...(preloaded.length === 0 ? [] : [variableFact(stack, "LD_PRELOAD", [...new Set(preloaded)])]),
  ];
}

/** Both together; what the first says counts. */
export function joinFacts(first: Facts, second: Facts): Facts {
  const lists = {
    ...both("loads", first, second, ({ file, name }) => `${file} ${name}`),
    ...both("copies", first, second, ({ file }) => file),
    ...both("variables", first, second, ({ name }) => name),
    ...both("packages", first, second, ({ name, environment, role }) => `${role} ${name} ${environment}`),
    ...both("builds", first, second, (each) => JSON.stringify(each)),
    ...both("gpus", first, second, ({ name, sm }) => `${name} ${sm}`),
  };
  return { ...second, ...first, ...lists };
}

type Lists = { [name in keyof Facts as Facts[name] extends unknown[] | undefined ? name : never]: Facts[name] };

function both<Name extends keyof Lists>(
  name: Name,
  first: Facts,
  second: Facts,
  keyOf: (each: NonNullable<Lists[Name]>[number]) => string,
): Partial<Facts> {
  const found = new Map<string, NonNullable<Lists[Name]>[number]>();
  for (const each of [...(first[name] ?? []), ...(second[name] ?? [])] as NonNullable<Lists[Name]>[number][])
    if (!found.has(keyOf(each))) found.set(keyOf(each), each);
  return found.size === 0 ? {} : { [name]: [...found.values()] };
}

export const packageFact = (
  { environment }: Pick<Run, "environment">,
  { name, version, metadata }: PythonPackage,
  role: PackageFact["role"],
): PackageFact => ({ role, name, version, ...(environment ? { environment: environment.prefix } : {}), path: metadata });

/** The package that a program is. */
export const programFacts = (run: Run, { package: own }: Program): PackageFact[] => (own ? [packageFact(run, own, "asks")] : []);

/** The wheel that brought a file, in its own version: to be installed again. */
export function reinstalling({ environments, inventory }: Stack, file: string, damaged: string[] = []): PackageFact[] {
  const owner = inventory.copies.find((copy) => copy.file === file)?.owner;
  const environment = environments.find(({ prefix }) => file.startsWith(`${prefix}/`));
  if (owner?.kind !== "pip" || owner.version === undefined) return [];
  const { name, version } = owner;
  return [
    {
      role: "reinstall",
      name,
      version,
      ...(environment ? { environment: environment.prefix } : {}),
      ...(damaged.length === 0 ? {} : { files: damaged }),
    },
  ];
}

export const gpuFact = ({ name, architecture }: Gpu): GpuFact => ({ name, ...(architecture === undefined ? {} : { sm: architecture }) });

export const gpuFacts = (kinds: GpuKind[]): GpuFact[] =>
  kinds.flatMap(({ architecture, names }) => names.map((name) => ({ name, sm: architecture })));
