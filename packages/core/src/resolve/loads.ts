import type { Loads } from "../model/loads.ts";
import type { Need } from "../model/need.ts";
import type { UnknownThing } from "../model/unknown.ts";
import { hiddenBy } from "./hwcaps.ts";
import type { Process } from "./process.ts";
import { startProgram, type Started } from "./start.ts";
import type { View } from "./view.ts";

/** What a program would load when it starts. While `view.needs` is not empty the answer is not whole. */
export function loadsOf(view: View, path: string, withReuse = false): Loads {
  view.needs.clear();
  return describeLoads(view, path, startProgram(view, path, undefined, withReuse));
}

/** What a process has loaded by now, with what cannot be told about it. */
export function describeLoads(view: View, path: string, started: Started): Loads {
  if (started === undefined) return { ...unanswered(path), unknown: [...view.needs.values()].map(unread) };
  if ("refused" in started) return started.refused;
  const { process } = started;
  const loads: Loads = {
    schema: "culprit/loads@1",
    program: { file: process.executable.file, path, interpreter: process.loader.path },
    loads: process.loads,
    ...(process.reused ? { reused: process.reused } : {}),
    failures: process.failures,
    missed: process.missed,
    unknown: [...view.needs.values()].map(unread),
  };
  const audit = process.environment["LD_AUDIT"];
  const audited = process.objects.find(({ fact }) => fact.flags?.includes("audit"));
  if ((audit && !process.secure) || audited) {
    for (const load of loads.loads) load.certainty = "possible";
    loads.unknown.push({
      subject: audit ? "LD_AUDIT" : audited!.file,
      kind: audit ? "variable" : "file",
      reason: `an audit module ${audit ? `(\`LD_AUDIT=${audit}\`) ` : ""}may rewrite or refuse any request; the answer holds only if it does not`,
    });
  }
  if (0 < process.hangOnProcessor.length) loads.unknown.push(openProcessor(process));
  return loads;
}

function openProcessor({ hangOnProcessor, environment, secure }: Process): UnknownThing {
  const [first, ...more] = new Set(hangOnProcessor);
  const names = `\`${first}\`${more.length === 0 ? "" : ` and ${more.length} more`}`;
  const { variable } = hiddenBy(environment, secure);
  if (variable !== undefined)
    return {
      subject: variable,
      kind: "variable",
      aside: true,
      reason: `it hides features of the processor from the loader, and ${names} may be found elsewhere without them`,
    };
  return {
    subject: "processor",
    kind: "processor",
    aside: true,
    reason: `${names} may be found elsewhere on another one, and which this is is not wholly known; \`--cpu VENDOR:LEVEL\` names one`,
  };
}

function unanswered(path: string): Loads {
  return { schema: "culprit/loads@1", program: { file: path, path }, loads: [], failures: [], missed: [], unknown: [] };
}

export function unread({ path, as }: Need): UnknownThing {
  const what = {
    entry: "whether it exists",
    object: "what is inside",
    loader: "its rules",
    cache: "its entries",
    text: "its text",
    listing: "what is in it",
    symbols: "which symbols it defines",
    undefined: "which symbols it leaves to others",
    bindings: "in which order its symbols are bound",
    architectures: "which GPU architectures it holds",
    module: "what it imports",
  }[as];
  return { subject: path, kind: as === "listing" ? "folder" : "file", reason: `the snapshot does not say ${what}` };
}
