import type { Examination } from "../ask/examination.ts";
import { recall } from "../ask/recall.ts";
import { settle } from "../ask/settle.ts";
import type { Run, Stack, Stop } from "../diagnose/stack.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { unseenOnTheWay, whyUnseen } from "../resolve/unseen.ts";
import { sharedFiles } from "../survey/owners.ts";
import { readPointers } from "../survey/pointers.ts";
import { readLacking, readRequirements } from "../survey/requirements.ts";
import { unseenPlaces, type Unseen } from "../survey/unseen.ts";
import { environmentsWithoutPython } from "../survey/without-python.ts";
import type { Surveyed } from "./survey.ts";

/** What rules look at, and the places that could not be looked into. */
export async function stackOf(surveyed: Surveyed, runs: Run[]): Promise<{ stack: Stack; unseen: Unseen[] }> {
  const { given, examination, environments, inventory, python, isAsked, askedActivities } = surveyed;
  const { snapshot } = given.view;
  const unseen = [
    ...unseenPlaces([...new Set([given.view, examination.view])], environments, python),
    ...(await recall(examination, "without python", [python, environments], (view) =>
      environmentsWithoutPython(view, python, environments),
    )),
  ];
  // Where it runs as it is looked at, which an image tells, what may not be read is as good as absent.
  if (snapshot.target.kind !== "image")
    for (const run of runs) run.stops = run.stops.filter((stop) => !restsOnUnseen(surveyed, unseen, stop, run));
  const stack: Stack = {
    target: snapshot.target,
    variables: snapshot.environment,
    ...(snapshot.target.kind === "image" ? { imageVariables: imageVariables(given) } : {}),
    inventory,
    environments,
    sharedFiles: await recall(examination, "shared files", [environments], (view) => sharedFiles(view, environments)),
    requirements: await recall(examination, "requirements", [environments], (view) => readRequirements(view, environments)),
    lacking: await recall(examination, "lacking", [environments], (view) => readLacking(view, environments)),
    pointers: await recall(examination, "pointers", [], readPointers),
    runs,
    replaced: await settle(examination, (view) =>
      (snapshot.running?.maps ?? [])
        .filter(({ file, deleted }) => deleted && libraryOf(file))
        .map(({ file }) => ({ file, isThere: "found" in view.lookup(file) })),
    ),
    asked: isAsked,
    ...(surveyed.lacksDriver ? { lacksDriver: true as const } : {}),
    askedActivities,
  };
  return { stack, unseen };
}

/** What neither the question nor a start-up file sets. */
const imageVariables = ({ view, named = [], setAt = {} }: Examination): string[] =>
  Object.keys(view.snapshot.environment).filter((name) => !named.includes(name) && setAt[name] === undefined);

/** Whether a program may stop only because something could not be seen; the place that hides it is added. */
function restsOnUnseen({ given, examination }: Surveyed, unseen: Unseen[], { failure }: Stop, { environment }: Run): boolean {
  const isMissing = failure.reason === "not-found" || failure.reason === "cannot-read" || failure.refusal?.kind === "part";
  if (isMissing && unseen.some(({ environments: own }) => environment !== undefined && own.includes(environment))) return true;
  const place = given.view.snapshot.target.kind === "root" ? unseenOnTheWay(examination.view, failure) : undefined;
  if (place !== undefined && !unseen.some(({ subject }) => subject === place))
    unseen.push({ subject: place, reason: whyUnseen("EACCES"), isNeeded: true, environments: [] });
  return place !== undefined;
}
