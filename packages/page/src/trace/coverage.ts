// How much of each column of pixels is busy. Work is bounded by columns, not by events: what lies together in one is added up beforehand.
import { busyIn, type Row } from "./data.ts";

/** Narrower than this (columns), an event is not drawn by itself but counted into the columns that it lies in. */
const narrow = 3;

/**
 * Adds to `columns` how much of each is busy, from 0 to 1. Of a wide event only the columns at its ends are counted: `wide` is told which
 * ones it fills, from the first to the one behind the last.
 */
export function cover(
  { starts, ends, busy }: Row,
  from: number,
  to: number,
  columns: Float64Array,
  wide?: (index: number, first: number, last: number) => void,
): void {
  const scale = columns.length / (to - from);
  let index = firstEnding(ends, from);
  while (index < starts.length && starts[index]! < to) {
    const left = (Math.max(starts[index]!, from) - from) * scale;
    const right = (Math.min(ends[index]!, to) - from) * scale;
    if (wide && narrow <= right - left) {
      const [first, last] = [Math.ceil(left), Math.floor(right)];
      spread(columns, left, first);
      spread(columns, last, right);
      wide(index, first, last);
      index += 1;
      continue;
    }
    const column = Math.floor(left);
    // All that begin in this column but the last one end in it, too.
    const last = after(starts, index + 1, from + (column + 1) / scale) - 1;
    if (index < last) {
      const cut = Math.max(0, from - starts[index]!);
      columns[column]! += (busy[last]! - busy[index]! - cut) * scale;
      index = last;
      continue;
    }
    spread(columns, left, right);
    index += 1;
  }
}

function spread(columns: Float64Array, left: number, right: number): void {
  for (let column = Math.floor(left); column < right && column < columns.length; column += 1)
    columns[column]! += Math.min(right, column + 1) - Math.max(left, column);
}

/** How long a row is busy between two times. */
export function busyBetween({ starts, ends, busy }: Row, from: number, to: number): number {
  const [first, last] = [firstEnding(ends, from), after(starts, 0, to) - 1];
  if (last < first) return 0;
  return busy[last + 1]! - busy[first]! - Math.max(0, from - starts[first]!) - Math.max(0, ends[last]! - to);
}

/** When any of the rows is busy: what overlaps counts once. */
export function unionOf(rows: Row[]): Row {
  const halves = rows.map(({ starts, ends }) => ({ starts, ends }));
  while (1 < halves.length) {
    const merged = [];
    for (let at = 0; at < halves.length; at += 2) merged.push(halves[at + 1] ? merge(halves[at]!, halves[at + 1]!) : halves[at]!);
    halves.splice(0, halves.length, ...merged);
  }
  const { starts, ends } = halves[0] ?? { starts: new Float64Array(0), ends: new Float64Array(0) };
  return { starts, ends, names: new Uint32Array(starts.length), busy: busyIn(starts, ends), first: -1 };
}

interface Intervals {
  starts: Float64Array;
  ends: Float64Array;
}

function merge(a: Intervals, b: Intervals): Intervals {
  const starts = new Float64Array(a.starts.length + b.starts.length);
  const ends = new Float64Array(starts.length);
  let [count, inA, inB] = [0, 0, 0];
  while (inA < a.starts.length || inB < b.starts.length) {
    const takesA = b.starts.length <= inB || (inA < a.starts.length && a.starts[inA]! <= b.starts[inB]!);
    const [start, end] = takesA ? [a.starts[inA]!, a.ends[inA]!] : [b.starts[inB]!, b.ends[inB]!];
    if (takesA) inA += 1;
    else inB += 1;
    if (0 < count && start <= ends[count - 1]!) ends[count - 1] = Math.max(ends[count - 1]!, end);
    else {
      starts[count] = start;
      ends[count] = end;
      count += 1;
    }
  }
  return { starts: starts.slice(0, count), ends: ends.slice(0, count) };
}

/** The first event that ends after a time. */
export function firstEnding(ends: Float64Array, time: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first event at or after `from` that begins after a time: nearby ones are found in few steps. */
export function after(starts: Float64Array, from: number, time: number): number {
  let step = 1;
  let low = from;
  let high = from;
  while (high < starts.length && starts[high]! <= time) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, starts.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
