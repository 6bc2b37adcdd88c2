import type { ElfInterest } from "../elf/elf.ts";
import { symbolsWorthReading, versionFunctions } from "../knowledge/libraries.ts";

/** What of an object is read, beyond its headers. */
export const interestIn = (path: string): ElfInterest => ({
  symbols: (object) => symbolsWorthReading(object),
  constants: (object) => versionFunctions(path, object),
});
