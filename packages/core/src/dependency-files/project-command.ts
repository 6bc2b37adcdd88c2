// Commands that install the project around them: `uv sync`, `poetry install`, `pip install .[gpu]`.
import type { Place } from "../model/finding.ts";
import type { Alternative, BuiltSource, Declaration, DeclaredPackage, DeclaredStep, Include } from "../model/dependency-file.ts";
import { joinedPath } from "./lines.ts";
import type { Setting } from "./setting.ts";
import type { Word } from "./shell.ts";

/** Files that say what a project needs, by who installs it: the first that is there counts. */
const filesOf = {
  uv: ["uv.lock", "pyproject.toml"],
  poetry: ["poetry.lock", "pyproject.toml"],
  pixi: ["pixi.lock", "pixi.toml", "pyproject.toml"],
  pip: ["pyproject.toml", "setup.cfg", "setup.py"],
} as const;

interface LocalFolder {
  folder: string;
  extras: string[];
}

/** `.`, `./server[gpu]`, `third_party/ops`, `/app`, `file:../x`: a folder that pip is to install, and its extras; undefined for all others. */
export function localFolder(text: string): LocalFolder | undefined {
  const [, path, extras = ""] = /^(?:file:(?:\/\/(?=\/))?)?([^[\]]+)(?:\[([\w\s,.-]*)\])?(?:#.*)?$/.exec(text) ?? [];
  if (path === undefined || /\.(?:whl|zip|gz|bz2|xz|tgz|txt|in|git)$/.test(path) || /:|@|^-|\s/.test(path)) return undefined;
  if (!text.startsWith("file:") && !/^(?:\.{1,2}$|~)|\//.test(path)) return undefined;
  const folder = path.replace(/(?<=[^/])\/+$/, "");
  return { folder, extras: extras.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()])) };
}

/** Where it comes from: files of a project that are seen, a repository that was cloned, or nobody knows. */
export function projectOfPip(word: Word, setting: Setting): { include: Include } | { built: BuiltSource } | undefined {
  const local = localFolder(word.text);
  if (!local) return undefined;
  const unseen = { built: { url: word.text, place: setting.place(word), isFolder: true as const } };
  if (!word.isKnown || (setting.isLost && !local.folder.startsWith("/"))) return unseen;
  const at = joinedPath(setting.folder ?? "", local.folder);
  const cloned = cloneAt(joinedPath(setting.base ?? "", at), setting.clones);
  if (cloned !== undefined) return { built: { url: cloned, place: setting.place(word) } };
  const found = setting.project?.(at === "" ? "." : at, filesOf.pip) ?? [];
  return found.length === 0 ? unseen : { include: includeOf(word, setting, found, { extras: local.extras, groups: [] }) };
}

/** The files of a project in a folder that a list names: pip looks from where it is started, which is often a folder above. */
export function projectBeside(text: string, place: Place, name?: string): Include | undefined {
  const local = localFolder(text);
  if (!local || /^[/~$]|[$*]/.test(local.folder)) return undefined;
  const candidates = ["", "..", "../.."].flatMap((base) => filesUnder(base, local.folder, filesOf.pip));
  return {
    path: candidates[0]!,
    candidates,
    role: "project",
    choice: { extras: local.extras, groups: [] },
    ...(name === undefined ? {} : { name }),
    place,
  };
}

/** The repository that a folder is a clone of, or lies in. */
function cloneAt(folder: string, clones: Map<string, string> | undefined): string | undefined {
  for (const [root, url] of clones ?? []) {
    if (folder === root) return url;
    if (folder.startsWith(`${root}/`)) return `${url}#subdirectory=${folder.slice(root.length + 1)}`;
  }
  return undefined;
}

/** Files of a project in a folder below another one. */
export const filesUnder = (base: string, folder: string, names: readonly string[]): string[] =>
  folder.startsWith("/") || folder.includes("$") ? [] : names.map((name) => joinedPath(base, `${folder}/${name}`));

const includeOf = (word: Word, setting: Setting, candidates: string[], choice: Include["choice"]): Include => ({
  path: candidates[0] ?? word.text,
  candidates,
  role: "project",
  choice: choice!,
  place: setting.place(word),
});

/** What `uv sync`, `poetry install` and `pixi install` bring: what their lock says, and if there is none, the project. */
export function readProjectInstall(by: "uv" | "poetry" | "pixi", verb: Word, rest: Word[], setting: Setting): DeclaredStep[] {
  // Poetry calls what is always needed its group `main`.
  const isMain = by === "poetry" && valuesOf(rest, /^--only$/).every((each) => each === "main");
  if (
    rest.some(
      ({ text }) => !(isMain && text.startsWith("--only")) && /^--(?:only|only-group|only-root|script|dry-run|check)(?:=|$)/.test(text),
    )
  ) {
    setting.tell(setting.place(verb), "it installs a part of the project: which one is not worked out");
    return [];
  }
  // With `--package` it is one member of a workspace: all of them share the lock, which holds together as a whole.
  const folder =
    valuesOf(rest, by === "pixi" ? /^--manifest-path$/ : /^(?:--directory|--project|-C)$/)[0]?.replace(/\/?[\w-]{1,80}\.toml$/, "") ?? ".";
  const candidates = setting.isLost ? [] : (setting.project?.(joinedPath(setting.folder ?? "", folder) || ".", filesOf[by]) ?? []);
  if (candidates.length === 0) {
    setting.tell(setting.place(verb), `what it brings is not known: the ${filesOf[by][0]} of the project is not seen here`);
    return [];
  }
  const isAll = rest.some(({ text }) => text === "--all-extras");
  const extras = valuesOf(rest, /^(?:--extra|--extras|-E)$/).flatMap((each) => each.split(/[\s,]+/));
  const groups =
    by === "pixi"
      ? [valuesOf(rest, /^(?:-e|--environment)$/)[0] ?? "default"]
      : valuesOf(rest, /^(?:--group|--with)$/).flatMap((each) => each.split(/[\s,]+/));
  return [
    { kind: "file", include: includeOf(verb, setting, candidates, { extras: isAll ? "all" : extras, groups }), place: setting.place(verb) },
  ];
}

function valuesOf(words: Word[], option: RegExp): string[] {
  return words.flatMap(({ text, isKnown }, index) => {
    const equals = text.indexOf("=");
    if (0 < equals && option.test(text.slice(0, equals))) return isKnown ? [text.slice(equals + 1)] : [];
    const next = option.test(text) ? words[index + 1] : undefined;
    return next?.isKnown ? [next.text] : [];
  });
}

const isBase = ({ name }: Alternative) => /^(?:dependencies|main|packages|pixi|tool\.poetry\.dependencies)$/.test(name);

/** What of a project is installed: what it always needs, with the extras and groups that are asked for. */
export function chosenOf(project: Declaration, { extras, groups }: NonNullable<Include["choice"]>): Declaration {
  const all = project.alternatives;
  if (!all) return project;
  // An environment of pixi is a whole of its own.
  const environment = all.find(({ name }) => groups.some((each) => name === `environment ${each}`));
  if (environment) return { ...project, steps: environment.steps, alternatives: [environment] };
  const isWanted = ({ name }: Alternative) =>
    (extras === "all" ? name.startsWith("extra ") : extras.some((each) => name === `extra ${each}`)) ||
    groups.some((each) => name === `group ${each}` || name === `feature ${each}`);
  const [first, ...others] = [...all.filter(isBase), ...all.filter(isWanted)];
  const { alternatives: _, ...rest } = project;
  if (!first) return { ...rest, steps: [] };
  const more = others.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === "install" ? step.packages : [])));
  return {
    ...rest,
    steps: first.steps.map((step) => (step.kind === "install" ? { ...step, packages: joined(step.packages, more) } : step)),
  };
}

/** Each requirement once: every alternative holds what all share. */
function joined(packages: DeclaredPackage[], more: DeclaredPackage[]): DeclaredPackage[] {
  const keyOf = ({ text, marker }: DeclaredPackage) => JSON.stringify([text, marker]);
  return [...new Map([...packages, ...more].map((each) => [keyOf(each), each])).values()];
}
