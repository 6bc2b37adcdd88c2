import { libraryOf, versionOf, type KnownLibrary } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Copy, Toolkit } from "../model/inventory.ts";
import type { RegularFileFact } from "../model/snapshot.ts";
import { systemLoader } from "../resolve/interpreter.ts";
import type { View } from "../resolve/view.ts";
import { isStubDriver } from "./driver.ts";
import { foldersInPackages } from "./gpu-packages.ts";
import { kindAt, namesIn } from "./python.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";

/** Where a copy lies, and which links lead there. */
export type FoundCopies = Map<string, { names: Set<string>; fact: RegularFileFact }>;

/** Every copy of every known library in these folders. */
export function findCopies(view: View, folders: string[]): FoundCopies {
  const found: FoundCopies = new Map();
  for (const folder of folders) {
    for (const name of namesIn(view, folder) ?? []) {
      if (!libraryOf(name)) continue;
      const path = `${folder}/${name}`;
      const at = view.lookup(path);
      // What is inside will be asked next: it is read in the same round.
      if ("ask" in at) view.need(path, "object");
      if (!("found" in at) || at.entry.kind !== "file" || !libraryOf(at.found)) continue;
      const known = found.get(at.found) ?? { names: new Set(), fact: at.entry };
      if (path !== at.found) known.names.add(path);
      found.set(at.found, known);
    }
  }
  return found;
}

export function describeCopies(view: View, found: FoundCopies, owners: Map<string, Copy["owner"]>): Copy[] {
  return [...found]
    .map(([file, { names, fact }]) => describe(view, file, [...names].sort(), fact, owners.get(file)))
    .sort((a, b) => (a.library === b.library ? (a.file < b.file ? -1 : 1) : a.library < b.library ? -1 : 1));
}

function describe(view: View, file: string, names: string[], fact: RegularFileFact, owner: Copy["owner"]): Copy {
  const library = libraryOf(file) as KnownLibrary;
  const object = view.object(file, fact);
  const evidence: Copy["evidence"] = [];
  if (object?.kind === "elf") {
    const constant = versionOf(library, object);
    if (constant !== undefined) evidence.push({ how: "constant", version: constant, source: library.version!.symbols.join(", ") });
  }
  const named = /\.so\.(\d+(?:\.\d+)+)$/.exec(nameOf(file))?.[1];
  if (named !== undefined) evidence.push({ how: "file name", version: named, source: nameOf(file) });
  const packaged = owner && versionByOwner(library.id, owner);
  if (packaged !== undefined) evidence.push({ how: "owner", version: packaged, source: `${owner!.kind} ${owner!.name}` });
  return {
    library: library.id,
    file,
    names,
    ...(object?.kind === "elf" && object.soname !== undefined ? { soname: object.soname } : {}),
    ...(evidence[0] ? { version: evidence[0].version } : {}),
    evidence,
    ...(object?.kind === "elf" && object.buildId !== undefined ? { buildId: object.buildId } : {}),
    ...(owner ? { owner } : {}),
    size: fact.size,
    ...(file.includes("/stubs/") || (library.id === "libcuda" && isStubDriver(file, fact.size)) ? { stub: true as const } : {}),
  };
}

/** Words in the names of packages whose versions are those of the library; by its own name unless said. */
const packageWords: { [library: string]: RegExp } = {
  cublaslt: /cublas/,
  cudart: /cudart|cuda-runtime/,
  libcuda: /driver|compat|libnvidia-compute|libcuda/,
  nvml: /driver|compat|libnvidia-compute|nvml/,
  nvvm: /nvvm|nvcc/,
  tensorrt: /tensorrt|nvinfer|nvonnx/,
};

/**
 * The library's version, where the package that brought it counts the same: torch, Triton and Nsight carry libraries of others, and
 * `cudatoolkit` counts them all as one. Without what a distribution counts on its own: `3:560.35.03-1.el9`, `2.28.3-1+cuda13.0`.
 */
export function versionByOwner(library: string, { name, version }: NonNullable<Copy["owner"]>): string | undefined {
  const isOwn = packageWords[library]?.test(name) ?? name.includes(library);
  return isOwn ? version?.replace(/^\d+:/, "").replace(/-[^-]*$/, "") : undefined;
}

/** Every folder where copies hide. */
export function foldersWithCopies(view: View, toolkits: Toolkit[], environments: PythonEnvironment[]): string[] {
  const folders = new Set<string>();
  const add = (...paths: string[]) => {
    for (const path of paths) {
      const at = view.lookup(path);
      if ("found" in at && at.entry.kind === "folder") folders.add(at.found);
    }
  };
  add(...(systemLoader(view)?.folders.map((folder) => folder.replace(/\/$/, "")) ?? []));
  add(...cacheFolders(view));
  add(...(view.snapshot.environment["LD_LIBRARY_PATH"] ?? "").split(/[:;]/).filter((folder) => folder.startsWith("/")));
  add("/usr/local/lib", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib64", "/usr/lib/nvidia");
  for (const { path } of toolkits) {
    for (const below of [
      "lib64",
      "lib",
      "targets/x86_64-linux/lib",
      "targets/sbsa-linux/lib",
      "extras/CUPTI/lib64",
      "nvvm/lib64",
      "compat",
      "lib64/stubs",
      "targets/x86_64-linux/lib/stubs",
    ])
      add(`${path}/${below}`);
  }
  for (const environment of environments) {
    // conda-forge's real files lie below targets/, with links to them in lib/.
    if (environment.kind === "conda")
      for (const below of ["lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "nvvm/lib64"])
        add(`${environment.prefix}/${below}`);
    for (const site of environment.path.filter((folder) => /(site|dist)-packages$/.test(folder))) {
      for (const component of namesIn(view, `${site}/nvidia`) ?? []) add(`${site}/nvidia/${component}/lib`);
      // Where auditwheel puts what a wheel brings along.
      for (const name of namesIn(view, site) ?? []) if (name.endsWith(".libs")) add(`${site}/${name}`);
      add(
        ...[
          "tensorrt_libs",
          "tensorrt_lean_libs",
          "cutensor/lib",
          "cusparselt/lib",
          ...frameworkNames.flatMap(({ bundling }) => bundling?.folders ?? []),
        ].map((below) => `${site}/${below}`),
      );
    }
  }
  for (const environment of environments) add(...foldersInPackages(view, environment));
  for (const folder of searchBelow(view, "/opt/nvidia", 6)) folders.add(folder);
  add(...hpcFolders(view));
  return [...folders];
}

// Nsight and other tools of NVIDIA carry libraries in deep folders of their own.
function searchBelow(view: View, folder: string, depth: number): string[] {
  if (depth === 0 || kindAt(view, folder) !== "folder") return [];
  // Links are left out, as they may lead round in circles; what has a letter after its last dot is a file, as far as these tools go.
  const below = (namesIn(view, folder) ?? []).filter((name) => {
    if (/\.[a-z]\w*$/i.test(name) || withoutLibraries.has(name)) return false;
    view.lookup(`${folder}/${name}`);
    return view.snapshot.files[`${folder}/${name}`]?.kind === "folder";
  });
  return [folder, ...below.flatMap((name) => searchBelow(view, `${folder}/${name}`, depth - 1))];
}

/** Large folders of such tools that hold no libraries, and the HPC SDK, which is searched on its own. */
const withoutLibraries = new Set(["docs", "documentation", "html", "samples", "sections", "python", "translations", "hpc_sdk"]);

/** The HPC SDK has toolkits in a deep tree: hpc_sdk/Linux_x86_64/24.5/cuda/12.4/lib64. */
function hpcFolders(view: View): string[] {
  const below = (folders: string[]) => folders.flatMap((folder) => (namesIn(view, folder) ?? []).map((name) => `${folder}/${name}`));
  const releases = below(below(["/opt/nvidia/hpc_sdk"]).filter((folder) => /\/Linux_\w+$/.test(folder)));
  const toolkits = (part: string) => below(releases.map((release) => `${release}/${part}`));
  return [
    ...toolkits("cuda").flatMap((toolkit) => [`${toolkit}/lib64`, `${toolkit}/extras/CUPTI/lib64`]),
    ...toolkits("math_libs").map((toolkit) => `${toolkit}/lib64`),
    ...toolkits("comm_libs").flatMap((toolkit) => [`${toolkit}/nccl/lib`, `${toolkit}/nvshmem/lib`]),
  ];
}

// Where the loader's cache knows a GPU library, there may be more of them.
function cacheFolders(view: View): string[] {
  const at = view.lookup("/etc/ld.so.cache");
  if (!("found" in at) || at.entry.kind !== "file") return [];
  if (at.entry.cache === undefined && at.entry.unreadable === undefined) view.need(at.found, "cache");
  const entries = at.entry.cache?.entries ?? [];
  return [...new Set(entries.filter(({ name }) => libraryOf(name)).map(({ path }) => path.slice(0, path.lastIndexOf("/"))))];
}
