// What `import` of a package runs for certain, as far as its source says so, and at which statement it would end.
import { numpyWithout } from "../knowledge/published.ts";
import { absolute, folderOf, nameOf } from "../lib/path.ts";
import { isWithin } from "../lib/pep440.ts";
import { isCaught } from "../lib/python-exceptions.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import type { GuardedFact, ModuleFact, PerhapsFact, RunFact } from "../model/snapshot.ts";
import { isElf, type View } from "../resolve/view.ts";
import { isSo, refusedBy, refusedOfOwn, type Refused } from "./refusals.ts";
import { lackedNames } from "./requirements.ts";
import { soundModules, type Sound } from "./unsound.ts";
import { namesIn, textAt } from "./python.ts";
import { findModule, foldersOf, hooksOf, isStandard, moduleNamed, modulesOf, type FoundModule } from "./python-modules.ts";

/** So many files of a package are gone through at most: packages of thousands import most of them later. */
const mostFiles = 400;
/** And so many of all the others that it imports. */
const mostOthers = 3000;

/** An import that no test and no `try` is around, and that cannot work. */
export interface FailedImport {
  /** The file that has it. */
  by: string;
  module: string;
  /** What is asked of the module, which is there; `isAttribute`: not by `from … import`. */
  name?: string;
  isAttribute?: true;
  file?: string;
  /** What it says in its own words. */
  said?: string;
  /** It ends itself, as this is installed in a release that it does not take. */
  refused?: { name: string; version: string; wanted?: string };
  /** Which error it is, where that is one of Python's own. */
  raises?: string;
  /** The package of others that has that file, and the files that lead there, from the first on. */
  within?: string;
  files?: string[];
  /**
   * It ends there unless a folder has it that this module adds to sys.path, or this one changes otherwise what there is; or where those are meant that are
   * there; or where this file turns to that line; or unless a line of this .pth file brings it, which Python runs at its start.
   */
  unless?: { adds: string } | { changes: string } | { asked: string[] } | { turns: string } | { hook: string };
}

export interface Imports {
  /** The module that is imported. */
  start: string;
  /** Modules of the package that its import comes to: by imports at the left margin, one leading to the next. */
  reached: Set<string>;
  /** Modules of others that these import, by the first parts of their names: one, and two for those in a namespace. */
  others: Set<string>;
  /** Extension modules of others that these import by name. */
  binaries: Set<string>;
  /** Texts in those that open libraries when they are run. */
  opens: Set<string>;
  /** Files of its own that these name and that are libraries, though they are not called so: `core.bin`. */
  unnamed: Set<string>;
  /** Files that define operators with such parameters, and the first of each. */
  operators: Map<string, string>;
  failure?: FailedImport;
  /** An import that cannot work, of which nobody can tell whether it is come to, or whether something else is there by then. */
  doubted?: FailedImport;
  /** Parts of it that its import does not come to, and that miss what the package asks for. */
  parts?: { module: string; failure: FailedImport }[];
  /** Not everything that it runs was followed, or may have changed what can be imported. */
  isUnsure?: true;
  /** What is not there may be in a folder that it adds; `mayFindOthers`: so may what is there elsewhere; `mayChange`: or it is put there. */
  mayFindMore?: true;
  mayFindOthers?: true;
  mayChange?: true;
  /** Files with lines that Python runs at its start, and that may bring modules, or change them. */
  hooks?: string[];
}

/**
 * Modules of others that were gone through, and where each of them ends: what one package has imported is there for the next. Who will ask
 * again with more facts keeps what lacked none.
 */
export interface GoneThrough {
  ends: Map<string, FailedImport | undefined>;
  /** Extension modules to which each of them comes. */
  binaries: Map<string, Set<string>>;
  /** Packages that change what can be imported, and whether they do no more than to add folders for it. */
  changed: Map<string, "adds" | "meddles">;
  /** Where modules were found. */
  found: Map<string, FoundModule>;
  /** Modules, and packages that were asked about, that lacked no fact. */
  whole: Set<string>;
  imports: Map<string, Imports>;
  running: Set<string>;
  /** Those of packages that are judged by themselves: their parts are gone through as well. */
  judged?: Set<string>;
  /** Outermost modules of packages that have all that they ask for; asked for again while it is undefined. */
  sound?: Sound | undefined;
  /** It was asked for with these facts. */
  isSoundAsked?: boolean;
  /** How often a fact was lacking. */
  lacking: number;
}

export const nothingGoneThrough = (sound?: Sound): GoneThrough => ({
  ends: new Map(),
  binaries: new Map(),
  changed: new Map(),
  found: new Map(),
  whole: new Set(),
  imports: new Map(),
  running: new Set(),
  sound,
  lacking: 0,
});

/** What of it may be kept where the same is asked again with more facts. */
export function keepWhole(gone: GoneThrough): void {
  const { ends, whole } = gone;
  for (const module of ends.keys()) if (!whole.has(module)) ends.delete(module);
  gone.isSoundAsked = false;
}

/** Whoever runs a file: the package that is asked about, or one that it imports. */
interface Walk {
  view: View;
  environment: PythonEnvironment;
  gone: GoneThrough;
  /** Whether a module is of the package itself; and where such a one is looked for. */
  isOwn: (module: string) => boolean;
  path: string[];
  /** What the package asks for and is not installed, as modules would be called. */
  lacked: string[];
  /** Functions that were called: each runs once. */
  called: Set<string>;
  /** Extension modules to which a module of others comes. */
  binaries: Set<string>;
  notes?: Notes;
  /** Of a sound package that nobody asked about one file alone is gone through. */
  isOneFile?: true;
}

/** What is kept of the package that is asked about. */
interface Notes {
  found: Imports;
  /** The files that are being run, the outermost first. */
  running: string[];
}

/** What `import` of a module of a package comes to in any case. What is behind a test, in a function or caught is not followed. */
export function importsOf(
  view: View,
  environment: PythonEnvironment,
  asked: PythonPackage,
  start: string,
  gone: GoneThrough = nothingGoneThrough(),
): Imports {
  const { folder } = asked;
  const known = gone.imports.get(`${folder} ${start}`);
  if (known) return known;
  const before = gone.lacking;
  const found: Imports = {
    start,
    reached: new Set(),
    others: new Set(),
    binaries: new Set(),
    opens: new Set(),
    unnamed: new Set(),
    operators: new Map(),
  };
  const hooks = hooksOf(environment);
  if (0 < hooks.length) found.hooks = hooks;
  // With the same facts it comes out the same, for hundreds of packages.
  if (!gone.isSoundAsked) gone.sound ??= soundModules(view.wishing, environment);
  gone.isSoundAsked = true;
  if (!gone.sound || gone.sound === "unknown") gone.lacking += 1;
  const isOwn = (module: string) => `${module}.`.startsWith(`${start}.`);
  const lacked = lackedNames(view.wishing, environment, asked).map((name) => name.replaceAll("-", "_"));
  const walk: Walk = {
    view: view.wishing,
    environment,
    gone,
    isOwn,
    path: [folder],
    lacked,
    called: new Set(),
    binaries: found.binaries,
    notes: { found, running: [] },
  };
  enter(walk, start, start);
  if (found.doubted && (found.failure || found.isUnsure || isHeld(walk, folder, found.doubted))) delete found.doubted;
  if (gone.lacking === before) gone.imports.set(`${folder} ${start}`, found);
  return found;
}

/** Whether what is brought may lie in a folder of the package's own. */
function isHeld(walk: Walk, folder: string, { module, unless }: FailedImport): boolean {
  if (!unless || !("adds" in unless || "changes" in unless)) return false;
  const by = "adds" in unless ? unless.adds : unless.changes;
  return mayHold(walk, `${folder}/${by.replaceAll(".", "/")}`, module.split(".")[0]!, 3);
}

/** Whether a folder has a module of a name somewhere within; or that is not known. */
function mayHold(walk: Walk, folder: string, module: string, depth: number): boolean {
  const names = namesIn(walk.view, folder);
  if (!names) walk.gone.lacking += 1;
  if (!names || names.includes(module) || names.includes(`${module}.py`)) return true;
  const within = depth === 0 ? [] : names.filter((name) => /^[A-Za-z_][\w-]*$/.test(name) && name !== "__pycache__");
  return within.map((name) => mayHold(walk, `${folder}/${name}`, module, depth - 1)).includes(true);
}

/** Whether a file is among what was reached: as a module, or as a library that is opened by its name. */
export function isReached({ start, reached, opens }: Imports, { folder }: PythonPackage, file: string): boolean {
  const inside = file.slice(folder.length + 1).replace(/(\.cpython-[^.]*|\.abi3)?\.so$/, "");
  const name = nameOf(file);
  const isOpened =
    inside.startsWith(`${start.replaceAll(".", "/")}/`) &&
    [...opens].some((text) => nameOf(text) === name || nameOf(text) === name.split(".")[0]);
  return isOpened || reached.has(inside.replaceAll("/", "."));
}

interface Entered {
  /** None where it is a namespace. */
  file?: string;
  /** Where its parts lie. */
  folders: string[];
  isOwn: boolean;
}

/** What came of an import: what it is, where that is Python; and where it ends. */
interface Outcome {
  entered?: Entered;
  end?: FailedImport | undefined;
}

/** Imports a module by its full name: the packages around it first. */
function enter(walk: Walk, name: string, by: string): Outcome {
  const parts = name.split(".");
  const isOwn = walk.isOwn(name);
  if (!isOwn) for (const other of new Set([parts[0]!, parts.slice(0, 2).join(".")])) walk.notes?.found.others.add(other);
  if (!isOwn && isStandard(parts[0]!)) return {};
  let outcome: Outcome = {};
  for (const [index, part] of parts.entries()) {
    const module = parts.slice(0, index + 1).join(".");
    const folders: string[] = outcome.entered?.folders ?? (isOwn ? walk.path : walk.environment.path);
    outcome = enterPart(walk, { folders, part, module, by, isOwn }, outcome.entered);
    if (outcome.end || !outcome.entered) return outcome;
  }
  return outcome;
}

interface Part {
  folders: string[];
  part: string;
  /** Its full name. */
  module: string;
  by: string;
  isOwn: boolean;
}

function enterPart(walk: Walk, { folders, part, module, by, isOwn }: Part, around: Entered | undefined): Outcome {
  const found = moduleIn(walk, folders, part);
  if (found?.kind === "absent") return isMissed(walk, isOwn, around) ? { end: { by, module, raises: "ModuleNotFoundError" } } : {};
  if (found?.kind === "binary") {
    noteBinary(walk, module, found.file, isOwn);
    return { end: refusalOfNumpy(walk, found.file) };
  }
  if (found?.kind === "other" && found.folders !== undefined) return { entered: { folders: found.folders, isOwn } };
  if (found?.kind !== "source") return {};
  return { entered: { file: found.file, isOwn, folders: foldersOf(found) }, end: runModule(walk, module, found, isOwn) };
}

/** Whether a part that is not there cannot come from elsewhere: of a package itself only where that is one folder, and nothing changes it. */
function isMissed(walk: Walk, isOwn: boolean, around: Entered | undefined): boolean {
  if (around?.file === undefined) return !isOwn;
  return !isChanged(walk, around.file);
}

function noteBinary({ notes, binaries }: Walk, module: string, file: string, isOwn: boolean): void {
  if (isOwn && notes) notes.found.reached.add(module);
  else binaries.add(file);
}

/** Runs the file of a module: one of the package, or of another one. */
function runModule(walk: Walk, module: string, found: Extract<FoundModule, { file: string }>, isOwn: boolean): FailedImport | undefined {
  if (isOwn && walk.notes) runOwn(walk, walk.notes, module, found);
  else return runOther(walk, module, found);
  return undefined;
}

/** Goes through a file of the package, in the order of its statements; once. */
function runOwn(walk: Walk, { found, running }: Notes, module: string, { file, folder }: { file: string; folder?: string }): void {
  const { reached } = found;
  if (reached.has(module)) return;
  if (mostFiles <= reached.size) {
    found.isUnsure = true;
    return;
  }
  reached.add(module);
  const { fact, imports } = readModule(walk, file);
  if (!fact) found.isUnsure = true;
  else noteFact(walk, found, fact, file);
  running.push(file);
  for (const end of endsIn(walk, { module, file, isPackage: folder !== undefined }, fact ?? { imports }))
    if (end) noteEnd(walk, found, end.files ? { ...end, files: [...running, ...end.files] } : end);
  running.pop();
}

function noteFact(walk: Walk, found: Imports, { meddles, adds, puts, opens = [], operators = [] }: ModuleFact, file: string): void {
  if (meddles) found.mayChange = true;
  if (adds) found.mayFindMore = true;
  if (puts) found.mayFindOthers = true;
  for (const text of opens) {
    found.opens.add(text);
    const library = libraryBeside(walk, file, text);
    if (library !== undefined) found.unnamed.add(library);
  }
  for (const operator of operators.slice(0, 1)) found.operators.set(file, operator);
}

/** What was run before may have changed it; but where modules come from has no part in which release is installed. */
function noteEnd(walk: Walk, found: Imports, end: FailedImport): void {
  const { isUnsure, mayFindMore, mayFindOthers, mayChange, hooks = [], start } = found;
  const isFixed = end.refused !== undefined || isAsked(walk, end);
  const hook = hooks.find((file) => mayBring(walk, file, end));
  const isFound = mayFindOthers === true || (mayFindMore === true && end.name === undefined);
  if (end.unless) found.doubted ??= end;
  else if (isFixed || (!isUnsure && !isFound && !mayChange && hook === undefined)) found.failure ??= end;
  else if (hook !== undefined) found.doubted ??= { ...end, unless: { hook } };
  else found.doubted ??= { ...end, unless: mayChange ? { changes: start } : { adds: start } };
}

/**
 * Whether a .pth file may have to do with a module. One that imports what lies beside it by its own name (NVIDIA's redirectors) has nothing to do with
 * what that does not name.
 */
function mayBring(walk: Walk, file: string, { module }: FailedImport): boolean {
  const stem = nameOf(file).replace(/\.pth$/, "");
  const lines = (textAt(walk.view, file) ?? "").split(/\r?\n/).filter((line) => /^\s*[^#\s]/.test(line));
  const found = lines.length === 1 && lines[0]!.trim() === `import ${stem}` ? moduleIn(walk, [folderOf(file)], stem) : undefined;
  if (found?.kind !== "source") return true;
  const [top = ""] = module.split(".");
  const { fact } = readModule(walk, found.file);
  if (!fact) return true;
  if (fact.words?.[top] === undefined) needWord(walk, found.file, top);
  return fact.words?.[top] !== false;
}

/** A file beside a module that it names where it opens libraries: one that is none by its name, but by its first bytes. */
function libraryBeside({ view, gone }: Walk, by: string, text: string): string | undefined {
  if (!/\w\.[A-Za-z]\w{0,9}$/.test(text) || text.startsWith("/") || otherwise.test(text)) return undefined;
  const path = absolute(text, folderOf(by));
  const at = view.lookup(path);
  if ("ask" in at) gone.lacking += 1;
  if (!("found" in at) || at.entry.kind !== "file") return undefined;
  const fact = view.object(at.found, at.entry);
  if (fact === undefined && at.entry.unreadable === undefined) gone.lacking += 1;
  return isElf(fact) ? path : undefined;
}

/** Libraries by their names are known without this; the others are texts, and code of other systems. */
const otherwise = /\.(?:so|py\w?|dll|dylib|exe|lib|a|json|txt|md|toml|ya?ml|cfg|ini|h|c|cc|cpp|cu|cuh|cubin|ptx|proto|csv)$/;

/** Modules that no package brings for itself. */
const wellKnown = new Set(["numpy", "pip", "pkg_resources", "setuptools", ...frameworkNames.flatMap(({ modules }) => modules)]);

/** Whatever changes the path, it brings nothing that is asked for as a package, or that everybody knows. */
function isAsked({ lacked }: Walk, { module, name, within }: FailedImport): boolean {
  if (name !== undefined || within !== undefined) return false;
  return wellKnown.has(module) || lacked.some((each) => each === module || each.startsWith(`${module}_`) || each.endsWith(`_${module}`));
}

/** The same of a package of others: where its import ends, whoever asks for it; and what compiled modules it opens on the way. */
function runOther(walk: Walk, module: string, found: { file: string; folder?: string }): FailedImport | undefined {
  const end = endOfOther(walk, module, found);
  for (const file of walk.gone.binaries.get(module) ?? []) walk.binaries.add(file);
  return end;
}

const isTakenForSound = ({ sound }: GoneThrough, top: string): boolean => !sound || sound === "unknown" || sound.has(top);

function endOfOther(walk: Walk, module: string, { file, folder }: { file: string; folder?: string }): FailedImport | undefined {
  const { gone } = walk;
  const [top = ""] = module.split(".");
  // What a package asks for is there: it imports. A part of it may be for few, and need more: torch.utils.cpp_extension.
  const isSound = isTakenForSound(gone, top);
  if (isSound && (module === top || walk.isOneFile)) return undefined;
  if (gone.ends.has(module)) {
    if (!gone.whole.has(module) && !gone.running.has(module)) gone.lacking += 1;
    return gone.ends.get(module);
  }
  if (mostOthers <= gone.ends.size) {
    if (walk.notes) walk.notes.found.isUnsure = true;
    return undefined;
  }
  const before = gone.lacking;
  // One that is being imported is there for those that import it in a circle.
  gone.ends.set(module, undefined);
  gone.running.add(module);
  const { fact } = readModule(walk, file);
  noteChange(gone, top, fact);
  const other = walkThrough(walk, top, isSound && !gone.judged?.has(top) && !isForFramework(module));
  const end = fact && firstEnd(other, { module, file, isPackage: folder !== undefined }, fact);
  const told = end && toldBy(gone.changed.get(top), toldOf(end, top, file), top);
  gone.ends.set(module, told);
  gone.binaries.set(module, other.binaries);
  gone.running.delete(module);
  if (gone.lacking === before) gone.whole.add(module);
  return told;
}

function noteChange({ changed }: GoneThrough, top: string, fact: ModuleFact | undefined): void {
  if (fact?.meddles) changed.set(top, "meddles");
  else if (fact?.adds && !changed.has(top)) changed.set(top, "adds");
}

/** Who changes what can be imported may find by then what is nowhere now. */
function toldBy(changed: "adds" | "meddles" | undefined, end: FailedImport, top: string): FailedImport {
  if (changed === undefined) return end;
  return { ...end, unless: end.unless ?? (changed === "adds" ? { adds: top } : { changes: top }) };
}

const toldOf = (end: FailedImport, top: string, file: string): FailedImport => ({
  ...end,
  within: end.within ?? top,
  files: [file, ...(end.files ?? [])],
});

/** A part that is for a framework needs that, which its package need not ask for: `tensorflow_probability.substrates.jax`. */
const isForFramework = (module: string): boolean => {
  const [top = "", ...parts] = module.split(".");
  return parts.some((part) => frameworkModules.has(part)) && !frameworkModules.has(top);
};

const frameworkModules = new Set(frameworkNames.flatMap(({ modules }) => modules));

function walkThrough({ view, environment, gone }: Walk, top: string, isOneFile: boolean): Walk {
  return {
    view,
    environment,
    gone,
    isOwn: (name) => `${name}.`.startsWith(`${top}.`),
    path: environment.path,
    lacked: [],
    called: new Set(),
    binaries: new Set(),
    ...(isOneFile ? { isOneFile } : {}),
  };
}

/** The first that comes in any case; or, where there is none, that may come. */
function firstEnd(walk: Walk, at: At, fact: ModuleFact): FailedImport | undefined {
  let doubted: FailedImport | undefined;
  for (const end of endsIn(walk, at, fact)) {
    if (end && !end.unless) return end;
    doubted ??= end;
  }
  return doubted;
}

/** The module that is run, or whose function is. */
interface At {
  module: string;
  file: string;
  isPackage: boolean;
}

type Ran = Pick<
  ModuleFact,
  "perhaps" | "imports" | "calls" | "guarded" | "folder" | "uses" | "protobuf" | "refuses" | "requires" | "signatures"
>;

/** Where each statement of a file ends that is run in any case: its imports and calls, then what it takes of them. */
function* endsIn(walk: Walk, at: At, fact: Ran): Generator<FailedImport | undefined> {
  const tried = triedIn(fact);
  yield* endsOfRun(walk, at, inAnyCase(fact, tried));
  for (const block of fact.guarded ?? []) yield* endsOfBlock(walk, at, block, tried);
  if (fact.folder) yield allOfFolder(walk, at);
  if (fact.protobuf !== undefined) yield olderProtobuf(walk, fact.protobuf, at.file);
  if (fact.requires) yield refusalOfOwn(walk, fact.requires, at);
  // Since Python 3.14 nobody looks at them before they are asked for.
  const signatures = isWithin(walk.environment.version, "<3.14") === true ? (fact.signatures ?? []) : [];
  for (const use of [...(fact.uses ?? []), ...signatures]) yield useOf(walk, use, at.file);
}

function refusalOfOwn(
  { view, environment }: Walk,
  requires: string[],
  { module, file }: At,
  withExtras?: boolean,
): FailedImport | undefined {
  const [top = ""] = module.split(".");
  const asker = environment.packages.find((each) => modulesOf(view, each).includes(top));
  const refused = asker && refusedOfOwn(view, environment, asker, requires, withExtras);
  return refused && failedAt(file, refused);
}

/**
 * What was compiled with the headers of NumPy 1 asks for its functions by the old name alone. What Cython made of such measures NumPy's types when
 * it is imported, and ends there; others may go on without arrays (onnxruntime 1.16.3 does).
 */
function refusalOfNumpy({ view, environment, gone }: Walk, file: string): FailedImport | undefined {
  const numpy = environment.packages.find(({ name }) => name === "numpy")?.version;
  if (numpy === undefined || isWithin(numpy, ">=2.0.0rc1") !== true) return undefined;
  const at = view.lookup(file);
  if ("ask" in at) gone.lacking += 1;
  if (!("found" in at) || at.entry.kind !== "file" || at.entry.unreadable !== undefined) return undefined;
  const { words = {} } = at.entry.module ?? {};
  const unread = [numpyOne, numpyTwo, byCython].filter((word) => words[word] === undefined);
  if (0 < unread.length) {
    gone.lacking += 1;
    view.need(at.found, "module", unread);
  }
  if (words[numpyOne] !== true || words[numpyTwo] !== false || words[byCython] !== true) return undefined;
  const said = "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject";
  return { by: file, module: "numpy", said, raises: "ValueError", refused: { name: "numpy", version: numpy, wanted: "<2" } };
}

/** numpy/__multiarray_api.h, import_array: by which names it looks for what it needs. */
const numpyOne = "numpy.core._multiarray_umath";
const numpyTwo = "numpy._core._multiarray_umath";
/** Cython/Utility/ImportExport.c, __Pyx_ImportType. */
const byCython = "may indicate binary incompatibility";

const failedAt = (by: string, { name, version, said, raises }: Refused): FailedImport => ({
  by,
  module: name,
  said,
  refused: { name, version },
  ...(raises === undefined ? {} : { raises }),
});

/** What protobuf's compiler made refuses an older runtime: google/protobuf/runtime_version.py, since 5.26. */
function olderProtobuf({ view, environment }: Walk, made: string, by: string): FailedImport | undefined {
  const runtime = environment.packages.find(({ name }) => name === "protobuf")?.version;
  const isOff = view.snapshot.environment["TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK"]?.toLowerCase() === "true";
  if (runtime === undefined || isOff || isWithin(runtime, `>=${made}`) !== false) return undefined;
  const said = `Detected incompatible Protobuf Gencode/Runtime versions: gencode ${made} runtime ${runtime}`;
  return { by, module: "google.protobuf", name: made, said, raises: "Exception" };
}

/** `jax.core.Primitive`: the module as far as there is one, and a name that it should have. */
function useOf(walk: Walk, use: string, by: string): FailedImport | undefined {
  const parts = use.split(".");
  if (parts[0] === "numpy" && parts.length === 2) return removedFromNumpy(walk, parts[1]!, by);
  // Types of tensors come from torch's compiled code: torch/csrc/tensor/python_tensor.cpp.
  const isCompiled = parts[0] === "torch" && use.endsWith("Tensor");
  if (isCompiled || walk.isOwn(parts[0]!) || isStandard(parts[0]!)) return undefined;
  let folders: string[] = walk.environment.path;
  let around: { module: string; file: string } | undefined;
  for (const [index, part] of parts.entries()) {
    const found = moduleIn(walk, folders, part);
    if (found?.kind === "source" && around && !isPartOf(walk, around, part)) return undefined;
    if (found?.kind === "source") {
      around = { module: parts.slice(0, index + 1).join("."), file: found.file };
      folders = foldersOf(found);
      continue;
    }
    const isAbsent = around && (found?.kind === "absent" || folders.length === 0) && !/^__\w+__$/.test(part);
    if (!isAbsent || binds(walk, around!.file, part) !== false) return undefined;
    return withoutAttribute(walk, around!, part, by);
  }
  return undefined;
}

function withoutAttribute(walk: Walk, { module, file }: { module: string; file: string }, name: string, by: string): FailedImport {
  const said = readModule(walk, file).fact?.removed?.[name];
  return { by, module, name, file, isAttribute: true, raises: "AttributeError", ...(said === undefined ? {} : { said }) };
}

/** `np.float_`: NumPy has its names by asking for them, and says itself which are gone. */
function removedFromNumpy({ environment }: Walk, name: string, by: string): FailedImport | undefined {
  const numpy = environment.packages.find((each) => each.name === "numpy")?.version;
  const first = numpyWithout(name);
  if (numpy === undefined || first === undefined || isWithin(numpy, `>=${first}`) !== true) return undefined;
  // They came back as types of its own.
  if (["bool", "long"].includes(name) && isWithin(numpy, ">=2.0.0rc1") !== false) return undefined;
  return {
    by,
    module: "numpy",
    name,
    isAttribute: true,
    raises: "AttributeError",
    refused: { name: "numpy", version: numpy, wanted: `<${first}` },
  };
}

/** Imports that are tried anywhere: where one was tried before, something may have been put in its place. */
const triedIn = ({ guarded = [] }: Ran) => new Set(guarded.filter(({ caught }) => 0 < caught.length).flatMap(({ imports }) => imports));

/** Imports at the margin of a file, and what comes between them. */
function inAnyCase({ imports, calls = [], refuses = [], perhaps = [] }: RunFact, tried: Set<string>): RunFact {
  const left = (statements: string[]) => statements.filter((statement) => !tried.has(statement));
  return {
    imports: left(imports),
    calls: calls.map(({ to, after }) => ({ to, after: left(imports.slice(0, after)).length })),
    refuses: refuses.map((each) => ({ ...each, after: left(imports.slice(0, each.after)).length })),
    perhaps,
  };
}

/** Where what stands in a block ends that nothing keeps from being run: all that catches nothing, and otherwise what goes past its clauses. */
function* endsOfBlock(walk: Walk, at: At, block: GuardedFact, tried: Set<string>): Generator<FailedImport | undefined> {
  const { with: needed, caught, turned = [] } = block;
  if (0 < caught.length) {
    const end = needed.length === 0 ? endOfTried(walk, at, block) : undefined;
    if (end && !isCaught(end.raises, caught)) yield turnedBy(end, turned);
    return;
  }
  if (0 < needed.length) yield* endsWhereThere(walk, at, block, tried);
  else for (const end of endsOfRun(walk, at, inAnyCase(block, tried))) yield end && turnedBy(end, turned);
}

/** The same where others are there, and these are. What comes of a block that may not be run is none of what is imported in any case. */
function* endsWhereThere(walk: Walk, at: At, block: GuardedFact, tried: Set<string>): Generator<FailedImport | undefined> {
  const { with: needed, supposed, turned = [] } = block;
  if (!needed.every((name) => isThere(walk, name))) return;
  for (const end of endsAside(walk, at, inAnyCase(block, tried)))
    if (end) yield turnedBy({ ...end, ...(supposed ? { unless: end.unless ?? { asked: needed } } : {}) }, turned);
}

function isThere(walk: Walk, name: string): boolean {
  const found = moduleIn(walk, walk.environment.path, moduleNamed(name));
  return found !== undefined && found.kind !== "absent";
}

/** Where what is run ends, without a note of what it comes to. */
function* endsAside(walk: Walk, at: At, run: RunFact): Generator<FailedImport | undefined> {
  const { notes: _, ...aside } = walk;
  for (const end of endsOfRun({ ...aside, called: new Set(walk.called), binaries: new Set() }, at, run)) {
    const { within, ...own } = end ?? {};
    yield end && within !== undefined && walk.isOwn(within) ? (own as FailedImport) : end;
  }
}

/** What a clause catches and goes on as another error: nobody knows as which. */
function turnedBy(end: FailedImport, turned: string[]): FailedImport {
  const { raises: _, ...other } = end;
  return isCaught(end.raises, turned) ? other : end;
}

/**
 * Where the first import in a `try` ends. What it comes to on the way is none of what is imported in any case; and what another package does before it
 * may have ended the `try` in a way that its text does not tell.
 */
function endOfTried(walk: Walk, at: At, { behind, imports, refuses = [] }: GuardedFact): FailedImport | undefined {
  const isPython = (name: string) => name !== "." && isStandard(name);
  const first = imports.findIndex((statement) => !isPython(firstPart(statement)));
  const statement = first < 0 ? undefined : imports[first]!;
  const [top = ""] = statement === undefined ? [] : fullName(at.module, at.isPackage, statement.split(":")[0]!).split(".");
  if (!behind?.every((name) => isPython(name) || name === (statement === undefined ? "" : firstPart(statement)))) return undefined;
  const isFollowed = statement !== undefined && (walk.isOwn(top) || !isTakenForSound(walk.gone, top));
  const run = { imports: isFollowed ? [statement] : [], refuses: refusedUpTo(refuses, first) };
  for (const end of endsAside(walk, at, run)) if (end) return end;
  return undefined;
}

/** What is refused before an import is come to, or without any. */
const refusedUpTo = (refuses: NonNullable<RunFact["refuses"]>, first: number) =>
  refuses.filter(({ after }) => first < 0 || after <= first).map((each) => ({ ...each, after: 0 }));

const firstPart = (statement: string) => (statement.startsWith(".") ? "." : statement.split(/[.:]/)[0]!);

/** Where one of the modules ends that lie in the folder of a package. */
function allOfFolder(walk: Walk, at: At): FailedImport | undefined {
  const names = at.isPackage ? namesIn(walk.view, folderOf(at.file)) : [];
  if (!names) walk.gone.lacking += 1;
  const modules = (names ?? []).flatMap((name) => /^([A-Za-z]\w*)\.py$/.exec(name)?.[1] ?? []).toSorted();
  return modules.length === 0 ? undefined : runStatement(walk, at, `.:${modules.join()}`);
}

/** Where each import ends, and each call of a function between them. */
function* endsOfRun(walk: Walk, at: At, { imports, calls = [], refuses = [], perhaps = [] }: RunFact): Generator<FailedImport | undefined> {
  for (let index = 0; index <= imports.length; index++) {
    for (const each of refuses) {
      const refused = each.after === index ? refusedBy(walk.view, walk.environment, each) : undefined;
      if (refused) yield failedAt(at.file, refused);
    }
    for (const { to, after } of calls) if (after === index) yield* endsOfCall(walk, at, to);
    if (index < imports.length) yield runStatement(walk, at, imports[index]!);
  }
  for (const each of perhaps) yield* endsPerhaps(walk, at, each);
}

/** Where what stands behind conditions ends: for certain where releases alone decide, and they do; else where it turns there, if it does. */
function* endsPerhaps(walk: Walk, at: At, perhaps: PerhapsFact): Generator<FailedImport | undefined> {
  const { when, guessed, uses = [], requires = [] } = perhaps;
  if (when && !isSo(walk.view, walk.environment, when)) return;
  const isSure = when !== undefined && !guessed;
  const { notes: _, ...apart } = walk;
  const aside = () => ({ ...apart, called: new Set(walk.called), binaries: new Set<string>() });
  const ends = [
    ...requires.map((name) => refusalOfOwn(walk, [name], at, true)),
    ...uses.map((use) => useOf(walk, use, at.file)),
    ...endsOfStatements(aside, at, perhaps, isSure),
    ...endsOfCalls(aside, at, perhaps),
  ];
  for (const end of ends) yield end && !isSure ? { ...end, unless: end.unless ?? { turns: at.file } } : end;
}

function endsOfStatements(aside: () => Walk, at: At, { imports = [], asks = [] }: PerhapsFact, isSure: boolean): FailedImport[] {
  return [...asks, ...imports].flatMap((statement) => {
    const walk = aside();
    const end = runStatement(walk, at, statement);
    if (!end || end.by !== at.file || walk.isOwn(end.module)) return [];
    if (asks.includes(statement)) return [turnedBy(end, ["*"])];
    // What is nowhere is often not meant for here (`if is_fbcode(): from triton.fb import …`): of a module that is there, a name should be.
    return isSure || end.name !== undefined ? [end] : [];
  });
}

/** A module that is nowhere is what many a function is there to load. */
const endsOfCalls = (aside: () => Walk, at: At, { calls = [] }: PerhapsFact): FailedImport[] =>
  calls.flatMap((to) => {
    const walk = aside();
    return [...endsOfCall(walk, at, to)].filter(
      (end) => end !== undefined && (end.name !== undefined || end.refused || end.raises === undefined) && !walk.isOwn(end.module),
    ) as FailedImport[];
  });

/** What a function of another file of the package runs when it is called: `.a:f`. */
function* endsOfCall(walk: Walk, { module, isPackage }: At, to: string): Generator<FailedImport | undefined> {
  const [written = "", name = ""] = to.split(":");
  const from = fullName(module, isPackage, written);
  const key = `${from}:${name}`;
  const isOfPackage = from.split(".")[0] === module.split(".")[0];
  const at = isOfPackage && !walk.called.has(key) ? sourceOf(walk, from) : undefined;
  if (!at) return;
  walk.called.add(key);
  const { fact } = readModule(walk, at.file);
  if (!fact) return;
  if (fact.words?.[name] === undefined) needWord(walk, at.file, name);
  const run = fact.functions?.[name];
  if (run) yield* endsOfRun(walk, at, run);
  // It has it from elsewhere.
  const handed = run ? undefined : fact.imports.find((statement) => statement.split(":")[1]?.split(",").includes(name));
  if (handed !== undefined) yield* endsOfCall(walk, at, `${handed.split(":")[0]}:${name}`);
}

/** The file of a module of the package. */
function sourceOf(walk: Walk, name: string): At | undefined {
  let folders = walk.path;
  let found: FoundModule | undefined;
  for (const part of name.split(".")) {
    found = moduleIn(walk, folders, part);
    folders = found ? foldersOf(found) : [];
  }
  return found?.kind === "source" ? { module: name, file: found.file, isPackage: found.folder !== undefined } : undefined;
}

function runStatement(walk: Walk, { module, file, isPackage }: At, statement: string): FailedImport | undefined {
  const [written = "", listed = ""] = statement.split(":");
  const from = fullName(module, isPackage, written);
  const { entered, end } = enter(walk, from, file);
  if (end || !entered) return end;
  for (const name of listed.split(",").filter((each) => /^\w+$/.test(each))) {
    const ended = take(walk, { from, entered, name, by: file });
    if (ended) return ended;
  }
  return undefined;
}

/** The full name of what a module imports by dots. */
export function fullName(module: string, isPackage: boolean, written: string): string {
  const dots = /^\.*/.exec(written)![0].length;
  if (dots === 0) return written;
  const parts = module.split(".");
  return [...parts.slice(0, parts.length - dots + (isPackage ? 1 : 0)), ...written.slice(dots).split(".")]
    .filter((part) => part !== "")
    .join(".");
}

interface Taken {
  from: string;
  entered: Entered;
  name: string;
  by: string;
}

/** `from module import name`: a module in the folder of the first, or a name that it binds. */
function take(walk: Walk, { from, entered, name, by }: Taken): FailedImport | undefined {
  const { file, folders, isOwn } = entered;
  if (file === undefined && !isOwn) walk.notes?.found.others.add(`${from}.${name}`);
  const part = moduleIn(walk, folders, name);
  if (part?.kind === "binary") {
    noteBinary(walk, `${from}.${name}`, part.file, isOwn);
    return refusalOfNumpy(walk, part.file);
  }
  // What the package binds by that name goes before a part of it that nobody has imported yet.
  const isRun = part?.kind === "source" && (isOwn || (file !== undefined && binds(walk, file, name) === false));
  const end = isRun ? runModule(walk, `${from}.${name}`, part, isOwn) : undefined;
  const isPart = 0 < folders.length && part?.kind !== "absent";
  if (end || isOwn || isPart || /^__\w+__$/.test(name)) return end;
  // Of a namespace nothing binds a name but its parts.
  return file === undefined ? { by, module: from, name, raises: "ImportError" } : takeBound(walk, { from, file, name, by });
}

function takeBound(
  walk: Walk,
  { from, file, name, by }: { from: string; file: string; name: string; by: string },
): FailedImport | undefined {
  const isBound = binds(walk, file, name);
  if (isBound === undefined) return lateEnd(walk, { from, file, name });
  return isBound ? undefined : { by, module: from, name, file, raises: "ImportError" };
}

/**
 * A name that a module gets when it is asked for, from a module of its own that it names for type checkers: where that ends for want of what its
 * package asks for in any case. What else it may lack is asked about before, and something stands in for it.
 */
function lateEnd(walk: Walk, { from, file, name }: { from: string; file: string; name: string }): FailedImport | undefined {
  const { view, environment } = walk;
  const { fact } = readModule(walk, file);
  const [top = ""] = from.split(".");
  if (!fact?.open || isTakenForSound(walk.gone, top)) return undefined;
  if (fact.words?.[name] === undefined) needWord(walk, file, name);
  const bound = fact.bound?.[name];
  if (bound === undefined || bound === from) return undefined;
  const owner = environment.packages.find((each) => modulesOf(view, each).includes(top));
  const lacked = owner ? lackedNames(view, environment, owner).map((each) => each.replaceAll("-", "_")) : [];
  const end = runStatement(walk, { module: from, file, isPackage: true }, bound);
  if (!end || end.name !== undefined || !lacked.includes(end.module.split(".")[0]!)) return undefined;
  // What gets it may say so in an error of its own.
  const { raises: _, ...told } = end;
  return told;
}

/** Whether a name of a package is the module in its folder, and not what it has from elsewhere: `tensorflow.distribute` is none of TensorFlow's folder. */
function isPartOf(walk: Walk, { module, file }: { module: string; file: string }, part: string): boolean {
  const { fact } = readModule(walk, file);
  if (!fact) return false;
  const isTaken = (statement: string) => {
    const [written = "", listed = ""] = statement.split(":");
    const from = fullName(module, true, written);
    return listed === "" ? from === `${module}.${part}` : from === module && listed.split(",").includes(part);
  };
  return fact.imports.some(isTaken) || binds(walk, file, part) === false;
}

/** Whether the text of a module has a name; undefined where that is not known, or the text does not tell. */
function binds(walk: Walk, file: string, name: string, seen: string[] = []): boolean | undefined {
  const { fact } = readModule(walk, file);
  if (fact?.removed && Object.hasOwn(fact.removed, name)) return false;
  const isOpen = (fact?.open && !fact.stars) || fact?.meddles;
  if (!fact || (isOpen && !fact.lists)) return undefined;
  const isThere = fact.words?.[name];
  // Where a name is got later, something may stand in for it.
  if (fact.lists && isThere) return undefined;
  if (isThere === undefined) needWord(walk, file, name);
  if (isThere === false && isFilledByPart(walk, file, fact)) return undefined;
  return isThere !== false || !fact.stars ? isThere : broughtByStars(walk, file, fact, name, [...seen, file]);
}

function broughtByStars(walk: Walk, file: string, fact: ModuleFact, name: string, seen: string[]): boolean | undefined {
  const brought = new Set(starsOf(fact).map((from) => bringsByStar(walk, file, from, name, seen)));
  return brought.has(true) ? true : brought.has(undefined) ? undefined : false;
}

/** Whether a package has nothing of its own but the import of one part, which changes what modules there are: tlz is filled so. */
function isFilledByPart(walk: Walk, file: string, { imports }: ModuleFact): boolean {
  const [, part] = (imports.length === 1 ? /^\.:(\w+)$/.exec(imports[0]!) : undefined) ?? [];
  const found = part === undefined || !file.endsWith("/__init__.py") ? undefined : moduleIn(walk, [folderOf(file)], part);
  if (found?.kind !== "source") return false;
  const { fact } = readModule(walk, found.file);
  return fact === undefined || fact.meddles === true;
}

const starsOf = ({ imports }: ModuleFact) => imports.flatMap((statement) => /^(.+):\*$/.exec(statement)?.[1] ?? []);

/** Whether `from a.b import *` brings a name: one of that text, of its own stars, or a part that lies there. */
function bringsByStar(walk: Walk, file: string, from: string, name: string, seen: string[]): boolean | undefined {
  const dots = /^\.*/.exec(from)![0].length;
  let folders: string[] = dots === 0 ? walk.environment.path : [Array.from({ length: dots }).reduce<string>(folderOf, file)];
  let found: FoundModule | undefined;
  for (const part of from
    .slice(dots)
    .split(".")
    .filter((each) => each !== "")) {
    found = moduleIn(walk, folders, part);
    folders = found ? foldersOf(found) : [];
  }
  if (found?.kind !== "source" || 8 < seen.length) return undefined;
  if (seen.includes(found.file)) return false;
  const isPart = 0 < folders.length && moduleIn(walk, folders, name)?.kind !== "absent";
  return isPart ? undefined : binds(walk, found.file, name, seen);
}

function needWord({ gone, view }: Walk, file: string, name: string): void {
  gone.lacking += 1;
  view.need(file, "module", [name]);
}

/** Whether the package at a file may have parts that do not lie in its folder. */
function isChanged(walk: Walk, file: string): boolean {
  const { fact } = readModule(walk, file);
  return !fact || fact.meddles === true || fact.adds === true || isFilledByPart(walk, file, fact);
}

function readModule({ view, gone }: Walk, file: string): { fact?: ModuleFact; imports: string[] } {
  const at = view.lookup(file);
  if ("ask" in at) gone.lacking += 1;
  if (!("found" in at) || at.entry.kind !== "file") return { imports: [] };
  const { module, imports = [], unreadable } = at.entry;
  if (module === undefined && unreadable === undefined) {
    gone.lacking += 1;
    view.need(at.found, "module");
  }
  return module ? { fact: module, imports } : { imports };
}

/** Dozens of files import the same few modules. */
function moduleIn({ view, environment, gone }: Walk, folders: string[], name: string): FoundModule | undefined {
  if (folders.length === 0) return undefined;
  const key = `${folders.join(":")} ${name}`;
  const known = gone.found.get(key);
  if (known) return known;
  const found = findModule(view, environment, folders, name);
  if (found) gone.found.set(key, found);
  else gone.lacking += 1;
  return found;
}
