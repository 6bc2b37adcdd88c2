import type { PythonEnvironment } from "../model/environment.ts";
import type { Loads } from "../model/loads.ts";
import { describeLoads } from "../resolve/loads.ts";
import type { Process } from "../resolve/process.ts";
import { startProgram, type Started } from "../resolve/start.ts";
import type { View } from "../resolve/view.ts";
import { packageNamed } from "../collect/python.ts";
import { type Activity, type Framework, type FrameworkCopy } from "./framework.ts";
import { PythonProcess } from "./python-process.ts";
import { Stop } from "./running-process.ts";

interface Ran {
  started: Started;
  copies: Map<Framework, FrameworkCopy>;
}

/** One process that imports these frameworks, in this order, and then does these activities with each. */
export function runFrameworks(
  view: View,
  environment: PythonEnvironment,
  frameworks: Framework[],
  wanted: Activity[],
  heard?: Process["heard"],
): Ran | { missing: Framework } {
  const copies = new Map<Framework, FrameworkCopy>();
  for (const framework of frameworks) {
    const found = framework.packages.map((name) => packageNamed(environment, name)).find((candidate) => candidate !== undefined);
    if (!found) return { missing: framework };
    copies.set(framework, { package: found, environment });
  }
  const started = startProgram(view, environment.python, heard);
  if (started === undefined || "refused" in started) return { started, copies };
  const python = new PythonProcess(view, environment, started.process);
  try {
    for (const [framework, copy] of copies) act(python, framework, copy, "import");
    for (const [framework, copy] of copies) {
      const done = new Set<Activity>(["import"]);
      for (const activity of wanted) doActivity(python, framework, copy, activity, done);
    }
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
  }
  return { started, copies };
}

/** What that process loads. */
export function frameworkLoads(
  view: View,
  environment: PythonEnvironment,
  frameworks: Framework[],
  wanted: Activity[],
): Loads | { missing: Framework } {
  view.needs.clear();
  const ran = runFrameworks(view, environment, frameworks, wanted);
  if ("missing" in ran) return ran;
  const answer = describeLoads(view, environment.python, ran.started);
  for (const [{ id, verified, verifiedFor = {} }, { package: found }] of ran.copies) {
    const isWatched = (activity: string) => (verifiedFor[activity as Activity] ?? verified).test(found.version);
    const unwatched = answer.loads.filter(({ activity }) => !isWatched(activity));
    for (const load of unwatched) load.certainty = "possible";
    if (unwatched.length === 0) continue;
    const what = isWatched("import") ? "what this release loads after its import" : "how this release loads its libraries";
    answer.unknown.push({
      subject: `${id} ${found.version}`,
      reason: `${what} was not watched on a real machine; it is foreseen as releases nearby do it`,
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
