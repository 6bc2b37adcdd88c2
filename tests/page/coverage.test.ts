// The timeline fills as much as was busy, whatever the zoom: beside a sum that is made event by event.
import { expect, test } from "vitest";
import { busyBetween, cover, unionOf } from "../../packages/page/src/trace/coverage.ts";
import { busyIn, type Row } from "../../packages/page/src/trace/data.ts";

/** Numbers that look like chance and are the same every time. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function rowOf(count: number, seed: number): Row {
  const next = dice(seed);
  const [starts, ends] = [new Float64Array(count), new Float64Array(count)];
  let time = 0;
  for (let index = 0; index < count; index += 1) {
    // Short and long ones, close together and far apart.
    time += next() ** 6 * 40;
    starts[index] = time;
    time += next() ** 8 * 100;
    ends[index] = time;
  }
  return { starts, ends, names: new Uint32Array(count), busy: busyIn(starts, ends), first: 0 };
}

const busyByHand = ({ starts, ends }: Row, from: number, to: number): number => {
  let sum = 0;
  for (let index = 0; index < starts.length; index += 1) sum += Math.max(0, Math.min(ends[index]!, to) - Math.max(starts[index]!, from));
  return sum;
};

const row = rowOf(5000, 7);
const end = row.ends.at(-1)!;
const views = [
  [0, end],
  [end * 0.2, end * 0.21],
  [end * 0.5, end * 0.5003],
  [end * 0.9, end * 1.1],
] as const;

test.each(views)("columns from %f to %f", (from, to) => {
  const columns = new Float64Array(997);
  const full = new Float64Array(997);
  cover(row, from, to, columns, (_index, first, last) => full.fill(1, first, last));
  const width = (to - from) / columns.length;
  for (const [column, share] of columns.entries()) {
    const here = busyByHand(row, from + column * width, from + (column + 1) * width) / width;
    expect(share + full[column]!, `column ${column}`).toBeCloseTo(here, 6);
  }
});

test.each(views)("the sum of a range from %f to %f", (from, to) => {
  expect(busyBetween(row, from, to)).toBeCloseTo(busyByHand(row, from, to), 6);
});

test("what overlaps counts once", () => {
  const rows = [rowOf(300, 1), rowOf(200, 2), rowOf(100, 3)];
  const union = unionOf(rows);
  const times = rows.flatMap(({ starts, ends }) => [...starts, ...ends]).sort((a, b) => a - b);
  let busy = 0;
  for (const [index, from] of times.entries()) {
    const to = times[index + 1] ?? from;
    if (rows.some((each) => 0 < busyByHand(each, from, to))) busy += to - from;
  }
  expect(union.busy.at(-1)).toBeCloseTo(busy, 6);
  for (let index = 1; index < union.starts.length; index += 1) expect(union.starts[index]!).toBeGreaterThan(union.ends[index - 1]!);
});
