// Conditions of scripts that a file leaves open: it is read once with each of them the other way, and every reading is judged.
import type { Declaration, OtherReading } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import { placeWords } from "../lib/place.ts";

/** What a reader of a script asks where the text does not decide. */
export interface Conditions {
  /** Whether it is so in this reading; `words` say it in full: "`$CUDA` is `12`". `usual`: what it is where nobody says otherwise. */
  holds: (words: string, place: Place, usual?: boolean) => boolean;
  /** The script ends here by itself; `because` of conditions around. */
  ends: (isFailure: boolean, because: string[]) => void;
}

/** For texts that are no scripts: whatever is open does not hold. */
export const nothingHolds: Conditions = { holds: (_words, _place, usual = false) => usual, ends: () => undefined };

/** One reading, and what was asked in it. */
interface Trial {
  chosen: ReadonlyMap<string, boolean>;
  met: Map<string, { value: boolean; place: Place }>;
  isEnded: boolean;
  /** Conditions around an end with an error: whoever gets there does not go on. */
  failing?: string[];
}

const conditionsOf = (trial: Trial): Conditions => ({
  holds: (words, place, usual = false) => {
    const value = trial.chosen.get(words) ?? usual;
    if (!trial.met.has(words)) trial.met.set(words, { value, place });
    return value;
  },
  ends: (isFailure, because) => {
    trial.isEnded = true;
    if (isFailure) trial.failing ??= because;
  },
});

/** More readings than this are not made: a script that asks more often is told as such. */
const mostReadings = 80;

/** Reads with what is open as it usually is, then with one condition after the other the other way; what fails by itself is left out. */
export async function inAllReadings(read: (conditions: Conditions) => Promise<Declaration>): Promise<Declaration> {
  const waiting: ReadonlyMap<string, boolean>[] = [new Map()];
  const tried = new Set<string>();
  const turned = new Set<string>();
  const others: OtherReading[] = [];
  let first: { trial: Trial; declaration: Declaration } | undefined;
  let failed: Declaration | undefined;
  for (let chosen = waiting.shift(); chosen && tried.size < mostReadings; chosen = waiting.shift()) {
    const key = JSON.stringify([...chosen].sort());
    if (tried.has(key)) continue;
    tried.add(key);
    const trial: Trial = { chosen, met: new Map(), isEnded: false };
    const declaration = await read(conditionsOf(trial));
    const with_ = (words: string, value: boolean) => new Map([...chosen!, [words, value]]);
    if (trial.failing) {
      failed ??= declaration;
      waiting.unshift(...trial.failing.filter((words) => !trial.chosen.has(words)).map((words) => with_(words, true)));
      continue;
    }
    if (!first) first = { trial, declaration };
    else others.push({ ...whereOf(trial, first.trial), isEnded: trial.isEnded, declaration });
    for (const [words, { value }] of trial.met) {
      if (turned.has(words)) continue;
      turned.add(words);
      waiting.push(with_(words, !value));
    }
  }
  if (!first) return failed!;
  const { declaration } = first;
  const [left] = waiting;
  if (left)
    declaration.unknown.push({ subject: declaration.file, reason: `it has more conditions than the ${mostReadings} that are tried` });
  return others.length === 0 ? declaration : { ...declaration, readings: others };
}

/** By what a reading differs from the first one: what holds in it, else what does not. */
function whereOf({ chosen, met }: Trial, first: Trial): Pick<OtherReading, "where" | "isWithout" | "place"> {
  const differing = [...chosen].filter(([words, value]) => (first.met.get(words)?.value ?? false) !== value);
  const holding = differing.filter(([, value]) => value);
  const told = 0 < holding.length ? holding : differing;
  const place = told.flatMap(([words]) => met.get(words)?.place ?? first.met.get(words)?.place ?? [])[0];
  return {
    where: told.map(([words]) => words).join(", and "),
    isWithout: holding.length === 0,
    place: place === undefined ? "" : placeWords(place),
  };
}
