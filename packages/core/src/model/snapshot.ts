import type { targetKinds } from "./target-kinds.ts";

/** The portable file: everything culprit knows about a target, as facts. Collected once, read by anything after it. */
export interface Snapshot {
  schema: "culprit/snapshot@1";
  /** The version of culprit that took it. */
  culprit: string;
  target: TargetDescription;
  /** True when names of people, hosts and home folders were replaced, consistently, before it was written. */
  redacted?: boolean;
  /** Variables that decide loading, as the program would see them. */
  environment: { [name: string]: string };
  /** The folder that relative paths start from. */
  cwd: string;
  /** Who would start programs there. */
  user: { uid: number; gid: number };
  cpu: CpuFact;
  /** The process itself, where the target is one. */
  running?: RunningFact;
  /** What to answer as if: a driver and GPUs in the place of those that are there. */
  assumed?: Assumed;
  /** The running kernel's release, for example `6.8.0-45-generic`. */
  kernel?: string;
  /** Facts by path. The folders of each path are real folders: links are followed by whoever reads this. */
  files: { [path: string]: FileFact };
  unknown: Unknown[];
}

export interface TargetDescription {
  /** `declaration`: a file that says what will be installed. */
  kind: keyof typeof targetKinds;
  /** The path, host or image that was asked for, where there is one. */
  name?: string;
  /** What an image says it is, by its tag, labels and variables: `app:1.2 (CUDA 12.4.1, cuDNN 9.1.0.70-1)`. */
  called?: string;
}

/** What a process is, and what it has mapped: the truth that everything else predicts. */
export interface RunningFact {
  pid: number;
  executable: string;
  /** The file by which it was started, where its command line begins with a path: the Python of a virtual environment is a link to another one. */
  started?: string;
  maps: MappedFile[];
}

export interface MappedFile {
  file: string;
  /** The file was removed or replaced since: what is mapped is not on the disk any more. */
  deleted?: true;
}

export interface Assumed {
  driver?: string;
  /** Names as a driver prints them, or architectures: `sm_75`. */
  gpus?: string[];
}

/** Something that could not be told, and why. */
export interface Unknown {
  subject: string;
  reason: string;
  /** The whole answer rests on it. */
  decides?: true;
}

/** What of a processor decides which file is loaded. */
export interface CpuFact {
  /** x86-64 level, 1 to 4; absent when it is not known. */
  level?: number;
  /** What some builds of glibc take it for, where they differ in which features they look at. */
  levelToSome?: number;
  /** `haswell` or `xeon_phi`, as glibc names what has their features (on Intel's processors only); absent when it is neither or not known. */
  platform?: "haswell" | "xeon_phi";
  /** All of AVX512 F, CD, BW, DQ and VL, and not ER: glibc's `avx512_1`. */
  avx512?: boolean;
  /** aarch64: the large system extensions, glibc's `atomics`. */
  atomics?: boolean;
  /** As CPUID spells it: `GenuineIntel`, `AuthenticAMD`, … */
  vendor?: string;
  /** Virtualization, which glibc 2.26 and 2.27 took for another feature. */
  vmx?: true;
}

export type FileFact = AbsentFact | FolderFact | LinkFact | RegularFileFact | SpecialFact | HiddenFact;

export interface AbsentFact {
  kind: "absent";
}
export interface FolderFact {
  kind: "folder";
  /** All names in it, sorted, where it was listed: what is not among them does not exist. Absent: whatever has no fact is unknown. */
  names?: string[];
  /** The error that listing it gave: what is in it can only be asked for by name. */
  unlistable?: string;
}
export interface LinkFact {
  kind: "link";
  to: string;
}
/** A device, socket or pipe. */
export interface SpecialFact {
  kind: "special";
}
/** The file system would not say what is there, for example `EACCES` or `EIO`. */
export interface HiddenFact {
  kind: "hidden";
  code: string;
}

export interface RegularFileFact {
  kind: "file";
  size: number;
  /** Two paths with one id are one object to the loader (hard links, bind mounts). Absent: the path itself is the identity. */
  id?: string;
  /** The user that it runs as, whoever starts it; present only with the set-user-ID bit. */
  setuid?: number;
  setgid?: number;
  /** The error that opening it gave; what is inside is not known. */
  unreadable?: string;
  object?: ObjectFact;
  /** Present when the file was read as a dynamic loader. */
  loader?: LoaderFact;
  cache?: CacheFact;
  text?: string;
  /** Of a Python file in older snapshots: what it imports whenever it is run, as it is written there. */
  imports?: string[];
  /** Present when the file was read as a Python module. */
  module?: ModuleFact;
}

/** What a Python file does whenever it is run, as far as its text says so. */
/** What a file of Python, or a function in it, runs in any case. */
export interface RunFact {
  /** Imports at its left margin, in order: `a.b`, and `a.b:c,d` for `from a.b import c, d`. */
  imports: string[];
  /** Functions of other files of its package that it calls, `.a:f` for f of `.a`, each with how many of the imports come before. */
  calls?: { to: string; after: number }[];
  /** Releases of other packages at which it ends in an error of its own: all that is compared must be so. */
  refuses?: { after: number; when: ComparedFact[]; said?: string; raises?: string }[];
  /** What functions that it calls, or blocks in it, come to behind conditions. */
  perhaps?: PerhapsFact[];
}

/** What is come to where releases of other packages are so, in one of several ways; or, without them, where something holds that nobody can tell. */
export interface PerhapsFact {
  when?: ComparedFact[][];
  /** That a release decides is told by the name of a variable alone. */
  guessed?: true;
  /** Names of modules of others that it takes, and what it imports; `asks`: in a `try` that goes on as another error. */
  uses?: string[];
  imports?: string[];
  asks?: string[];
  /** Packages of which it compares the release with what its own package asks for. */
  requires?: string[];
  /** Functions of other files of its package that it calls: `.a:f`. */
  calls?: string[];
}

/** A release of a package (by its module or its own name) beside another one. */
export interface ComparedFact {
  of: string;
  by: "<" | "<=" | ">" | ">=" | "==" | "!=";
  than: string;
  /** As texts, or so many of its numbers (0: all); as releases, if nothing is said. */
  as?: "text" | number;
  /** One of its numbers alone, by its place. */
  at?: number;
}

export interface GuardedFact extends RunFact {
  with: string[];
  supposed?: true;
  caught: string[];
  turned?: string[];
  behind?: string[];
}

export interface ModuleFact extends RunFact {
  /**
   * Imports in blocks, and what these call, that are run where other modules are there (`with`), what is caught around them (`*`: whatever comes), what of it goes on as
   * another error, and what is imported before in the `try`, where nothing else is done there. `supposed`: whether the other modules are there is asked of
   * a function, or was before, and may be asked with more.
   */
  guarded?: GuardedFact[];
  /** A package that imports all modules in its folder. */
  folder?: true;
  /** It may bind names that its text does not tell: by a star, by `__getattr__`. */
  open?: true;
  /** It may so by stars at its margin alone. */
  stars?: true;
  /** It may change where modules come from: sys.path, sys.modules. */
  meddles?: true;
  /** It may add folders to sys.path; `puts`: before others, which may hide them. */
  adds?: true;
  puts?: true;
  /** It gets names when they are asked for, and its text has all of them, for type checkers. */
  lists?: true;
  /** Names that it no longer has, and what it says when somebody asks for one. */
  removed?: { [name: string]: string };
  /** Texts that may name the libraries that it opens. */
  opens?: string[];
  /** What it takes of modules of others in any case, by full names: `jax.core.Primitive`. */
  uses?: string[];
  /** The release of protobuf that made it, and that it asks for at its import: `6.31.1`. */
  protobuf?: string;
  /** Packages of which it compares the release with what its own package asks for, in the way of transformers. */
  requires?: string[];
  /** What is named where functions and methods are defined, by full names; looked at whenever it is run, up to Python 3.13. */
  signatures?: string[];
  /** Parameters of operators that it defines, where their types are Python's own types of many: `stride: list[int]`. */
  operators?: string[];
  /** Words that were asked about, and whether its text has them; of a compiled module, its bytes. */
  words?: { [word: string]: boolean };
  /** Of those, from which module it has them, where an import in a block says so. */
  bound?: { [word: string]: string };
  /** Of those, the functions of its own, and what calling them runs. */
  functions?: { [word: string]: RunFact };
}

/** What reading a file as ELF said. */
export type ObjectFact = ElfFact | NotElfFact;

export interface NotElfFact {
  kind: "not-elf";
  /** How it begins, printable characters only; empty for an empty file. */
  starts: string;
}

export interface ElfFact {
  kind: "elf";
  class: 32 | 64;
  order: "little" | "big";
  /** e_machine: 62 is x86-64, 183 is aarch64. */
  machine: number;
  /** e_type: 2 is an executable at a fixed address, 3 a shared object or a position-independent executable. */
  type: number;
  /** Header fields that a loader refuses, present only when they are not the usual ones. */
  odd?: OddHeader;
  /** What keeps the file from being mapped or read to the end. */
  defect?: Defect;
  interpreter?: string;
  soname?: string;
  needed: string[];
  /** DT_AUXILIARY and DT_FILTER: asked for before this object; `at` counts the DT_NEEDED entries before it. */
  filters?: { kind: "auxiliary" | "filter"; name: string; at: number }[];
  rpath?: string;
  runpath?: string;
  flags?: ElfFlag[];
  /** No PT_GNU_STACK, or one that asks for an executable stack. */
  executableStack?: true;
  buildId?: string;
  /** The oldest kernel that the ABI note asks for. */
  kernel?: string;
  /** Versions required of other objects (DT_VERNEED), by the name they are required of. */
  requires?: { file: string; versions: { name: string; weak?: true }[] }[];
  /** Versions defined (DT_VERDEF), the base version included. */
  provides?: string[];
  /** Undefined symbols that need a known GPU library; of what is linked with a framework also those that any object in scope may have. */
  undefined?: UndefinedSymbol[];
  /** `undefined` was read as of what is linked with a framework: with a library of another package. */
  undefinedOfAny?: true;
  /** Defined symbols; only of copies of known GPU libraries. */
  exports?: string[];
  /** Stands for a driver's library that the host will provide: whatever is asked of it, it has. */
  definesAll?: true;
  /** Its table of symbols is blank, as in files of which only headers were kept: nobody can tell what it defines. */
  blankSymbols?: true;
  /** Answers to single questions about symbols, where `exports` is absent. */
  symbols?: { [name: string]: boolean };
  /** When undefined symbols are bound, by name; of those that were asked about because nothing defines them. */
  bindings?: { [name: string]: Binding };
  /** Constants that small version functions return, in the order of their stores. */
  constants?: { [name: string]: number[] };
  /** GPU architectures in its fat binaries, for example `sm_90`, `sm_90a`, `compute_90`. */
  architectures?: string[];
}

export type ElfFlag = "now" | "nodeflib" | "noopen" | "pie" | "relr" | "audit";

export interface OddHeader {
  dataEncoding?: number;
  identVersion?: number;
  osAbi?: number;
  abiVersion?: number;
  padding?: true;
  version?: number;
  entrySize?: number;
}

export interface Defect {
  kind:
    | "headers-beyond-end"
    | "segment-beyond-end"
    | "no-loadable-segment"
    | "misaligned-segment"
    | "no-dynamic-section"
    | "unreadable-table";
  /** The byte of the file where it shows. */
  at: number;
}

export interface UndefinedSymbol {
  name: string;
  /** The version and the object name it is required of, where the object uses symbol versions. */
  version?: string;
  file?: string;
  weak?: true;
}

/** The place among all relocations, and whether the loader waits for the first call unless binding is now. `never`: nothing refers to it. */
export type Binding = { at: number; lazy?: true } | "never";

/** What a dynamic loader (PT_INTERP file) says about its own rules. */
export interface LoaderFact {
  flavour: "glibc" | "musl";
  /** For example `2.36`; absent when the file does not say. */
  version?: string;
  /** System folders compiled in, each with a final slash (glibc). */
  folders: string[];
  /** glibc-hwcaps subfolders that it knows, best first. */
  hwcaps: string[];
  /** Whether it also searches the older subfolders: `tls` and the platform's name, and from 2.26 also `haswell` and `avx512_1`. */
  legacy?: "platform" | "haswell";
  /** The value of `$LIB`. */
  lib?: string;
  cache?: string;
  preload?: string;
}

export interface CacheFact {
  /** Why the loader ignores the whole file, if it does. */
  invalid?: string;
  generator?: string;
  /** In file order: the order decides. */
  entries: CacheEntry[];
}

export interface CacheEntry {
  name: string;
  path: string;
  flags: number;
  /** glibc-hwcaps subfolder it was found in, and the ISA level it asks for. */
  hwcaps?: { name: string; level: number };
  /** Older capability bits, hexadecimal. */
  legacy?: string;
  kernel?: number;
}
