import type { UnknownThing } from "./unknown.ts";

/** Which rule of the loader answered a request. */
export type Via = "rpath" | "ld-library-path" | "runpath" | "cache" | "default" | "path" | "already-loaded" | "preload";

export type Certainty = "certain" | "possible";

/** One answer of the loader. */
export interface Load {
  /** As it was asked for first. */
  name: string;
  /** The known GPU library this is a copy of, and its version where the file tells. */
  library?: string;
  version?: string;
  /** After all links: what /proc/PID/maps would show. */
  file: string;
  /** As the loader built it. */
  path: string;
  requestedBy: string;
  via: Via;
  /** Where the winning rule comes from: the object whose RPATH it is, for example. */
  from?: string;
  activity: string;
  certainty: Certainty;
  /** Mapped, and gone again because the dlopen that brought it failed. */
  unmapped: boolean;
  /** Paths tried before the answer, in order. */
  tried: string[];
}

/** One path of a search, the rule that led to it, and what was there. */
export interface SearchStep {
  rule: Via;
  /** The object whose RPATH or RUNPATH it is. */
  of?: string;
  path: string;
  result:
    | "taken"
    | "absent"
    | "error"
    | "unreadable"
    | "other-class"
    | "other-machine"
    | "newer-kernel"
    | "not-trusted"
    | "fatal"
    | "no-entry";
}

/** A request that found an object already there. */
export interface Reuse {
  name: string;
  file: string;
  requestedBy: string;
  /** Whether the name, the DT_SONAME or the file itself was recognised. */
  by: "name" | "soname" | "file";
  tried: string[];
}

export type FailureReason =
  | "not-found"
  | "wrong-elf-class"
  | "file-too-short"
  | "invalid-elf-header"
  | "is-a-folder"
  | "cannot-read"
  | "invalid-elf-file"
  | "truncated"
  | "cannot-load-executable"
  | "version-not-found"
  | "undefined-symbol"
  | "executable-stack"
  | "empty-token"
  | "no-interpreter"
  | "not-a-program"
  // Python's own: a module that is not there, one that has no such name, and one that raises an error for a release of another package.
  | "no-module"
  | "no-name"
  | "refused";

export interface Failure {
  name: string;
  requestedBy: string;
  activity: string;
  reason: FailureReason;
  /** What the loader would say. */
  message: string;
  /** The file that is to blame, where there is one. */
  file?: string;
  /** The variable that chose what was asked for, in the place of what the program would have taken by itself. */
  steeredBy?: string;
  /** Not the loader but the program says no, or the driver would not answer. */
  refusal?: Refusal;
  /** What the loader had said before, where a framework only says that it cannot go on. */
  underlying?: Failure;
  /** It is the end of another program's import, to which this one comes by these files. */
  through?: { program: string; files: string[] };
  /** What the package that misses a module asks for, and that is not installed: requirements. */
  wanted?: string[];
  /** The package of others whose library it is linked with, and which releases of that its own package asks for. */
  linkedWith?: { name: string; version: string; asked?: string };
  /** Known from reports or from its source, and never watched. */
  supposed?: true;
  /** Names of libraries that it missed in the same step, besides. */
  others?: string[];
  /** Files of the environment's wheels that the step asks for and that nothing leads to: this one, and what it would miss next. */
  inWheels?: string[];
  tried: string[];
}

/** Why a program goes on without a GPU, or ends, although every file that it asked for may be there. */
export type Refusal =
  | { kind: "no-driver" | "stub-driver" | "older-driver-library" | "newer-driver-library" | "hidden-gpus" }
  /** A variable of its own tells it which devices to use, and no GPU of NVIDIA is the first among them; `refused`: or one that it cannot have. */
  | { kind: "told-otherwise"; variable: string; refused?: string }
  /** Another framework took a profile in this process before, and keeps CUPTI. */
  | { kind: "profiler-taken"; by: string }
  | { kind: "version"; library: string; required: string; found: string }
  | { kind: "part"; library: string; part: string }
  /** It was compiled for another release than the one that is there: `torch`, or the CUDA of torch. */
  | { kind: "built-for"; library: string; required: string; found: string }
  /** It takes this library from a toolkit only, whatever wheels there are. */
  | { kind: "toolkit"; library: string };

/** A library as it was when a program was built. */
export interface BuiltAgainst {
  version: string;
  evidence: string;
  /** The header that says so, where one does. */
  header?: string;
  /** What the linker was given; `replaced`: by now it has another name than the program asks for. */
  linked?: { file: string; version?: string; replaced?: true };
}

export interface ProgramBuild {
  folder: string;
  /** Of CMake: its source folder, the GPU architectures that it was told, and what keeps it from writing search paths. */
  cmake?: { source?: string; architectures?: string; skips?: string[] };
  /** What the linker took for the names that are asked for at run time, all libraries of it. */
  libraries: { [name: string]: string };
}

/** What a program would load: the state when the last activity ends, or when the first fatal failure stops it. */
export interface Loads {
  schema: "culprit/loads@1";
  program: {
    file: string;
    path: string;
    interpreter?: string;
    /** Of a Python that starts: the frameworks and packages that it imports. */
    imports?: string[];
    /** For a program of one's own: what it was built against, where that can still be seen. */
    builtAgainst?: { [library: string]: BuiltAgainst };
    /** The folder of its build. */
    build?: ProgramBuild;
  };
  loads: Load[];
  /** Requests that an object already loaded answered; left out where every file is its own process (`--each`). */
  reused?: Reuse[];
  /** Only what stops the program or the activity. */
  failures: Failure[];
  /** Misses that are tolerated: LD_PRELOAD, optional dlopens, name ladders. */
  missed: Failure[];
  unknown: UnknownThing[];
}
