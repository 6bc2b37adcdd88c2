import type { ElfInterest } from "../elf/elf.ts";
import type { SymbolInterest } from "../elf/symbols.ts";
import type { ElfFact } from "../model/snapshot.ts";
import { symbolsWorthReading, versionFunctions } from "../knowledge/libraries.ts";

/** Modules of Python's standard library, and how the libraries and functions begin that they expect besides the interpreter's own. */
const modules: { [extension: string]: { library: RegExp; functions: RegExp } } = {
  _ssl: { library: /^lib(?:ssl|crypto)\.so/, functions: /^$/ },
  zlib: { library: /^libz\.so/, functions: /^(?:deflate|inflate|adler32|crc32|zlib)/ },
  _bz2: { library: /^libbz2\.so/, functions: /^BZ2_/ },
  _lzma: { library: /^liblzma\.so/, functions: /^lzma_/ },
  _sqlite3: { library: /^libsqlite3\.so/, functions: /^sqlite3_/ },
};

/** Nearly every framework loads `_ctypes`, so nothing of it is read that only this question asks for. */
function ofModule(path: string, { needed }: ElfFact): SymbolInterest | undefined {
  const extension = /\/lib-dynload\/(\w+)\./.exec(path)?.[1];
  const known = extension === undefined ? undefined : modules[extension];
  if (!known) return undefined;
  const { library, functions } = known;
  const own = needed.find((name) => library.test(name));
  return {
    file: (file) => library.test(file),
    undefined: (name, file) => file ?? (/^_?Py/.test(name) ? "libpython" : functions.test(name) ? own : undefined),
  };
}

/** What of an object is read, beyond its headers. */
export const interestIn = (path: string): ElfInterest => ({
  symbols: (object) => symbolsWorthReading(path, object) ?? ofModule(path, object),
  constants: (object) => versionFunctions(path, object),
});
