import type { Place } from "./finding.ts";
import type { DependencyFileFormat } from "./dependency-file-formats.generated.ts";
import type { Unknown } from "./snapshot.ts";

export type { DependencyFileFormat };

/** What a file says, in the order in which it happens. */
export interface Declaration {
  format: DependencyFileFormat;
  file: string;
  steps: DeclaredStep[];
  /** Where a file says several things that are never done together (extras, groups, jobs): each of them, with what all share. */
  alternatives?: Alternative[];
  /** Made for Google Colab, as its metadata says. */
  isColab?: boolean;
  /** It brings a Python of its own: what the image has by itself plays no part. */
  hasOwnPython?: boolean;
  /** What a notebook printed when it was last run. */
  recorded?: RecordedOutput[];
  /** Stages of a Dockerfile that the last one takes something from, and how they are built. */
  stages?: Stage[];
  /** Where conditions of scripts are open: what the file says with one of them the other way. */
  readings?: OtherReading[];
  /** Lines that could not be read, and other things that cannot be told. */
  unknown: Unknown[];
}

/** A file, read with a condition as it is not by default. */
export interface OtherReading {
  /** The condition, in words: "`$CUDA` is `12`". */
  where: string;
  /** It is the reading in which that does not hold. */
  isWithout: boolean;
  /** Where the condition stands. */
  place: string;
  /** The script ends before its end: what it does afterwards is not in it. */
  isEnded: boolean;
  declaration: Declaration;
}

export interface Stage {
  steps: DeclaredStep[];
  /** Its Python packages are taken over: they are used upon the image of the last stage. */
  givesPackages: boolean;
}

/** A piece of what a cell printed. */
export interface RecordedOutput {
  /** Where it begins; its lines follow. */
  place: Place;
  text: string;
  /** Which line of the notebook's file holds a line of it, from 1. */
  fileLine: (line: number) => number | undefined;
  /** It is the error that the cell ended with, or what a program printed that ended so. */
  isError: boolean;
  /** Nothing was run after it. */
  isLast: boolean;
}

export interface Alternative {
  name: string;
  steps: DeclaredStep[];
}

export type DeclaredStep =
  | Install
  | { kind: "uninstall"; names: string[]; place: Place }
  /** `environments`: markers of which one must hold (`[tool.uv] environments`). */
  | { kind: "python"; specifier: string; environments?: string[]; place: Place }
  | { kind: "image"; name: string; place: Place }
  /** A GPU is asked for where it will run; `product` where one is named. */
  | { kind: "gpu"; product?: string; place: Place }
  /** Software of a cluster that `module load` puts on the search paths. */
  | { kind: "module"; name: string; version?: string; place: Place }
  /** `isLate`: the Python that would be meant runs already; `keeps`: what it held before is among it. */
  | { kind: "variable"; name: string; value?: string; isLate: boolean; keeps?: boolean; place: Place }
  | { kind: "import"; module: string; place: Place }
  | { kind: "restart"; place: Place }
  /** A program of one's own is started: what is set before it counts for it. */
  | { kind: "program"; place: Place }
  /** CUDA code is compiled by hand: with nvcc, or by a build that asks for it. */
  | { kind: "compile"; what: string; place: Place }
  /** A line that may hold advice which does harm. */
  | { kind: "line"; text: string; place: Place }
  /** A line for which docker refuses the whole file; `what` ends a sentence. */
  | { kind: "refused"; what: string; instead?: string; place: Place }
  /** Something that brings libraries which cannot be seen: a runfile, a copied folder. */
  | { kind: "unseen"; what: string; /** What must be told of it where something is installed beside it. */ open?: string; place: Place }
  /** What is put into a folder where no Python here looks; another stage may copy it to where one does. */
  | { kind: "aside"; folder: string; install: Install; place: Place }
  /** Another file that goes on here: the base of a container, a list of an environment. */
  | { kind: "file"; include: Include; place: Place };

/** What one command or one file installs at once. */
export interface Install {
  kind: "install";
  manager: "pip" | "conda" | "apt";
  packages: DeclaredPackage[];
  /** Bounds that count only if something else asks for the package. */
  constraints: DeclaredPackage[];
  includes: Include[];
  /** Addresses of indexes; `only`: they stand in the place of PyPI. */
  indexes: { url: string; only: boolean }[];
  /** Pages of wheels (`--find-links`). */
  links: string[];
  /** Of conda, in their order; absent where they are not said. */
  channels?: string[];
  /** Releases that are not final count, too: which ones there are is not known here. */
  allowsPreReleases?: boolean;
  /** Requirements of packages are not followed. */
  noDependencies?: boolean;
  /** It was done in another stage, and what came of it is copied. */
  isCopied?: boolean;
  /** What is built here sees what is installed already. */
  noIsolation?: boolean;
  /** Requirements that pip refuses: a version without `==` before it. */
  refused?: RefusedRequirement[];
  /** What is built from the source at an address. */
  built?: BuiltSource[];
  /** pip is not there, or ends before it installs anything. */
  refusal?: PipRefusal;
  /** Variables that only this command has. */
  variables?: { [name: string]: string };
  /** Newer releases take the place of those that would do. */
  upgrades?: boolean;
  /** What is there already does not count: all of it is chosen and unpacked anew. */
  reinstalls?: boolean;
  /** Every version was chosen by a tool: a lock file. */
  isLocked?: boolean;
  /** Who installs, where it is not pip itself: uv and Poetry lock for every Python that a project lets in, and uv asks indexes in order. */
  by?: "uv" | "poetry";
  /** uv was told to take the best of all indexes, as pip does; else it takes the first that has the package. */
  comparesIndexes?: true;
  /** It is there already: what `pip freeze` printed. Nothing sees to it that it fits together. */
  isThere?: boolean;
  place: Place;
}

/** `isFolder`: it lies on the disk of whoever installs, where nothing of it is seen. */
export interface BuiltSource {
  url: string;
  place: Place;
  marker?: string;
  isFolder?: true;
}

export type PipRefusal = "absent" | "managed";

/** A package that is known, and a version behind it in a form that pip does not take: `torch=2.4.0`, `torch 2.4.0`. */
export interface RefusedRequirement {
  name: string;
  version: string;
  text: string;
  place: Place;
}

/** `candidates` are paths, relative to the file that names it; the first that is there counts. */
export interface Include {
  path: string;
  candidates: string[];
  role: "requirements" | "constraints" | "environment" | "dockerfile" | "project";
  /** Of a project: what of it is wanted, beside what it always needs. */
  choice?: { extras: string[] | "all"; groups: string[] };
  /** Of a Dockerfile: how it is built. */
  build?: ImageBuild;
  /** What the file calls it, where it has a name of its own. */
  name?: string;
  place: Place;
}

/** What whoever builds an image gives to its Dockerfile. */
export interface ImageBuild {
  /** Values of its arguments. */
  args: Map<string, string>;
  /** The stage that is built; absent: the last one. */
  target?: string;
  /** The folder that is built, relative to the Dockerfile's own: `..`. */
  context: string;
}

export interface DeclaredPackage {
  /** As its registry writes it. */
  name: string;
  extras: string[];
  /** PEP 440 clauses, also for conda; empty for any version. */
  specifier: string;
  marker?: string;
  /** Where it comes from, if from no index; `file:` before a folder beside. */
  url?: string;
  /** A Python that a wheel was named for. */
  python?: string;
  /** An index that it alone is taken from. */
  index?: string;
  /** Of conda: the channel that it alone is taken from. */
  channel?: string;
  /** Of conda: the build, or a pattern of it: `py3.10_cuda12.1_cudnn8.9.2_0`, `*cuda*`. */
  build?: string;
  /** As it is written. */
  text: string;
  place: Place;
}
