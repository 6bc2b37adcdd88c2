// What `ldconfig` would write: glibc elf/ldconfig.c (parse_conf, add_dir_1, search_dir) and elf/cache.c (compare).
import { fitsGlob } from "../lib/glob.ts";
import { folderOf } from "../lib/path.ts";
import type { CacheEntry, CacheFact, FileFact } from "../model/snapshot.ts";
import { cacheFlags } from "./cache-lookup.ts";
import { systemLoader } from "./interpreter.ts";
import { minorVersion } from "./verify.ts";
import { isElf, type View } from "./view.ts";

export interface LdconfigRun {
  cache: CacheFact;
  /** Links that it makes or changes: `libfoo.so.1` → the newest file with that DT_SONAME. */
  links: { path: string; to: string }[];
}

/**
 * undefined while facts are missing (see `view.needs`). With `only`, just those folders are looked through: of the others the cache that
 * is there is taken at its word, as if nothing had changed in them since.
 */
export function runLdconfig(view: View, only?: string[]): LdconfigRun | undefined {
  const folders = configuredFolders(view);
  const old = only && cachedIn(view);
  const seen = new Set<string>();
  const run: LdconfigRun = { cache: { entries: [] }, links: [] };
  let complete = folders !== undefined && (only === undefined || old !== undefined);
  for (const path of folders ?? []) {
    if (old && !only!.includes(path)) {
      run.cache.entries.push(...(old.get(path) ?? []));
      old.delete(path);
      continue;
    }
    const at = view.lookup(path);
    if ("ask" in at) complete = false;
    if (!("found" in at) || at.entry.kind !== "folder" || seen.has(at.found)) continue;
    seen.add(at.found);
    if (!searchFolder(view, run, path, at.found)) complete = false;
    const hwcaps = folderNames(view, `${path}/glibc-hwcaps`);
    if (hwcaps === undefined) complete = false;
    for (const name of hwcaps ?? []) {
      const below = view.lookup(`${path}/glibc-hwcaps/${name}`);
      if (name.startsWith(".") || name.includes(":") || !("found" in below) || below.entry.kind !== "folder" || seen.has(below.found))
        continue;
      seen.add(below.found);
      if (!searchFolder(view, run, `${path}/glibc-hwcaps/${name}`, below.found, name)) complete = false;
    }
  }
  if (!complete) return undefined;
  // Stable, so that of equal entries the folder that came first wins.
  run.cache.entries.sort(compareEntries);
  return run;
}

/** Entries of the cache that is there, by the folder that they came from; undefined while it was not read. */
function cachedIn(view: View): Map<string, CacheEntry[]> | undefined {
  const at = view.lookup("/etc/ld.so.cache");
  if ("ask" in at) return undefined;
  const entries = "found" in at && at.entry.kind === "file" ? at.entry.cache?.entries : [];
  if (entries === undefined && "found" in at) view.need(at.found, "cache");
  if (entries === undefined) return undefined;
  const found = new Map<string, CacheEntry[]>();
  for (const entry of entries) {
    const folder = folderOf(entry.path).replace(/\/glibc-hwcaps\/[^/]+$/, "");
    found.set(folder, [...(found.get(folder) ?? []), entry]);
  }
  return found;
}

/** Folders of /etc/ld.so.conf and its includes, in order, then the built-in ones. */
function configuredFolders(view: View): string[] | undefined {
  const folders: string[] = [];
  const complete = parseConfiguration(view, "/etc/ld.so.conf", folders, 0, { left: mostIncludes });
  const system = systemLoader(view);
  // Debian's ldconfig has the folders of its loader built in; others have lib, lib64 and libx32 wherever they have one of them.
  if (system?.folders.some((folder) => folder.includes("-linux-gnu")))
    folders.push(...system.folders.map((folder) => folder.replace(/\/$/, "")));
  else for (const folder of ["/lib", "/usr/lib"]) folders.push(folder, `${folder}64`, `${folder}x32`);
  return complete ? folders : undefined;
}

/** Files that include each other would be read without end. */
const mostIncludes = 1000;

function parseConfiguration(view: View, path: string, folders: string[], depth: number, includes: { left: number }): boolean {
  if (16 < depth) return true;
  includes.left -= 1;
  if (includes.left < 0) return false;
  const at = view.lookup(path);
  if ("ask" in at) return false;
  if (!("found" in at) || at.entry.kind !== "file" || at.entry.unreadable !== undefined) return true;
  if (at.entry.text === undefined) {
    view.need(at.found, "text");
    return false;
  }
  let complete = true;
  for (const rawLine of at.entry.text.split("\n")) {
    const line = rawLine.replace(/#.*/, "").trim();
    const include = /^include[ \t]+(.*)$/.exec(line)?.[1];
    if (include !== undefined) {
      for (const pattern of include.split(/[ \t]+/)) {
        const found = pattern === "" ? [] : glob(view, pattern.startsWith("/") ? pattern : `${folderOf(path)}/${pattern}`);
        if (found === undefined) complete = false;
        for (const file of found ?? []) if (!parseConfiguration(view, file, folders, depth + 1, includes)) complete = false;
      }
    } else if (line !== "" && !/^hwcap[ \t]/i.test(line)) folders.push(line.replace(/(?<!\/)\/+$/, "") || "/");
  }
  return complete;
}

// Patterns in these files have a star in the last part, if anywhere.
function glob(view: View, pattern: string): string[] | undefined {
  const folder = folderOf(pattern);
  const last = pattern.slice(folder.length).replace(/^\//, "");
  if (!/[*?[]/.test(last)) return [pattern];
  const names = folderNames(view, folder);
  return names
    ?.filter((name) => fitsGlob(name, last) && (!name.startsWith(".") || last.startsWith(".")))
    .map((name) => `${folder}/${name}`);
}

/** Sorted names in a folder; empty when there is none, undefined when it was not listed yet. */
function folderNames(view: View, path: string): string[] | undefined {
  const at = view.lookup(path);
  if ("ask" in at) return undefined;
  if (!("found" in at) || at.entry.kind !== "folder") return [];
  const names = view.names(at.found);
  if (names === undefined) view.need(at.found, "listing");
  return names;
}

interface Candidate {
  file: string;
  isLink: boolean;
  flags: number;
}

function searchFolder(view: View, run: LdconfigRun, path: string, found: string, hwcaps?: string): boolean {
  const names = view.names(found);
  if (names === undefined) {
    view.need(found, "listing");
    return false;
  }
  const best = new Map<string, Candidate>();
  let complete = true;
  for (const name of names) {
    if (!isLibraryName(name) || isTemporary(name, systemLoader(view)?.version)) continue;
    const at = view.lookup(`${found}/${name}`);
    if ("ask" in at) complete = false;
    if (!("found" in at) || at.entry.kind !== "file" || at.entry.size === 0) continue;
    const object = view.object(at.found, at.entry);
    if (object === undefined && at.entry.unreadable === undefined) complete = false;
    if (!isElf(object) || object.type !== 3) continue;
    const soname = object.soname ?? name;
    // A link counts as one only when it is called like the DT_SONAME, or is the `.so` for the linker.
    const linked = view.snapshot.files[`${found}/${name}`]?.kind === "link";
    const isLink = linked && (name === soname || (name.endsWith(".so") && soname.startsWith(name)));
    const key = isLink ? name : soname;
    const known = best.get(key);
    if (!known || (!isLink && known.isLink) || (isLink === known.isLink && compareNames(known.file, name) < 0)) {
      best.set(key, { file: name, isLink, flags: known?.flags ?? cacheFlags(object.machine, object.class) });
    }
  }
  for (const [soname, { file, isLink, flags }] of best) {
    if (hwcaps === undefined && !isLink && file !== soname) addLink(view, run, `${found}/${soname}`, file);
    const entry: CacheEntry = { name: soname, path: `${path}/${hwcaps === undefined ? soname : file}`, flags };
    if (hwcaps !== undefined) entry.hwcaps = { name: hwcaps, level: 0 };
    run.cache.entries.push(entry);
  }
  return complete;
}

function addLink(view: View, run: LdconfigRun, path: string, to: string): void {
  const there: FileFact | undefined = view.snapshot.files[path];
  // A regular file under the soname is left alone ("is not a symbolic link").
  if (there === undefined || there.kind === "absent" || there.kind === "link") run.links.push({ path, to });
}

const isLibraryName = (name: string) =>
  ((name.startsWith("lib") || name.startsWith("ld-")) && name.includes(".so")) || name.startsWith("ld.so.") || name.startsWith("ld64.so.");

// Half-written files of package managers are skipped since 2.39, prelink's always.
function isTemporary(name: string, version: string | undefined): boolean {
  if (/\.#prelink#(\.\w{6})?$/.test(name)) return true;
  return 39 <= minorVersion(version) && (name.includes(";") || /\.dpkg-(new|tmp)$/.test(name));
}

function compareEntries(a: CacheEntry, b: CacheEntry): number {
  return (
    compareNames(b.name, a.name) ||
    b.flags - a.flags ||
    Number(b.hwcaps !== undefined) - Number(a.hwcaps !== undefined) ||
    (a.hwcaps && b.hwcaps ? (a.hwcaps.name < b.hwcaps.name ? -1 : a.hwcaps.name > b.hwcaps.name ? 1 : 0) : 0)
  );
}

/** _dl_cache_libcmp: runs of digits compare as numbers, and a digit is greater than anything else. */
export function compareNames(a: string, b: string): number {
  let i = 0;
  let j = 0;
  const digit = (character: string | undefined) => character !== undefined && "0" <= character && character <= "9";
  while (i < a.length) {
    if (digit(a[i])) {
      if (!digit(b[j])) return 1;
      let x = 0;
      let y = 0;
      for (; digit(a[i]); i += 1) x = x * 10 + Number(a[i]);
      for (; digit(b[j]); j += 1) y = y * 10 + Number(b[j]);
      if (x !== y) return x - y;
    } else if (digit(b[j])) return -1;
    else if (a[i] !== b[j]) return a.charCodeAt(i) - (j < b.length ? b.charCodeAt(j) : 0);
    else {
      i += 1;
      j += 1;
    }
  }
  return j < b.length ? -1 : 0;
}
