// musl's loader, replayed: ldso/dynlink.c (load_library, path_open, fixup_rpath, load_deps). Tested with Debian's musl.
import { absolute, folderOf, nameOf } from "../lib/path.ts";
import type { Failure, FailureReason, Load, SearchStep, Via } from "../model/loads.ts";
import type { ElfFact, RegularFileFact } from "../model/snapshot.ts";
import { triedOf, type Mapped } from "./glibc.ts";
import { nameOfObject, type LoadedObject, type Process } from "./process.ts";

/** Names that are the loader itself, whatever lies on disk. */
const builtIn = ["c", "pthread", "rt", "m", "dl", "util", "xnet"].map((name) => `lib${name}.`);

export function mapMuslObject(process: Process, requester: LoadedObject, name: string, preload = false): Mapped {
  const builtin = builtIn.some((prefix) => name.startsWith(prefix));
  if (builtin || name === nameOf(process.loader.path)) return { object: loaderObject(process), fresh: false, steps: [], by: "name" };
  const steps: SearchStep[] = [];
  let found: Found | "pending" | undefined;
  if (name.includes("/")) found = open(process, name, "path", steps).found;
  else {
    const loaded = process.byName.get(name);
    if (loaded) return { object: loaded, fresh: false, steps, by: "name" };
    found = search(process, requester, name, steps);
  }
  if (found === "pending") return { pending: true };
  const fail = (reason: FailureReason, message: string): Extract<Mapped, { failure: Failure }> => ({
    steps,
    failure: { name, requestedBy: nameOfObject(process, requester), activity: process.activity, reason, message, tried: triedOf(steps) },
  });
  if (found === undefined)
    return fail(
      "not-found",
      `Error loading shared library ${name}: No such file or directory (needed by ${nameOfObject(process, requester)})`,
    );

  const identity = process.view.identity(found.file, found.fact);
  const same = process.objects.find((object) => object.identity === identity);
  if (same) {
    // Found by search, an object opened by path gets the short name that later requests are compared with.
    if (!name.includes("/") && !process.byName.has(name)) process.byName.set(name, same);
    return { object: same, fresh: false, steps, by: "file" };
  }
  // Whatever opens is taken: neither class nor machine is looked at, only that it can be mapped.
  const refused = `Error loading shared library ${name}: Exec format error (needed by ${nameOfObject(process, requester)})`;
  if (found.elf === undefined) return fail(found.fact.size < 64 ? "file-too-short" : "invalid-elf-header", refused);
  if (found.elf.defect) return fail(found.elf.defect.kind === "segment-beyond-end" ? "truncated" : "invalid-elf-file", refused);
  if (found.elf.class !== process.loader.elf.class || found.elf.machine !== process.loader.elf.machine)
    return fail("invalid-elf-file", refused);

  const load: Load = {
    name,
    file: found.file,
    path: found.path,
    requestedBy: nameOfObject(process, requester),
    via: preload ? "preload" : found.via,
    activity: process.activity,
    certainty: "certain",
    unmapped: false,
    tried: triedOf(steps),
  };
  const object: LoadedObject = {
    path: found.path,
    file: found.file,
    fact: found.elf,
    identity,
    loader: requester,
    origin: folderOf(absolute(found.path, process.view.cwd)),
    isExecutable: false,
    names: new Set(),
    load,
  };
  process.objects.push(object);
  // The short name is kept only for what was found by searching: opened by path, it is never reused by name.
  if (!name.includes("/")) process.byName.set(name, object);
  return { object, fresh: true, steps };
}

interface Found {
  path: string;
  file: string;
  fact: RegularFileFact;
  elf: ElfFact | undefined;
  via: Via;
}

function search(process: Process, requester: LoadedObject, name: string, steps: SearchStep[]): Found | "pending" | undefined {
  const lists: { text: string; via: Via }[] = [];
  if (process.environment["LD_LIBRARY_PATH"] && !process.secure)
    lists.push({ text: process.environment["LD_LIBRARY_PATH"], via: "ld-library-path" });
  for (let object: LoadedObject | undefined = requester; object; object = object.loader) {
    const text = object.fact.runpath ?? object.fact.rpath;
    const expanded = text === undefined ? undefined : expandOrigin(text, object.origin);
    if (expanded !== undefined) lists.push({ text: expanded, via: object.fact.runpath === undefined ? "rpath" : "runpath" });
  }
  const system = systemPath(process);
  if (system === undefined) return "pending";
  lists.push({ text: system, via: "default" });

  for (const { text, via } of lists) {
    for (const folder of text.split(/[:\n]/)) {
      if (folder === "") continue;
      const { found, code } = open(process, `${folder}/${name}`, via, steps);
      if (found !== undefined) return found;
      if (!["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG"].includes(code)) return undefined;
    }
  }
  return undefined;
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

// A search path with any other `$` is ignored whole.
function expandOrigin(text: string, origin: string | undefined): string | undefined {
  const expanded = text.replace(/\$(ORIGIN(?![A-Za-z0-9_])|\{ORIGIN\})/g, () => origin ?? "");
  return expanded.includes("$") ? undefined : expanded;
}

function open(process: Process, path: string, via: Via, steps: SearchStep[]): { found?: Found | "pending"; code: string } {
  const at = process.view.lookup(path);
  if ("ask" in at) return { found: "pending", code: "" };
  const unreadable = "found" in at && at.entry.kind === "file" ? at.entry.unreadable : undefined;
  if ("error" in at || unreadable !== undefined) {
    steps.push({ rule: via, path, result: "error" in at ? (at.error === "ENOENT" ? "absent" : "error") : "unreadable" });
    return { code: "error" in at ? at.error : unreadable! };
  }
  if (at.entry.kind !== "file") {
    const fact: RegularFileFact = { kind: "file", size: 0 };
    return { found: { path, file: at.found, fact, elf: undefined, via }, code: "" };
  }
  const object = process.view.object(at.found, at.entry);
  if (object === undefined) return { found: "pending", code: "" };
  steps.push({ rule: via, path, result: "taken" });
  return { found: { path, file: at.found, fact: at.entry, elf: object.kind === "elf" ? object : undefined, via }, code: "" };
}

export function loaderObject(process: Process): LoadedObject {
  return process.objects.find(({ file }) => file === process.loader.file)!;
}
