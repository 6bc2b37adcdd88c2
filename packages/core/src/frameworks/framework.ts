import type { Activity } from "../model/activity.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { View } from "../resolve/view.ts";
import type { PythonProcess } from "./python-process.ts";
import type { BuiltAgainst } from "../model/loads.ts";
import type { FrameworkNames } from "../model/framework-names.ts";

/** One installed framework. */
export interface FrameworkCopy {
  package: PythonPackage;
  environment: PythonEnvironment;
}

/** What a framework was compiled for, and where that was read. */
export interface CompiledFor {
  [library: string]: BuiltAgainst & {
    /** The wheel that it asks for in this very version. */
    pin?: { package: string; version: string };
  };
}

/** GPU architectures that a build holds code for: `sm_90`, `compute_90` for PTX. */
export interface Kernels {
  architectures: string[];
  evidence: string;
  /** Read from its files or from what is known of this very release. */
  certain: boolean;
}

/** What makes kernels when they are first needed, and what it does on a GPU that is newer than it knows. */
export interface Compiler {
  /** For example `NVRTC 12.6`, in words. */
  name: string;
  /** The loaded library whose release decides which GPUs are known. */
  library?: "nvrtc" | "cudart";
  /** The toolkit it came from, where it is no library: a program inside the package. For GPUs from `from` on, another may be used. */
  programs?: { from: number; toolkit: string; file: string }[];
  /**
   * `cubin`: code for the newest GPU that it knows, which runs within one major; `ptx`: the driver compiles the rest; `nothing`: an error.
   */
  newer: "cubin" | "ptx" | "nothing";
  /** What it makes is PTX in any case, so the driver must know PTX of that release. */
  always?: "ptx";
}

/** What a framework compiles with nvcc when it runs, and whether it takes the nvcc that is there. */
export interface BuildsFor {
  /** The CUDA that it compiles for, `12.4`, and where that was read. */
  cuda: string;
  evidence: string;
  /** Releases that go for one another where both are of one major; all else is refused. */
  takes: string[];
  /** The variable that makes it take any, set to 1. */
  unless: string;
}

/**
 * How to recognise a framework (by its names), what it was compiled for, and what it loads by itself. One folder each. For which releases that
 * was seen to be true stands in knowledge/watched.json.
 */
export interface Framework extends FrameworkNames {
  compiledFor: (view: View, copy: FrameworkCopy) => CompiledFor;
  /** What its own kernels were compiled for; undefined where it compiles them when they are needed, or that is not known. */
  kernels?: (view: View, copy: FrameworkCopy) => Kernels | undefined;
  /** What compiles its kernels when they are needed; undefined where it brings them, or that is not known. */
  compiler?: (view: View, copy: FrameworkCopy) => Compiler | undefined;
  /** What it compiles with nvcc when it runs; undefined where it compiles nothing so, or takes any. */
  buildsFor?: (view: View, copy: FrameworkCopy) => BuildsFor | undefined;
  /** Where it shows that a build has no CUDA at all; undefined for a build that has. */
  cpuOnly?: (view: View, copy: FrameworkCopy) => string | undefined;
  /** Every place where what it runs may lie, also behind the first that has it: a snapshot tells of all, so that one can be taken away on paper. */
  places?: (view: View, copy: FrameworkCopy) => string[];
  /** Steps in the order of the real program. A step throws `Stop` when the program would end there. */
  steps: Partial<Record<Activity, (process: PythonProcess, copy: FrameworkCopy) => void>>;
  /** No model of its own: a package whose files are opened as they lie. */
  isPackage?: true;
  /** Of such a package: the modules that its users import. */
  imported?: string[];
  /** It has no file for a GPU: its import is all that is judged; `partly`: not everything that it runs could be followed. */
  inPython?: "followed" | "partly";
  /** Its own import runs hundreds of files. */
  isLarge?: true;
  /** Ids of what its own import imports first, as far as that is installed; of its other activities it does the same first. */
  upon?: string[];
  /** Activities that load nothing more than what comes before them: judged with that. */
  loadsNothingAt?: Activity[];
  /** What a program may call besides, by the name behind the colon of `--for onnxruntime:preload`. */
  calls?: { [name: string]: (process: PythonProcess, copy: FrameworkCopy) => void };
  /** What must have happened before an activity; `import` goes without saying. */
  after?: Partial<Record<Activity, Activity[]>>;
}

export const defineFramework = (framework: Framework) => framework;

export type { Activity };
