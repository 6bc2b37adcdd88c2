// A process that runs: what it has mapped.
import type { Run } from "../diagnose/stack.ts";
import type { Activity } from "../model/activity.ts";
import { frameworks } from "../frameworks/index.generated.ts";
import { installedIn } from "../frameworks/installed.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonEnvironment } from "../model/environment.ts";
import type { Inventory } from "../model/inventory.ts";
import type { Load } from "../model/loads.ts";
import type { RunningFact } from "../model/snapshot.ts";

/** One process: the frameworks that it has libraries of; none of those: the executable itself. */
export function programsIn({ maps, executable }: RunningFact, environments: PythonEnvironment[]): string[][] {
  const found = frameworks.filter((framework) =>
    environments.some((environment) => {
      const folder = installedIn(environment, framework)?.package.folder;
      return folder !== undefined && maps.some(({ file }) => file.startsWith(`${folder}/${framework.id}`));
    }),
  );
  return [0 < found.length ? found.map(({ id }) => id) : [executable]];
}

/** What a process has really mapped, in the form of a run that went well. */
export function describeRunning(
  { maps, executable }: RunningFact,
  environments: PythonEnvironment[],
  { copies }: Inventory,
  wanted: Activity[],
): Run {
  const versions = new Map(copies.map(({ file, version }) => [file, version]));
  const loads = maps.map(({ file }): Load => {
    const library = libraryOf(file)?.id;
    const version = versions.get(file)?.split(".").slice(0, 3).join(".");
    return {
      name: nameOf(file),
      ...(library === undefined ? {} : { library }),
      ...(version === undefined ? {} : { version }),
      file,
      path: file,
      requestedBy: executable,
      via: "path",
      activity: "import",
      certainty: "certain",
      unmapped: false,
      tried: [],
    };
  });
  return {
    programs: programsIn({ maps, executable, pid: 0 }, environments)
      .flat()
      .map((id) => ({ id, compiledFor: {} })),
    ...(environments[0] ? { environment: environments[0] } : {}),
    activities: wanted,
    loads: { schema: "culprit/loads@1", program: { file: executable, path: executable }, loads, failures: [], missed: [], unknown: [] },
    stops: [],
    watched: true,
    running: true,
  };
}
