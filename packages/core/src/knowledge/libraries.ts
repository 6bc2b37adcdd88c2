import { memo } from "../lib/memo.ts";
import { nameOf } from "../lib/path.ts";
import type { FrameworkNames } from "../model/framework-names.ts";
import { providerOf } from "./providers.ts";
import type { Library, VersionForm } from "../model/library.ts";
import type { ElfFact } from "../model/snapshot.ts";
import { libraries } from "./libraries.generated.ts";

export type KnownLibrary = Omit<Library, "source" | "checked">;

const byObject = new Map<string, KnownLibrary>(libraries.flatMap((library) => library.objects.map((object) => [object, library] as const)));

/**
 * The known GPU library that an object's name (`libcudnn_ops.so.9`) belongs to. Asked for every load of every program: the same few thousand
 * names over and over.
 */
export const libraryOf = memo(20_000, (objectName: string): KnownLibrary | undefined => {
  const name = nameOf(objectName);
  const end = name.indexOf(".so");
  const stem = name.slice(0, Math.max(0, end));
  return byObject.get(stem) ?? ("-.".includes(stem.charAt(stem.length - 9)) ? byObject.get(stem.replace(digest, "")) : undefined);
});

/** What people call a library, as its objects are called: `cudnn` is `libcudnn`, `TensorRT` is `libnvinfer`. */
export function objectNamed(word: string): string | undefined {
  const same = (name: string) => name.toLowerCase() === word.toLowerCase();
  const object = [...byObject.keys()].find((each) => same(each) || same(each.slice(3)));
  return object ?? libraries.find(({ id, name }) => same(id) || same(name))?.objects[0];
}

/** What people call a library: `cuDNN` for `cudnn`. */
export const libraryNamed = (id: string): string | undefined => libraries.find((library) => library.id === id)?.name;

/** What libraries are called for short. */
export const libraryIds = libraries.map(({ id }) => id);

// Wheels that bring their own copies name them with a part of a digest: `libcudart-80664282.so.10.2`, or torchvision's `libcudart.41118559.so.12`.
const digest = /[-.][0-9a-f]{8}$/;

/**
 * Undefined symbols of what needs a known library or another package's own; of other objects none. A symbol without a version is told by how
 * it begins; where a framework's libraries are needed, any object in scope may have it.
 */
export function symbolsWorthReading(
  path: string,
  object: ElfFact,
): { undefined: (name: string, file: string | undefined) => string | true | undefined; file: (file: string) => boolean } | undefined {
  const needed = object.needed.flatMap((file) => (libraryOf(file)?.symbols ?? []).map((prefix) => ({ file, prefix })));
  const isUpon = object.needed.some((file) => isForeign(path, providerOf(file)));
  if (needed.length === 0 && !isUpon) return undefined;
  return {
    file: (file: string) => libraryOf(file) !== undefined,
    undefined: (name: string, file: string | undefined) =>
      file === undefined
        ? (needed.find(({ prefix }) => startsAsWord(name, prefix))?.file ?? (isUpon ? true : undefined))
        : libraryOf(file) && file,
  };
}

/** Whether a file is none of the framework's own: those came together, unless its libraries have a distribution of their own. */
const isForeign = (path: string, provider: FrameworkNames | undefined) =>
  provider !== undefined &&
  providerOf(path) !== provider &&
  (hasLibrariesApart(provider) || !provider.modules.some((module) => path.includes(`-packages/${module}/`)));

/** `libucxx-cu12` beside `ucxx-cu12`. */
const hasLibrariesApart = ({ exact = [], provides = [] }: FrameworkNames) =>
  exact.some((name) => provides.some((stem) => name.startsWith(`${stem}-`)));

/** Whether an object is a copy of a known library, by its file's name or its own. */
export function isCopy(path: string, object: ElfFact): boolean {
  return libraryOf(path) !== undefined || (object.soname !== undefined && libraryOf(object.soname) !== undefined);
}

// `cuda` begins `cudaMalloc` but not `cuda_helper` or `cudanet`: a function of these libraries goes on with a capital or an underscore-digit form.
function startsAsWord(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && /^[A-Z_]/.test(name.slice(prefix.length));
}

/** Where a copy's version is read from, and which of the numbers there can be it. */
export function versionFunctions(
  path: string,
  object: ElfFact,
): { name: string; choose: (numbers: CodeNumbers) => number[] | undefined }[] {
  const name = object.soname ?? path;
  const library = libraryOf(name) ?? libraryOf(path);
  const { symbols = [], form = "cuda" } = library?.version ?? {};
  const major = majorIn(name);
  const choose = ({ stores, results, values }: CodeNumbers): number[] | undefined => {
    if (form === "pair") {
      // NVVM counts apart from its object's name; nothing but its two stores is in its function.
      const at = stores.indexOf(major ?? -1);
      return 0 <= at && at + 1 < stores.length ? stores.slice(at, at + 2) : stores.length === 2 ? stores : undefined;
    }
    const found = values.find((number) => isPacked(number, major)) ?? [...stores, ...results].find((number) => canBe(number, form, major));
    return found === undefined ? undefined : [found];
  };
  return symbols.map((symbol) => ({ name: symbol, choose }));
}

interface CodeNumbers {
  stores: number[];
  results: number[];
  values: number[];
}

/** The first number after `.so`: 12 of `libcudart.so.12`. */
function majorIn(objectName: string): number | undefined {
  const major = /\.so\.(\d+)/.exec(objectName)?.[1];
  return major === undefined ? undefined : Number(major);
}

function canBe(number: number, form: VersionForm, major: number | undefined): boolean {
  if (form === "cupti") return (0 < number && number < 100) || (100_000 <= number && number < 1_000_000);
  if (form === "cuda")
    return number % 10 === 0 && (major === undefined ? 1000 <= number && number < 100_000 : Math.floor(number / 1000) === major);
  return unitOf(number, major) !== undefined;
}

// Majors are counted in thousands by older libraries and in ten thousands by newer ones.
function unitOf(number: number, major: number | undefined): number | undefined {
  if (number < 100 || 1_000_000 <= number) return undefined;
  if (major === undefined) return number < 10_000 ? 1000 : 10_000;
  return [1000, 10_000].find((unit) => Math.floor(number / unit) === major);
}

// cuDNN's variables hold one byte for each part: 0x090e00 is 9.14.0.
const isPacked = (number: number, major: number | undefined) => major !== undefined && 0 < major && number >>> 16 === major;

/** The version of a copy, from the numbers that its version function holds. */
export function versionOf(library: KnownLibrary, object: ElfFact): string | undefined {
  const { symbols = [], form } = library.version ?? {};
  const [first, second] = symbols.map((name) => object.constants?.[name]).find((found) => found !== undefined) ?? [];
  if (first === undefined) return undefined;
  switch (form) {
    case "cuda":
      return `${Math.floor(first / 1000)}.${Math.floor((first % 1000) / 10)}`;
    case "dotted": {
      const major = majorIn(object.soname ?? "");
      if (isPacked(first, major)) return `${first >>> 16}.${(first >>> 8) & 255}.${first & 255}`;
      const unit = unitOf(first, major) ?? 1000;
      return `${Math.floor(first / unit)}.${Math.floor((first % unit) / 100)}.${first % 100}`;
    }
    case "pair":
      return second === undefined ? undefined : `${first}.${second}`;
    default:
      return `API ${first}`;
  }
}
