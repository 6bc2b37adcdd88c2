import type { PythonEnvironment } from "../model/environment.ts";
import type { Failure, Loads } from "../model/loads.ts";
import { describeLoads } from "../resolve/loads.ts";
import type { Process } from "../resolve/process.ts";
import { startProgram, type Started } from "../resolve/start.ts";
import type { View } from "../resolve/view.ts";
import { packageNamed } from "../survey/python.ts";
import { type Activity, type Framework, type FrameworkCopy } from "./framework.ts";
import { pythonProcess, type PythonProcess } from "./python-process.ts";
import { tryStandardLibrary } from "./standard-library.ts";
import { Stop } from "./running-process.ts";
import { isWatched } from "./watched.ts";

interface Ran {
  started: Started;
  copies: Map<Framework, FrameworkCopy>;
}

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
  frameworks: Framework[],
  wanted: Activity[],
  { first = [], heard }: { first?: ProgramStep[]; heard?: Process["heard"] } = {},
): Ran | { missing: Framework } {
  return run(view, environment, frameworks, heard, (python, copies) => {
    const done = new Map<Framework, Set<Activity>>();
    const doneWith = (framework: Framework, copy: FrameworkCopy) => {
      let own = done.get(framework);
      if (own) return own;
      done.set(framework, (own = new Set<Activity>(["import"])));
      act(python, framework, copy, "import");
      return own;
    };
    try {
      for (const { framework, does } of first) {
        const copy = copies.get(framework)!;
        const own = doneWith(framework, copy);
        const call = framework.calls?.[does];
        if (call) call(python, copy);
        else doActivity(python, framework, copy, does as Activity, own);
      }
      for (const [framework, copy] of copies) doneWith(framework, copy);
      for (const [framework, copy] of copies)
        for (const activity of wanted) doActivity(python, framework, copy, activity, doneWith(framework, copy));
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
    }
  });
}

/** The same, but as if whoever calls caught every error and went on with the next activity: so that each is judged by itself. */
export function tryFrameworks(
  view: View,
  environment: PythonEnvironment,
  frameworks: Framework[],
  wanted: Activity[],
  first: ProgramStep[] = [],
): (Ran & { stopped: StoppedActivity[] }) | { missing: Framework } {
  const stopped: StoppedActivity[] = [];
  const ran = run(view, environment, frameworks, undefined, (python, copies) => {
    const failed = new Map<Framework, Map<Activity, Failure[]>>();
    const attempt = (framework: Framework, copy: FrameworkCopy, activity: Activity): Failure[] => {
      let tried = failed.get(framework);
      if (!tried) failed.set(framework, (tried = new Map()));
      const known = tried.get(activity);
      if (known) return known;
      const earlier = activity === "import" ? [] : (["import", ...(framework.after?.[activity] ?? [])] as Activity[]);
      const inherited = earlier.map((each) => attempt(framework, copy, each)).find((failures) => 0 < failures.length);
      const before = python.process.failures.length;
      if (!inherited) stopsAt(() => act(python, framework, copy, activity));
      const failures = inherited ?? python.process.failures.slice(before);
      tried.set(activity, failures);
      if (0 < failures.length) stopped.push({ framework: framework.id, activity, failures });
      return failures;
    };
    for (const { framework, does } of first) {
      const copy = copies.get(framework)!;
      const call = framework.calls?.[does];
      if (!call) attempt(framework, copy, does as Activity);
      else if (attempt(framework, copy, "import").length === 0) stopsAt(() => call(python, copy));
    }
    for (const [framework, copy] of copies) attempt(framework, copy, "import");
    for (const [framework, copy] of copies) for (const activity of wanted) attempt(framework, copy, activity);
  });
  return "missing" in ran ? ran : { ...ran, stopped };
}

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
  frameworks: Framework[],
  heard: Process["heard"],
  drive: (python: PythonProcess, copies: Map<Framework, FrameworkCopy>) => void,
): Ran | { missing: Framework } {
  const copies = new Map<Framework, FrameworkCopy>();
  for (const framework of frameworks) {
    const found = framework.packages.map((name) => packageNamed(environment, name)).find((candidate) => candidate !== undefined);
    if (!found) return { missing: framework };
    copies.set(framework, { package: found, environment });
  }
  const started = startProgram(view, environment.python, heard);
  if (started === undefined || "refused" in started) return { started, copies };
  const python = pythonProcess(view, environment, started.process);
  drive(python, copies);
  tryStandardLibrary(python);
  return { started, copies };
}

/** What that process loads. */
export function frameworkLoads(
  view: View,
  environment: PythonEnvironment,
  frameworks: Framework[],
  wanted: Activity[],
  first: ProgramStep[] = [],
): Loads | { missing: Framework } {
  view.needs.clear();
  const ran = runFrameworks(view, environment, frameworks, wanted, { first });
  if ("missing" in ran) return ran;
  return describeRun(view, environment, ran);
}

/** What the process of a run has loaded, and how sure that is. */
export function describeRun(view: View, environment: PythonEnvironment, ran: Ran): Loads {
  const answer = describeLoads(view, environment.python, ran.started);
  // What a model itself holds for possible only is no surer where it was watched.
  const sure = answer.loads.filter(({ certainty }) => certainty === "certain");
  for (const [{ id }, { package: found }] of ran.copies) {
    const unwatched = sure.filter(({ activity }) => !isWatched(id, found.version, activity));
    for (const load of unwatched) load.certainty = "possible";
    if (unwatched.length === 0) continue;
    const what = isWatched(id, found.version, "import")
      ? `what this release loads at ${[...new Set(unwatched.map(({ activity }) => activity))].join(", ")}`
      : "how this release loads its libraries";
    answer.unknown.push({
      subject: `${id} ${found.version}`,
      kind: "release",
      reason: `${what} was not watched on a real machine; it is predicted as releases nearby do it`,
    });
  }
  return answer;
}

function doActivity(python: PythonProcess, framework: Framework, copy: FrameworkCopy, activity: Activity, done: Set<Activity>): void {
  if (done.has(activity)) return;
  done.add(activity);
  for (const earlier of framework.after?.[activity] ?? []) doActivity(python, framework, copy, earlier, done);
  act(python, framework, copy, activity);
}

function act(python: PythonProcess, framework: Framework, copy: FrameworkCopy, activity: Activity): void {
  python.process.activity = activity;
  framework.steps[activity]?.(python, copy);
}
