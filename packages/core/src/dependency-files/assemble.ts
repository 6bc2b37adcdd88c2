import type {
  Alternative,
  Declaration,
  DeclaredPackage,
  DependencyFileFormat,
  Include,
  Install,
  DeclaredStep,
} from "../model/dependency-file.ts";
import { inAllReadings, type Conditions } from "./conditions.ts";
import { asItsKernelSays } from "./kaggle.ts";
import { folderOf, joinedPath } from "./lines.ts";
import { chosenOf, projectBeside } from "./project-command.ts";
import { namedIn, readFormat, recognise } from "./recognise.ts";

/** Text of a file beside others; `problem` says why it cannot be had. With `only: "where"` nothing is opened: it is told whether it might be. */
export type ReadFile = (path: string, only?: "where") => Promise<{ text: string } | { problem: string }>;

/** A file of another name may be anything: a key, a list of passwords. */
function isCalledLike(file: string, role: Include["role"]): boolean {
  const name = file.slice(file.lastIndexOf("/") + 1).toLowerCase();
  if (role === "dockerfile") return /docker|container/.test(name);
  if (role === "project") return /^(?:pyproject\.toml|pixi\.toml|uv\.lock|poetry\.lock|pixi\.lock|setup\.cfg|setup\.py)$/.test(name);
  if (role === "environment") return /\.(ya?ml|txt|lock)$/.test(name);
  return /\.(txt|in|pip|reqs?|toml|lock)$/.test(name) || (!name.startsWith(".") && /require|constraint|depend|^deps|^reqs/.test(name));
}

/** A text that is called like a list of requirements and is none: most of its lines cannot be read, or it is a key. */
function isSomethingElse({ format, steps, unknown }: Declaration, text: string): boolean {
  if (/-----BEGIN /.test(text)) return true;
  if (format !== "requirements") return false;
  const understood = steps.reduce(
    (sum, step) =>
      sum + (step.kind === "install" ? step.packages.length + step.includes.length + step.indexes.length + step.links.length : 0),
    0,
  );
  return understood < unknown.length;
}

/** What a file is taken for where its own signs do not count. */
const usualFormats = {
  requirements: "requirements",
  constraints: "requirements",
  environment: "conda-environment",
  dockerfile: "dockerfile",
  project: "pyproject",
} as const;

function formatOf({ role }: Include, path: string, text: string): DependencyFileFormat {
  const known = recognise(path, text);
  const isList = role === "requirements" || role === "constraints";
  const isOther = isList ? known === "pyproject" || known === "conda-explicit" : role === "environment" || role === "project";
  return isOther ? (known ?? usualFormats[role]) : usualFormats[role];
}

/** More files than this belong to no project. */
const mostFiles = 200;

/** Nobody joins a file of so many. */
const mostBesides = 30;

/** More packages than this, and more extras, jobs and groups, does no project have: it would take minutes. */
const mostPackages = 20_000;
const mostAlternatives = 200;
/** And no project has so many commands. */
const mostSteps = 50_000;

/** A file and all that it names, as one declaration. A file that is missing, or that names itself, is said in `unknown`. */
export async function assemble(file: string, text: string, format: DependencyFileFormat, read: ReadFile): Promise<Declaration> {
  // Each reading names much the same files.
  const known = new Map<string, ReturnType<ReadFile>>();
  const once: ReadFile = (path, only) => {
    const key = `${only ?? ""}:${path}`;
    const found = known.get(key) ?? read(path, only);
    known.set(key, found);
    return found;
  };
  return inAllReadings((conditions) => assembled(file, text, format, once, conditions));
}

async function assembled(
  file: string,
  text: string,
  format: DependencyFileFormat,
  read: ReadFile,
  conditions: Conditions,
): Promise<Declaration> {
  let files = 1;
  const unknown: Declaration["unknown"] = [];
  const whole = await onItsOwn(readFormat(format, text, file, conditions, undefined, await besides()));
  addTo(unknown, whole.unknown);
  if (!whole.alternatives) {
    const stages = [];
    for (const stage of whole.stages ?? []) stages.push({ ...stage, steps: counted(await opened(stage.steps, file, [file])) });
    return { ...whole, ...(0 < stages.length ? { stages } : {}), steps: counted(await opened(whole.steps, file, [file])), unknown };
  }
  const chosen = format === "pyproject" ? await chosenPython() : [];
  const alternatives: Alternative[] = [];
  if (mostAlternatives < whole.alternatives.length)
    unknown.push({ subject: file, reason: `it is judged by the first ${mostAlternatives} of ${whole.alternatives.length} alternatives` });
  for (const { name, steps } of whole.alternatives.slice(0, mostAlternatives))
    alternatives.push({ name, steps: withPython(counted(await opened(steps, file, [file])), chosen) });
  return { ...whole, alternatives, steps: alternatives[0]?.steps ?? [], unknown };

  /** What the file takes more from, and what that does. What is not there is not in it. */
  async function besides(): Promise<ReadonlyMap<string, string>> {
    const texts = new Map<string, string>();
    const waiting = namedIn(format, text, file);
    for (let path = waiting.shift(); path !== undefined && texts.size < mostBesides; path = waiting.shift()) {
      const found = texts.has(path) ? { problem: "" } : await read(path);
      if ("problem" in found) continue;
      texts.set(path, found.text);
      waiting.push(...namedIn(format, found.text, path));
    }
    return texts;
  }

  /** What Kaggle is told of a notebook may stand in a file beside it. */
  async function onItsOwn(declaration: Declaration): Promise<Declaration> {
    if (format !== "notebook") return declaration;
    const beside = joinedPath(folderOf(file), "kernel-metadata.json");
    const found = await read(beside);
    return "problem" in found ? declaration : asItsKernelSays(declaration, found.text, beside);
  }

  /** uv and pyenv take the Python that the file beside says: https://docs.astral.sh/uv/concepts/python-versions/#python-version-files */
  async function chosenPython(): Promise<DeclaredStep[]> {
    const path = joinedPath(folderOf(file), ".python-version");
    const found = await read(path);
    const version =
      "text" in found ? /^[ \t]{0,20}(?:cpython[@-]?)?(3\.\d{1,3})(?:\.\d{1,3})?[ \t\r]{0,20}$/m.exec(found.text)?.[1] : undefined;
    return version === undefined ? [] : [{ kind: "python", specifier: `==${version}`, place: { file: path, line: 1 } }];
  }

  function counted(steps: DeclaredStep[]): DeclaredStep[] {
    const packages = steps.reduce((sum, step) => sum + (step.kind === "install" ? step.packages.length + step.constraints.length : 0), 0);
    if (mostSteps < steps.length) throw new Error(`it holds ${steps.length} commands, more than any project has`);
    if (mostPackages < packages) throw new Error(`it names ${packages} packages, more than any project has`);
    return steps;
  }

  async function opened(all: DeclaredStep[], from: string, above: string[]): Promise<DeclaredStep[]> {
    const done: DeclaredStep[] = [];
    for (const step of all) {
      if (step.kind === "file") {
        const found = await find(step.include, from, above);
        if (found) addTo(done, await opened(found.steps, found.file, [...above, found.file]));
      } else if (step.kind === "install") done.push(await completed(step, from, above));
      else done.push(step);
    }
    return done;
  }

  async function completed(step: Install, from: string, above: string[]): Promise<Install> {
    const whole: Install = {
      ...step,
      includes: [],
      packages: [...step.packages],
      constraints: [...step.constraints],
      indexes: [...step.indexes],
      links: [...step.links],
    };
    const beside = step.isLocked ? [] : step.packages.flatMap((each) => folderOfPackage(each) ?? []);
    if (0 < beside.length) whole.packages = whole.packages.filter((each) => folderOfPackage(each) === undefined);
    for (const include of [...step.includes, ...beside]) {
      const found = await find(include, from, above);
      if (!found) continue;
      for (const inner of await opened(found.steps, found.file, [...above, found.file])) {
        if (inner.kind !== "install") continue;
        const list = include.role === "constraints" ? whole.constraints : whole.packages;
        addTo(list, inner.packages);
        if (inner.refused) whole.refused = [...(whole.refused ?? []), ...inner.refused];
        if (inner.built && include.role !== "constraints") whole.built = [...(whole.built ?? []), ...inner.built];
        addTo(whole.constraints, inner.constraints);
        addTo(whole.indexes, inner.indexes);
        addTo(whole.links, inner.links);
        if (inner.allowsPreReleases) whole.allowsPreReleases = true;
      }
    }
    return whole;
  }

  async function find(include: Include, from: string, above: string[]): Promise<Declaration | undefined> {
    const subject = `${include.place.file}:${include.place.line}`;
    const tell = (reason: string) => void unknown.push({ subject, reason });
    if (mostFiles <= files) return tell(`\`${include.path}\` is not read: ${mostFiles} files were`) as undefined;
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(include.path)) return tell(`\`${include.path}\` is an address: it is not read`) as undefined;
    let problem: string | undefined;
    // A project may have nothing but settings of tools in the first of its files.
    let bare: Declaration | undefined;
    for (const candidate of include.candidates) {
      const path = joinedPath(folderOf(from), candidate);
      if (bare && folderOf(path) !== folderOf(bare.file)) continue;
      if (above.includes(path)) {
        if (!asksForItself(include, path, above)) tell(`\`${include.path}\` is the file that names it, or one above: it is not read again`);
        return undefined;
      }
      const content = await contentOf(path, include);
      if ("problem" in content) {
        problem ??= `\`${include.path}\` ${content.problem}`;
        continue;
      }
      files += 1;
      const inner = innerOf(path, content.text, include);
      if ("problem" in inner) return tell(inner.problem) as undefined;
      if (include.role !== "project" || declares(inner)) {
        addTo(unknown, inner.unknown);
        return include.choice ? chosenOf(inner, include.choice) : inner;
      }
      bare ??= inner;
    }
    if (bare) return bare;
    const what = include.name === undefined ? "it" : `\`${include.name}\``;
    return tell(`what ${what} brings is not known: ${problem ?? `\`${include.path}\` is not there`}`) as undefined;
  }

  async function contentOf(path: string, { role }: Include): ReturnType<ReadFile> {
    const isMeant = isCalledLike(path, role);
    const found = await read(path, isMeant ? undefined : "where");
    return isMeant || "problem" in found ? found : { problem: "is not called like a dependency file: not read" };
  }

  function innerOf(path: string, text: string, include: Include): Declaration | { problem: string } {
    // A setup.cfg with settings of tools alone.
    if (include.role === "project" && recognise(path, text) === undefined)
      return { format: "pyproject", file: path, steps: [], unknown: [] };
    try {
      const inner = readFormat(formatOf(include, path, text), text, path, conditions, include.build);
      return isSomethingElse(inner, text) ? { problem: `\`${include.path}\` is no dependency file: nothing of it is taken` } : inner;
    } catch (error) {
      return { problem: `\`${include.path}\` cannot be read: ${error instanceof Error ? error.message.split("\n")[0] : ""}` };
    }
  }
}

/** A project's list that asks for the project asks for nothing more. */
const asksForItself = ({ role }: Include, path: string, above: string[]): boolean =>
  role === "project" || above.slice(above.indexOf(path)).some(isProject);

const isProject = (path: string): boolean => /(?:^|\/)(?:pyproject\.toml|pixi\.toml|setup\.cfg|setup\.py)$/.test(path);

/** It says something about what is installed; what cannot be read may. */
const declares = ({ steps, alternatives, unknown }: Declaration): boolean =>
  0 < unknown.length || [...steps, ...(alternatives ?? []).flatMap((each) => each.steps)].some(({ kind }) => kind === "install");

/** Of `helper = { path = "../helper" }`: the project that lies there. */
function folderOfPackage({ name, url, place }: DeclaredPackage): Include | undefined {
  return url?.startsWith("file:") ? projectBeside(url, place, name) : undefined;
}

/** What the project lets in is said first. */
function withPython(steps: DeclaredStep[], chosen: DeclaredStep[]): DeclaredStep[] {
  const at = steps.findIndex(({ kind }) => kind !== "python");
  return at < 0 ? steps : [...steps.slice(0, at), ...chosen, ...steps.slice(at)];
}

// A file may hold more than a call takes as arguments.
function addTo<T>(list: T[], more: T[]): void {
  for (const each of more) list.push(each);
}
