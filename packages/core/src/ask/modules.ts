// A question about a shell in which modules are loaded.
import { keptVariables } from "../collect/environment.ts";
import { problemOf, type Problem } from "../model/problem.ts";
import { viewOf } from "../resolve/view.ts";
import { loadModules, type ModuleRequest } from "../survey/modules.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

export type { ModuleRequest };

/** As if these modules were loaded, in this order. What the question sets itself, they do not change. Nothing of them is run. */
export async function withModules(examination: Examination, requests: ModuleRequest[]): Promise<Examination | Problem> {
  if (requests.length === 0) return examination;
  const { named = [] } = examination;
  const { environment, sources, unknown, problem } = await settle(examination, (view) => loadModules(view, requests, named));
  if (problem !== undefined) return problemOf("not-found", problem);
  const { snapshot } = examination.view;
  const kept = keptVariables(environment);
  for (const name of Object.keys(snapshot.environment)) if (!named.includes(name)) delete snapshot.environment[name];
  Object.assign(snapshot.environment, kept);
  for (const { subject, reason } of unknown) snapshot.unknown.push({ subject, reason, decides: true });
  return {
    ...examination,
    view: viewOf(snapshot),
    named: [...new Set([...named, ...sources.map(({ name }) => name)])],
    modules: sources,
  };
}
