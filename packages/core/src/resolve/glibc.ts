// glibc's ld.so, replayed. Source names are functions of glibc's elf/ folder (2.39); rules are tested against real loaders.
import { keptWith } from "../lib/memo.ts";
import { absolute, folderOf } from "../lib/path.ts";
import type { Failure, FailureReason, Load, SearchStep, Via } from "../model/loads.ts";
import type { ElfFact, RegularFileFact } from "../model/snapshot.ts";
import { cacheQueryOf, lookupInCache } from "./cache-lookup.ts";
import { nameOfObject, type LoadedObject, type Process, type SearchState } from "./process.ts";
import { expandTokens, hasToken, splitSearchPath, type TokenValues } from "./tokens.ts";
import { minorVersion, verify, verifyMapping } from "./verify.ts";

/** How a request is made. */
export interface RequestMode {
  /** Part of a dlopen, not of the start of the program. */
  opening?: boolean;
  /** The name that dlopen was called with: the requester lends its search paths but is not the new object's loader. */
  root?: boolean;
  /** LD_PRELOAD and /etc/ld.so.preload. */
  preload?: boolean;
  /** The name holds `$PLATFORM`, and what that stands for is open. */
  namedByPlatform?: boolean;
}

export type Mapped =
  | { object: LoadedObject; fresh: boolean; steps: SearchStep[]; by?: "name" | "soname" | "file" }
  | { failure: Failure; steps: SearchStep[] }
  | { pending: true };

const pending = { pending: true } as const;

/** One request: what the loader does with a name. _dl_map_object. */
export function mapObject(process: Process, requester: LoadedObject, name: string, mode: RequestMode = {}): Mapped {
  const loaded = process.byName.get(name);
  if (loaded) {
    loaded.names.add(name);
    return { object: loaded, fresh: false, steps: [], by: loaded.fact.soname === name && loaded.load?.name !== name ? "soname" : "name" };
  }

  const search: Search = { process, requester, name, mode, steps: [], otherClass: false, code: "" };
  const found = name.includes("/") ? openPath(search) : searchFor(search);
  if (found === "pending") return pending;
  const hangs = mode.namedByPlatform === true || hangsOnProcessor(search, found);
  if (hangs) process.hangOnProcessor.push(name);
  // Another copy of the requester need not ask for the same.
  const doubtful = hangs || requester.hangsOnProcessor === true;
  if (found === undefined) {
    return search.otherClass
      ? failed(search, "wrong-elf-class", name, `wrong ELF class: ELFCLASS${process.loader.elf.class === 64 ? 32 : 64}`)
      : failed(search, "not-found", name, `cannot open shared object file${search.code && `: ${errorText(search.code, mode.opening)}`}`);
  }
  if ("message" in found) return failed(search, found.reason, found.path, found.message);
  return mapFound(search, found, doubtful);
}

interface Search {
  process: Process;
  requester: LoadedObject;
  name: string;
  mode: RequestMode;
  /** Every path looked at, in order, and what was there. */
  steps: SearchStep[];
  /** A file of the other ELF class was seen on the way. */
  otherClass: boolean;
  /** errno of the last attempt: what the message ends with. Empty when nothing was attempted. */
  code: string;
}

interface Found {
  path: string;
  file: string;
  fact: RegularFileFact;
  elf: ElfFact;
  via: Via;
  from?: LoadedObject;
}

interface Fatal {
  path: string;
  reason: FailureReason;
  message: string;
}

type Opened = Found | Fatal | "pending" | undefined;

// _dl_map_object, the part for names without a slash: RPATHs, LD_LIBRARY_PATH, RUNPATH, cache, system folders.
function searchFor(search: Search): Opened {
  const { process, requester, mode } = search;
  let found: Opened;

  // One RUNPATH on the requester switches off every RPATH, its ancestors' included.
  if (requester.fact.runpath === undefined) {
    let visitedExecutable = false;
    for (let object: LoadedObject | undefined = requester; object; object = object.loader) {
      const folders = rpathOf(process, object);
      if (folders.length === 0) continue;
      if ((found = searchFolders(search, folders, "rpath", object))) return found;
      visitedExecutable ||= object === process.executable;
    }
    if (!visitedExecutable) {
      const folders = rpathOf(process, process.executable);
      if (0 < folders.length && (found = searchFolders(search, folders, "rpath", process.executable))) return found;
    }
  }

  if (process.searchState.environmentPath && (found = searchFolders(search, process.searchState.environmentPath, "ld-library-path")))
    return found;

  const runpath = runpathOf(process, requester);
  if (0 < runpath.length && (found = searchFolders(search, runpath, "runpath", requester))) return found;

  const noDefaults = requester.fact.flags?.includes("nodeflib") ?? false;
  // A set-user-ID program's preloads come from the system folders only.
  if (!(mode.preload && process.secure) && (found = searchCache(search, noDefaults))) return found;

  if (!noDefaults && (found = searchFolders(search, process.loader.fact.folders, "default"))) return found;
  return undefined;
}

// open_path: folders × capability subfolders.
function searchFolders(search: Search, folders: string[], via: Via, from?: LoadedObject): Opened {
  const { process, name } = search;
  const { subfolders } = process.searchState.processor;
  for (let index = 0; index < folders.length; index += 1) {
    const folder = folders[index]!;
    const states = folderStates(process, folder);
    let anyHere = false;
    for (let at = 0; at < subfolders.length; at += 1) {
      if (states[at] === "missing") continue;
      const path = folder + subfolders[at]! + name;
      const opened = open(search, path, via, from);
      if (opened === "pending") {
        askForRest(search, folders, index, at);
        return "pending";
      }
      if (opened !== undefined) {
        states[at] = "existing";
        return opened;
      }
      if (states[at] === "unknown") {
        const folderPath = folder + subfolders[at]!;
        const there = process.view.lookup(folderPath);
        if ("ask" in there) return "pending";
        states[at] = "found" in there && there.entry.kind === "folder" ? "existing" : "missing";
      }
      anyHere ||= states[at] !== "missing";
    }
    // An odd error (a loop of links, a name too long) ends this list, and the next rule goes on. ENOTDIR is tolerated since 2.39.
    const tolerated =
      search.code === "ENOENT" ||
      search.code === "EACCES" ||
      (search.code === "ENOTDIR" && 39 <= minorVersion(process.loader.fact.version));
    if (anyHere && !tolerated) return undefined;
  }
  return undefined;
}

function folderStates({ searchState }: Process, folder: string): ("unknown" | "existing" | "missing")[] {
  let states = searchState.folders.get(folder);
  if (!states) {
    // The current folder may change, so relative ones are never remembered as missing.
    states = searchState.processor.subfolders.map(() => (folder.startsWith("/") ? "unknown" : "existing"));
    searchState.folders.set(folder, states);
  }
  return states;
}

// Facts are fetched in batches: ask for the rest of the list at once, not one folder a round.
function askForRest(search: Search, folders: string[], from: number, fromSubfolder: number): void {
  const { process, name } = search;
  const { subfolders } = process.searchState.processor;
  for (let index = from; index < folders.length; index += 1) {
    for (let at = index === from ? fromSubfolder : 0; at < subfolders.length; at += 1)
      process.view.lookup(folders[index]! + subfolders[at]! + name);
  }
}

function searchCache(search: Search, noDefaults: boolean): Opened {
  const { process, name } = search;
  const { view, loader } = process;
  const at = view.lookup(loader.fact.cache ?? "/etc/ld.so.cache");
  if ("ask" in at) return "pending";
  if (!("found" in at) || at.entry.kind !== "file") {
    search.code = "error" in at ? at.error : search.code;
    return undefined;
  }
  const { cache } = at.entry;
  if (cache === undefined) {
    if (at.entry.unreadable !== undefined) return undefined;
    view.need(at.found, "cache");
    return "pending";
  }
  const path = lookupInCache(cache, name, cacheQueryOf(view, loader.elf, loader.fact, process.searchState.processor));
  if (path === undefined) {
    search.steps.push({ rule: "cache", path: at.found, result: "no-entry" });
    return undefined;
  }
  if (noDefaults && loader.fact.folders.some((folder) => path.startsWith(folder))) return undefined;
  return open(search, path, "cache");
}

// The part for names with a slash.
function openPath(search: Search): Opened {
  const { process, requester, name } = search;
  const path = name.includes("$") ? expandTokens(name, tokensFor(process, requester)) : name;
  if (path === "") return undefined;
  return open(search, path, "path");
}

function open(search: Search, path: string, via: Via, from?: LoadedObject): Opened {
  const { process } = search;
  const step = (result: SearchStep["result"]) => {
    search.steps.push({ rule: via, ...(from ? { of: nameOfObject(process, from) } : {}), path, result });
  };
  const skip = (result: SearchStep["result"], code: string): undefined => {
    search.code = code;
    step(result);
  };
  const at = process.view.lookup(path);
  if ("ask" in at) {
    // What the cache or a path names is nearly always there: read it in the same round.
    if (via === "cache" || via === "path") process.view.need(absolute(path, process.view.cwd), "object");
    return "pending";
  }
  if ("error" in at) return skip(at.error === "ENOENT" ? "absent" : "error", at.error);
  if (at.entry.kind === "folder") {
    step("fatal");
    return { path, reason: "is-a-folder", message: `cannot read file data: ${errorText("EISDIR", search.mode.opening)}` };
  }
  // Of devices only this one is ever put in a library's place: it opens, and is empty. A socket does not open.
  if (at.found === "/dev/null") {
    step("fatal");
    return { path, reason: "file-too-short", message: "file too short" };
  }
  if (at.entry.kind !== "file") return skip("error", "ENXIO");
  const verdict = verify(process, at.found, at.entry);
  if (verdict === undefined) return "pending";
  if (verdict.kind === "fatal") {
    step("fatal");
    return { path, reason: verdict.reason, message: verdict.message };
  }
  if (verdict.kind === "skip") {
    search.otherClass ||= verdict.because === "other-class";
    return skip(verdict.because, verdict.code);
  }
  // Preloads of a program with foreign rights must themselves be set-user-ID.
  if (search.mode.preload && process.secure && via !== "path" && at.entry.setuid === undefined) return skip("not-trusted", "ENOENT");
  step("taken");
  return { path, file: at.found, fact: at.entry, elf: verdict.elf, via, ...(from ? { from } : {}) };
}

/** Paths that were tried before the answer. */
export function triedOf(steps: SearchStep[]): string[] {
  const tried: string[] = [];
  for (const { result, path } of steps) if (result !== "taken" && result !== "fatal" && result !== "no-entry") tried.push(path);
  return tried;
}

// _dl_map_object_from_fd.
function mapFound(search: Search, found: Found, doubtful: boolean): Mapped {
  const { process, requester, name, mode } = search;
  const identity = process.view.identity(found.file, found.fact);
  const same = objectWith(process, identity);
  if (same) {
    addName(process, same, name);
    return { object: same, fresh: false, steps: search.steps, by: "file" };
  }
  const verdict = verifyMapping(process, found.file, found.fact, found.elf, mode.opening ?? false);
  if (verdict.kind === "fatal") {
    return verdict.reason === "truncated"
      ? failed(search, "truncated", "", verdict.message, found.file)
      : failed(search, verdict.reason, name, verdict.message, found.file);
  }
  const load: Load = {
    name,
    file: found.file,
    path: found.path,
    requestedBy: nameOfObject(process, requester),
    via: mode.preload ? "preload" : found.via,
    ...(found.from && found.from !== requester ? { from: nameOfObject(process, found.from) } : {}),
    activity: process.activity,
    certainty: doubtful ? "possible" : "certain",
    unmapped: false,
    tried: triedOf(search.steps),
  };
  const object: LoadedObject = {
    path: found.path,
    file: found.file,
    fact: found.elf,
    identity,
    loader: mode.root ? undefined : requester,
    // _dl_new_object: the folder as text, links not resolved.
    origin: folderOf(absolute(found.path, process.view.cwd)),
    isExecutable: false,
    names: new Set(),
    load,
    ...(doubtful ? { hangsOnProcessor: true } : {}),
  };
  addObject(process, object, [name, found.path]);
  return { object, fresh: true, steps: search.steps };
}

function objectWith({ objects }: Process, identity: string): LoadedObject | undefined {
  for (let index = 0; index < objects.length; index += 1) if (objects[index]!.identity === identity) return objects[index];
  return undefined;
}

/** Requests are compared with names, paths and DT_SONAMEs as plain text; of two objects with one name, the first answers. */
export function addObject(process: Process, object: LoadedObject, names: string[]): void {
  process.objects.push(object);
  for (const name of names) addName(process, object, name);
  const { soname } = object.fact;
  if (soname !== undefined && !process.byName.has(soname)) process.byName.set(soname, object);
}

function addName(process: Process, object: LoadedObject, name: string): void {
  object.names.add(name);
  if (!process.byName.has(name)) process.byName.set(name, object);
}

/** Whether the processor decides: it is not wholly known, and what it may be, too, would get another answer, or one that cannot be told. */
function hangsOnProcessor(search: Search, found: Exclude<Opened, "pending">): boolean {
  const { process } = search;
  if (process.otherStates.length === 0) return false;
  const answer = outcome(process, found);
  return process.otherStates.some((searchState) => {
    const other = searchWith(searchState, search);
    return other === "pending" || outcome(process, other) !== answer;
  });
}

function searchWith(searchState: SearchState, { process, requester, name, mode }: Search): Opened {
  const other = { ...process, searchState, view: process.view.wishing };
  const search: Search = { process: other, requester, name, mode, steps: [], otherClass: false, code: "" };
  return name.includes("/") ? openPath(search) : searchFor(search);
}

const outcome = ({ view }: Process, found: Exclude<Opened, "pending">) =>
  found === undefined ? "" : "message" in found ? `! ${found.path}` : view.identity(found.file, found.fact);

function failed(
  { process, requester, name, steps }: Search,
  reason: FailureReason,
  subject: string,
  message: string,
  file?: string,
): Extract<Mapped, { failure: Failure }> {
  return {
    steps,
    failure: {
      name,
      requestedBy: nameOfObject(process, requester),
      activity: process.activity,
      reason,
      message: subject === "" ? message : `${subject}: ${message}`,
      ...(file !== undefined ? { file } : subject !== name && subject !== "" ? { file: subject } : {}),
      tried: triedOf(steps),
    },
  };
}

export interface Dependencies {
  /** The root, preloads, and everything they need, breadth first: also the order in which symbols are looked up. */
  order: LoadedObject[];
  failure?: Failure;
}

/**
 * Everything an object needs, breadth first. _dl_map_object_deps.
 * `missing` hears of each library that is not there; answering true goes on without it, as `ldd` does.
 */
export function mapDependencies(
  process: Process,
  root: LoadedObject,
  preloads: LoadedObject[],
  mode: RequestMode,
  missing: (failure: Failure) => boolean,
): Dependencies {
  const list = [root, ...preloads].map((object) => ({ object, done: false }));
  const known = new Set(list.map(({ object }) => object));
  const order = () => list.map(({ object }) => object);
  const request: RequestMode = { ...mode, root: false };
  // Two filters that name each other would be moved before one another for ever.
  const moved = new Set<string>();
  for (let index = 0; index < list.length;) {
    const { object } = list[index]!;
    list[index]!.done = true;
    const dependencies: LoadedObject[] = (object.dependencies = []);
    let place = index;
    for (const { kind, name: rawName } of requestsOf(object)) {
      const name = rawName.includes("$") ? expandTokens(rawName, tokensFor(process, object)) : rawName;
      if (process.secure && hasToken(rawName))
        return { order: order(), failure: badToken(process, object, rawName, "DST not allowed in SUID/SGID programs") };
      if (name === "" && rawName !== "") {
        // As the loader has it, and not the other way round.
        if (kind !== "auxiliary") continue;
        return { order: order(), failure: badToken(process, object, rawName, "empty dynamic string token substitution") };
      }
      const mapped = mapObject(process, object, name, isOpen(process, rawName) ? { ...request, namedByPlatform: true } : request);
      process.heard?.(object, name, mapped);
      if ("pending" in mapped) {
        process.pending = true;
        continue;
      }
      if ("failure" in mapped) {
        if (kind === "auxiliary" && mapped.failure.reason !== "truncated") {
          process.missed.push(mapped.failure);
          continue;
        }
        const goesOn = (mapped.failure.reason === "not-found" || mapped.failure.reason === "wrong-elf-class") && missing(mapped.failure);
        if (!goesOn) return { order: order(), failure: mapped.failure };
        continue;
      }
      const dependency = mapped.object;
      dependencies.push(dependency);
      if (!mapped.fresh) noteReuse(process, object, name, mapped);
      if (kind === "needed") {
        if (!known.has(dependency)) list.push({ object: dependency, done: false });
      } else {
        // Filters stand before the object that names them, even if they were to come later; their own dependencies come next.
        const later = list.findIndex((entry, at) => place < at && entry.object === dependency);
        const key = `${object.path}\n${dependency.path}`;
        if (known.has(dependency) && (later < 0 || moved.has(key))) continue;
        moved.add(key);
        if (0 <= later) list.splice(later, 1);
        list.splice(place, 0, { object: dependency, done: false });
        place += 1;
      }
      known.add(dependency);
    }
    while (list[index]?.done) index += 1;
  }
  return { order: order() };
}

/** What an object asks for, in the order of its dynamic section. */
function requestsOf({ fact }: LoadedObject): { kind: "needed" | "auxiliary" | "filter"; name: string }[] {
  const requests: { kind: "needed" | "auxiliary" | "filter"; name: string }[] = fact.needed.map((name) => ({ kind: "needed", name }));
  for (const filter of (fact.filters ?? []).toReversed()) requests.splice(filter.at, 0, filter);
  return requests;
}

function noteReuse(process: Process, requester: LoadedObject, name: string, mapped: Extract<Mapped, { object: LoadedObject }>): void {
  process.reused?.push({
    name,
    file: mapped.object.file,
    requestedBy: nameOfObject(process, requester),
    by: mapped.by ?? "name",
    tried: triedOf(mapped.steps),
  });
}

function badToken(process: Process, object: LoadedObject, name: string, what: string): Failure {
  const requestedBy = nameOfObject(process, object);
  return { name, requestedBy, activity: process.activity, reason: "empty-token", message: `${name}: ${what}`, tried: [] };
}

/**
 * Versions that an object requires of others. _dl_check_map_versions.
 * A provider without any versions is accepted; so is a version that is only weakly required.
 */
export function checkVersions(process: Process, object: LoadedObject): Failure[] {
  const failures: Failure[] = [];
  const requestedBy = nameOfObject(process, object);
  let relr = false;
  for (const { file, versions } of object.fact.requires ?? []) {
    // A DT_SONAME that nobody has asked for is not seen here: the loader gives up (a changed NEEDED does that, e.g. by patchelf).
    const named = process.byName.get(file);
    const provider = named?.names.has(file) ? named : process.objects.find(({ names }) => names.has(file));
    // What was not found has been told; the loader does not come this far, and `ldd` goes on as if it were there.
    if (!provider && process.failures.some(({ name, reason }) => name === file && reason === "not-found")) continue;
    if (!provider) {
      failures.push({
        name: file,
        requestedBy,
        activity: process.activity,
        reason: "invalid-elf-file",
        message: "Inconsistency detected by ld.so: dl-version.c: _dl_check_map_versions: Assertion `needed != NULL' failed!",
        file: object.file,
        tried: [],
      });
      return failures;
    }
    for (const { name, weak } of versions) {
      relr ||= name === "GLIBC_ABI_DT_RELR";
      if (weak || !provider.fact.provides || versionsOf(provider.fact.provides).has(name)) continue;
      failures.push({
        name: file,
        requestedBy,
        activity: process.activity,
        reason: "version-not-found",
        message: `${provider.path}: version \`${name}' not found (required by ${requestedBy})`,
        file: provider.file,
        tried: [],
      });
    }
  }
  const { flags, requires, needed } = object.fact;
  if (
    !relr &&
    requires &&
    flags?.includes("relr") &&
    36 <= minorVersion(process.loader.fact.version) &&
    needed.some((name) => name.startsWith("libc.so."))
  ) {
    failures.push({
      name: requestedBy,
      requestedBy,
      activity: process.activity,
      reason: "invalid-elf-file",
      file: object.file,
      tried: [],
      message: `${requestedBy}: DT_RELR without GLIBC_ABI_DT_RELR dependency`,
    });
  }
  return failures;
}

const versionsOf = keptWith((provides: string[]) => new Set(provides));

export function tokensFor(process: Process, object: LoadedObject): TokenValues {
  const { loader, secure, searchState } = process;
  return {
    origin: object.origin,
    lib: loader.fact.lib ?? "lib",
    platform: searchState.processor.platform,
    ...(secure ? { secure: { isExecutable: object.isExecutable, trusted: loader.fact.folders } } : {}),
    ...(minorVersion(loader.fact.version) < 28 ? { lax: true } : {}),
  };
}

function rpathOf(process: Process, object: LoadedObject): string[] {
  // An object with RUNPATH has its RPATH dropped when it is read, for whoever asks.
  if (object.fact.runpath !== undefined || object.fact.rpath === undefined) return [];
  if (namesPlatform(process, object.fact.rpath)) return splitSearchPath(object.fact.rpath, ":", tokensFor(process, object));
  return (object.rpath ??= splitSearchPath(object.fact.rpath, ":", tokensFor(process, object)));
}

function runpathOf(process: Process, object: LoadedObject): string[] {
  if (object.fact.runpath === undefined) return [];
  if (namesPlatform(process, object.fact.runpath)) return splitSearchPath(object.fact.runpath, ":", tokensFor(process, object));
  return (object.runpath ??= splitSearchPath(object.fact.runpath, ":", tokensFor(process, object)));
}

const isOpen = ({ searchState, otherStates }: Process, name: string) =>
  name.includes("$") &&
  name.includes("PLATFORM") &&
  otherStates.some(({ processor }) => processor.platform !== searchState.processor.platform);

// A list that is another one for another processor is not remembered.
const namesPlatform = ({ otherStates }: Process, list: string) => 0 < otherStates.length && list.includes("PLATFORM");

/** Words for an error number. ld.so itself knows a handful; after start-up, dlopen has libc's. */
export function errorText(code: string, afterStart = false): string {
  const own: { [code: string]: string } = {
    ENOENT: "No such file or directory",
    EACCES: "Permission denied",
    EINVAL: "Invalid argument",
    EIO: "Input/output error",
    EPERM: "Operation not permitted",
    ENOMEM: "Cannot allocate memory",
  };
  const others: { [code: string]: [number, string] } = {
    ENOTDIR: [20, "Not a directory"],
    EISDIR: [21, "Is a directory"],
    ENAMETOOLONG: [36, "File name too long"],
    ELOOP: [40, "Too many levels of symbolic links"],
    ENXIO: [6, "No such device or address"],
  };
  return own[code] ?? (others[code] ? (afterStart ? others[code][1] : `Error ${others[code][0]}`) : code);
}
