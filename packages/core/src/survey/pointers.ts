// Where variables point: the elements of LD_LIBRARY_PATH, CUDA_HOME and CUDA_PATH, and the compiler that PATH finds first.
import { gccNamed } from "../knowledge/host-compilers.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import type { View } from "../resolve/view.ts";
import { kindAt, namesIn } from "./python.ts";

export interface Pointers {
  /** Elements of LD_LIBRARY_PATH, in order. */
  searchPath: PathElement[];
  /** CUDA_HOME and CUDA_PATH, where they are set; the first counts for whoever asks for both. */
  homes: Home[];
  /** The first nvcc on PATH, after all links. */
  nvcc?: string;
  /** The gcc that nvcc would compile with, where its release shows. */
  hostCompiler?: { compiler: string; gcc: number; by: string };
}

export interface PathElement {
  text: string;
  kind: "folder" | "file" | "none" | "unknown";
  /** Why the loader cannot use it as it is written. */
  flaw?: "tilde" | "variable" | "quotes" | "spaces" | "line-end" | "comma" | "relative" | "file";
  /** Folders that it was surely meant to name, and the GPU libraries in them. */
  meant: { folder: string; libraries: string[] }[];
  /** The folder after all links. */
  real?: string;
}

export interface Home {
  variable: "CUDA_HOME" | "CUDA_PATH";
  value: string;
  kind: "folder" | "file" | "none" | "unknown";
  /** The folder after all links. */
  real?: string;
  nvcc: boolean;
}

export function readPointers(view: View): Pointers {
  const { LD_LIBRARY_PATH, PATH } = view.snapshot.environment;
  const onPath = (name: string) =>
    (PATH ?? "")
      .split(":")
      .filter((folder) => folder.startsWith("/"))
      .map((folder) => `${folder.replace(/(?<!\/)\/+$/, "")}/${name}`);
  const nvcc = onPath("nvcc").find((path) => kindAt(view, path) === "file");
  const found = nvcc === undefined ? undefined : realPath(view, nvcc);
  const hostCompiler = hostCompilerOf(view, onPath("gcc"));
  return {
    searchPath: LD_LIBRARY_PATH ? LD_LIBRARY_PATH.split(/[:;]/).map((text) => elementOf(view, text)) : [],
    homes: (["CUDA_HOME", "CUDA_PATH"] as const).flatMap((variable) => {
      const value = view.snapshot.environment[variable];
      return value ? [homeOf(view, variable, value)] : [];
    }),
    ...(found === undefined ? {} : { nvcc: found }),
    ...(hostCompiler ? { hostCompiler } : {}),
  };
}

/** What nvcc, and builds of extensions, take before the gcc on PATH. */
const compilerVariables = ["NVCC_CCBIN", "CUDAHOSTCXX", "CC", "CXX", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"];

// A matter of builds only: looked for where somebody can be asked, and never missed.
function hostCompilerOf({ wishing, snapshot: { environment } }: View, onPath: string[]): Pointers["hostCompiler"] {
  const name = compilerVariables.find((each) => environment[each]);
  if (name !== undefined) {
    const gcc = gccNamed(environment[name]!);
    return gcc === undefined ? undefined : { compiler: environment[name]!, gcc, by: `${name}=${environment[name]}` };
  }
  const compiler = onPath.find((path) => kindAt(wishing, path) === "file");
  const real = compiler === undefined ? undefined : realPath(wishing, compiler);
  if (compiler === undefined || real === undefined) return undefined;
  const gcc = gccNamed(real) ?? (real === "/usr/bin/gcc" ? onlyGcc(wishing) : undefined);
  return gcc === undefined ? undefined : { compiler: real, gcc, by: `PATH finds ${compiler} first` };
}

/** Distributions that have one gcc only keep its files in a folder with its number: /usr/lib/gcc/x86_64-redhat-linux/8. */
function onlyGcc(view: View): number | undefined {
  const majors = (namesIn(view, "/usr/lib/gcc") ?? []).flatMap((target) =>
    (namesIn(view, `/usr/lib/gcc/${target}`) ?? []).flatMap((name) => /^(\d{1,2})(?:\.\d+)*$/.exec(name)?.[1] ?? []),
  );
  return new Set(majors).size === 1 ? Number(majors[0]) : undefined;
}

function homeOf(view: View, variable: Home["variable"], value: string): Home {
  const real = realPath(view, value);
  const nvcc = kindAt(view, `${value.replace(/(?<!\/)\/+$/, "")}/bin/nvcc`) === "file";
  return { variable, value, kind: kindAt(view, value) ?? "unknown", nvcc, ...(real === undefined ? {} : { real }) };
}

function elementOf(view: View, text: string): PathElement {
  // An empty element is the current folder.
  const kind = text === "" ? "folder" : (kindAt(view, text) ?? "unknown");
  const real = kind === "folder" && text !== "" ? realPath(view, text) : undefined;
  const at = real === undefined ? {} : { real };
  if (kind === "unknown" || kind === "folder") return { text, kind, meant: [], ...at };
  if (kind === "file") return { text, kind, flaw: "file", meant: meantBy(view, [text.slice(0, text.lastIndexOf("/")) || "/"]) };
  const flaw = flawOf(view, text);
  return flaw === undefined ? { text, kind, meant: [] } : { text, kind, flaw, meant: meantBy(view, intended(view, text)) };
}

/** Tokens that the loader itself replaces. */
const ownTokens = /\$(?:\{(?:ORIGIN|LIB|PLATFORM)\}|(?:ORIGIN|LIB|PLATFORM)\b)/g;

function flawOf(view: View, text: string): PathElement["flaw"] {
  if (/['"]/.test(text)) return "quotes";
  if (text.endsWith("\r")) return "line-end";
  if (text !== text.trim()) return "spaces";
  if (text.startsWith("~")) return "tilde";
  if (text.replace(ownTokens, "").includes("$")) return "variable";
  if (/,\s*\//.test(text)) return "comma";
  if (/^[^/$.]+\/./.test(text) && kindAt(view, `/${text}`) === "folder") return "relative";
  return undefined;
}

// What a shell would have made of it.
function intended(view: View, text: string): string[] {
  const variables = view.snapshot.environment;
  return text
    .replace(/['"]/g, "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("~/") || part === "~" ? (variables["HOME"] ?? "~") + part.slice(1) : part))
    .map((part) => part.replace(/\$\{?(\w+)\}?/g, (whole, name: string) => variables[name] ?? whole))
    .map((part) => (part.startsWith("/") ? part : `/${part}`))
    .filter((part) => !/[~$]/.test(part));
}

function meantBy(view: View, folders: string[]): PathElement["meant"] {
  return folders
    .filter((folder) => kindAt(view, folder) === "folder")
    .map((folder) => ({ folder, libraries: (namesIn(view, folder) ?? []).filter((name) => libraryOf(name) !== undefined) }));
}

function realPath(view: View, path: string): string | undefined {
  const at = view.lookup(path);
  return "found" in at ? at.found : undefined;
}
