/**
 * Times during which something ran, as a set: what overlaps is one. Additions may come in any order; they are cheap when they come
 * about sorted, as profilers write them.
 */
export interface Intervals {
  add(start: number, end: number): void;
  /** All of them, sorted and apart: start, end, start, end, … */
  settled(): Float64Array;
  /** The time of gaps of at most `launchGap` that are not seen in `settled()` any more, since they became parts of longer ones. */
  readonly hidden: number;
}

/** A gap up to this long (microseconds) is what a launch costs. */
export const launchGap = 20;

const blockSize = 1 << 14;

/**
 * `most`: above this many, neighbours are moved together, so that memory stays bounded. What they took stays what it was, and so does the idle
 * time: the gap between them becomes a part of the one after them.
 */
export function createIntervals(most = 1 << 22): Intervals {
  // Pairs that were not yet put in order.
  let pending = new Float64Array(64);
  let waiting = 0;
  let sorted = new Float64Array(0);
  let length = 0;
  let hidden = 0;

  const settle = () => {
    if (waiting === 0) return;
    const block = inOrder(pending.subarray(0, waiting));
    waiting = 0;
    // Only what begins after the block's first start can change.
    let from = length;
    while (0 < from && block[0]! <= sorted[from - 1]!) from -= 2;
    const tail = sorted.slice(from, length);
    const needed = from + tail.length + block.length;
    if (sorted.length < needed) {
      const larger = new Float64Array(Math.max(needed, sorted.length * 2));
      larger.set(sorted.subarray(0, from));
      sorted = larger;
    }
    length = from;
    let left = 0;
    // Nothing to merge with, as nearly always: one after the other.
    let right = tail.length === 0 ? append(block) : 0;
    while (left < tail.length || right < block.length) {
      const takeLeft = right === block.length || (left < tail.length && tail[left]! <= block[right]!);
      const source = takeLeft ? tail : block;
      const at = takeLeft ? left : right;
      if (takeLeft) left += 2;
      else right += 2;
      const start = source[at]!;
      const end = source[at + 1]!;
      if (0 < length && start <= sorted[length - 1]!) {
        if (sorted[length - 1]! < end) sorted[length - 1] = end;
      } else {
        sorted[length] = start;
        sorted[length + 1] = end;
        length += 2;
      }
    }
    if (most * 2 < length) coarsen(0.75);
    // Where the gaps differ much, too few were small enough.
    if (most * 2 < length) coarsen(1);
  };

  /** What follows all that there is; answers with how much that was. */
  const append = (block: Float64Array): number => {
    let reached = length === 0 ? -Infinity : sorted[length - 1]!;
    for (let at = 0; at < block.length; at += 2) {
      const end = block[at + 1]!;
      if (block[at]! <= reached) {
        if (reached < end) sorted[length - 1] = reached = end;
      } else {
        sorted[length] = block[at]!;
        sorted[length + 1] = reached = end;
        length += 2;
      }
    }
    return block.length;
  };

  /** Moves each second one to the one before it, where the gap between them is among the smaller ones; the last stays where it is. */
  const coarsen = (share: number) => {
    const limit = gapAt(sorted.subarray(0, length), share);
    let kept = 0;
    for (let at = 0; at < length; at += 2) {
      const start = sorted[at]!;
      let end = sorted[at + 1]!;
      const gap = sorted[at + 2]! - end;
      if (at + 4 < length && gap <= limit) {
        const after = sorted[at + 4]! - sorted[at + 3]!;
        hidden += ofLaunch(gap) + ofLaunch(after) - ofLaunch(gap + after);
        end += sorted[at + 3]! - sorted[at + 2]!;
        at += 2;
      }
      sorted[kept] = start;
      sorted[kept + 1] = end;
      kept += 2;
    }
    length = kept;
  };

  return {
    add(start, end) {
      if (!(start <= end) || !Number.isFinite(end - start)) return;
      if (waiting === pending.length) {
        if (waiting < blockSize * 2) {
          const larger = new Float64Array(waiting * 2);
          larger.set(pending);
          pending = larger;
        } else settle();
      }
      pending[waiting] = start;
      pending[waiting + 1] = end;
      waiting += 2;
    },
    settled() {
      settle();
      return sorted.subarray(0, length);
    },
    get hidden() {
      return hidden;
    },
  };
}

const ofLaunch = (gap: number) => (gap <= launchGap ? gap : 0);

/** A gap that this share of the gaps is not longer than, by a sample of them. */
function gapAt(settled: Float64Array, share: number): number {
  if (share === 1) return Infinity;
  const step = 2 * Math.max(1, settled.length >> 13);
  const gaps: number[] = [];
  for (let at = 2; at < settled.length; at += step) gaps.push(settled[at]! - settled[at - 1]!);
  return gaps.sort((one, other) => one - other)[Math.floor(gaps.length * share)] ?? Infinity;
}

function inOrder(pairs: Float64Array): Float64Array {
  let ordered = true;
  for (let at = 2; at < pairs.length && ordered; at += 2) ordered = pairs[at - 2]! <= pairs[at]!;
  if (ordered) return pairs.slice();
  const order = Array.from({ length: pairs.length / 2 }, (_, index) => index * 2).sort((a, b) => pairs[a]! - pairs[b]!);
  const sorted = new Float64Array(pairs.length);
  order.forEach((from, to) => {
    sorted[to * 2] = pairs[from]!;
    sorted[to * 2 + 1] = pairs[from + 1]!;
  });
  return sorted;
}

export function total(settled: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < settled.length; at += 2) sum += settled[at + 1]! - settled[at]!;
  return sum;
}

/** Times at which at least one of the sets ran. */
export function union(...sets: Float64Array[]): Float64Array {
  const all = createIntervals();
  for (const set of sets) for (let at = 0; at < set.length; at += 2) all.add(set[at]!, set[at + 1]!);
  return all.settled();
}

/** Of a settled set, what lies within these bounds; the set itself where that is all of it, as nearly always. */
export function clipped(set: Float64Array, from: number, to: number): Float64Array {
  return isWithin(set, from, to) ? set : intersection(set, new Float64Array([from, to]));
}

function isWithin(set: Float64Array, from: number, to: number): boolean {
  if (0 < set.length && (set[0]! < from || to < set[set.length - 1]!)) return false;
  // What takes no time is not among the times at which something ran.
  for (let at = 0; at < set.length; at += 2) if (set[at + 1]! <= set[at]!) return false;
  return true;
}

/** Times at which both of the sets ran. */
export function intersection(left: Float64Array, right: Float64Array): Float64Array {
  if (left.length === 0 || right.length === 0) return new Float64Array(0);
  const found = new Float64Array(left.length + right.length);
  let length = 0;
  for (let a = 0, b = 0; a < left.length && b < right.length;) {
    const start = Math.max(left[a]!, right[b]!);
    const end = Math.min(left[a + 1]!, right[b + 1]!);
    if (start < end) {
      found[length] = start;
      found[length + 1] = end;
      length += 2;
    }
    if (left[a + 1]! < right[b + 1]!) a += 2;
    else b += 2;
  }
  return found.subarray(0, length);
}

/** Times within these bounds at which nothing ran. */
export function gapsIn(set: Float64Array, from: number, to: number): Float64Array {
  const found = new Float64Array(set.length + 2);
  let length = 0;
  let reached = from;
  for (let at = 0; at <= set.length && reached < to; at += 2) {
    const start = Math.min(at < set.length ? set[at]! : to, to);
    if (reached < start) {
      found[length] = reached;
      found[length + 1] = start;
      length += 2;
    }
    if (at < set.length) reached = Math.max(reached, set[at + 1]!);
  }
  return found.subarray(0, length);
}

/** Of a settled set, what is not in another. */
export function subtracted(set: Float64Array, other: Float64Array): Float64Array {
  if (set.length === 0 || other.length === 0) return set;
  return intersection(set, gapsIn(other, set[0]!, set.at(-1)!));
}
