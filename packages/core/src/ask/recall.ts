// The same question about facts that differ in little: what was answered before is given again, where nothing that it read is otherwise.
import { isEqual } from "../lib/compare.ts";
import { keptWith } from "../lib/memo.ts";
import type { Need } from "../model/need.ts";
import type { FileFact, Snapshot } from "../model/snapshot.ts";
import { groundOf } from "../resolve/ground.ts";
import { isUnchanged, noReads, ownFacts, type Reads } from "../resolve/reads.ts";
import { notingView, type View } from "../resolve/view.ts";
import type { Examination } from "./examination.ts";
import { settle } from "./settle.ts";

interface Kept {
  given: unknown[];
  reads: Reads;
  own: Map<string, FileFact | undefined>;
  answer: unknown;
  /** What it left behind in its view. */
  needs: Map<string, Need>;
  wishes: Map<string, Need>;
  blind: Map<string, string>;
}

/** Of one question: the machine as it is, and what was tried last. Fewer, and whoever goes back and forth is answered anew each time. */
const mostKept = 16;

const answersOn = keptWith((_ground: Snapshot["files"]) => new Map<string, Kept[]>());

/**
 * `settle`, but where facts cannot grow, an answer is kept with all that it read. `question` names it, and what it is about; `given` is what
 * it rests on besides the facts, by identity or, of lists, by their elements. Nobody may change an answer.
 */
export async function recall<T>(examination: Examination, question: string, given: unknown[], ask: (view: View) => T): Promise<T> {
  const { view, collector } = examination;
  const ground = collector ? undefined : groundOf(view.snapshot.files);
  if (!ground) return settle(examination, ask);
  const all = answersOn(ground);
  const known = all.get(question) ?? [];
  all.set(question, known);
  const found = known.find((kept) => areSame(kept.given, given) && isUnchanged(kept.reads, kept.own, ground, view.snapshot));
  if (found) {
    // What is asked for again stays longest; the first stays in any case.
    if (found !== known[0]) known.push(...known.splice(known.indexOf(found), 1));
    return leaving(view, found) as T;
  }
  const reads = noReads();
  const noted = notingView(view, reads);
  const answer = asBefore(ask(noted), known);
  const { needs, wishes, blind } = noted;
  const kept = { given, reads, own: ownFacts(reads, ground, view.snapshot.files), answer, needs, wishes, blind };
  // The first is the machine as it is, to which one comes back.
  if (mostKept <= known.length) known.splice(1, 1);
  known.push(kept);
  return leaving(view, kept) as T;
}

function leaving(view: View, { answer, needs, wishes, blind }: Kept): unknown {
  view.needs.clear();
  view.wishes.clear();
  for (const [key, need] of needs) view.needs.set(key, need);
  for (const [key, wish] of wishes) view.wishes.set(key, wish);
  for (const [path, why] of blind) view.blind.set(path, why);
  return answer;
}

/** What came out as before is the same thing, or of a list the same elements, so that all that rests on it is the same, too. */
function asBefore(fresh: unknown, known: Kept[]): unknown {
  const equal = known.find(({ answer }) => isEqual(answer, fresh));
  if (equal) return equal.answer;
  if (!Array.isArray(fresh)) return fresh;
  const lists = known.flatMap(({ answer }) => (Array.isArray(answer) ? [answer as unknown[]] : []));
  return fresh.map((each: unknown, index) => likeIt(lists, each, index) ?? each);
}

/** Mostly it stands where it stood, or one place beside. */
function likeIt(lists: unknown[][], each: unknown, index: number): unknown {
  for (const list of lists)
    for (const at of [index, index + 1, index - 1]) if (0 <= at && at < list.length && isEqual(list[at], each)) return list[at];
  for (const list of lists) {
    const found = list.find((element) => isEqual(element, each));
    if (found !== undefined) return found;
  }
  return undefined;
}

const areSame = (one: unknown[], other: unknown[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index] || isSameList(each, other[index]));

const isSameList = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((each, index) => each === other[index]);
