import { nameOf } from "../lib/path.ts";
import { newestKnown } from "../knowledge/frameworks.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Failure, Loads } from "../model/loads.ts";
import { keyOfNeeds, type Need } from "../model/need.ts";
import { describeLoads } from "../resolve/loads.ts";
import { remember, type Process } from "../resolve/process.ts";
import { startProgram, type Started } from "../resolve/start.ts";
import type { View } from "../resolve/view.ts";
import { type Activity, type Framework, type FrameworkCopy } from "./framework.ts";
import { frameworks } from "./index.generated.ts";
import { lookBehind } from "./behind.ts";
import type { BrokenImport } from "./broken-imports.ts";
import { installedIn } from "./installed.ts";
import { importsOf } from "../survey/imports.ts";
import { soundModules, type Sound } from "../survey/unsound.ts";
import { followImports } from "./python-imports.ts";
import { missModules } from "./missing-modules.ts";
import { pythonProcess, type PythonProcess } from "./python-process.ts";
import { Stop } from "./running-process.ts";
import { isWatched } from "./watched.ts";
import { isX86 } from "./kernels.ts";

interface Ran {
  started: Started;
  copies: Map<Framework, FrameworkCopy>;
  /** What was taken for loaded, as it lies in a wheel. */
  assumed: PythonProcess["assumed"];
  partly: PythonProcess["partly"];
}

/** Ids of programs whose import ends at that of another one, and what ends it. */
type Ends = Map<string, Failure>;

/** An activity that would fail or run without the GPU, and why. Others fail with it that need it. */
export interface StoppedActivity {
  framework: string;
  activity: Activity;
  failures: Failure[];
}

/** What a program does with a framework before all else, in the order in which it happens: an activity, or one of its `calls`. */
export interface ProgramStep {
  framework: Framework;
  does: string;
}

/**
 * One process: what it does first, in that order; then it imports the frameworks that are left, in this order, and does these activities
 * with each.
 */
export function runFrameworks(
  view: View,
  environment: PythonEnvironment,
  asked: Framework[],
  wanted: Activity[],
  { first = [], heard, ends }: { first?: ProgramStep[]; heard?: Process["heard"]; ends?: Ends } = {},
): Ran | { missing: Framework } {
  return run(view, environment, asked, { heard, ends }, (python, copies) => {
    const done = new Map<Framework, Set<Activity>>();
    const doActivity = (framework: Framework, copy: FrameworkCopy, activity: Activity): void => {
      let own = done.get(framework);
      if (!own) done.set(framework, (own = new Set()));
      if (own.has(activity)) return;
      own.add(activity);
      for (const [below, installed] of uponIn(environment, framework, activity)) doActivity(below, installed, activity);
      for (const earlier of before(framework, activity)) doActivity(framework, copy, earlier);
      act(python, framework, copy, activity);
    };
    try {
      for (const { framework, does } of first) {
        const copy = copies.get(framework)!;
        doActivity(framework, copy, "import");
        const call = framework.calls?.[does];
        if (call) call(python, copy);
        else doActivity(framework, copy, does as Activity);
      }
      for (const [framework, copy] of copies) doActivity(framework, copy, "import");
      for (const [framework, copy] of copies) for (const activity of wanted) doActivity(framework, copy, activity);
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
    }
  });
}

/** The same, but as if whoever calls caught every error and went on with the next activity: so that each is judged by itself. */
export function tryFrameworks(
  view: View,
  environment: PythonEnvironment,
  asked: Framework[],
  wanted: Activity[],
  { first = [], ends, sound }: { first?: ProgramStep[]; ends?: Ends; sound?: Sound | undefined } = {},
): (Ran & { stopped: StoppedActivity[] }) | { missing: Framework } {
  const stopped: StoppedActivity[] = [];
  const ran = run(view, environment, asked, { ends, sound }, (python, copies) => {
    const attempt = attempting(python, (framework, activity, failures) => {
      // What it stands upon is judged in a process of its own.
      if (copies.has(framework) && isOwn(framework, activity)) stopped.push({ framework: framework.id, activity, failures });
    });
    for (const { framework, does } of first) {
      const copy = copies.get(framework)!;
      const call = framework.calls?.[does];
      if (!call) attempt(framework, copy, does as Activity);
      else if (attempt(framework, copy, "import").length === 0) stopsAt(() => call(python, copy));
    }
    for (const [framework, copy] of copies) attempt(framework, copy, "import");
    for (const [framework, copy] of copies)
      for (const activity of wanted) if (isOwn(framework, activity)) attempt(framework, copy, activity);
  });
  return "missing" in ran ? ran : { ...ran, stopped };
}

/** What stands upon a framework does less than that: what it has no step for is none of its activities. */
const isOwn = ({ upon, steps, loadsNothingAt = [] }: Framework, activity: Activity) =>
  upon === undefined || activity === "import" || steps[activity] !== undefined || loadsNothingAt.includes(activity);

/** Does an activity, after all that must come before it, unless that failed; once. The failures that it ends with, or that it inherits. */
function attempting(
  python: PythonProcess,
  fails: (framework: Framework, activity: Activity, failures: Failure[]) => void,
): (framework: Framework, copy: FrameworkCopy, activity: Activity) => Failure[] {
  const failed = new Map<Framework, Map<Activity, Failure[]>>();
  const attempt = (framework: Framework, copy: FrameworkCopy, activity: Activity): Failure[] => {
    let tried = failed.get(framework);
    if (!tried) failed.set(framework, (tried = new Map()));
    const known = tried.get(activity);
    if (known) return known;
    const inherited = [
      ...uponIn(python.environment, framework, activity).map(([below, installed]) => asOf(below, attempt(below, installed, activity))),
      ...before(framework, activity).map((earlier) => attempt(framework, copy, earlier)),
    ].find((failures) => 0 < failures.length);
    const already = python.process.failures.length;
    if (!inherited) stopsAt(() => act(python, framework, copy, activity));
    const failures = inherited ?? withNext(python, python.process.failures.slice(already), () => act(python, framework, copy, activity));
    tried.set(activity, failures);
    if (0 < failures.length) fails(framework, activity, failures);
    return failures;
  };
  return attempt;
}

/** At the import of another one it is that which fails, and which is to blame. */
const asOf = ({ id }: Framework, failures: Failure[]): Failure[] =>
  failures.map((failure) => (failure.activity === "import" ? { through: { program: id, files: [] }, ...failure } : failure));

/** One failure, with what it would miss next and what would end it then. */
function withNext(python: PythonProcess, failures: Failure[], again: () => void): Failure[] {
  const [first, ...others] = failures;
  if (!first || 0 < others.length || python.process.pending) return failures;
  const { files, next } = lookBehind(python, first, again);
  return files.length === 0 ? failures : [{ ...first, inWheels: files }, ...(next ? [next] : [])];
}

/** A package that was tried: what its process loads, and where it stops; `isInherited`: at the import of what it stands upon. */
export interface TriedPackage {
  program: Framework;
  copy: FrameworkCopy;
  loads: Loads;
  stopped: StoppedActivity[];
  isInherited: boolean;
}

/** What was tried before, of a question that is asked again with more facts. */
export interface TriedBefore {
  /** Packages that lacked no fact: they would come out the same. */
  whole: Map<Framework, TriedPackage>;
  /** What was lacking of the frameworks below, and is fetched before anything upon them is tried; what cannot be had is not waited for. */
  lacking: Set<string>;
}

export const nothingTried = (): TriedBefore => ({ whole: new Map(), lacking: new Set() });

interface Trying {
  ends?: Ends;
  wanted?: (program: Framework) => Activity[];
  before?: TriedBefore | undefined;
  sound?: Sound | undefined;
}

/**
 * Packages without models, each as if it were alone with what it stands upon. There may be dozens upon one framework: the process is taken
 * to where that is imported once, and back there after each. Who will ask again with more facts hands in what was tried `before`.
 */
export function tryPackages(
  view: View,
  environment: PythonEnvironment,
  programs: Framework[],
  { ends, wanted = () => ["import", "device"], before, sound }: Trying,
): TriedPackage[] {
  view.needs.clear();
  const groups = new Map<string, Framework[]>();
  for (const program of programs) groups.set(program.upon?.join() ?? "", [...(groups.get(program.upon?.join() ?? "") ?? []), program]);
  const lacked = openQuestions(view);
  const tried = [...groups.values()].flatMap((group) => {
    if (before && group.every((program) => before.whole.has(program))) return group.map((program) => before.whole.get(program)!);
    lacked.setAside();
    const started = startProgram(view, environment.python);
    if (started === undefined || "refused" in started) return [];
    const python = pythonProcess(view, environment, started.process, ends, sound);
    let stopped: StoppedActivity[] = [];
    const attempt = attempting(python, ({ id }, activity, failures) => stopped.push({ framework: id, activity, failures }));
    for (const [below, installed] of uponIn(environment, group[0]!, "import")) attempt(below, installed, "import");
    const isInherited = 0 < stopped.length;
    // What the ground lacks, all upon it lack.
    const isGrounded = !lacked.areThere();
    if (!isGrounded && before && isNew(before.lacking, lacked.key())) return [];
    return group.flatMap((program): TriedPackage[] => {
      const copy = installedIn(environment, program);
      if (!copy) return [];
      const whole = before?.whole.get(program);
      if (whole) return [whole];
      const goBack = remember(started.process);
      stopped = [];
      for (const activity of wanted(program)) attempt(program, copy, activity);
      const ran = { started, copies: new Map([[program, copy]]), assumed: python.assumed.splice(0), partly: python.partly.splice(0) };
      const described = describeRun(view, environment, ran);
      const loads = { ...described, loads: [...described.loads], failures: [...described.failures], missed: [...described.missed] };
      goBack();
      const answer = { program, copy, loads, stopped, isInherited };
      if (isGrounded && !lacked.areThere()) before?.whole.set(program, answer);
      if (isGrounded) lacked.setAside();
      return [answer];
    });
  });
  lacked.putBack();
  return tried;
}

const isNew = (seen: Set<string>, key: string): boolean => seen.size < seen.add(key).size;

/** What a view lacks, of one after the other: put aside, and put back in the end, so that each is seen to lack its own. */
function openQuestions(view: View): { areThere(): boolean; key(): string; setAside(): void; putBack(): void } {
  const all: [View, Need][] = [];
  return {
    key: () => keyOfNeeds([...view.needs.values(), ...view.wishes.values()]),
    areThere: () => 0 < view.needs.size + view.wishes.size,
    setAside() {
      for (const need of view.needs.values()) all.push([view, need]);
      for (const wish of view.wishes.values()) all.push([view.wishing, wish]);
      view.needs.clear();
      view.wishes.clear();
    },
    putBack() {
      for (const [asked, { path, as, names }] of all) asked.need(path, as, names);
    },
  };
}

/** Frameworks upon others, and packages without models, that are installed and cannot be imported, though what they stand upon can be. */
export const brokenImports = (
  view: View,
  environment: PythonEnvironment,
  packages: Framework[],
  { before, sound }: Pick<Trying, "before" | "sound"> = {},
): BrokenImport[] =>
  brokenAmong(
    tryPackages(view, environment, [...importedByOthers(environment), ...packages], {
      wanted: () => ["import"],
      sound,
      ...(before ? { before } : {}),
    }),
  );

/** Frameworks of an environment to whose import others may come without standing upon them, as vLLM does to Triton's. Large ones have all upon them. */
export const importedByOthers = (environment: PythonEnvironment): Framework[] =>
  frameworks.filter((framework) => (framework.upon || !framework.isLarge) && installedIn(environment, framework));

export const brokenAmong = (tried: TriedPackage[]): BrokenImport[] =>
  tried.flatMap(({ program, copy, stopped, isInherited }) => {
    const isOwnImport = ({ framework, activity }: StoppedActivity) => framework === program.id && activity === "import";
    const failure = isInherited ? undefined : stopped.find(isOwnImport)?.failures[0];
    return failure ? [{ framework: program, package: copy.package, failure }] : [];
  });

function stopsAt(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
}

function run(
  view: View,
  environment: PythonEnvironment,
  asked: Framework[],
  { heard, ends, sound }: { heard?: Process["heard"] | undefined; ends?: Ends | undefined; sound?: Sound | undefined },
  drive: (python: PythonProcess, copies: Map<Framework, FrameworkCopy>) => void,
): Ran | { missing: Framework } {
  const copies = new Map<Framework, FrameworkCopy>();
  for (const framework of asked) {
    const copy = installedIn(environment, framework);
    if (!copy) return { missing: framework };
    copies.set(framework, copy);
  }
  const started = startProgram(view, environment.python, heard);
  if (started === undefined || "refused" in started) return { started, copies, assumed: [], partly: [] };
  const python = pythonProcess(view, environment, started.process, ends, sound);
  drive(python, copies);
  return { started, copies, assumed: python.assumed, partly: python.partly };
}

/** What that process loads. */
export function frameworkLoads(
  view: View,
  environment: PythonEnvironment,
  asked: Framework[],
  wanted: Activity[],
  { first = [], ends }: { first?: ProgramStep[]; ends?: Ends } = {},
): Loads | { missing: Framework } {
  view.needs.clear();
  const ran = runFrameworks(view, environment, asked, wanted, { first, ...(ends ? { ends } : {}) });
  if ("missing" in ran) return ran;
  return describeRun(view, environment, ran);
}

/** What the process of a run has loaded, and how sure that is. */
export function describeRun(view: View, environment: PythonEnvironment, ran: Ran): Loads {
  const answer = describeLoads(view, environment.python, ran.started);
  if (ran.started !== undefined && !("refused" in ran.started)) answer.program.imports = [...ran.copies.keys()].map(({ id }) => id);
  // What a model itself holds for possible only is no surer where it was watched.
  const sure = answer.loads.filter(({ certainty }) => certainty === "certain");
  const below = [...ran.copies.keys()].flatMap((framework) => uponIn(environment, framework, "import"));
  // Wheels for other machines are others, and none was watched.
  const isOther = !isX86(view, environment.python);
  for (const [framework, { package: found }] of new Map([...ran.copies, ...below])) {
    const { id } = framework;
    const unwatched = sure.filter(({ activity }) => isOther || !isWatched(id, found.version, activity));
    for (const load of unwatched) load.certainty = "possible";
    const newest = newestKnown(id);
    const isBeyond = newest !== undefined && 0 < comparePythonVersions(found.version.replace(/^(\d+\.\d+).*/, "$1"), newest.version);
    const isAlone = ran.copies.size === 1 && ran.copies.has(framework);
    const subject = `${id} ${found.version}`;
    if (isBeyond)
      answer.unknown.push({
        subject,
        kind: "release",
        reason: `it is newer than what is known here: ${id} up to ${newest.version}, seen on ${newest.day}`,
        newerThan: newest.version,
      });
    else if (isAlone && ran.partly[0])
      answer.unknown.push({
        subject,
        kind: "package",
        reason: reasonOfPart(ran.partly[0]),
      });
    else if (isAlone && 0 < ran.assumed.length)
      answer.unknown.push({
        subject,
        kind: "package",
        reason: `how it finds ${ran.assumed.map(({ name }) => name).join(", ")} is not known: nothing leads the loader to ${ran.assumed[0]!.file}, unless it loads that itself`,
      });
    else if (0 < unwatched.length)
      answer.unknown.push({ subject, kind: "release", reason: reasonFor(framework, new Set(unwatched.map(({ activity }) => activity))) });
  }
  return answer;
}

function reasonOfPart({ module, message, unless }: PythonProcess["partly"][number]): string {
  if (!unless) return `of its modules ${module} cannot be imported (${message}), and others can: whether that is used is not known`;
  const said = `${module} cannot be imported (${message})`;
  if ("adds" in unless) return `${said}, unless that is in a folder that ${unless.adds === module ? "it" : unless.adds} adds to sys.path`;
  if ("changes" in unless)
    return `${said}, unless ${unless.changes === module ? "it" : unless.changes} brings that itself: it may change where modules come from`;
  if ("hook" in unless) return `${said}, unless ${nameOf(unless.hook)} brings that: what it runs when Python starts is not followed`;
  if ("turns" in unless) return `${said}, where ${nameOf(unless.turns)} comes to that line: what it asks before is not known`;
  return `${said}, where it goes by ${unless.asked.join(" and ")} being there, as it is: what it asks besides is not known`;
}

function reasonFor({ isPackage, inPython }: Framework, unwatched: Set<string>): string {
  if (inPython) return "it is Python alone: its import was followed, not what it does then";
  if (isPackage) return "there is no model of it: that its files can be opened is judged, not what it does with them";
  const what = unwatched.has("import") ? "how this release loads its libraries" : `what this release loads at ${[...unwatched].join(", ")}`;
  return `${what} was not watched on a real machine; it is predicted as releases nearby do it`;
}

/** What must have happened in the same framework. */
const before = ({ after }: Framework, activity: Activity): Activity[] =>
  activity === "import" ? [] : ["import", ...(after?.[activity] ?? [])];

/** What a framework stands upon, as far as it is installed and does the like. */
function uponIn(environment: PythonEnvironment, { upon = [], isPackage }: Framework, activity: Activity): [Framework, FrameworkCopy][] {
  // What a package without a model does with it later is not known.
  if (isPackage && activity !== "import") return [];
  return upon.flatMap((id) => {
    const below = frameworks.find((framework) => framework.id === id);
    const copy = below && (activity === "import" || below.steps[activity]) ? installedIn(environment, below) : undefined;
    return copy ? [[below!, copy] as [Framework, FrameworkCopy]] : [];
  });
}

/** Large ones have thousands of files of their own, and import what they ask for: where something of that is not there, they are gone through. */
function isFollowed({ view, environment, gone }: PythonProcess, framework: Framework, module: string): boolean {
  if (framework.upon || !framework.isLarge) return true;
  gone.sound ??= soundModules(view.wishing, environment);
  return gone.sound !== undefined && gone.sound !== "unknown" && !gone.sound.has(module.split(".")[0]!);
}

function act(python: PythonProcess, framework: Framework, copy: FrameworkCopy, activity: Activity): void {
  python.process.activity = activity;
  framework.steps[activity]?.(python, copy);
  const [module] = framework.modules;
  if (activity === "import" && module !== undefined && isFollowed(python, framework, module))
    followImports(python, copy.package, [importsOf(python.view, copy.environment, copy.package, module, python.gone)]);
  if (activity === "import" && !framework.isPackage) missModules(python, framework, copy);
  const end = activity === "import" ? python.ends.get(framework.id) : undefined;
  if (end) python.stop(end);
}
