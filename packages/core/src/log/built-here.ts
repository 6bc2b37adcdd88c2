import { compiledPackage } from "../knowledge/compiled-packages.ts";
import type { Diagnosis } from "../model/explain.ts";
import type { Facts } from "./fact.ts";
import { buildLine, fix } from "./fixes.ts";
import { objectNamed } from "./objects.ts";
import { speakerOf } from "./speaker.ts";

const aboutRelease = new Set<Diagnosis["cause"]>(["library-missing", "library-wrong-version", "wrong-wheel-cuda-version"]);

/** What was compiled where it is installed asks for the CUDA of that day: it is built again, and no old CUDA is brought back for it. */
export function builtHere({ cause, name = "" }: Diagnosis, facts: Facts): Diagnosis["fixes"] {
  const object = objectNamed(name);
  if (!aboutRelease.has(cause) || object?.cuda === undefined) return [];
  // CUPTI is what a framework's profiler opens; who has kernels of his own beside it has nothing to do with that.
  const asker = tracedIn(facts) ?? (object.library === "cupti" ? undefined : mentionedIn(facts));
  const known = asker === undefined ? undefined : compiledPackage({ name: asker });
  if (!known || known.onlyFromRepository) return [];
  return [fix(`build ${asker} again, with the CUDA that is here: it was compiled on this machine, for another one`, buildLine(asker!))];
}

/** The package in whose files it happened. */
function tracedIn(facts: Facts): string | undefined {
  const name = facts.all("traceback").at(-1)?.package;
  return name === undefined ? undefined : plain(name);
}

/** Without a traceback, the package that is spoken of, unless the text is about a framework. */
function mentionedIn(facts: Facts): string | undefined {
  const names = [...new Set(facts.all("voice").flatMap(({ id }) => /^mention of (.+)$/.exec(id)?.[1] ?? []))].map(plain);
  const speaker = speakerOf(facts);
  return names.length === 1 && (speaker === undefined || speaker === names[0]) ? names[0] : undefined;
}

const plain = (name: string) => name.replaceAll("_", "-").toLowerCase();
