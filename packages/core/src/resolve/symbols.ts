// Symbols that must be there when an object is bound. glibc elf/dl-lookup.c.
import { keptWith } from "../lib/memo.ts";
import type { Failure } from "../model/loads.ts";
import type { Binding, UndefinedSymbol } from "../model/snapshot.ts";
import { nameOfObject, type LoadedObject, type Process } from "./process.ts";

/**
 * The symbol at which the loader stops, as nothing in scope defines it; undefined when all are there or it cannot be told.
 * Where functions are bound lazily, only what is bound at once counts. Only objects whose symbols were read can be asked; for others a need
 * is noted. In which order symbols are bound is read where one is missing: until then, and where nobody can be asked, their names decide.
 */
export function checkSymbols(process: Process, object: LoadedObject, scope: LoadedObject[], lazy: boolean): Failure | undefined {
  const missing = missingSymbols(process, object, scope, lazy);
  if (missing.length === 0) return undefined;
  const { bindings = {} } = object.fact;
  const unread = missing.filter(({ name }) => bindings[name] === undefined);
  // One alone that is bound now needs no order.
  if (0 < unread.length && (lazy || 1 < missing.length))
    process.view.wishing.need(
      object.file,
      "bindings",
      unread.map(({ name }) => name),
    );
  const isBound = (binding: Binding | undefined) => (binding === undefined ? !lazy : binding !== "never" && !(lazy && binding.lazy));
  const placeOf = ({ name }: UndefinedSymbol) => {
    const binding = bindings[name];
    return binding === undefined || binding === "never" ? Number.POSITIVE_INFINITY : binding.at;
  };
  let first: UndefinedSymbol | undefined;
  for (const symbol of missing) if (isBound(bindings[symbol.name]) && (!first || placeOf(symbol) < placeOf(first))) first = symbol;
  return first && failureOf(process, object, first);
}

/** A function that is bound at its first call, and that nothing in scope has: what comes to that call ends there. */
export function lackedAtFirstCall(process: Process, object: LoadedObject, scope: LoadedObject[]): Failure | undefined {
  const isLazy = (binding: Binding | undefined) => binding !== undefined && binding !== "never" && binding.lazy === true;
  const first = missingSymbols(process, object, scope, true).find(({ name }) => isLazy(object.fact.bindings?.[name]));
  return first && failureOf(process, object, first);
}

function failureOf(process: Process, object: LoadedObject, { name, version, file }: UndefinedSymbol): Failure {
  const provider = file === undefined ? undefined : process.byName.get(file);
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

/** What nothing in scope defines, by name. What may turn out to be defined is asked about; with lazy binding that is a wish only. */
function missingSymbols(process: Process, object: LoadedObject, scope: LoadedObject[], lazy: boolean): UndefinedSymbol[] {
  const missing: UndefinedSymbol[] = [];
  const needed = new Set(object.dependencies);
  const likely = object.fact.undefined ? [...needed, ...scope.filter((each) => !needed.has(each))] : [];
  // A driver that is only assumed has all that is asked of a driver, and nothing else.
  const real = likely.filter(({ fact }) => !fact.definesAll);
  for (const symbol of object.fact.undefined ?? []) {
    const { name, file, weak } = symbol;
    if (weak) continue;
    const provider = file === undefined ? undefined : process.byName.get(file);
    const expected = provider ? defines(provider, name) : false;
    if (expected) continue;
    // Nearly always the object that it was required of defines it: only when that one says no are the others asked.
    const unsure = expected === undefined ? [provider!] : undecided(file === undefined ? real : likely, symbol, needed);
    if (unsure === "defined") continue;
    if (0 < unsure.length) {
      for (const candidate of unsure) (lazy ? process.view.wishing : process.view).need(candidate.file, "symbols", [name]);
      if (!lazy) process.pending = true;
    } else missing.push(symbol);
  }
  return missing;
}

/**
 * Objects that may define a symbol and were not asked yet; or that one does. Of what the object itself needs one at a time, as it nearly
 * always is one of the first, and the others are not worth asking then; of the rest all at once.
 */
function undecided(scope: LoadedObject[], { name, file }: UndefinedSymbol, needed: Set<LoadedObject>): LoadedObject[] | "defined" {
  const unsure: LoadedObject[] = [];
  for (const candidate of scope) {
    // A blank table may have held a symbol of which nobody knows whose it is; another library's it hardly did.
    if (candidate.fact.blankSymbols && file === undefined) return "defined";
    const answer = defines(candidate, name);
    if (answer) return "defined";
    if (answer === undefined) unsure.push(candidate);
  }
  const [first] = unsure;
  return first && needed.has(first) ? [first] : unsure;
}

function defines({ fact }: LoadedObject, name: string): boolean | undefined {
  if (fact.definesAll) return true;
  if (fact.blankSymbols) return false;
  if (fact.exports) return exportsOf(fact.exports).has(name);
  return fact.symbols?.[name];
}

const exportsOf = keptWith((names: string[]) => new Set(names));
