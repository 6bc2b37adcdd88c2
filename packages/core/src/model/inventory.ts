import type { PythonEnvironment } from "./environment.ts";
import type { Loads } from "./loads.ts";
import type { TargetDescription, Unknown } from "./snapshot.ts";

/** Everything of a GPU stack that is there: what an expert would know after an hour with the machine. */
export interface Inventory {
  schema: "culprit/list@1";
  /** The day of the knowledge that it rests on: the newest on which a fact was compared with its source. */
  knowledge?: string;
  target: TargetDescription;
  driver: DriverFacts;
  gpus: Gpu[];
  toolkits: Toolkit[];
  environments: EnvironmentSummary[];
  copies: Copy[];
  frameworks: InstalledFramework[];
  variables: VariableSource[];
  /** Files that a package says it installed, and that are not there. */
  missing: { package: string; version: string; environment: string; pythonPath?: string; files: string[] }[];
  unknown: Unknown[];
}

export interface DriverFacts {
  /** The version of the module in the kernel. */
  kernel?: string;
  /** Open or proprietary, as the module says. */
  module?: string;
  /** Whether only administrators may profile (RmProfilingAdminOnly). */
  profilingAdminOnly?: boolean;
  /** Whether this process has the rights of an administrator for that (CAP_SYS_ADMIN or CAP_PERFMON). */
  mayProfile?: boolean;
  /** The kernel shows its modules, and NVIDIA's is not among them. */
  noModule?: true;
  wsl?: true;
  container?: true;
  /** NVIDIA_REQUIRE_CUDA of the image. */
  requires?: string;
  visibleDevices?: string;
}

export interface Gpu {
  name: string;
  /** Compute capability, as `sm_90`, where the name or the PCI number is known. */
  architecture?: string;
  bus?: string;
  uuid?: string;
  /** The kernel's driver that has it, where only the PCI bus tells of it: `nouveau`, `vfio-pci`. */
  heldBy?: string;
}

export interface Toolkit {
  path: string;
  /** Other paths that lead to it. */
  names: string[];
  version?: string;
  evidence?: string;
  nvcc?: string;
  /** Its programs are the ones that PATH finds first. */
  onPath?: true;
}

export type EnvironmentSummary = Pick<PythonEnvironment, "prefix" | "kind" | "python" | "version" | "notFollowed"> & {
  packages: { name: string; version: string }[];
};

/** One installed object of a known GPU library. */
export interface Copy {
  library: string;
  file: string;
  /** Links and other paths that lead to it. */
  names: string[];
  soname?: string;
  version?: string;
  /** The linker's digest of its content: the same file elsewhere has the same. */
  buildId?: string;
  /** How the version is known, best first. Two that disagree are both kept. */
  evidence: { how: "constant" | "file name" | "owner"; version: string; source: string }[];
  owner?: { kind: "dpkg" | "rpm" | "pip" | "conda"; name: string; version?: string };
  size: number;
  stub?: true;
}

/** CUPTI, NVVM and NVTX count their functions, their files and their packages each in another way: numbers that differ mean nothing. */
export const countedApart = new Set(["cupti", "nvvm", "nvtx"]);

export interface InstalledFramework {
  framework: string;
  /** The package that it is, whose version this is: numba-cuda, cupy-cuda13x. */
  package: string;
  version: string;
  environment: string;
  /** Where it shows that this build has no CUDA at all. */
  cpuOnly?: string;
  compiledFor: { [library: string]: { version: string; evidence: string; pin?: { package: string; version: string } } };
  wouldLoad: { [library: string]: { file: string; version?: string; certainty: string }[] };
  /** Whether anything keeps it from importing, convolving and profiling on a GPU; `culprit check` says why and what to do. */
  verdict: "works" | "stops";
  failures: Loads["failures"];
}

/** Of what is there only what concerns these frameworks: themselves, and every copy of the libraries that they ask for. */
export function concerning(inventory: Inventory, ids: string[]): Inventory {
  const frameworks = inventory.frameworks.filter(({ framework }) => ids.includes(framework));
  const libraries = new Set([
    "libcuda",
    ...frameworks.flatMap((each) => [...Object.keys(each.compiledFor), ...Object.keys(each.wouldLoad)]),
  ]);
  const prefixes = new Set(frameworks.map(({ environment }) => environment));
  return {
    ...inventory,
    frameworks,
    environments: inventory.environments.filter(({ prefix }) => prefixes.has(prefix)),
    copies: inventory.copies.filter(({ library }) => libraries.has(library)),
    missing: inventory.missing.filter(({ environment }) => prefixes.has(environment)),
  };
}

/** A line of a file that sets a variable which decides loading. */
export interface VariableSource {
  name: string;
  file: string;
  line: number;
  text: string;
  /** The environment module whose file it is; `text` is then as `module show` has it, with all values worked out. */
  module?: string;
  /** What a module gave the variable. */
  values?: string[];
}

/** A variable without what one line of a module gave it. */
export function withoutSource(environment: { [name: string]: string }, { name, text, values = [] }: VariableSource): void {
  const left = text.startsWith("setenv")
    ? ""
    : (environment[name] ?? "")
        .split(":")
        .filter((each) => !values.includes(each))
        .join(":");
  if (left === "") delete environment[name];
  else environment[name] = left;
}
