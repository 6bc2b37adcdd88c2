import { libraryOf, versionOf, type KnownLibrary } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Copy, Toolkit } from "../model/inventory.ts";
import type { RegularFileFact } from "../model/snapshot.ts";
import { systemLoader } from "../resolve/interpreter.ts";
import type { View } from "../resolve/view.ts";
import { isStubDriver } from "./driver.ts";
import { ownersOf } from "./owners.ts";
import { kindAt, namesIn } from "./python.ts";

/** Every copy of every known library, wherever it hides. */
export function readCopies(view: View, toolkits: Toolkit[], environments: PythonEnvironment[]): Copy[] {
  const found = new Map<string, { names: Set<string>; fact: RegularFileFact }>();
  for (const folder of foldersToSearch(view, toolkits, environments)) {
    for (const name of namesIn(view, folder) ?? []) {
      if (!libraryOf(name)) continue;
      const at = view.lookup(`${folder}/${name}`);
      if (!("found" in at) || at.entry.kind !== "file" || !libraryOf(at.found)) continue;
      const known = found.get(at.found) ?? { names: new Set(), fact: at.entry };
      if (`${folder}/${name}` !== at.found) known.names.add(`${folder}/${name}`);
      found.set(at.found, known);
    }
  }
  const owners = ownersOf(view, environments, [...found.keys()]);
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
  if (owner?.version !== undefined) evidence.push({ how: "owner", version: owner.version, source: `${owner.kind} ${owner.name}` });
  return {
    library: library.id,
    file,
    names,
    ...(object?.kind === "elf" && object.soname !== undefined ? { soname: object.soname } : {}),
    ...(evidence[0] ? { version: evidence[0].version } : {}),
    evidence,
    ...(owner ? { owner } : {}),
    size: fact.size,
    ...(file.includes("/stubs/") || (library.id === "libcuda" && isStubDriver(file, fact.size)) ? { stub: true as const } : {}),
  };
}

function foldersToSearch(view: View, toolkits: Toolkit[], environments: PythonEnvironment[]): string[] {
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
    if (environment.kind === "conda") add(`${environment.prefix}/lib`, `${environment.prefix}/targets/x86_64-linux/lib`);
    for (const site of environment.path.filter((folder) => /(site|dist)-packages$/.test(folder))) {
      for (const component of namesIn(view, `${site}/nvidia`) ?? []) add(`${site}/nvidia/${component}/lib`);
      add(
        ...[
          "torch/lib",
          "tensorrt_libs",
          "tensorrt_lean_libs",
          "cutensor/lib",
          "cusparselt/lib",
          "triton/backends/nvidia/lib/cupti",
          "jaxlib/cuda",
          "onnxruntime/capi",
        ].map((below) => `${site}/${below}`),
      );
    }
  }
  for (const folder of searchBelow(view, "/opt/nvidia", 6)) folders.add(folder);
  return [...folders];
}

// Nsight and other tools of NVIDIA carry libraries in deep folders of their own.
function searchBelow(view: View, folder: string, depth: number): string[] {
  if (depth === 0 || kindAt(view, folder) !== "folder") return [];
  const below = (namesIn(view, folder) ?? []).filter((name) => view.snapshot.files[`${folder}/${name}`]?.kind === "folder");
  return [folder, ...below.flatMap((name) => searchBelow(view, `${folder}/${name}`, depth - 1))];
}

// Where the loader's cache knows a GPU library, there may be more of them.
function cacheFolders(view: View): string[] {
  const at = view.lookup("/etc/ld.so.cache");
  if (!("found" in at) || at.entry.kind !== "file") return [];
  if (at.entry.cache === undefined && at.entry.unreadable === undefined) view.need(at.found, "cache");
  const entries = at.entry.cache?.entries ?? [];
  return [...new Set(entries.filter(({ name }) => libraryOf(name)).map(({ path }) => path.slice(0, path.lastIndexOf("/"))))];
}
