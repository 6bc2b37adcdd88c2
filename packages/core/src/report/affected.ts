import type { Check } from "../model/check.ts";
import type { Affected } from "../model/finding.ts";
import { nameOf } from "../lib/path.ts";

/** `torch (convolution); cupy, jax and numba (everything after the import)`: programs that lose the same are named together. */
export function affectedWords(affected: Affected[], { judged }: Pick<Check, "judged">): string {
  const activities = new Map<string, string[]>();
  for (const { framework, activity } of affected) activities.set(framework, [...(activities.get(framework) ?? []), activity]);
  const programs = new Map<string, string[]>();
  for (const [program, lost] of activities) {
    const done = new Set(["import", ...judged.filter((each) => each.program === program).flatMap(({ activities: done }) => done)]);
    // What it has no model of is none of its activities, even where everything that follows from its start fails.
    const own = lost.filter((activity) => done.has(activity));
    const words = lostWords(new Set(own.length === 0 ? lost : own), done);
    programs.set(words, [...(programs.get(words) ?? []), program]);
  }
  return [...programs].map(([words, names]) => `${listed(few(names))} (${words})`).join("; ");
}

/** Dozens of packages may stand upon one framework. */
export const few = (names: string[]) => (names.length <= 7 ? names : [...names.slice(0, 6), `${names.length - 6} more`]);

// A list of all there is tells less than one word.
function lostWords(lost: Set<string>, done: Set<string>): string {
  const kept = [...done].filter((activity) => !lost.has(activity));
  if (2 < done.size && kept.length === 0) return "everything";
  if (2 < done.size && kept.length === 1 && kept[0] === "import") return "everything after the import";
  return [...lost].join(", ");
}

/** `a, b and c`. */
export const listed = (names: string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** What was looked at: `examined jax 0.11.2, torch 2.11.0 (in 2 environments) with driver 535.104.05 and L4`; `called` is an image's own name, where it may be told. */
export function examinedWords({ judged, assumed }: Pick<Check, "judged" | "assumed">, called?: string): string {
  const where = whereWords({ assumed }, called);
  if (judged.length === 0) return `no framework was found to examine${where}`;
  const times = new Map<string, number>();
  for (const programs of processes(judged)) {
    const name = programs.map(({ program, version = "" }) => `${nameOf(program)} ${version}`.trim()).join(" with ");
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  const names = [...times].map(([name, number]) => (number === 1 ? name : `${name} (in ${number} environments)`));
  return `examined ${names.slice(0, 8).join(", ")}${8 < names.length ? ` and ${names.length - 8} more` : ""}${where}`;
}

/** `in app:latest with driver 535.104.05 and L4`: what was asked about, so that the answer stands by itself. */
export function whereWords({ assumed }: { assumed?: Check["assumed"] | undefined }, called?: string): string {
  const { driver, gpus = [] } = assumed ?? {};
  const asked = [...(driver === undefined ? [] : [`driver ${driver}`]), ...gpus];
  return `${called === undefined ? "" : ` in ${called}`}${asked.length === 0 ? "" : ` with ${listed(asked)}`}`;
}

/** Programs of one process together. */
export function processes(judged: Check["judged"]): Check["judged"][] {
  const groups = new Map<string, Check["judged"]>();
  for (const [index, each] of judged.entries()) {
    const key = each.process === undefined ? `alone ${index}` : String(each.process);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}
