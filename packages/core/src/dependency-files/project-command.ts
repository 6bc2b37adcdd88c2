// Commands that install the project around them: `uv sync`, `poetry install`, `pip install .[gpu]`.
import type { Alternative, Declaration, DeclaredPackage, DeclaredStep, Include } from "../model/dependency-file.ts";
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

/** `.`, `./server[gpu]`, `/app`: a folder that pip is to install, and its extras; undefined for all others. */
export function projectOfPip(word: Word, setting: Setting): Include | undefined {
  const [, folder, extras] = /^(\.{1,2}|\.{0,2}\/[\w./-]*)(?:\[([\w\s,.-]*)\])?$/.exec(word.text) ?? [];
  if (folder === undefined || !word.isKnown || /\.(?:whl|zip|gz|bz2|tgz)$/.test(folder)) return undefined;
  const wanted = (extras ?? "").split(",").map((each) => each.trim());
  const choice = { extras: wanted.filter((each) => each !== ""), groups: [] };
  const found = setting.project?.(folder, filesOf.pip);
  // Where a script went elsewhere, it is the source of another project.
  return found && 0 < found.length ? includeOf(word, setting, found, choice) : undefined;
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
  const candidates = setting.project?.(folder, filesOf[by]) ?? [];
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
