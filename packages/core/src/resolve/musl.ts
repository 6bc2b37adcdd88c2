// musl's loader, replayed: ldso/dynlink.c (load_library, path_open, fixup_rpath, load_deps). Tested with Debian's musl.
import { folderOf, nameOf } from "../lib/path.ts";
import type { Failure, FailureReason, Load, SearchStep, Via } from "../model/loads.ts";
import type { ElfFact, RegularFileFact } from "../model/snapshot.ts";
import { triedOf, type Mapped } from "./glibc.ts";
import { nameOfObject, type LoadedObject, type Process } from "./process.ts";

/** Names that are the loader itself, whatever lies on disk. */
const builtIn = ["c", "pthread", "rt", "m", "dl", "util", "xnet"].map((name) => `lib${name}.`);

// The loader builds paths of a search in a buffer of this size; what does not fit is passed over.
const longestPath = 511;

export function mapMuslObject(process: Process, requester: LoadedObject, name: string, preload = false): Mapped {
  const steps: SearchStep[] = [];
  const fail = (reason: FailureReason, code: string): Extract<Mapped, { failure: Failure }> => {
    const requestedBy = nameOfObject(process, requester);
    const message = `Error loading shared library ${name}: ${errorText(code)} (needed by ${requestedBy})`;
    return { steps, failure: { name, requestedBy, activity: process.activity, reason, message, tried: triedOf(steps) } };
  };
  if (name === "") return fail("not-found", "EINVAL");
  if (builtIn.some((prefix) => name.startsWith(prefix)) || name === process.loader.path)
    return { object: loaderObject(process), fresh: false, steps, by: "name" };

  const byPath = name.includes("/");
  const loaded = byPath ? undefined : process.byName.get(name);
  if (loaded) return { object: loaded, fresh: false, steps, by: "name" };
  const opened = byPath ? open(process, name, "path", steps) : search(process, preload ? undefined : requester, name, steps);
  if ("pending" in opened) return { pending: true };
  if ("code" in opened) return fail(opened.code === "EISDIR" ? "is-a-folder" : "not-found", opened.code);

  const { path, file, fact, elf, via } = opened;
  const identity = process.view.identity(file, fact);
  const same = process.objects.find((object) => object.identity === identity);
  if (same) {
    // Found by a search, an object opened by path gets its short name: that of its own path, not the one asked for.
    if (!byPath && same.names.size === 0) addShortName(process, same);
    return { object: same, fresh: false, steps, by: "file" };
  }
  const refusal = refuse(process, fact, elf);
  if (refusal === "truncated") {
    const what = `${file} ends at byte ${fact.size}, before the data that its headers promise; the process is killed with SIGBUS (Bus error)`;
    return { steps, failure: { ...fail(refusal, "").failure, message: what, file } };
  }
  if (refusal !== undefined) return fail(refusal, "ENOEXEC");

  const load: Load = {
    name,
    file,
    path,
    requestedBy: nameOfObject(process, requester),
    via: preload ? "preload" : via,
    activity: process.activity,
    certainty: "certain",
    unmapped: false,
    tried: triedOf(steps),
  };
  const object: LoadedObject = {
    path,
    file,
    fact: elf!,
    identity,
    // Nobody asks for a preload: no RPATH serves it or, through it, its dependencies.
    loader: preload ? undefined : requester,
    // As text: a relative path stays relative.
    origin: path.slice(0, path.lastIndexOf("/")),
    isExecutable: false,
    names: new Set(),
    load,
  };
  process.objects.push(object);
  // The short name is kept only for what was found by searching: opened by path, it is never reused by name.
  if (!byPath) addShortName(process, object);
  return { object, fresh: true, steps };
}

function addShortName(process: Process, object: LoadedObject): void {
  const name = nameOf(object.path);
  object.names.add(name);
  if (!process.byName.has(name)) process.byName.set(name, object);
}

// Hardly anything of a header is looked at. A file of another machine or class would be mapped and then fail somewhere in its relocations.
function refuse({ loader }: Process, { size }: RegularFileFact, elf: ElfFact | undefined): FailureReason | undefined {
  if (elf === undefined) return size < 64 ? "file-too-short" : "invalid-elf-header";
  if (elf.type !== 2 && elf.type !== 3) return "invalid-elf-file";
  if (elf.class !== loader.elf.class || elf.machine !== loader.elf.machine || elf.order !== loader.elf.order) return "invalid-elf-file";
  if (elf.odd?.entrySize !== undefined) return "invalid-elf-file";
  const defect = elf.defect?.kind;
  if (defect === "segment-beyond-end" || defect === "unreadable-table") return "truncated";
  return defect === undefined || defect === "misaligned-segment" ? undefined : "invalid-elf-file";
}

interface Found {
  path: string;
  file: string;
  fact: RegularFileFact;
  elf: ElfFact | undefined;
  via: Via;
}

type Opened = Found | { code: string } | { pending: true };

function search(process: Process, requester: LoadedObject | undefined, name: string, steps: SearchStep[]): Opened {
  let code = "ENOENT";
  // undefined: not in this list, go on with the next.
  const searchList = (text: string, via: Via): Opened | undefined => {
    for (const folder of text.split(/[:\n]/)) {
      const path = `${folder}/${name}`;
      if (folder === "" || longestPath < path.length) continue;
      const opened = open(process, path, via, steps);
      if (!("code" in opened)) return opened;
      code = opened.code;
      // What opens, even a folder, is the answer; of errors only these let the search go on.
      if (!["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG"].includes(code)) return opened;
    }
    return undefined;
  };
  if (255 < name.length) return { code: "" };
  const environmentPath = process.secure ? undefined : process.environment["LD_LIBRARY_PATH"];
  let found = environmentPath ? searchList(environmentPath, "ld-library-path") : undefined;
  for (let object: LoadedObject | undefined = requester; object && !found; object = object.loader) {
    const text = object.fact.runpath ?? object.fact.rpath;
    const expanded = text === undefined ? undefined : expandOrigin(text, object.origin);
    if (expanded !== undefined) found = searchList(expanded, object.fact.runpath === undefined ? "rpath" : "runpath");
  }
  if (found) return found;
  const system = systemPath(process);
  if (system === undefined) return { pending: true };
  return searchList(system, "default") ?? { code };
}

/** <prefix>/etc/ld-musl-<arch>.path where it exists, else the built-in folders. */
function systemPath(process: Process): string | undefined {
  const { path } = process.loader;
  const prefix = folderOf(folderOf(path));
  const arch = /ld-musl-([^/.]+)/.exec(path)?.[1] ?? "x86_64";
  const at = process.view.lookup(`${prefix === "/" ? "" : prefix}/etc/ld-musl-${arch}.path`);
  if ("ask" in at) return undefined;
  if ("found" in at && at.entry.kind === "file") {
    if (at.entry.text !== undefined) return at.entry.text;
    if (at.entry.unreadable === undefined) {
      process.view.need(at.found, "text");
      return undefined;
    }
  }
  return "/lib:/usr/local/lib:/usr/lib";
}

// A search path with any other `$` is ignored whole; what comes after the name does not matter.
function expandOrigin(text: string, origin: string | undefined): string | undefined {
  if (/\$(?!ORIGIN|\{ORIGIN\})/.test(text)) return undefined;
  return text.replace(/\$(ORIGIN|\{ORIGIN\})/g, () => origin ?? "");
}

function open(process: Process, path: string, via: Via, steps: SearchStep[]): Opened {
  const at = process.view.lookup(path);
  if ("ask" in at) return { pending: true };
  const unreadable = "found" in at && at.entry.kind === "file" ? at.entry.unreadable : undefined;
  if ("error" in at || unreadable !== undefined) {
    steps.push({ rule: via, path, result: "error" in at ? (at.error === "ENOENT" ? "absent" : "error") : "unreadable" });
    return { code: "error" in at ? at.error : unreadable! };
  }
  if (at.entry.kind === "folder") {
    steps.push({ rule: via, path, result: "fatal" });
    return { code: "EISDIR" };
  }
  if (at.entry.kind !== "file") {
    steps.push({ rule: via, path, result: "fatal" });
    return { path, file: at.found, fact: { kind: "file", size: 0 }, elf: undefined, via };
  }
  const object = process.view.object(at.found, at.entry);
  if (object === undefined) return { pending: true };
  steps.push({ rule: via, path, result: "taken" });
  return { path, file: at.found, fact: at.entry, elf: object.kind === "elf" ? object : undefined, via };
}

// musl's own words.
function errorText(code: string): string {
  const texts: { [code: string]: string } = {
    ENOENT: "No such file or directory",
    EACCES: "Permission denied",
    ELOOP: "Symbolic link loop",
    ENOTDIR: "Not a directory",
    ENAMETOOLONG: "Filename too long",
    EISDIR: "Is a directory",
    ENOEXEC: "Exec format error",
    EINVAL: "Invalid argument",
    EIO: "I/O error",
    "": "No error information",
  };
  return texts[code] ?? code;
}

export function loaderObject(process: Process): LoadedObject {
  return process.objects.find(({ file }) => file === process.loader.file)!;
}
