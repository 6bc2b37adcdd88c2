// Modules and ranges as a tree, with the kernels of each: what a thread was in when it launched them.
import type { TraceScope } from "../model/trace.ts";
import type { Names } from "./names.ts";
import { slotOf } from "./pages.ts";
import type { Recorded, Spans } from "./scopes.ts";

/** How torch begins the names of modules; the number of the instance is at their end. */
export const modulePrefix = "nn.Module: ";
const labelled = (text: string) => (text.startsWith(modulePrefix) ? text.slice(modulePrefix.length).replace(/_\d+$/, "") : text);

/** One place in the program: a kind of module within another, whichever of its instances it is. */
interface Place {
  parent: number;
  name: string;
  instances: Set<number>;
  kernels: number;
  own: number;
  total: number;
  backward: number;
}

const nowhere = -1;
/** A program that numbers its ranges has no end of them. */
const mostPlaces = 20_000;
const mostRows = 100;

export interface Tree {
  places: Place[];
  byName: Map<string, number>;
}

export const createTree = (): Tree => ({ places: [], byName: new Map() });

export function placeIn({ places, byName }: Tree, parent: number, name: string): number {
  const key = `${parent} ${name}`;
  let found = byName.get(key);
  if (found === undefined) {
    if (places.length === mostPlaces) return parent;
    found = places.length;
    places.push({ parent, name, instances: new Set(), kernels: 0, own: 0, total: 0, backward: 0 });
    byName.set(key, found);
  }
  return found;
}

export function addTo({ places }: Tree, place: number, kernels: number, total: number, isBackward: boolean): void {
  const found = places[place];
  if (!found) return;
  found.kernels += kernels;
  found.own += total;
  if (isBackward) found.backward += total;
}

/** Where a thread was, from each time on until the next. */
interface Whereabouts {
  times: number[];
  places: number[];
  /** Whether it was at the backward pass. */
  backward: boolean[];
}

function locate({ times, places, backward }: Whereabouts, time: number): { place: number; isBackward: boolean } {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? { place: nowhere, isBackward: false } : { place: places[low - 1]!, isBackward: backward[low - 1]! };
}

interface Walk {
  recorded: Recorded;
  tree: Tree;
  kind: "modules" | "ranges";
  names: Names;
  /** By thread. */
  where: Map<number, Whereabouts>;
  /** By the number that autograd has for a thread. */
  forwardThreads: Map<number, number>;
  /** Where an instance was first seen: a module that is run again in the backward pass (checkpoints) stands alone there. */
  seen: Map<number, number>;
}

/** The tree of what torch's profiler recorded, as rows; each is followed by what lies in it. `all`: the time of all kernels. */
export function recordedScopes(recorded: Recorded, kind: Walk["kind"], names: Names, all: number): TraceScope[] {
  const tree = createTree();
  if (recorded[kind].count === 0) return [];
  const entered = byThread(recorded[kind]);
  const backward = byThread(recorded.backward);
  const walk: Walk = { recorded, tree, kind, names, where: new Map(), forwardThreads: forwardThreads(recorded), seen: new Map() };
  const threads = [...new Set([...entered.keys(), ...backward.keys()])];
  // The forward pass first: the backward pass asks where it was.
  threads.sort((a, b) => (backward.get(a)?.length ?? 0) - (backward.get(b)?.length ?? 0) || a - b);
  for (const thread of threads) walk.where.set(thread, whereabouts(walk, entered.get(thread) ?? [], backward.get(thread) ?? []));
  for (const [thread, { times, kernels, totals }] of recorded.launches) {
    const where = walk.where.get(thread);
    if (!where) continue;
    for (const [at, time] of times.entries()) {
      const { place, isBackward } = locate(where, time);
      addTo(tree, place, kernels[at]!, totals[at]!, isBackward);
    }
  }
  return rowsOf(tree, all);
}

/** The places of events by their thread. */
function byThread({ count, threads }: Spans): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (let at = 0; at < count; at += 1) {
    const known = found.get(threads[at]!);
    if (known) known.push(at);
    else found.set(threads[at]!, [at]);
  }
  return found;
}

/** An event that lasts still, and where the thread is in it. */
interface Open {
  end: number;
  place: number;
  /** Undefined for one of the backward pass. */
  scope: number | undefined;
  isBackward: boolean;
}

function whereabouts(walk: Walk, entered: number[], backward: number[]): Whereabouts {
  const { recorded, kind } = walk;
  const scopes = recorded[kind];
  const spans = [
    ...entered.map((at) => ({ at, start: scopes.starts[at]!, duration: scopes.durations[at]!, isBackward: false })),
    ...backward.map((at) => ({
      at,
      start: recorded.backward.starts[at]!,
      duration: recorded.backward.durations[at]!,
      isBackward: true,
    })),
  ].sort((a, b) => a.start - b.start || b.duration - a.duration);
  const found: Whereabouts = { times: [], places: [], backward: [] };
  const open: Open[] = [];
  const note = (time: number) => {
    const last = open.at(-1);
    found.times.push(time);
    found.places.push(last?.place ?? nowhere);
    found.backward.push(last?.isBackward ?? false);
  };
  const closeUntil = (time: number) => {
    for (let last = open.at(-1); last && last.end <= time; last = open.at(-1)) {
      open.pop();
      note(last.end);
    }
  };
  for (const { at, start, duration, isBackward } of spans) {
    closeUntil(start);
    // What ends after that which it lies in has a clock of its own.
    const end = Math.min(start + duration, open.at(-1)?.end ?? Infinity);
    open.push(isBackward ? openBackward(walk, open, at, start, end) : openScope(walk, open, at, end));
    note(start);
  }
  closeUntil(Infinity);
  return found;
}

function openScope({ recorded, kind, tree, names, seen }: Walk, open: Open[], at: number, end: number): Open {
  const name = recorded[kind].marks[at]!;
  const within = open.findLast(({ scope }) => scope !== undefined);
  const isBackward = open.at(-1)?.isBackward ?? false;
  const known = within || !isBackward ? undefined : seen.get(name);
  const place = known ?? placeIn(tree, within?.place ?? nowhere, labelled(names.text(name)));
  if (kind === "modules" && !seen.has(name)) seen.set(name, place);
  tree.places[place]?.instances.add(name);
  return { end, place, scope: name, isBackward };
}

/**
 * A backward operator belongs to the module of its forward operator. A range is another thing: whoever calls `backward()` waits for it, so
 * the thread of the forward pass is in the range that it is called in.
 */
function openBackward(walk: Walk, open: Open[], at: number, start: number, end: number): Open {
  const { recorded, kind, where, forwardThreads: threads } = walk;
  const { marks, forward } = recorded.backward;
  const thread = threads.get(forward[at]!);
  const there = thread === undefined ? undefined : where.get(thread);
  let place = nowhere;
  if (there && kind === "ranges") ({ place } = locate(there, start));
  else if (there) {
    const begun = recorded.forward.get(thread!)?.known(marks[at]! + 1)?.[slotOf(marks[at]! + 1)] ?? -Infinity;
    if (-Infinity < begun) ({ place } = locate(there, begun));
  }
  const around = open.at(-1);
  // A range of the thread's own says more than that of another.
  if (place === nowhere || (kind === "ranges" && around && around.place !== nowhere)) place = around?.place ?? nowhere;
  return { end, place, scope: undefined, isBackward: true };
}

/** Which thread of the file is the one that autograd gave a number: the one that has most of its operators, and nearly all. */
function forwardThreads({ backward, forward }: Recorded): Map<number, number> {
  const found = new Map<number, number>();
  const hits = new Map<number, { of: number; byThread: Map<number, number> }>();
  for (let at = 0; at < backward.count; at += 1) {
    const number = backward.marks[at]! + 1;
    let known = hits.get(backward.forward[at]!);
    if (!known) hits.set(backward.forward[at]!, (known = { of: 0, byThread: new Map() }));
    known.of += 1;
    for (const [thread, pages] of forward)
      if (-Infinity < (pages.known(number)?.[slotOf(number)] ?? -Infinity))
        known.byThread.set(thread, (known.byThread.get(thread) ?? 0) + 1);
  }
  for (const [number, { byThread: counted }] of hits) {
    const [best, second] = [...counted].sort(([, a], [, b]) => b - a);
    if (best && (!second || second[1] < best[1])) found.set(number, best[0]);
  }
  return found;
}

/** Each place that kernels were launched in, with what lies in it, largest first. */
export function rowsOf({ places }: Tree, all: number): TraceScope[] {
  const children = new Map<number, number[]>();
  // Whatever lies in a place was met after it.
  for (let at = places.length - 1; 0 <= at; at -= 1) {
    const place = places[at]!;
    place.total += place.own;
    const parent = places[place.parent];
    if (parent) {
      parent.kernels += place.kernels;
      parent.total += place.total;
      parent.backward += place.backward;
    }
    const beside = children.get(place.parent);
    if (beside) beside.push(at);
    else children.set(place.parent, [at]);
  }
  // Only the largest are told, and they are told where they lie.
  const told = [...places.keys()].filter((at) => 0 < places[at]!.kernels).sort((a, b) => places[b]!.total - places[a]!.total || a - b);
  const chosen = new Set(told.slice(0, mostRows));
  const rows: TraceScope[] = [];
  const tell = (at: number, depth: number) => {
    const { name, instances, kernels, total, own, backward } = places[at]!;
    if (!chosen.has(at)) return;
    rows.push({ name, depth, instances: Math.max(1, instances.size), kernels, total, own, backward, share: 0 < all ? total / all : 0 });
    tellAll(at, depth + 1);
  };
  const tellAll = (parent: number, depth: number) => {
    const inside = children.get(parent) ?? [];
    inside.sort((a, b) => places[b]!.total - places[a]!.total || a - b);
    for (const at of inside) tell(at, depth);
  };
  tellAll(nowhere, 0);
  return rows;
}
