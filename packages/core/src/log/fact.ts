import type { Cause } from "../model/cause.ts";
import type { LogLine } from "../model/explain.ts";

/** What a text can say; each kind with its values. Signatures and dumps make them, the steps in `causes/` reason about them. */
export interface FactValues {
  /** The loader did not find an object. `by` reports it; `wantedBy` is the object that needed it; `searched` is LD_LIBRARY_PATH as printed. */
  "not-found": { name: string; by: string; wantedBy?: string; searched?: string };
  /** An object was opened or is mapped; `ldd` says what would be. */
  opened: { name: string; path?: string; by?: "ldd" };
  /** A file of a library lies here; `target` is where its link points. */
  file: { path: string; target?: string };
  damaged: { file: string; reason: "too-short" | "not-elf" | "wrong-class" | "wrong-machine" | "wrong-system" };
  "undefined-symbol": { file: string; symbol: string; version?: string };
  /** Someone compared two versions of a library and was not content. */
  "version-pair": {
    library: string;
    name?: string;
    required: string;
    found: string;
    by: string;
    /** What the message itself says about the reason. */
    hint?: "bundled" | "ld-library-path" | "header" | "same-minor";
  };
  /** A framework writes its source file before each line: who speaks, whatever the line says. */
  voice: { id: string };
  "unable-to-load": { library: string; by: string };
  "cuda-error": { code: number };
  "cupti-error": { name: string; call?: string };
  "cudnn-status": { status: string };
  "cublas-status": { status: string };
  driver: { version: string; of: "kernel" | "libcuda" | "nvml" | "any" };
  /** What nvidia-smi calls "CUDA Version": the newest CUDA that the driver runs. */
  "driver-cuda": { version: string };
  /** `3.11`. */
  python: { version: string };
  toolkit: { version: string; from: "nvcc" | "path" | "package" | "runtime" | "said" };
  /** A toolkit's folder is known to be searched or selected. */
  gpu: { name?: string; capability?: string };
  package: { manager: "pip" | "conda" | "dpkg" | "rpm" | "wheel" | "said"; name: string; version: string; build?: string };
  framework: { id: string; version?: string; cuda?: string; cudnn?: string; cpuOnly?: boolean };
  /** Whether the framework itself says that it can use a GPU. */
  available: { by: string; value: boolean };
  variable: { name: string; value: string };
  /** `tool`: what runs the container, where the text names it. */
  platform: {
    is: "windows" | "wsl2" | "container" | "colab" | "kaggle" | "jetson" | "macos";
    tool?: "docker" | "singularity" | "podman" | "kubernetes";
  };
  /** A file of this Python package stands in a traceback. */
  traceback: { package: string; path: string };
  "header-version": { part: "major" | "minor" | "patch"; value: string };
  /** A program says which GPU it cannot use and which it can. */
  "gpu-unsupported": { gpu?: string; capability?: string; supported?: string; by: string; tooOld?: boolean };
  "arch-refused": { tool: "nvcc" | "ptxas" | "nvrtc" | "clang"; architecture?: string };
  /** `linker`: said while code was linked at run time, by the driver or nvJitLink, and not by a compiler. */
  "ptx-version": { wanted: string; known: string; linker?: true };
  "tool-age": { tool: string; found: string; minimum: string };
  "built-with": { what: string; built: string; other: string; otherBuilt: string };
  conflict: { package: string; dependency: string; wanted: string; found: string };
  requested: { by: string; name: string; wanted: string };
  container:
    | { what: "requirement"; condition: string }
    | { what: "no-driver" | "no-library" | "not-loaded" | "mismatch" | "no-runtime" | "no-cdi"; name?: string };
  /** An error of a library of which no more is said than its name or number. */
  "error-code": { of: string; code: number; name: string; means: Cause[] };
  /**
   * Something needs one release, and another is there, in whatever words: at `least`, `below`, or the very same (`equal`). `refused`: it is
   * said to fail, also where only one side is named. `about`: what else the line speaks of.
   */
  "needs-has": {
    product: Product;
    /** Of a package. */
    name?: string;
    required: string;
    found?: string;
    relation: "least" | "below" | "equal";
    refused?: true;
    about?: "driver" | "profiler" | "build";
  };
  /** A message that says all by itself. */
  notice: { id: string; subject?: string; required?: string; found?: string };
  noise: { reason: string };
  advice: { id: string; message: string };
}

/** What a program can need one release of, and have another. */
export type Product = "driver" | "cuda" | "ptx" | "capability" | "python" | "glibc" | "package";

export type FactKind = keyof FactValues;

/** A fact before it is known where it stands; `grammar` says which frame made it, where no signature did, `again` in which lines it is repeated. */
export type Draft = { [Kind in FactKind]: { kind: Kind } & FactValues[Kind] }[FactKind];
export type Fact<Kind extends FactKind = FactKind> = Kind extends FactKind
  ? { kind: Kind; at: LogLine; grammar?: string; again?: number[] } & FactValues[Kind]
  : never;

// What is only mentioned: a line may hold it and still say something that no signature took.
const mentions = new Set<FactKind>([
  "framework",
  "toolkit",
  "driver",
  "driver-cuda",
  "python",
  "gpu",
  "platform",
  "package",
  "variable",
  "voice",
  "traceback",
  "available",
  "file",
  "opened",
  "advice",
  "header-version",
]);

// Notices that only say of what a line speaks.
const mentionedNotices = new Set([
  "isolated-build",
  "isolated-build-of",
  "ended-with-error",
  "hangs-told",
  "extensions-root",
  "torch-replaced-told",
  "own-kernel-told",
  "linux-driver-asked",
  "system-upgraded-told",
  "cudnn-part-named",
  "entry-point-told",
  "amd-gpu",
  "amd-build",
  "gpu-said",
  "scheduler",
  "store-python",
  "pypi-without-cuda",
  "conda-command",
  "hpc-cluster",
  "rented-container",
  "no-gpu-here",
  "counters-opened",
  "driver-updated",
  "mig-part",
  "works-unprofiled",
  "of-zluda",
  "of-visual-studio",
  "windows-build",
  "rebooted",
  "as-root",
  "of-ggml",
  "torch-installed-from",
  "intel-gpu",
  "linux-family",
  "cuda-image",
  "gpu-memory-free",
  "smi-works",
  "gpus-asked",
  "secure-boot",
  "nouveau-holds",
  "vfio-holds",
  "l4t-host",
  "l4t-image",
  "dnn-on-cpu",
  "opencv-with-cuda-told",
  "cupy-build",
  "tf-cuda-extra",
  "wheels-apart",
  "compose-here",
  "cuda-home-none",
  "asked-by",
  "nightly",
  "package-upgraded",
  "gcc-here",
  "julia-packages",
  "image-cuda",
  "pip-newest-torch",
  "rocm-of-wheel",
  "rocm-of-system",
  "gpu-there-told",
  "asks-speed",
  "two-compilers",
  "toolkit-installed-told",
  "asked-in-build",
  "works-without-variable",
  "glibc-here",
  "rocm-image",
  "docker-run-bare",
  "managed-by",
  "nsight-here",
  "torch-trace-written",
  "rocm-without-devices",
  "ort-both-told",
  "rocm-file",
  "own-venv",
]);

/** Whether a signature that made this took the line, or only a word of it. */
export const isTaken = (draft: Draft): boolean => !mentions.has(draft.kind) && !(draft.kind === "notice" && mentionedNotices.has(draft.id));

/** All that a text said, by kind and in order. */
export interface Facts {
  all<Kind extends FactKind>(kind: Kind): Fact<Kind>[];
  everything(): Fact[];
  has(kind: FactKind): boolean;
  notices(...ids: string[]): Fact<"notice">[];
  on(platform: FactValues["platform"]["is"]): boolean;
}

export function factsOf(list: Fact[]): Facts {
  const byKind = new Map<FactKind, Fact[]>();
  for (const fact of list) {
    const found = byKind.get(fact.kind);
    if (found) found.push(fact);
    else byKind.set(fact.kind, [fact]);
  }
  const all = <Kind extends FactKind>(kind: Kind) => (byKind.get(kind) ?? []) as Fact<Kind>[];
  return {
    all,
    everything: () => list,
    has: (kind) => byKind.has(kind),
    notices: (...ids) => all("notice").filter(({ id }) => ids.includes(id)),
    on: (platform) => all("platform").some(({ is }) => is === platform),
  };
}
