// Where `import` finds a module: CPython's path finder, over folders alone.
import { keptWith } from "../lib/memo.ts";
import { outermostModules } from "../lib/record-lines.ts";
import { absolute } from "../lib/path.ts";
import type { PythonEnvironment, PythonPackage } from "../model/environment.ts";
import type { RegularFileFact } from "../model/snapshot.ts";
import type { View } from "../resolve/view.ts";
import { extensionIn, kindAt, mayBeExtension, namesIn } from "./python.ts";
import { isListed, unlistedModules } from "./unlisted.ts";

export type FoundModule =
  /** `folder`: of a package, where its parts lie. */
  | { kind: "source" | "binary"; file: string; folder?: string }
  /** Folders without `__init__.py`, which are one namespace; or compiled Python alone, or what is linked in. */
  | { kind: "other"; folders?: string[] }
  | { kind: "absent" };

/** The module of a name in the first of some folders that has it; undefined while that is not known. */
export function findModule(view: View, environment: PythonEnvironment, folders: string[], name: string): FoundModule | undefined {
  let part: { kind: "other"; folders?: string[] } | undefined;
  for (const each of folders) {
    const folder = absolute(each, view.cwd).replace(/\/$/, "");
    // The current folder may be anybody's: it is asked for the name alone.
    if (each !== "" && namesIn(view, folder) === undefined) return undefined;
    const found = moduleAt(view, environment, `${folder}/${name}`, folder, name);
    if (found === undefined) return undefined;
    if (found.kind === "source" || found.kind === "binary") return found;
    if (found.kind !== "other") continue;
    // Compiled Python alone ends the search as its source would; all folders of a namespace are gone through.
    if (found.folders === undefined) return part ?? found;
    part = { kind: "other", folders: [...(part?.folders ?? []), ...found.folders] };
  }
  return part ?? { kind: "absent" };
}

function moduleAt(view: View, environment: PythonEnvironment, path: string, folder: string, name: string): FoundModule | undefined {
  const kind = kindAt(view, path);
  const inside = kind === "folder" ? namesIn(view, path) : [];
  if (kind === undefined || inside === undefined) return undefined;
  if (inside.includes("__init__.py")) return { kind: "source", file: `${path}/__init__.py`, folder: path };
  const extension = extensionIn(view, environment, folder, name);
  if (extension !== undefined) return { kind: "binary", file: extension };
  if (mayBeExtension(view, environment, folder, name)) return undefined;
  const source = kindAt(view, `${path}.py`);
  if (source === undefined) return undefined;
  if (source === "file") return { kind: "source", file: `${path}.py` };
  if (kindAt(view, `${path}.pyc`) === "file" || inside.includes("__init__.pyc")) return { kind: "other" };
  return kind === "folder" ? { kind: "other", folders: [path] } : { kind: "absent" };
}

/** The folders in which the parts of a module lie. */
export const foldersOf = (found: FoundModule): string[] =>
  "folder" in found && found.folder !== undefined ? [found.folder] : "folders" in found ? (found.folders ?? []) : [];

/** The first of a module and the packages around it that is nowhere; undefined where all are there, or that is not known. */
export function absentPart(view: View, environment: PythonEnvironment, path: string[], module: string): string | undefined {
  let folders = path;
  const parts = module.split(".");
  for (const [index, part] of parts.entries()) {
    const found = findModule(view, environment, folders, part);
    if (found?.kind === "absent") return parts.slice(0, index + 1).join(".");
    folders = found ? foldersOf(found) : [];
    if (folders.length === 0) return undefined;
  }
  return undefined;
}

/** The module that is asked for by `is_NAME_available`: Pillow's has another name, and `torchvision_v2` is a release of torchvision. */
export const moduleNamed = (name: string): string => (name === "vision" ? "PIL" : name.replace(/_v\d+$/, ""));

/** Names of the modules in Python that a package says it installed: without what is in them, and in a namespace with its name before them. */
export function modulesOf(view: View, found: PythonPackage): string[] {
  const { metadata } = found;
  const isTold = isListed(view, found);
  if (isTold === false) return unlistedModules(view, found);
  const at = view.lookup(`${metadata}/RECORD`);
  if ("found" in at && at.entry.kind === "file" && at.entry.text !== undefined) return modulesIn(at.entry);
  return [];
}

/** Their first parts, each once: what `import` begins with. */
export function outermostOf(view: View, found: PythonPackage): string[] {
  const at = isListed(view, found) === false ? undefined : view.lookup(`${found.metadata}/RECORD`);
  if (at && "found" in at && at.entry.kind === "file" && at.entry.text !== undefined) return outermostIn(at.entry);
  return [...new Set(modulesOf(view, found).map(topOf))];
}

const outermostIn = keptWith((entry: RegularFileFact) => [...new Set(modulesIn(entry).map(topOf))]);

const topOf = (module: string) => module.split(".")[0]!;

const modulesIn = keptWith(({ text = "" }: RegularFileFact) => outermostModules(text.split("\n")).map(moduleName));

const moduleName = (line: string) =>
  line
    .slice(0, line.indexOf(".py,"))
    .replace(/\/__init__$/, "")
    .replaceAll("/", ".");

// sys.stdlib_module_names of CPython 3.8 to 3.13. Some are in the interpreter, some have been removed: setuptools brings one of them back.
const standard = new Set(
  (
    "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii binhex bisect builtins bz2 " +
    "cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib " +
    "contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest dummy_threading " +
    "email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc " +
    "genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect " +
    "io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder " +
    "msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev parser pathlib " +
    "pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc " +
    "pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex " +
    "shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics " +
    "string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios test " +
    "textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing " +
    "unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc xxlimited " +
    "xxsubtype zipapp zipfile zipimport zlib zoneinfo compression annotationlib"
  ).split(" "),
);

/** A module of Python itself, in one of its releases. */
export const isStandard = (name: string): boolean => name.startsWith("_") || standard.has(name);

/** The .pth files with code that runs at start, and may bring modules from elsewhere. */
export const hooksOf = ({ notFollowed }: PythonEnvironment): string[] => [
  ...new Set(notFollowed.map(({ file }) => file).filter((file) => !harmless.test(file))),
];

const harmless = /\/(?:distutils-precedence|_virtualenv|[^/]*-nspkg)\.pth$/;
