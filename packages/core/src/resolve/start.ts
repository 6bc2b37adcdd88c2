import { reasonOfCode } from "../lib/reason.ts";
import { absolute, folderOf, nameOf } from "../lib/path.ts";
import type { Failure, FailureReason, Load, Loads } from "../model/loads.ts";
import type { ElfFact, LoaderFact, RegularFileFact } from "../model/snapshot.ts";
import { addObject, checkVersions, mapDependencies, mapObject, tokensFor, triedOf, type Mapped } from "./glibc.ts";
import { hiddenBy, processorsOf, type Processor } from "./hwcaps.ts";
import { mapMuslObject } from "./musl.ts";
import { nameOfObject, type LoadedObject, type Process, type SearchState } from "./process.ts";
import { relocationOrder } from "./relocation-order.ts";
import { checkSymbols } from "./symbols.ts";
import { splitSearchPath } from "./tokens.ts";
import { minorVersion } from "./verify.ts";
import type { View } from "./view.ts";

// Of a loader that has no subfolders for processors.
const noProcessor: Processor = { level: 0, hwcaps: [], capabilities: [], platform: undefined, subfolders: [""] };

/** A program that was started, or why it cannot be; `undefined` while facts are missing. */
export type Started = { process: Process } | { refused: Loads } | undefined;

/**
 * Starts a program as the kernel and its loader would, up to the point where its own code runs.
 * A library without an interpreter is started the way `ldd` does it, by its loader.
 */
export function startProgram(view: View, path: string, heard?: Process["heard"], withReuse = true): Started {
  const program = readProgram(view, path);
  if (program === undefined) return undefined;
  if ("reason" in program) return { refused: refusal(path, program) };
  const { elf, file, fact } = program;

  if (elf.interpreter === undefined && isStatic(elf)) {
    return { refused: { ...emptyLoads(file, path), unknown: [] } };
  }
  const interpreter = elf.interpreter ?? defaultInterpreter(view, elf);
  if (interpreter === undefined) return undefined;
  const loader = readLoader(view, interpreter);
  if (loader === undefined) return undefined;
  if ("reason" in loader) return { refused: refusal(path, { ...loader, file }) };

  const startedByLoader = elf.interpreter === undefined;
  const { environment, user } = view.snapshot;
  const secure =
    !startedByLoader &&
    ((fact.setuid !== undefined && fact.setuid !== user.uid) || (fact.setgid !== undefined && fact.setgid !== user.gid));
  const executable: LoadedObject = {
    path,
    file,
    fact: elf,
    identity: undefined,
    loader: undefined,
    // The kernel knows the real file; a program given to the loader keeps the path it was given by, until 2.42.
    origin: startedByLoader && minorVersion(loader.fact.version) < 42 ? folderOf(absolute(path, view.cwd)) : folderOf(file),
    isExecutable: true,
    names: new Set(),
  };
  const process: Process = {
    view,
    loader: { path: interpreter, ...loader },
    environment,
    secure,
    executable,
    objects: [],
    byName: new Map(),
    activity: "import",
    loads: [],
    reused: withReuse ? [] : undefined,
    failures: [],
    missed: [],
    pending: false,
    ...(heard ? { heard } : {}),
    searchState: { processor: noProcessor, folders: new Map(), environmentPath: undefined },
    otherStates: [],
    hangOnProcessor: [],
  };
  if (loader.fact.flavour === "musl") startMusl(process);
  else {
    addObject(process, executable, ["", ...(startedByLoader ? [path] : [])]);
    startGlibc(process);
  }
  return { process };
}

function startGlibc(process: Process): void {
  const { view, loader, environment, secure, executable } = process;
  const libraryPath = secure ? undefined : environment["LD_LIBRARY_PATH"];
  const states = processorsOf(loader.elf.machine, view.snapshot.cpu, loader.fact, hiddenBy(environment, secure).hidden).map((processor) => {
    const state: SearchState = { processor, folders: new Map(), environmentPath: undefined };
    const folders = libraryPath ? splitSearchPath(libraryPath, ":;", tokensFor({ ...process, searchState: state }, executable)) : [];
    if (0 < folders.length) state.environmentPath = folders;
    return state;
  });
  [process.searchState, ...process.otherStates] = states as [SearchState, ...SearchState[]];
  const loaderObject: LoadedObject = {
    path: loader.path,
    file: loader.file,
    fact: loader.elf,
    identity: undefined,
    loader: undefined,
    origin: folderOf(loader.path),
    isExecutable: false,
    names: new Set(),
    load: {
      name: loader.elf.soname ?? nameOf(loader.path),
      file: loader.file,
      path: loader.path,
      requestedBy: nameOfObject(process, executable),
      via: "already-loaded",
      activity: process.activity,
      certainty: "certain",
      unmapped: false,
      tried: [],
    },
  };
  addObject(process, loaderObject, [loader.path]);
  // The kernel's own object answers to its name; it is no file and no load.
  const kernelObject: LoadedObject = {
    ...loaderObject,
    path: "linux-vdso.so.1",
    file: "linux-vdso.so.1",
    names: new Set(["linux-vdso.so.1"]),
    fact: { ...loader.elf, needed: [], provides: [] },
  };
  delete kernelObject.load;
  delete kernelObject.fact.provides;
  process.byName.set("linux-vdso.so.1", kernelObject);

  const preloads: LoadedObject[] = [];
  for (const { name, from } of preloadNames(process)) {
    const mapped = mapObject(process, executable, name, { preload: true });
    process.heard?.(executable, name, mapped);
    if ("pending" in mapped) process.pending = true;
    else if ("failure" in mapped && mapped.failure.reason === "truncated") {
      process.failures.push(mapped.failure);
      return;
    } else if ("failure" in mapped) {
      const why = mapped.failure.message
        .slice(mapped.failure.message.indexOf(": ") + 2)
        .replace(/: (No such file or directory|Permission denied|Error \d+)$/, "");
      process.missed.push({
        ...mapped.failure,
        message: `ERROR: ld.so: object '${name}' from ${from} cannot be preloaded (${why}): ignored.`,
      });
    } else if (mapped.fresh) preloads.push(mapped.object);
  }

  const { order, failure } = mapDependencies(process, executable, preloads, {}, (missing) => {
    process.failures.push(startFailure(process, missing));
    return true;
  });
  executable.scope = order;
  for (const object of order) if (object.load) process.loads.push(object.load);
  // Since 2.41 the loader keeps itself in the list, needed or not.
  if (41 <= minorVersion(loader.fact.version) && !order.includes(loaderObject)) process.loads.push(loaderObject.load!);
  if (process.pending) return;
  if (failure) {
    process.failures.push(startFailure(process, failure));
    return;
  }
  for (const object of order) {
    for (const wrong of checkVersions(process, object)) {
      const stops = wrong.reason !== "version-not-found";
      process.failures.push(
        stops ? startFailure(process, wrong) : { ...wrong, message: `${nameOfObject(process, executable)}: ${wrong.message}` },
      );
      if (stops) return;
    }
  }
  if (0 < process.failures.length) return;
  // That the program itself is bound now says nothing about its libraries.
  const bindsNow = (environment["LD_BIND_NOW"] ?? "") !== "";
  for (const object of relocationOrder(process, order)) {
    const now = bindsNow || (object.fact.flags?.includes("now") ?? false);
    const missing = checkSymbols(process, object, order, !now);
    if (missing) {
      process.failures.push({ ...missing, message: `${nameOfObject(process, executable)}: symbol lookup error: ${missing.message}` });
      return;
    }
  }
}

function startFailure(process: Process, failure: Failure): Failure {
  if (failure.reason === "truncated" || failure.message.startsWith("Inconsistency detected by ld.so")) return failure;
  return { ...failure, message: `${nameOfObject(process, process.executable)}: error while loading shared libraries: ${failure.message}` };
}

/** LD_PRELOAD, then /etc/ld.so.preload. rtld.c: handle_preload_list, dl_main. */
function preloadNames(process: Process): { name: string; from: string }[] {
  const { view, loader, environment, secure } = process;
  const names: { name: string; from: string }[] = [];
  for (const name of (environment["LD_PRELOAD"] ?? "").split(/[ :]/)) {
    if (name !== "" && !(secure && name.includes("/"))) names.push({ name, from: "LD_PRELOAD" });
  }
  const path = loader.fact.preload ?? "/etc/ld.so.preload";
  const at = view.lookup(path);
  if ("ask" in at) process.pending = true;
  if ("found" in at && at.entry.kind === "file" && at.entry.unreadable === undefined && 0 < at.entry.size) {
    if (at.entry.text === undefined) {
      view.need(at.found, "text");
      process.pending = true;
    } else {
      for (const name of withoutComments(at.entry.text).split(/[: \t\n]/)) if (name !== "") names.push({ name, from: path });
    }
  }
  return names;
}

// The loader looks for each next comment from the start of the text again, in what length is left: later comments may stay.
function withoutComments(text: string): string {
  const characters = [...text];
  let rest = characters.length;
  for (;;) {
    let at = characters.indexOf("#");
    if (at < 0 || rest <= at) return characters.join("");
    rest -= at;
    do {
      characters[at] = " ";
      rest -= 1;
      at += 1;
    } while (0 < rest && characters[at] !== "\n");
  }
}

function startMusl(process: Process): void {
  const { loader, executable, environment, secure } = process;
  const loaderObject: LoadedObject = {
    path: loader.path,
    file: loader.file,
    fact: loader.elf,
    identity: undefined,
    loader: undefined,
    origin: folderOf(loader.path),
    isExecutable: false,
    names: new Set(),
  };
  process.objects.push(executable, loaderObject);
  const order = [executable];
  const listed = new Set<LoadedObject>([executable]);
  const take = (requester: LoadedObject, name: string, mapped: Mapped) => {
    if ("pending" in mapped) process.pending = true;
    else if ("failure" in mapped) process.failures.push(mapped.failure);
    else {
      if (!mapped.fresh)
        process.reused?.push({
          name,
          file: mapped.object.file,
          requestedBy: nameOfObject(process, requester),
          by: mapped.by ?? "name",
          tried: triedOf(mapped.steps),
        });
      if (listed.has(mapped.object)) return;
      listed.add(mapped.object);
      if (mapped.object === loaderObject) {
        const load: Load = {
          name,
          file: loader.file,
          path: loader.path,
          requestedBy: nameOfObject(process, requester),
          via: "already-loaded",
          activity: process.activity,
          certainty: "certain",
          unmapped: false,
          tried: [],
        };
        loaderObject.load = load;
      }
      order.push(mapped.object);
    }
  };
  for (const name of secure ? [] : (environment["LD_PRELOAD"] ?? "").split(/[\s:]+/)) {
    if (name === "") continue;
    const mapped = mapMuslObject(process, executable, name, true);
    if ("failure" in mapped && mapped.failure.reason === "truncated") {
      process.failures.push(mapped.failure);
      return;
    }
    if ("failure" in mapped) process.missed.push(mapped.failure);
    else take(executable, name, mapped);
  }
  for (let index = 0; index < order.length; index += 1) {
    const object = order[index]!;
    for (const name of object.fact.needed) {
      const mapped = mapMuslObject(process, object, name);
      process.heard?.(object, name, mapped);
      take(object, name, mapped);
    }
  }
  executable.scope = order;
  for (const object of order) if (object.load) process.loads.push(object.load);
}

interface Refused {
  reason: FailureReason;
  message: string;
  file?: string;
}

function readProgram(view: View, path: string): { elf: ElfFact; file: string; fact: RegularFileFact } | Refused | undefined {
  const at = view.lookup(path);
  if ("ask" in at) {
    view.need(absolute(path, view.cwd), "object");
    return undefined;
  }
  if ("error" in at)
    return { reason: "not-found", message: `there is no file \`${path}\`${at.error === "ENOENT" ? "" : `: ${reasonOfCode(at.error)}`}` };
  if (at.entry.kind === "folder") return { reason: "is-a-folder", message: `\`${path}\` is a folder` };
  if (at.entry.kind !== "file") return { reason: "not-a-program", message: `\`${path}\` is not a regular file` };
  if (at.entry.unreadable !== undefined)
    return { reason: "cannot-read", message: `\`${path}\` cannot be read: ${reasonOfCode(at.entry.unreadable)}`, file: at.found };
  const object = view.object(at.found, at.entry);
  if (object === undefined) return undefined;
  if (object.kind === "not-elf") {
    const what =
      at.entry.size === 0
        ? "an empty file"
        : object.starts.startsWith("#!")
          ? `a script (\`${object.starts.split("·")[0]}\`)`
          : "not an ELF file";
    return { reason: "not-a-program", message: `\`${path}\` is ${what}: the dynamic loader has no part in it`, file: at.found };
  }
  if (object.type !== 2 && object.type !== 3)
    return {
      reason: "not-a-program",
      message: `\`${path}\` is neither a program nor a shared library (ELF type ${object.type})`,
      file: at.found,
    };
  if (object.defect && object.defect.kind !== "no-dynamic-section") {
    return {
      reason: object.defect.kind === "segment-beyond-end" ? "truncated" : "invalid-elf-file",
      message: `\`${path}\` is damaged: ${defectText(object.defect.kind)} (byte ${object.defect.at})`,
      file: at.found,
    };
  }
  return { elf: object, file: at.found, fact: at.entry };
}

function defectText(kind: NonNullable<ElfFact["defect"]>["kind"]): string {
  return {
    "headers-beyond-end": "its program headers lie beyond the end of the file",
    "segment-beyond-end": "the file ends before the data that its headers promise",
    "no-loadable-segment": "it has nothing to load",
    "misaligned-segment": "a segment is not aligned to pages",
    "no-dynamic-section": "it has no dynamic section",
    "unreadable-table": "a table lies outside the file",
  }[kind];
}

function isStatic(elf: ElfFact): boolean {
  return elf.type === 2 || elf.defect?.kind === "no-dynamic-section" || (elf.flags?.includes("pie") ?? false);
}

const interpreters: { [machineAndClass: string]: string } = {
  "62/64": "/lib64/ld-linux-x86-64.so.2",
  "62/32": "/libx32/ld-linux-x32.so.2",
  "3/32": "/lib/ld-linux.so.2",
  "183/64": "/lib/ld-linux-aarch64.so.1",
  "40/32": "/lib/ld-linux-armhf.so.3",
  "21/64": "/lib64/ld64.so.2",
  "22/64": "/lib/ld64.so.1",
  "243/64": "/lib/ld-linux-riscv64-lp64d.so.1",
};

// A library does not name its loader: the usual one of its machine, or musl's where the library was made for musl.
function defaultInterpreter(view: View, elf: ElfFact): string | undefined {
  const usual = interpreters[`${elf.machine}/${elf.class}`] ?? "/lib/ld.so";
  const arch: { [machine: number]: string } = { 62: "x86_64", 183: "aarch64", 3: "i386", 40: "armhf", 243: "riscv64" };
  const musl = `/lib/ld-musl-${arch[elf.machine] ?? "x86_64"}.so.1`;
  const madeForMusl = elf.needed.some((name) => name === "libc.so" || name.startsWith("libc.musl-"));
  const [first, second] = madeForMusl ? [musl, usual] : [usual, musl];
  const at = view.lookup(first);
  if ("ask" in at) return undefined;
  if ("found" in at) return first;
  const other = view.lookup(second);
  if ("ask" in other) return undefined;
  return "found" in other ? second : first;
}

function readLoader(view: View, path: string): { file: string; fact: LoaderFact; elf: ElfFact } | Refused | undefined {
  const at = view.lookup(path);
  if ("ask" in at) {
    view.need(absolute(path, view.cwd), "object");
    view.need(absolute(path, view.cwd), "loader");
    return undefined;
  }
  if (!("found" in at) || at.entry.kind !== "file" || at.entry.unreadable !== undefined) {
    return {
      reason: "no-interpreter",
      message: `the program's loader \`${path}\` is not there: the kernel refuses to start it ("No such file or directory")`,
    };
  }
  const object = view.object(at.found, at.entry);
  if (at.entry.loader === undefined) view.need(at.found, "loader");
  if (object === undefined || at.entry.loader === undefined) return undefined;
  if (object.kind !== "elf" || object.defect)
    return { reason: "no-interpreter", message: `the program's loader \`${path}\` is not a usable ELF file` };
  return { file: at.found, fact: at.entry.loader, elf: object };
}

function emptyLoads(file: string, path: string): Loads {
  return { schema: "culprit/loads@1", program: { file, path }, loads: [], failures: [], missed: [], unknown: [] };
}

function refusal(path: string, { reason, message, file }: Refused): Loads {
  return {
    ...emptyLoads(file ?? path, path),
    failures: [{ name: path, requestedBy: path, activity: "import", reason, message, tried: [] }],
  };
}
