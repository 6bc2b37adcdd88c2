// Python environments from files alone: CPython's Modules/getpath.py and Lib/site.py, PEP 405, PEP 503, Debian's site changes.
import { keptWith, once } from "../lib/memo.ts";
import { absolute, folderOf, nameOf, withoutDots } from "../lib/path.ts";
import { normalName } from "../lib/pep508.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { RegularFileFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";

/** Whether a path leads to a folder or file; undefined while that is not known. */
export function kindAt(view: View, path: string): "folder" | "file" | "none" | undefined {
  const at = view.lookup(path);
  if ("ask" in at) return undefined;
  if (!("found" in at)) return "none";
  return at.entry.kind === "folder" ? "folder" : at.entry.kind === "file" ? "file" : "none";
}

/** Sorted names in a folder; empty when there is none, undefined while it was not listed. */
export function namesIn(view: View, path: string): string[] | undefined {
  const at = view.lookup(path);
  if ("ask" in at) {
    // Asked for at once: whoever fetches what is there can list it in the same round.
    view.need(absolute(path, view.cwd), "listing");
    return undefined;
  }
  if (!("found" in at) || at.entry.kind !== "folder") return [];
  const names = view.names(at.found);
  if (names === undefined) view.need(at.found, "listing");
  return names;
}

/** The text of a small file; empty when there is none, undefined while it was not read. */
export function textAt(view: View, path: string): string | undefined {
  const at = view.lookup(path);
  if ("ask" in at) {
    view.need(absolute(path, view.cwd), "text");
    return undefined;
  }
  if (!("found" in at) || at.entry.kind !== "file" || at.entry.unreadable !== undefined) return "";
  if (at.entry.text === undefined) view.need(at.found, "text");
  return at.entry.text;
}

/** What is made of the text of a file, once for as long as that text is there: the same few files are asked about for every package. */
export function readingText<Value>(make: (text: string) => Value): (view: View, path: string) => Value {
  const kept = keptWith(({ text = "" }: RegularFileFact) => ({ value: make(text) }));
  const none = once(() => make(""));
  return (view, path) => {
    const at = textAt(view, path) ? view.lookup(path) : undefined;
    return at && "found" in at && at.entry.kind === "file" ? kept(at.entry).value : none();
  };
}

/** The environment in a folder (or around an interpreter); undefined when there is none, or facts are missing. */
export function environmentAt(view: View, place: string): PythonEnvironment | undefined {
  const prefix = kindAt(view, place) === "file" ? folderOf(folderOf(place)) : place.replace(/(?<!\/)\/+$/, "") || "/";
  const configuration = textAt(view, `${prefix}/pyvenv.cfg`);
  if (configuration === undefined) return undefined;
  const setting = (name: string) => new RegExp(`^${name}\\s*=\\s*(.*)$`, "mi").exec(configuration)?.[1]?.trim();
  const home = setting("home");
  const python = ["python3", "python"].map((name) => `${prefix}/bin/${name}`).find((path) => kindAt(view, path) === "file");
  if (python === undefined) return undefined;

  const base = home === undefined ? prefix : folderOf(realPath(view, home) ?? home);
  const version = pythonVersion(view, prefix, base, setting("version_info") ?? setting("version"), python);
  // Python 2 is none of our business: no framework that runs today has it.
  if (version === undefined || !version.startsWith("3.")) return undefined;
  const isConda = kindAt(view, `${prefix}/conda-meta`) === "folder";
  const environment: PythonEnvironment = {
    prefix,
    kind: home !== undefined ? "venv" : isConda ? "conda" : prefix === "/usr" || prefix === "/usr/local" ? "system" : "other",
    python,
    version,
    library: `${base}/lib/python${version}`,
    path: [],
    sites: [],
    packages: [],
    notFollowed: [],
  };
  const sharesSystem = home === undefined || /^true$/i.test(setting("include-system-site-packages") ?? "");
  environment.path = modulePath(view, environment, base, sharesSystem);
  const marker = `${environment.library}/EXTERNALLY-MANAGED`;
  // Only for whoever is about to install: the answer is whole without.
  if (environment.kind !== "venv" && kindAt(view.wishing, marker) === "file") environment.managed = marker;
  const lent = lentFolders(view, environment);
  environment.packages = environment.path.flatMap((folder, index) => {
    // Right behind the current folder come those of PYTHONPATH.
    const element = index <= lent.length ? lent[index - 1] : undefined;
    const found = packagesIn(view, environment, absolute(folder, view.cwd));
    return element === undefined ? found : found.map((each) => ({ ...each, pythonPath: element }));
  });
  return withUv(view, environment, setting("uv"));
}

/** `made`: what pyvenv.cfg says of the uv that made it. */
function withUv(view: View, environment: PythonEnvironment, made: string | undefined): PythonEnvironment {
  const hasPip = environment.kind !== "venv" || environment.packages.some(({ name }) => name === "pip");
  const uv = hasPip ? undefined : uvIn(view);
  return { ...environment, ...(made === undefined ? {} : { madeByUv: true as const }), ...(uv === undefined ? {} : { uv }) };
}

/** How uv is called: by its name, or by its path where PATH does not lead to it. Only for whoever is about to install. */
function uvIn({ wishing, snapshot }: View): string | undefined {
  const { PATH, HOME, UV } = snapshot.environment;
  if (PATH === undefined) return "uv";
  const folders = PATH.split(":").filter((folder) => folder.startsWith("/"));
  const kinds = new Set(folders.map((folder) => kindAt(wishing, `${folder.replace(/(?<!\/)\/+$/, "")}/uv`)));
  if (kinds.has("file") || kinds.has(undefined)) return "uv";
  // Who is started by uv is told where it lies; its installer and cargo put it below the home folder (https://docs.astral.sh/uv/).
  const usual = HOME?.startsWith("/") ? [`${HOME}/.local/bin/uv`, `${HOME}/.cargo/bin/uv`] : [];
  return [...(UV?.startsWith("/") ? [UV] : []), ...usual].find((path) => kindAt(wishing, path) === "file");
}

const pythonPathOf = (view: View) => (view.snapshot.environment["PYTHONPATH"] ?? "").split(":").filter((folder) => folder !== "");

/** Elements of PYTHONPATH; undefined for one that is a folder of the environment itself. */
function lentFolders(view: View, { sites }: PythonEnvironment): (string | undefined)[] {
  const own = new Set(sites.map((site) => realPath(view, site) ?? site));
  return pythonPathOf(view).map((element) => {
    const folder = absolute(element, view.cwd);
    return own.has(realPath(view, folder) ?? folder) ? undefined : element;
  });
}

function realPath(view: View, path: string): string | undefined {
  const at = view.lookup(path);
  return "found" in at ? at.found : undefined;
}

function pythonVersion(view: View, prefix: string, base: string, configured: string | undefined, python: string): string | undefined {
  const stated = /^(\d+\.\d+)/.exec(configured ?? "")?.[1];
  if (stated !== undefined) return stated;
  // The interpreter's real name, as `python3.12`, is surer than a folder that an older release left behind.
  const named = /python(\d+\.\d+)$/.exec(realPath(view, python) ?? "")?.[1];
  if (named !== undefined) return named;
  for (const folder of [`${prefix}/lib`, `${base}/lib`]) {
    const versions = namesIn(view, folder)?.flatMap((name) => /^python(3\.\d+)$/.exec(name)?.[1] ?? []);
    if (versions && 0 < versions.length) return versions.sort((a, b) => Number(b.slice(2)) - Number(a.slice(2)))[0];
  }
  return undefined;
}

function modulePath(view: View, environment: PythonEnvironment, base: string, sharesSystem: boolean): string[] {
  const { prefix, version, kind } = environment;
  const variables = view.snapshot.environment;
  const path: string[] = [""];
  for (const folder of pythonPathOf(view)) {
    path.push(absolute(folder, view.cwd));
    if (kindAt(view, absolute(folder, view.cwd)) === "file") environment.notFollowed.push(archive(absolute(folder, view.cwd)));
  }
  path.push(
    `${base}/lib/python${version.replace(".", "")}.zip`,
    `${base}/lib/python${version}`,
    `${base}/lib/python${version}/lib-dynload`,
  );

  const sites: string[] = [];
  if (kind === "venv") sites.push(`${prefix}/lib/python${version}/site-packages`, `${prefix}/lib64/python${version}/site-packages`);
  if (sharesSystem) {
    const home = variables["HOME"];
    if (home && variables["PYTHONNOUSERSITE"] === undefined) sites.push(`${home}/.local/lib/python${version}/site-packages`);
    if (base === "/usr")
      sites.push(
        `/usr/local/lib/python${version}/dist-packages`,
        "/usr/lib/python3/dist-packages",
        `/usr/local/lib/python${version}/site-packages`,
      );
    sites.push(`${base}/lib64/python${version}/site-packages`, `${base}/lib/python${version}/site-packages`);
  }
  const seen = new Set<string>();
  for (const site of sites) {
    const real = realPath(view, site);
    if (real === undefined || seen.has(real) || kindAt(view, site) !== "folder") continue;
    seen.add(real);
    environment.sites.push(site);
    path.push(site, ...pathFileFolders(view, environment, site));
  }
  return path;
}

/** Spark puts its own on PYTHONPATH, and they hold Python alone. */
const plainArchives = /^(?:pyspark|py4j-[\d.]+-src)\.zip$/;

const archive = (file: string): PythonEnvironment["notFollowed"][number] => ({
  file,
  reason: "modules in an archive are not looked at",
  ...(plainArchives.test(nameOf(file)) ? {} : { hides: true as const }),
});

/** Lines of code in .pth files that make the path longer, as people write them: `import sys; sys.path.append("/opt/mine")`, `site.addsitedir(…)`. */
const addition = /\b(?:sys\.path\.(?:append|insert|extend)|(?:site\.)?addsitedir)\(|\bsys\.path\s*\+?=[^=]|\bsys\.path\[[^\]]*\]\s*=[^=]/;
/** What `setup.py develop` wrote until 2018 around its folders: it moves what is there. */
const moving = /\bsys\.__(?:plen|egginsert)\b/;

function codeIn(view: View, environment: PythonEnvironment, file: string, line: string): string[] {
  const adds = addition.test(line) && !moving.test(line);
  const named = adds ? [...line.matchAll(/["'](\/[^"']*)["']/g)].map(([, folder]) => folder!) : [];
  const hides = adds && named.length === 0;
  const reason = hides
    ? "it runs code at start that adds folders to Python's path, and which is not known"
    : "it runs code at start, which is not followed";
  environment.notFollowed.push({ file, reason, ...(hides ? { hides: true as const } : {}) });
  return named.filter((folder) => kindAt(view, folder) === "folder");
}

// Each line of a .pth file that names an existing folder joins the path; lines that begin with `import` would run: what they plainly name is taken.
function pathFileFolders(view: View, environment: PythonEnvironment, site: string): string[] {
  const folders: string[] = [];
  for (const name of (namesIn(view, site) ?? []).filter((entry) => entry.endsWith(".pth") && !entry.startsWith("."))) {
    for (const line of (textAt(view, `${site}/${name}`) ?? "").split(/\r?\n/)) {
      if (line.startsWith("import ") || line.startsWith("import\t")) folders.push(...codeIn(view, environment, `${site}/${name}`, line));
      else if (line.trim() !== "" && !line.startsWith("#")) {
        const folder = withoutDots(absolute(line.trim(), site));
        const kind = kindAt(view, folder);
        if (kind === "folder") folders.push(folder);
        if (kind === "file") environment.notFollowed.push(archive(folder));
      }
    }
  }
  return folders;
}

function packagesIn(view: View, environment: PythonEnvironment, folder: string): PythonPackage[] {
  if (!/(site|dist)-packages$/.test(folder) && kindAt(view, folder) !== "folder") return [];
  const packages: PythonPackage[] = [];
  const names = namesIn(view, folder) ?? [];
  // Whatever is installed in editable form leaves a .pth file with its name in it.
  const hooks = names.filter((name) => name.endsWith(".pth")).map(normalName);
  for (const entry of names) {
    const metadata = `${folder}/${entry}`;
    const named = namedBy(view, metadata, entry);
    if (!named) continue;
    const found: PythonPackage = { name: normalName(named[1]!), version: named[2]!, folder, metadata };
    if (hooks.some((hook) => hook.includes(found.name))) found.folder = sourceOf(view, environment, found) ?? folder;
    packages.push(found);
  }
  return newestFirst(packages);
}

/** An upgrade that was broken off leaves two of a name; the newest was the last to be put there. */
function newestFirst(packages: PythonPackage[]): PythonPackage[] {
  const first = new Map<string, number>();
  for (const [index, { name }] of packages.entries()) if (!first.has(name)) first.set(name, index);
  if (first.size === packages.length) return packages;
  return packages.sort((one, other) => first.get(one.name)! - first.get(other.name)! || comparePythonVersions(other.version, one.version));
}

/** Name and version that an entry of a folder tells: of the metadata of a package, of an egg around it, or of an egg that is one file. */
function namedBy(view: View, metadata: string, entry: string): string[] | undefined {
  if (entry.endsWith("-info")) return metadataName.exec(entry) ?? developed(view, metadata, entry);
  if (entry === "EGG-INFO") return eggName.exec(nameOf(folderOf(metadata))) ?? undefined;
  return entry.endsWith(".egg") && kindAt(view, metadata) === "file" ? (eggName.exec(entry) ?? undefined) : undefined;
}

const metadataName = /^(.+?)-([^-]+)(?:-py3[^/]*)?\.(?:dist-info|egg-info)$/;
const eggName = /^([^-]+)-([^-]+)(?:-py3[^/]*)?\.egg$/;

/** `setup.py develop` leaves NAME.egg-info in the source folder, which a .pth file puts on the path; the version stands inside. */
function developed(view: View, metadata: string, entry: string): string[] | undefined {
  const name = /^([^-]+)\.egg-info$/.exec(entry)?.[1];
  const version = name === undefined ? undefined : /^Version: (.+)$/m.exec(textAt(view, `${metadata}/PKG-INFO`) ?? "")?.[1];
  return version === undefined ? undefined : [entry, name!, version.trim()];
}

/**
 * Where the modules lie of a package that was installed in editable form (PEP 610, PEP 660): the part of its source folder that is on the
 * path, or that folder itself, which is where most hooks lead. What a hook would do is not followed, and is said so.
 */
function sourceOf(view: View, environment: PythonEnvironment, { name, metadata }: PythonPackage): string | undefined {
  const file = `${metadata}/direct_url.json`;
  const text = textAt(view, file) ?? "";
  const address = /"editable"\s*:\s*true/.test(text) ? /"url"\s*:\s*"file:\/\/(\/[^"]*)"/.exec(text)?.[1] : undefined;
  if (address === undefined) return undefined;
  const source = address.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
  const onPath = environment.path.find((folder) => folder === source || folder.startsWith(`${source}/`));
  if (onPath === undefined)
    environment.notFollowed.push({
      file,
      reason: `${name} is installed in editable form from ${source}; what a hook imports from there is not followed`,
    });
  return onPath ?? source;
}

/** The first installed package of that name: what `import` and importlib.metadata find. */
export function packageNamed(environment: PythonEnvironment, name: string): PythonPackage | undefined {
  return environment.packages.find((candidate) => candidate.name === name);
}

/**
 * The folders of a package as `import` would set its `__path__`: the first regular package, or all parts of a namespace.
 * Files of the package itself are not needed: an `__init__` that is not in the snapshot makes no difference to what it finds.
 */
export function importFolders(view: View, searchPath: string[], module: string): string[] {
  let folders = searchPath;
  for (const part of module.split(".")) {
    const parts: string[] = [];
    for (const folder of folders) {
      const candidate = `${absolute(folder, view.cwd).replace(/\/$/, "")}/${part}`;
      if (kindAt(view, candidate) !== "folder") continue;
      if (["__init__.py", "__init__.pyc"].some((name) => kindAt(view, `${candidate}/${name}`) === "file")) {
        // A regular package ends the search, but parts of a namespace that come first are passed over by it.
        parts.splice(0, parts.length, candidate);
        break;
      }
      parts.push(candidate);
    }
    folders = parts;
  }
  return folders;
}

const suffixesFor = ({ version }: PythonEnvironment): string[] => {
  const tag = version.replace(".", "");
  return [`.cpython-${tag}-x86_64-linux-gnu.so`, `.cpython-${tag}-aarch64-linux-gnu.so`, ".abi3.so", ".so"];
};

/** Whether nobody has looked yet for one of the files that an extension module may be. */
export const mayBeExtension = (view: View, environment: PythonEnvironment, folder: string, name: string): boolean =>
  suffixesFor(environment).some((suffix) => kindAt(view, `${folder}/${name}${suffix}`) === undefined);

/** The file of an extension module in a folder, by the suffixes that this interpreter tries, in its order. */
export function extensionIn(view: View, environment: PythonEnvironment, folder: string, name: string): string | undefined {
  for (const suffix of suffixesFor(environment)) {
    const path = `${folder}/${name}${suffix}`;
    const kind = kindAt(view, path);
    if (kind === "file") return path;
    // Whichever is there will be loaded: it is read in the same round.
    if (kind === undefined) view.need(absolute(path, view.cwd), "object");
  }
  return undefined;
}
