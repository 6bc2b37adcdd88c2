/**
 * Times during which something ran, as a set: what overlaps is one. Additions may come in any order; they are cheap when they come
 * about sorted, as profilers write them.
 */
export interface Intervals {
  add(start: number, end: number): void;
  /** All of them, sorted and apart: start, end, start, end, … */
  settled(): Float64Array;
}

const blockSize = 1 << 14;
/** Above this many, the smallest gaps are closed: the sums stay right to the microsecond, and memory stays bounded. */
const most = 1 << 21;

export function createIntervals(): Intervals {
  // Pairs that were not yet put in order.
  let pending = new Float64Array(64);
  let waiting = 0;
  let sorted = new Float64Array(0);
  let length = 0;
  let resolution = 0;

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
    let right = 0;
    while (left < tail.length || right < block.length) {
      const takeLeft = right === block.length || (left < tail.length && tail[left]! <= block[right]!);
      const source = takeLeft ? tail : block;
      const at = takeLeft ? left : right;
      if (takeLeft) left += 2;
      else right += 2;
      const start = source[at]!;
      const end = source[at + 1]!;
      if (0 < length && start <= sorted[length - 1]! + resolution) {
        if (sorted[length - 1]! < end) sorted[length - 1] = end;
      } else {
        sorted[length] = start;
        sorted[length + 1] = end;
        length += 2;
      }
    }
    if (most * 2 < length) coarsen();
  };

  const coarsen = () => {
    resolution = resolution === 0 ? 0.5 : resolution * 2;
    let kept = 2;
    for (let at = 2; at < length; at += 2) {
      if (sorted[at]! <= sorted[kept - 1]! + resolution) sorted[kept - 1] = sorted[at + 1]!;
      else {
        sorted[kept] = sorted[at]!;
        sorted[kept + 1] = sorted[at + 1]!;
        kept += 2;
      }
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
  };
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
