import { mayBeLibrary } from "../lib/library-names.ts";
import { functionsIn } from "../lib/python-calls.ts";
import { boundIn, moduleIn, wordsIn } from "../lib/python-imports.ts";
import { reasonOfCode } from "../lib/reason.ts";
import { openElf, readObject } from "../elf/elf.ts";
import { readArchitectures } from "../elf/fat-binary.ts";
import type { Reading } from "../elf/image.ts";
import { parseLdSoCache } from "../elf/ld-so-cache.ts";
import { parseLoader } from "../elf/loader-strings.ts";
import { readBindings } from "../elf/relocations.ts";
import { definedNames, findSymbol, isBlank, readSymbols } from "../elf/symbols.ts";
import { isCopy } from "../knowledge/libraries.ts";
import { isVersionHeader, versionLines } from "../knowledge/headers.ts";
import { dependenciesIn, distilledCommands, distilledFlags, distilledLink, distilledNinja } from "../lib/build-files.ts";
import { decode, holdsWord } from "../lib/text.ts";
import { createWalker, type Walk } from "../lib/walk.ts";
import { outermostModules } from "../lib/record-lines.ts";
import { keyOfNeeds, type Need } from "../model/need.ts";
import type { ElfFact, FileFact, ModuleFact, RegularFileFact, Snapshot, Unknown } from "../model/snapshot.ts";
import type { OpenFile, Target, PrefetchRequest } from "../model/target.ts";
import { parseCpu } from "./cpu.ts";
import { keptVariables } from "./environment.ts";
import { interestIn } from "./interest.ts";
import { isRpmDatabase, librariesOfConda, ownsGpuLibraries } from "../knowledge/package-databases.ts";
import { readRpmDatabase } from "./rpm.ts";
import { textLimit } from "./text-limits.ts";

/** Adds facts to a snapshot, on demand. Facts are only ever added, so an answer made of them stays right. */
export interface Collector {
  readonly snapshot: Snapshot;
  /** Every fetch costs a journey: questions that do not wait for each other do better to be asked side by side. */
  readonly isDistant: boolean;
  /** Fetches what is missing. Afterwards each need is met, or the snapshot says why it cannot be. Answers with the objects that were read. */
  fetch(needs: Iterable<Need>): Promise<NewObject[]>;
  /** Nothing more will be fetched: what was held open for it can be closed. */
  end(): void;
}

/** An object that was read just now, by the path it was asked for. */
export interface NewObject {
  path: string;
  object: ElfFact;
}

export async function beginCollecting(target: Target, version: string): Promise<Collector> {
  const { environment, cwd, user, running, unknown = [] } = await target.process();
  const snapshot: Snapshot = {
    schema: "culprit/snapshot@1",
    culprit: version,
    target: target.description,
    environment: keptVariables(environment),
    cwd,
    user,
    ...(running ? { running } : {}),
    cpu: {},
    files: {},
    unknown: [...unknown],
  };
  const collector = createCollector(target, snapshot);
  await collector.fetch([
    { path: "/proc/cpuinfo", as: "text" },
    { path: "/proc/sys/kernel/osrelease", as: "text" },
    // What nearly every question needs is had in the same round.
    { path: "/lib64/ld-linux-x86-64.so.2", as: "object" },
    { path: "/lib64/ld-linux-x86-64.so.2", as: "loader" },
    { path: "/etc/ld.so.cache", as: "cache" },
    { path: "/etc/ld.so.preload", as: "entry" },
  ]);
  const text = (path: string) => {
    const fact = snapshot.files[path];
    delete snapshot.files[path];
    return fact?.kind === "file" ? fact.text : undefined;
  };
  snapshot.cpu = parseCpu(text("/proc/cpuinfo") ?? "");
  const kernel = text("/proc/sys/kernel/osrelease")?.trim();
  if (kernel) snapshot.kernel = kernel;
  return collector;
}

/** Where facts come from and go to, and what is on its way. */
interface Collecting {
  readonly target: Target;
  readonly snapshot: Snapshot;
  /** Follows a path through what the snapshot holds. */
  readonly walk: (path: string) => Walk<FileFact>;
  /** Of the snapshot's unknowns those that were noted here, in order. */
  readonly noted: Unknown[];
  /** What of which file is being read; several paths may lead to one. */
  readonly beingRead: Map<string, Promise<void>>;
  /** By need: what several ask for at the same time is fetched once. */
  readonly underWay: Map<string, Promise<NewObject[]>>;
}

function createCollector(target: Target, snapshot: Snapshot): Collector {
  const { files } = snapshot;
  const collecting: Collecting = {
    target,
    snapshot,
    walk: createWalker<FileFact>((path) => files[path], { kind: "folder" }),
    noted: [],
    beingRead: new Map(),
    underWay: new Map(),
  };
  return {
    snapshot,
    isDistant: target.prefetch !== undefined,
    fetch: (needs) => (target.prefetch ? fetchOnce(collecting, [...needs]) : fetchNow(collecting, [...needs])),
    end: () => target.end?.(),
  };
}

// In an order that does not depend on which answer came first.
function noteUnknown({ noted, snapshot }: Collecting, unknown: Unknown): void {
  const before = noted.findIndex(({ subject }) => unknown.subject < subject);
  const at = before < 0 ? snapshot.unknown.indexOf(noted.at(-1)!) + 1 : snapshot.unknown.indexOf(noted[before]!);
  snapshot.unknown.splice(noted.length === 0 ? snapshot.unknown.length : at, 0, unknown);
  noted.splice(before < 0 ? noted.length : before, 0, unknown);
}

// What several ask for at the same time is fetched once.
async function fetchOnce(collecting: Collecting, needs: Need[]): Promise<NewObject[]> {
  const { underWay } = collecting;
  const isNew = (need: Need) => !underWay.has(keyOfNeeds([need]));
  const others = new Set(needs.flatMap((need) => underWay.get(keyOfNeeds([need])) ?? []));
  const own = needs.filter(isNew);
  const work = fetchNow(collecting, own);
  for (const need of own) underWay.set(keyOfNeeds([need]), work);
  try {
    await Promise.all([work, ...others]);
    return await work;
  } finally {
    for (const need of own) underWay.delete(keyOfNeeds([need]));
  }
}

async function fetchNow(collecting: Collecting, list: Need[]): Promise<NewObject[]> {
  const { target } = collecting;
  const places = await walkAll(
    collecting,
    list.map(({ path }) => path),
    await target.prefetch?.(list.flatMap((need) => wantedFor(collecting, need))),
  );
  const objects: NewObject[] = [];
  if (!target.prefetch) for (const need of list) await meet(collecting, need, places.get(need.path)!, objects);
  else
    for (const batch of abreast(list, places))
      await Promise.all(
        batch.map(async (needs) => {
          for (const need of needs) await meet(collecting, need, places.get(need.path)!, objects);
        }),
      );
  return objects;
}

/** Meets one need, whose place is known. */
async function meet(collecting: Collecting, need: Need, place: Walk<FileFact>, objects: NewObject[]): Promise<void> {
  if (need.as === "entry" || !("found" in place)) return;
  if (need.as === "listing") await listFolder(collecting, place);
  else if (place.entry.kind === "file") {
    const known = place.entry.object;
    await (collecting.target.prefetch ? readOnce : read)(collecting, place.found, place.entry, need);
    if (!known && place.entry.object?.kind === "elf") objects.push({ path: need.path, object: place.entry.object });
  }
}

// Follows many paths at once: each round asks the target for the next unknown part of every one.
async function walkAll(
  { snapshot: { files }, target, walk }: Collecting,
  paths: string[],
  ahead = new Map<string, FileFact>(),
): Promise<Map<string, Walk<FileFact>>> {
  const done = new Map<string, Walk<FileFact>>();
  let open = [...new Set(paths)];
  while (0 < open.length) {
    const asks = new Set<string>();
    const still: string[] = [];
    for (const path of open) {
      let result = walk(path);
      for (let guess; "ask" in result && (guess = ahead.get(result.ask)); result = walk(path)) files[result.ask] = guess;
      if ("ask" in result) {
        asks.add(result.ask);
        still.push(path);
      } else done.set(path, result);
    }
    const list = [...asks];
    const facts = list.length === 0 ? [] : await target.look(list);
    list.forEach((path, index) => (files[path] ??= facts[index]!));
    open = still;
  }
  return done;
}

// What of a need is not known yet, as a distant target is asked for it.
function wantedFor({ walk }: Collecting, need: Need): PrefetchRequest[] {
  const place = walk(need.path);
  if ("error" in place) return [];
  if ("found" in place) {
    const { entry } = place;
    if (need.as === "entry" || (need.as === "listing" ? entry.kind !== "folder" || entry.names || entry.unlistable : false)) return [];
    if (need.as !== "listing" && (entry.kind !== "file" || isRead(entry, need))) return [];
  }
  const path = "found" in place ? place.found : need.path;
  if (need.as === "entry" || need.as === "listing") return [{ path, as: need.as }];
  return [{ path, as: inParts.has(need.as) || isRpmDatabase(path) ? "parts" : "whole" }];
}

const inParts = new Set<Need["as"]>(["object", "symbols", "undefined", "bindings", "architectures"]);

async function listFolder(collecting: Collecting, place: Extract<Walk<FileFact>, { found: string }>): Promise<void> {
  if (place.entry.kind !== "folder" || place.entry.names || place.entry.unlistable) return;
  const names = await collecting.target.list(place.found);
  // Another link may have led here in the meantime.
  if (place.entry.names || place.entry.unlistable) return;
  if (Array.isArray(names)) place.entry.names = names.sort();
  else {
    noteUnknown(collecting, { subject: place.found, reason: `the folder cannot be listed: ${reasonOfCode(names.code)}` });
    place.entry.unlistable = names.code;
  }
  // The top has no entry of its own until something is known about it.
  collecting.snapshot.files[place.found] = place.entry;
}

// Several paths may lead to one file.
async function readOnce(collecting: Collecting, path: string, fact: RegularFileFact, need: Need): Promise<void> {
  const { beingRead } = collecting;
  const key = keyOfNeeds([{ ...need, path }]);
  const work = beingRead.get(key) ?? read(collecting, path, fact, need);
  beingRead.set(key, work);
  await work;
  beingRead.delete(key);
}

async function read(collecting: Collecting, path: string, fact: RegularFileFact, need: Need): Promise<void> {
  if (isRead(fact, need)) return;
  const file = await collecting.target.open(path);
  if (typeof file === "string") {
    fact.unreadable = file;
    return;
  }
  try {
    await readAs(collecting, path, file, fact, need);
  } catch (error) {
    // A disk that fails in the middle of a file is a fact about that file, not the end of the examination.
    fact.unreadable = error instanceof Error && "code" in error ? String(error.code) : "EIO";
  } finally {
    file.close();
  }
}

async function readAs(collecting: Collecting, path: string, file: OpenFile, fact: RegularFileFact, need: Need): Promise<void> {
  switch (need.as) {
    case "object":
      fact.object = await run(file, readObject(file.size, interestIn(path)));
      break;
    case "loader":
      fact.loader = parseLoader(await readWhole(file, 4 << 20), path);
      break;
    case "cache":
      fact.cache = parseLdSoCache(await readWhole(file, largestCache));
      break;
    case "text":
      fact.text = isRpmDatabase(path) ? await ownersInRpm(collecting, path, file) : await readText(path, file);
      break;
    case "module":
      await readModule(path, file, fact, need.names);
      break;
    default:
      if (fact.object?.kind === "elf") await readMore(path, file, fact.object, need);
  }
}

/** What is asked of an object whose headers are known. */
async function readMore(path: string, file: OpenFile, object: ElfFact, { as, names = [] }: Need): Promise<void> {
  if (as === "architectures") await readGpuCode(file, object);
  if (as === "symbols") await readNames(path, file, object, names);
  if (as === "undefined") await readLeft(file, object);
  if (as === "bindings") await readBound(file, object, names);
}

async function readGpuCode(file: OpenFile, object: ElfFact): Promise<void> {
  if (object.architectures) return;
  const view = await run(file, openElf(file.size));
  object.architectures = "kind" in view ? [] : ((await run(file, readArchitectures(view))) ?? []);
}

/** So many symbols are looked up one by one; for more, a table is read. */
const few = 16;

async function readNames(path: string, file: OpenFile, object: ElfFact, names: string[]): Promise<void> {
  const view = await run(file, openElf(file.size));
  // Of a copy of a known library all exports are kept: the next question will be about other names.
  if (!("kind" in view) && isCopy(path, object)) {
    await run(file, readSymbols(view, { exports: true }));
    object.exports = view.fact.exports ?? [];
    return;
  }
  if (!("kind" in view) && (await run(file, isBlank(view)))) {
    object.blankSymbols = true;
    return;
  }
  const symbols = (object.symbols ??= {});
  const found = "kind" in view || names.length <= few ? undefined : await run(file, definedNames(view, names));
  for (const name of names)
    symbols[name] = found?.get(name) ?? (!("kind" in view) && (await run(file, findSymbol(view, name))) !== undefined);
}

/** What an object leaves to whichever in scope has it; what a version ties to one was read before where it matters. */
async function readLeft(file: OpenFile, object: ElfFact): Promise<void> {
  object.undefinedOfAny = true;
  const view = await run(file, openElf(file.size));
  if ("kind" in view) return;
  await run(file, readSymbols(view, { file: () => false, undefined: (_name, of) => (of === undefined ? true : undefined) }));
  const known = new Set(object.undefined?.map(({ name }) => name));
  const all = [...(object.undefined ?? []), ...(view.fact.undefined ?? []).filter(({ name }) => !known.has(name))];
  if (0 < all.length) object.undefined = all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readBound(file: OpenFile, object: ElfFact, names: string[]): Promise<void> {
  const view = await run(file, openElf(file.size));
  if ("kind" in view) return;
  object.bindings = { ...object.bindings, ...Object.fromEntries(await run(file, readBindings(view, names))) };
}

async function ownersInRpm(collecting: Collecting, path: string, file: OpenFile): Promise<string> {
  const text = await run(
    file,
    readRpmDatabase(file.size, (name) => ownsGpuLibraries.test(name)),
  );
  const [log] = await collecting.target.look([`${path}-wal`]);
  if (text === undefined)
    noteUnknown(collecting, { subject: path, reason: "this form of rpm's database is not read: which package owns a file is unknown" });
  else if (log?.kind === "file" && 0 < log.size)
    noteUnknown(collecting, { subject: `${path}-wal`, reason: "rpm's latest changes are still in this log, which is not read" });
  return text ?? "";
}

/** Whether what is needed of a file was read before, or cannot be. */
function isRead(fact: RegularFileFact, { as, names }: Need): boolean {
  if (fact.unreadable !== undefined) return true;
  if (as === "object") return fact.object !== undefined;
  if (as === "loader") return fact.loader !== undefined;
  if (as === "cache") return fact.cache !== undefined;
  if (as === "module") return fact.module !== undefined && (names ?? []).every((name) => fact.module?.words?.[name] !== undefined);
  return as === "text" && fact.text !== undefined;
}

// What is asked of one file is asked in order; of many files at once, but not of so many that their bytes fill the memory.
function abreast(needs: Need[], places: Map<string, Walk<FileFact>>): Need[][][] {
  const files = new Map<string, Need[]>();
  for (const need of needs) {
    const place = places.get(need.path)!;
    const file = "found" in place ? place.found : need.path;
    files.set(file, [...(files.get(file) ?? []), need]);
  }
  const all = [...files.values()];
  return Array.from({ length: Math.ceil(all.length / 128) }, (_, index) => all.slice(index * 128, index * 128 + 128));
}

async function run<T>(file: OpenFile, reading: Reading<T>): Promise<T> {
  let step = reading.next();
  while (!step.done) step = reading.next(await file.read(step.value));
  return step.value;
}

/** A cache of a hundred thousand libraries has 10 MB. */
const largestCache = 64 << 20;

/** A text, as much of it as matters. */
async function readText(path: string, file: OpenFile): Promise<string> {
  const { read, kept, isCut } = textLimit(path);
  const text = !isCut && read < file.size ? undefined : distilled(path, decode(await readWhole(file, read)));
  if (text === undefined || kept < text.length) throw Object.assign(new Error(`${path} is too large`), { code: "EFBIG" });
  return text;
}

async function readWhole(file: OpenFile, limit: number): Promise<Uint8Array> {
  // Files below /proc say that they are empty: ask for bytes anyway.
  const [bytes] = await file.read([{ offset: 0, length: file.size === 0 ? Math.min(limit, 65536) : Math.min(file.size, limit) }]);
  return bytes!;
}

const keptOfCache =
  /^(CUDA(Toolkit)?_VERSION|CUDA_TOOLKIT_ROOT_DIR|(CUDA|CUDNN|cudnn|cuDNN|Cudnn|TENSORRT|TensorRT|NCCL)\w*_INCLUDE_|CMAKE_CUDA_(COMPILER|ARCHITECTURES):|CMAKE_(HOME_DIRECTORY|CACHEFILE_DIR|SKIP_RPATH|SKIP_BUILD_RPATH):)/;

/** What build tools write: which headers and libraries were taken, and no definitions. */
const reducers: [pattern: RegExp, reduce: (text: string) => string][] = [
  [/\/link\.txt$/, distilledLink],
  [/\/flags\.make$|\.rsp$/, distilledFlags],
  [/\/compile_commands\.json$/, distilledCommands],
  [/\/build\.ninja$|\/CMakeFiles\/impl-[^/]*\.ninja$/, distilledNinja],
  [
    /\.o(?:bj)?\.d$/,
    (text) =>
      dependenciesIn(text)
        .filter(isVersionHeader)
        .map((file) => file.replaceAll(" ", "\\ "))
        .join(" "),
  ],
];

// Of the long files of Python packages only the lines that matter are kept: a snapshot holds facts, not bytes.
function distilled(path: string, text: string): string {
  if (path.endsWith(".dist-info/METADATA") || path.endsWith(".egg-info/PKG-INFO")) {
    // A line of spaces belongs to what is above it: a licence goes on over it, and the requirements come after.
    const header = text.split(/\n\r?\n/)[0]!;
    return header
      .split("\n")
      .filter((line) => /^(Name|Version|Requires-Dist|Requires-Python):/.test(line))
      .join("\n");
  }
  if (/^\/proc\/\d+\/status$/.test(path)) return /^CapEff:.*$/m.exec(text)?.[0] ?? "";
  if (path === "/var/lib/dpkg/status")
    return text
      .split("\n\n")
      .filter((stanza) => ownsGpuLibraries.test(/^Package: (.*)$/m.exec(stanza)?.[1] ?? ""))
      .map((stanza) =>
        stanza
          .split("\n")
          .filter((line) => /^(Package|Status|Version):/.test(line))
          .join("\n"),
      )
      .join("\n\n");
  if (/^\/var\/lib\/dpkg\/info\/.*\.list$/.test(path))
    return text
      .split("\n")
      .filter((line) => line.includes(".so"))
      .join("\n");
  if (/\/conda-meta\/[^/]+\.json$/.test(path))
    return librariesOfConda(text)
      .map((library) => JSON.stringify(library))
      .join("\n");
  if (path.endsWith("/CMakeCache.txt"))
    return text
      .split("\n")
      .filter((line) => keptOfCache.test(line))
      .join("\n");
  const reduce = reducers.find(([pattern]) => pattern.test(path))?.[1] ?? (isVersionHeader(path) ? versionLines : undefined);
  if (reduce) return reduce(text);
  // Where it was installed from matters only for what is still there, and an address may carry a password.
  if (path.endsWith(".dist-info/direct_url.json")) return /"url"\s*:\s*"file:/.test(text) ? text : "{}";
  if (path.endsWith(".dist-info/RECORD")) {
    const lines = text.split("\n");
    const modules = new Set(outermostModules(lines));
    return lines.filter((line) => modules.has(line) || /\.so[._+,-]/.test(line) || mayBeLibrary(line)).join("\n");
  }
  return text;
}

/** Compiled modules of Python hold the names of what they import. */
const largestModule = 16 << 20;

const wordsInObject = (bytes: Uint8Array, words: string[]): { [word: string]: boolean } =>
  Object.fromEntries(words.map((word) => [word, holdsWord(bytes, word)]));

/** What a file of Python says, or which names a compiled module holds. */
async function readModule(path: string, file: OpenFile, fact: RegularFileFact, names: string[] | undefined): Promise<void> {
  if (path.endsWith(".so")) {
    const words = wordsInObject(await readWhole(file, largestModule), names ?? []);
    fact.module = { imports: [], words: { ...fact.module?.words, ...words } };
    return;
  }
  const source = decode(await readWhole(file, 4 << 20));
  fact.module ??= moduleIn(source, path);
  if (names) noteNames(fact.module, source, path, names);
}

function noteNames(module: ModuleFact, source: string, path: string, names: string[]): void {
  module.words = { ...module.words, ...wordsIn(source, names) };
  const bound = boundIn(source, names);
  if (0 < Object.keys(bound).length) module.bound = { ...module.bound, ...bound };
  const functions = functionsIn(source, path, names);
  if (0 < Object.keys(functions).length) module.functions = { ...module.functions, ...functions };
}
