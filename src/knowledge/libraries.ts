import { nameOf } from "../lib/path.ts";
import type { Library } from "../model/library.ts";
import type { ElfFact } from "../model/snapshot.ts";
import { libraries } from "./libraries.generated.ts";

export type KnownLibrary = Omit<Library, "source" | "checked">;

const byObject = new Map<string, KnownLibrary>(libraries.flatMap((library) => library.objects.map((object) => [object, library] as const)));

/** The known GPU library that an object's name (`libcudnn_ops.so.9`) belongs to. */
export function libraryOf(objectName: string): KnownLibrary | undefined {
  const name = nameOf(objectName);
  const end = name.indexOf(".so");
  return end < 0 ? undefined : byObject.get(name.slice(0, end));
}

/** Exports of copies of known libraries, and undefined symbols of what needs them; of other objects none. */
export function symbolsWorthReading(path: string, object: ElfFact): { exports?: boolean; undefined?: (name: string, file: string | undefined) => boolean; file?: (file: string) => boolean } | undefined {
  const isCopy = libraryOf(path) !== undefined || (object.soname !== undefined && libraryOf(object.soname) !== undefined);
  const needed = object.needed.map(libraryOf).filter((library) => library !== undefined);
  if (!isCopy && needed.length === 0) return undefined;
  const prefixes = needed.flatMap(({ symbols }) => symbols);
  return {
    ...(isCopy ? { exports: true } : {}),
    ...(0 < needed.length
      ? {
          file: (file: string) => libraryOf(file) !== undefined,
          undefined: (name: string, file: string | undefined) => (file === undefined ? prefixes.some((prefix) => startsAsWord(name, prefix)) : libraryOf(file) !== undefined),
        }
      : {}),
  };
}

// `cuda` begins `cudaMalloc` but not `cuda_helper` or `cudanet`: a function of these libraries goes on with a capital or an underscore-digit form.
function startsAsWord(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && /^[A-Z_]/.test(name.slice(prefix.length));
}

/** The function to read a copy's version from, if its library has one. */
export function versionFunctions(path: string, object: ElfFact): string[] {
  const library = libraryOf(object.soname ?? path) ?? libraryOf(path);
  return library?.version ? [library.version.function] : [];
}

/** The version of a copy, from the constants that its version function holds. */
export function versionOf(library: KnownLibrary, object: ElfFact): string | undefined {
  const constants = library.version && object.constants?.[library.version.function];
  if (!constants || constants.length === 0) return undefined;
  const [first = 0, second] = constants;
  switch (library.version!.form) {
    case "cudnn":
      return first < 10000 ? dotted(first, 1000) : dotted(first, 10000);
    case "nccl":
      return first < 10000 ? dotted(first, 1000) : dotted(first, 10000);
    case "hundred":
      return dotted(first, 10000);
    case "thousand":
      return `${Math.floor(first / 1000)}.${Math.floor((first % 1000) / 10)}`;
    case "stores":
      return second === undefined ? undefined : `${first}.${second}`;
    case "cupti":
      return `API ${first}`;
  }
}

// 9 19 00 → 9.19.0: two digits each for minor and patch, below the major.
function dotted(number: number, major: number): string {
  return `${Math.floor(number / major)}.${Math.floor((number % major) / 100)}.${number % 100}`;
}
