// What the folder of a build tells of a program in it: the headers that it was compiled with, and the libraries that it was linked against.
import { headersOf, isVersionHeader, versionInHeader } from "../knowledge/headers.ts";
import { libraryOf, versionOf, type KnownLibrary } from "../knowledge/libraries.ts";
import {
  commandWords,
  compilesIn,
  dependenciesIn,
  includeFolders,
  linkIn,
  readLink,
  readNinja,
  wordFiles,
  type CompileCommands,
  type LinkCommand,
} from "../lib/build-files.ts";
import { absolute, folderOf, nameOf, withoutDots } from "../lib/path.ts";
import type { ProgramBuild } from "../model/loads.ts";
import type { ElfFact } from "../model/snapshot.ts";
import { isElf, type View } from "../resolve/view.ts";
import { kindAt, namesIn, textAt } from "./python.ts";
import { versionInName } from "./twins.ts";

export interface Build extends ProgramBuild {
  headers: { [library: string]: { version: string; file: string } };
  linked: { [library: string]: LinkedLibrary };
}

export interface LinkedLibrary {
  /** As it was given to the linker, or as the linker found it. */
  file: string;
  /** Of the file as it is now. */
  soname?: string;
  version?: string;
  /** The file that says so. */
  by: string;
}

/** A command that links, with what its paths start from and where it stands. */
interface Step extends LinkCommand {
  from: string;
  by: string;
  /** Of Makefiles: the folder of the target. */
  target?: string;
}

const marks = ["CMakeCache.txt", "build.ninja", "compile_commands.json"];

/** The folder of the build that a file lies in, at most a few levels above it. */
export function buildFolderOf(view: View, file: string): string | undefined {
  let folder = folderOf(file);
  for (let level = 0; level < 6 && folder !== "/" && folder !== ""; level += 1, folder = folderOf(folder))
    if (isBuildFolder(view, folder)) return folder;
  return undefined;
}

export const isBuildFolder = (view: View, folder: string): boolean => marks.some((name) => kindAt(view, `${folder}/${name}`) === "file");

/** `files` are the program and its own libraries; `wanted` the GPU libraries that they need. */
export function readBuild(view: View, folder: string, files: string[], wanted: string[]): Build {
  const cache = textAt(view, `${folder}/CMakeCache.txt`) ?? "";
  const entry = (name: string) => new RegExp(`^${name}:[A-Z]+=(.*)$`, "m").exec(cache)?.[1];
  const ninja = ninjaFiles(view, folder).map((by) => ({ by, ...readNinja(textAt(view, by) ?? "") }));
  const links = ninja.flatMap((each) => each.links.map((link): Step => ({ ...link, from: folder, by: each.by })));
  const steps = stepsFor(view, folder, files, entry("CMAKE_CACHEFILE_DIR"), links);
  const compiled = new Map(steps.flatMap(({ from, objects }) => objects.map((object) => [at(from, object), from] as const)));
  const listed = dependenciesOf(view, compiled);
  const includes = [
    ...includesOf(
      view,
      folder,
      steps,
      ninja.flatMap(({ compiles }) => compiles),
      compiled,
    ),
    ...[...cache.matchAll(/^\w+_INCLUDE_(?:DIR|PATH):[A-Z]+=(.+)$/gm)].flatMap(([, value]) => value!.split(";")),
    ...toolkitOf(entry("CMAKE_CUDA_COMPILER")),
    "/usr/local/include",
    "/usr/include/x86_64-linux-gnu",
    "/usr/include/aarch64-linux-gnu",
    "/usr/include",
  ];
  const headers: Build["headers"] = {};
  for (const library of wanted) {
    const found = headerOf(view, library, listed, includes);
    if (found) headers[library] = found;
  }
  // Headers that lie about say nothing of what was read: CUDA's own counts where the compiler, or CMake, says so.
  const cuda = headerOf(view, "cuda", listed, []) ?? cudaIn(entry, `${folder}/CMakeCache.txt`);
  if (cuda) headers["cuda"] = cuda;
  return { folder, ...cmakeOf(cache, entry), headers, ...linkedBy(view, steps) };
}

/** CMake's "Ninja Multi-Config" has its commands in a file for each configuration, beside the one that includes the first of them. */
const ninjaFiles = (view: View, folder: string): string[] => [
  `${folder}/build.ninja`,
  ...(namesIn(view, `${folder}/CMakeFiles`) ?? [])
    .filter((name) => /^impl-[\w.-]+\.ninja$/.test(name))
    .map((name) => `${folder}/CMakeFiles/${name}`),
];

function cudaIn(entry: (name: string) => string | undefined, file: string): { version: string; file: string } | undefined {
  const version = entry("CUDA(?:Toolkit)?_VERSION(?:_STRING)?") ?? /\bcuda-([\d.]+)$/.exec(entry("CUDA_TOOLKIT_ROOT_DIR") ?? "")?.[1];
  return version !== undefined && /^\d/.test(version) ? { version, file } : undefined;
}

function cmakeOf(cache: string, entry: (name: string) => string | undefined): Pick<Build, "cmake"> {
  if (cache === "") return {};
  const [source, architectures] = [entry("CMAKE_HOME_DIRECTORY"), entry("CMAKE_CUDA_ARCHITECTURES")];
  const skips = ["CMAKE_SKIP_RPATH", "CMAKE_SKIP_BUILD_RPATH"].filter((name) => /^(?:ON|1|YES|TRUE|Y)$/i.test(entry(name) ?? ""));
  return {
    cmake: {
      ...(source === undefined ? {} : { source }),
      ...(architectures ? { architectures } : {}),
      ...(skips.length === 0 ? {} : { skips }),
    },
  };
}

const at = (from: string, path: string) => withoutDots(absolute(path, from));

/** The commands that made these files, and the static libraries in them. */
function stepsFor(view: View, folder: string, files: string[], before: string | undefined, ninja: Step[]): Step[] {
  const all = (): Step[] => [...ninja, ...targetFolders(view, folder, before).flatMap((target) => makefileStep(view, target) ?? [])];
  const found: Step[] = [];
  const open = [...files];
  let steps: Step[] | undefined;
  for (let file = open.shift(); file !== undefined; file = open.shift()) {
    // A target is mostly called like its file: the others need not be read then.
    const stem = nameOf(file)
      .replace(/^lib/, "")
      .replace(/\.(?:so|a)\b.*$/, "");
    const near = makefileStep(view, `${folderOf(file)}/CMakeFiles/${stem}.dir`);
    const makes = (step: Step) => at(step.from, step.output) === file;
    const step = near && makes(near) ? near : (steps ??= all()).find(makes);
    if (!step || found.includes(step)) continue;
    found.push(step);
    open.push(...step.archives.map((archive) => at(step.from, archive)).filter((archive) => archive.startsWith(`${folder}/`)));
  }
  return found;
}

/** CMake lists the folders of all targets; where the build was moved, by their old names. */
function targetFolders(view: View, folder: string, before: string | undefined): string[] {
  return (textAt(view, `${folder}/CMakeFiles/TargetDirectories.txt`) ?? "")
    .split("\n")
    .filter(
      (line) => line.startsWith("/") && !/\/(?:edit_cache|rebuild_cache|install|list_install_components|test)\b[^/]*\.dir$/.test(line),
    )
    .map((line) => (before !== undefined && line.startsWith(`${before}/`) ? `${folder}${line.slice(before.length)}` : line));
}

/** Commands of a target run in the folder above its `CMakeFiles`. */
function makefileStep(view: View, target: string): Step | undefined {
  const by = `${target}/link.txt`;
  const text = textAt(view, by);
  const link = text ? linkIn(text) : undefined;
  if (!link) return undefined;
  const from = target.slice(0, target.lastIndexOf("/CMakeFiles/"));
  // Long lists stand in files of their own.
  const more = wordFiles(commandWords(text!)).flatMap((name) => commandWords(textAt(view, at(from, name)) ?? ""));
  const rest = 0 < more.length ? readLink(["", "-o", link.output, ...more]) : undefined;
  return {
    output: link.output,
    objects: [...link.objects, ...(rest?.objects ?? [])],
    archives: [...link.archives, ...(rest?.archives ?? [])],
    libraries: [...link.libraries, ...(rest?.libraries ?? [])],
    folders: [...link.folders, ...(rest?.folders ?? [])],
    from,
    by,
    target,
  };
}

/** Of a target with thousands of objects, some tell. */
const mostObjects = 200;

/** Headers that compilers wrote down to have read. */
function dependenciesOf(view: View, compiled: Map<string, string>): string[] {
  return [...compiled].slice(0, mostObjects).flatMap(([object, from]) =>
    dependenciesIn(textAt(view, `${object}.d`) ?? "")
      .filter(isVersionHeader)
      .map((file) => at(from, file)),
  );
}

function includesOf(view: View, folder: string, steps: Step[], ninja: CompileCommands[], compiled: Map<string, string>): string[] {
  const flags = steps.flatMap(({ target, from }) => {
    if (target === undefined) return [];
    const words = commandWords(textAt(view, `${target}/flags.make`) ?? "");
    const more = wordFiles(words).flatMap((name) => commandWords(textAt(view, at(from, name)) ?? ""));
    return includeFolders([...words, ...more]).map((each) => at(from, each));
  });
  if (0 < flags.length) return flags;
  const isOwn = ({ objects, directory = folder }: CompileCommands) => objects.some((object) => compiled.has(at(directory, object)));
  const inNinja = ninja.filter(isOwn);
  const all = 0 < inNinja.length ? [] : compilesIn(textAt(view, `${folder}/compile_commands.json`) ?? "");
  const own = all.filter(isOwn);
  // Where nothing says which objects a program is made of, all of the build may be.
  return [...inNinja, ...(0 < own.length || 0 < compiled.size ? own : all)].flatMap(({ includes, directory = folder }) =>
    includes.map((each) => at(directory, each)),
  );
}

/** nvcc adds the headers of its own toolkit. */
const toolkitOf = (nvcc: string | undefined): string[] => (nvcc?.startsWith("/") ? [`${folderOf(folderOf(nvcc))}/include`] : []);

function headerOf(view: View, library: string, listed: string[], includes: string[]): { version: string; file: string } | undefined {
  for (const name of headersOf(library)) {
    const candidates = [...listed.filter((path) => nameOf(path) === name), ...includes.map((folder) => `${folder}/${name}`)];
    for (const path of new Set(candidates)) {
      const kind = kindAt(view, path);
      // While that is not known, nothing behind it is looked at.
      if (kind === undefined) break;
      if (kind !== "file") continue;
      const version = versionInHeader(library, textAt(view, path) ?? "");
      return version === undefined ? undefined : { version, file: path };
    }
  }
  return undefined;
}

/** Where linkers look besides what they are told. */
const linkerFolders = [
  "/usr/local/lib",
  "/usr/local/lib64",
  "/lib/x86_64-linux-gnu",
  "/usr/lib/x86_64-linux-gnu",
  "/lib/aarch64-linux-gnu",
  "/usr/lib/aarch64-linux-gnu",
  "/lib64",
  "/usr/lib64",
  "/lib",
  "/usr/lib",
];

function linkedBy(view: View, steps: Step[]): Pick<Build, "linked" | "libraries"> {
  const linked: Build["linked"] = {};
  const libraries: Build["libraries"] = {};
  for (const { libraries: words, folders, from, by } of steps) {
    for (const word of words) {
      // `-l:libcudnn.so.9` names the file itself, as one does for NVIDIA's wheels, which have no `libcudnn.so`.
      const name = word.startsWith("-l:") ? word.slice(3) : word.startsWith("-l") ? `lib${word.slice(2)}.so` : nameOf(word);
      const searched = [...folders.map((folder) => at(from, folder)), ...linkerFolders].map((folder) => `${folder}/${name}`);
      const file = word.startsWith("-l") ? searched.find((path) => kindAt(view, path) === "file") : at(from, word);
      const object = file === undefined ? undefined : objectAt(view, file);
      if (file === undefined || !object) continue;
      libraries[object.fact.soname ?? name] ??= file;
      const library = libraryOf(name) ?? libraryOf(object.file);
      if (library && !linked[library.id]) linked[library.id] = { file, ...describe(view, library, object), by };
    }
  }
  return { linked, libraries };
}

function objectAt(view: View, file: string): { file: string; fact: ElfFact } | undefined {
  const found = view.lookup(file);
  const fact = "found" in found && found.entry.kind === "file" ? view.object(found.found, found.entry) : undefined;
  return "found" in found && isElf(fact) ? { file: found.found, fact } : undefined;
}

function describe(
  view: View,
  library: KnownLibrary,
  { file, fact }: { file: string; fact: ElfFact },
): Pick<LinkedLibrary, "soname" | "version"> {
  const version = versionOf(library, fact) ?? versionInName(file) ?? versionOfParts(view, file);
  return { ...(fact.soname === undefined ? {} : { soname: fact.soname }), ...(version === undefined ? {} : { version }) };
}

/** libcudnn.so.9 of a wheel says nothing; its parts do. */
function versionOfParts(view: View, file: string): string | undefined {
  const major = /^libcudnn\.so\.(\d+)$/.exec(nameOf(file))?.[1];
  const part = major === undefined ? undefined : objectAt(view, `${folderOf(file)}/libcudnn_graph.so.${major}`);
  return part ? versionOf(libraryOf(part.file)!, part.fact) : undefined;
}
