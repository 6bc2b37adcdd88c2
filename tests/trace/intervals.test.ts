import { expect, test } from "vitest";
import { clipped, createIntervals, intersection, launchGap, total } from "../../packages/core/src/trace/intervals.ts";

/** Ones that take `length` each, with gaps as `gapAt` says. */
function row(count: number, length: number, gapAt: (index: number) => number, most?: number) {
  const all = createIntervals(most);
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    all.add(at, at + length);
    at += length + gapAt(index);
  }
  return all;
}

const gapsIn = (settled: Float64Array) =>
  Array.from({ length: settled.length / 2 - 1 }, (_, index) => settled[index * 2 + 2]! - settled[index * 2 + 1]!);
const inShort = (settled: Float64Array) => gapsIn(settled).reduce((sum, gap) => sum + (gap <= launchGap ? gap : 0), 0);

for (const [name, gapAt] of [
  ["all alike", () => 19],
  ["short ones and long ones", (index: number) => (index % 10 === 0 ? 5000 : 3)],
  ["all different", (index: number) => (index * 7919) % 1013],
] as const)
  test(`more than there is room for, gaps ${name}: busy and idle time stay what they are`, () => {
    const exact = row(300_000, 41, gapAt).settled();
    const bounded = row(300_000, 41, gapAt, 10_000);
    const settled = bounded.settled();
    expect(settled.length).toBeLessThanOrEqual(20_000);
    expect(total(settled)).toBeCloseTo(total(exact), 0);
    expect([settled[0], settled.at(-1)]).toEqual([exact[0], exact.at(-1)]);
    expect(inShort(settled) + bounded.hidden).toBeCloseTo(inShort(exact), 0);
    for (const gap of gapsIn(settled)) expect(gap).toBeGreaterThanOrEqual(0);
  });

test("what lies within bounds as a whole is not copied; what does not is cut", () => {
  const set = new Float64Array([1, 2, 4, 4, 5, 9]);
  expect(clipped(new Float64Array([1, 2, 5, 9]), 0, 9)).toEqual(new Float64Array([1, 2, 5, 9]));
  expect(clipped(set, 0, 10)).toEqual(new Float64Array([1, 2, 5, 9]));
  expect(clipped(set, 1.5, 6)).toEqual(new Float64Array([1.5, 2, 5, 6]));
  expect(intersection(set, new Float64Array(0))).toHaveLength(0);
});
