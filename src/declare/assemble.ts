import type { Alternative, Declaration, DeclarationFormat, Include, Install, DeclaredStep } from "../model/declaration.ts";
import { readFormat } from "./format.ts";
import { folderOf, joinedPath } from "./lines.ts";
import { recognise } from "./recognise.ts";

/** Text of a file beside others; `problem` says why it cannot be had. */
export type ReadFile = (path: string) => Promise<{ text: string } | { problem: string }>;

/** More files than this belong to no project. */
const mostFiles = 200;

/** More packages than this, and more extras, jobs and groups, does no project have: it would take minutes. */
const mostPackages = 20_000;
const mostAlternatives = 200;
/** And no project has so many commands. */
const mostSteps = 50_000;

/** A file and all that it names, as one declaration. A file that is missing, or that names itself, is said in `unknown`. */
export async function assemble(file: string, text: string, format: DeclarationFormat, read: ReadFile): Promise<Declaration> {
  let files = 1;
  const unknown: Declaration["unknown"] = [];
  const whole = readFormat(format, text, file);
  addTo(unknown, whole.unknown);
  if (!whole.alternatives) return { ...whole, steps: counted(await opened(whole.steps, file, [file])), unknown };
  const alternatives: Alternative[] = [];
  if (mostAlternatives < whole.alternatives.length)
    unknown.push({ subject: file, reason: `it is judged by the first ${mostAlternatives} of ${whole.alternatives.length} alternatives` });
  for (const { name, steps } of whole.alternatives.slice(0, mostAlternatives))
    alternatives.push({ name, steps: counted(await opened(steps, file, [file])) });
  return { ...whole, alternatives, steps: alternatives[0]?.steps ?? [], unknown };

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
    for (const include of step.includes) {
      const found = await find(include, from, above);
      if (!found) continue;
      for (const inner of await opened(found.steps, found.file, [...above, found.file])) {
        if (inner.kind !== "install") continue;
        const list = include.role === "constraints" ? whole.constraints : whole.packages;
        addTo(list, inner.packages);
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
    let problem = `\`${include.path}\` is not there`;
    for (const candidate of include.candidates) {
      const path = joinedPath(folderOf(from), candidate);
      if (above.includes(path))
        return tell(`\`${include.path}\` is the file that names it, or one above: it is not read again`) as undefined;
      const content = await read(path);
      if ("problem" in content) {
        problem = `\`${include.path}\` ${content.problem}`;
        continue;
      }
      files += 1;
      const known = recognise(path, content.text);
      const usual = (
        { requirements: "requirements", constraints: "requirements", environment: "conda-environment", dockerfile: "dockerfile" } as const
      )[include.role];
      const isList = include.role === "requirements" || include.role === "constraints";
      const isOther = isList ? known === "pyproject" || known === "conda-explicit" : include.role === "environment";
      try {
        const inner = readFormat(isOther ? (known ?? usual) : usual, content.text, path);
        addTo(unknown, inner.unknown);
        return inner;
      } catch (error) {
        return tell(`\`${include.path}\` cannot be read: ${error instanceof Error ? error.message.split("\n")[0] : ""}`) as undefined;
      }
    }
    return tell(`what it brings is not known: ${problem}`) as undefined;
  }
}

// A file may hold more than a call takes as arguments.
function addTo<T>(list: T[], more: T[]): void {
  for (const each of more) list.push(each);
}
