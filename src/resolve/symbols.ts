// Symbols that must be there when an object is bound at once (RTLD_NOW, BIND_NOW). glibc elf/dl-lookup.c.
import type { Failure } from "../model/loads.ts";
import { nameOfObject, type LoadedObject, type Process } from "./process.ts";

/**
 * The first symbol of a GPU library that nothing in scope defines; undefined when all are there or it cannot be told.
 * Only objects whose symbols were read can be asked; for others a need is noted.
 */
export function checkSymbols(process: Process, object: LoadedObject, scope: LoadedObject[]): Failure | undefined {
  for (const { name, version, file, weak } of object.fact.undefined ?? []) {
    if (weak) continue;
    const provider = file === undefined ? undefined : process.byName.get(file);
    const candidates = provider ? [provider, ...scope.filter((other) => other !== provider)] : scope;
    let unknown = false;
    let defined = false;
    for (const candidate of candidates) {
      const answer = defines(candidate, name);
      defined ||= answer === true;
      unknown ||= answer === undefined;
      if (defined) break;
    }
    if (defined) continue;
    if (unknown) {
      for (const candidate of candidates) if (defines(candidate, name) === undefined) process.view.need(candidate.file, "symbols", [name]);
      process.pending = true;
      continue;
    }
    const requestedBy = nameOfObject(process, object);
    return {
      name,
      requestedBy,
      activity: process.activity,
      reason: "undefined-symbol",
      message: `${requestedBy}: undefined symbol: ${name}${version === undefined ? "" : `, version ${version}`}`,
      ...(provider ? { file: provider.file } : {}),
      tried: [],
    };
  }
  return undefined;
}

function defines({ fact }: LoadedObject, name: string): boolean | undefined {
  if (fact.exports) return exportsOf(fact.exports).has(name);
  return fact.symbols?.[name];
}

const sets = new WeakMap<string[], Set<string>>();

function exportsOf(names: string[]): Set<string> {
  let set = sets.get(names);
  if (!set) sets.set(names, (set = new Set(names)));
  return set;
}
