import type { ElfInterest } from "../elf/elf.ts";
import type { SymbolInterest } from "../elf/symbols.ts";
import { symbolsWorthReading, versionFunctions } from "../knowledge/libraries.ts";

/** Of a module of Python's standard library: what it expects of the interpreter. */
const ofPython: SymbolInterest = {
  undefined: (name, file) => (file === undefined && /^_?Py/.test(name) ? "libpython" : undefined),
  file: () => false,
};

/** What of an object is read, beyond its headers. */
export const interestIn = (path: string): ElfInterest => ({
  symbols: (object) => symbolsWorthReading(path, object) ?? (path.includes("/lib-dynload/_ssl.") ? ofPython : undefined),
  constants: (object) => versionFunctions(path, object),
});
