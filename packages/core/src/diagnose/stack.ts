import type { SharedFile } from "../survey/owners.ts";
import type { Pointers } from "../survey/pointers.ts";
import type { Lacking, Requirement } from "../survey/requirements.ts";
import type { BuildsFor, Compiler, CompiledFor, Kernels } from "../frameworks/framework.ts";
import type { LostModule } from "../frameworks/standard-library.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { Inventory } from "../model/inventory.ts";
import type { Failure, Load, Loads } from "../model/loads.ts";
import type { TargetDescription } from "../model/snapshot.ts";

/** All that rules look at: what is there, and what each program would do with it. No rule reads a file. */
export interface Stack {
  target: TargetDescription;
  /** Variables as programs would see them. */
  variables: { [name: string]: string };
  /** Those that an image's own ENV sets. */
  imageVariables?: string[];
  inventory: Inventory;
  environments: PythonEnvironment[];
  /** Packages of one environment that claim the same file; the copy that is there can be of one of them only. */
  sharedFiles: SharedFile[];
  /** What packages of one environment ask of each other, met or not. */
  requirements: Requirement[];
  /** Wheels with GPU libraries that packages ask for, always or with an extra, and that are not there. */
  lacking: Lacking[];
  /** Where LD_LIBRARY_PATH, CUDA_HOME and PATH lead. */
  pointers: Pointers;
  runs: Run[];
  /** Files that a process has mapped and that are not on the disk any more. */
  replaced: { file: string; isThere: boolean }[];
  /** A GPU is asked about, and there is no driver for it: programs are judged as if one were there. */
  lacksDriver?: true;
  /** Programs were named: what is only a note otherwise is then an answer. */
  asked: boolean;
  /** Activities were named, and these: a profile that somebody is about to take deserves more words than one that nobody asked for. */
  askedActivities: string[];
}

/** One process, examined: frameworks in an environment in the order of their imports, or an executable. */
export interface Run {
  programs: Program[];
  /** Programs of others whose import those come to, and that end there. */
  reached?: Program[];
  environment?: PythonEnvironment;
  activities: string[];
  loads: Loads;
  stops: Stop[];
  /** Of an executable: the search paths in it and in what it loads, by file; what has none is left out. */
  searchPaths?: { [file: string]: SearchPaths };
  /** Of an executable: what it misses and what lies near it all the same, by the name that is asked for: `bin/prog` and `lib/libown.so`. */
  near?: { [name: string]: string };
  /** Not predicted: what a process has mapped now. */
  running?: true;
  /** Whether what these releases load was watched on a real machine; else a finding is likely at most. */
  watched: boolean;
  /** The same run without LD_LIBRARY_PATH and LD_PRELOAD, where those decide about a GPU library. */
  undisturbed?: { loads: Load[]; stops: Stop[] };
  /** Modules of Python's own library that cannot be imported; asked where LD_LIBRARY_PATH, LD_PRELOAD or /etc/ld.so.preload is set. */
  lost?: LostModule[];
}

/** As they stand in an object, tokens and all. */
export interface SearchPaths {
  rpath?: string;
  runpath?: string;
  /** Folders of it that are not there. */
  gone?: string[];
}

export interface Program {
  /** A framework's name, or the path of an executable. */
  id: string;
  package?: PythonPackage;
  compiledFor: CompiledFor;
  kernels?: Kernels;
  compiler?: Compiler;
  buildsFor?: BuildsFor;
  /** Of one without a model: what it asks for in any case and is not installed, as pip takes it. */
  lacks?: string[];
  /** Where it shows that this build has no CUDA. */
  cpuOnly?: string;
  /** Frameworks that its import imports first. */
  upon?: string[];
  /** It has no model: whether its files can be opened is judged. */
  isPackage?: true;
  /** Activities that its model knows, the others being none of its own; absent for an executable. */
  does?: string[];
}

/** An activity that would fail or run without the GPU. */
export interface Stop {
  program: string;
  activity: string;
  failure: Failure;
  /** Whose file asked for a symbol that nothing has: another package's, perhaps. */
  owner?: PythonPackage;
  /** Names of GPU libraries that the same object asks for, and that were not found either or not looked for any more. */
  others?: string[];
}
