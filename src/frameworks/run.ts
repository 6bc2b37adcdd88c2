import type { PythonEnvironment } from "../model/environment.ts";
import type { Loads } from "../model/loads.ts";
import { describeLoads } from "../resolve/loads.ts";
import { startProgram } from "../resolve/start.ts";
import type { View } from "../resolve/view.ts";
import { packageNamed } from "../collect/python.ts";
import { Stop, type Activity, type Framework, type FrameworkCopy } from "./framework.ts";
import { PythonProcess } from "./python-process.ts";

/** What one process loads that imports these frameworks, in this order, and then does these activities with each. */
export function frameworkLoads(
  view: View,
  environment: PythonEnvironment,
  frameworks: Framework[],
  wanted: Activity[],
): Loads | { missing: Framework } {
  view.needs.clear();
  const copies = new Map<Framework, FrameworkCopy>();
  for (const framework of frameworks) {
    const found = framework.packages.map((name) => packageNamed(environment, name)).find((candidate) => candidate !== undefined);
    if (!found) return { missing: framework };
    copies.set(framework, { package: found, environment });
  }
  const started = startProgram(view, environment.python);
  if (started === undefined || "refused" in started) return describeLoads(view, environment.python, started);
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
  const answer = describeLoads(view, environment.python, started);
  for (const [framework, copy] of copies) {
    if (framework.verified.test(copy.package.version)) continue;
    for (const load of answer.loads) load.certainty = "possible";
    answer.unknown.push({
      subject: `${framework.id} ${copy.package.version}`,
      reason: "how this release loads its libraries was not watched on a real machine; it is foreseen as releases nearby do it",
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
