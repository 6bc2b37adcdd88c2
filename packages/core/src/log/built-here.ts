import { compiledPackage } from "../knowledge/compiled-packages.ts";
import type { Diagnosis } from "../model/explain.ts";
import type { Facts } from "./fact.ts";
import { buildLine, fix } from "./fixes.ts";
import { objectNamed } from "./objects.ts";

const aboutRelease = new Set<Diagnosis["cause"]>(["library-missing", "library-wrong-version", "wrong-wheel-cuda-version"]);

/** What was compiled where it is installed asks for the CUDA of that day: it is built again, and no old CUDA is brought back for it. */
export function builtHere({ cause, name = "" }: Diagnosis, facts: Facts): Diagnosis["fixes"] {
  if (!aboutRelease.has(cause) || objectNamed(name)?.cuda === undefined) return [];
  const asker = askerIn(facts);
  const known = asker === undefined ? undefined : compiledPackage({ name: asker });
  if (!known || known.onlyFromRepository) return [];
  return [fix(`build ${asker} again, with the CUDA that is here: it was compiled on this machine, for another one`, buildLine(asker!))];
}

/** The package in whose files it happened; without a traceback, the one that is spoken of. */
function askerIn(facts: Facts): string | undefined {
  const traced = facts.all("traceback").at(-1)?.package;
  const mentioned = [...new Set(facts.all("voice").flatMap(({ id }) => /^mention of (.+)$/.exec(id)?.[1] ?? []))];
  const name = traced ?? (mentioned.length === 1 ? mentioned[0] : undefined);
  return name?.replaceAll("_", "-").toLowerCase();
}
