// Symbols that must be there when an object is bound at once (RTLD_NOW, BIND_NOW). glibc elf/dl-lookup.c.
import { keptWith } from "../lib/memo.ts";
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
    const expected = provider ? defines(provider, name) : false;
    if (expected) continue;
    // Nearly always the object that it was required of defines it: only when that one says no are the others asked.
    const unsure = expected === undefined ? [provider!] : undecided(scope, name);
    if (unsure === "defined") continue;
    if (0 < unsure.length) {
      for (const candidate of unsure) process.view.need(candidate.file, "symbols", [name]);
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

/** Objects in scope that may define a symbol and were not asked yet; or that one does. */
function undecided(scope: LoadedObject[], name: string): LoadedObject[] | "defined" {
  const unsure: LoadedObject[] = [];
  for (const candidate of scope) {
    const answer = defines(candidate, name);
    if (answer) return "defined";
    if (answer === undefined) unsure.push(candidate);
  }
  return unsure;
}

function defines({ fact }: LoadedObject, name: string): boolean | undefined {
  if (fact.definesAll) return true;
  if (fact.exports) return exportsOf(fact.exports).has(name);
  return fact.symbols?.[name];
}

const exportsOf = keptWith((names: string[]) => new Set(names));
