// Functions that cannot be read at one sight are counted; the numbers only go down.
import { expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { judge, lowered, measure, readAllowed } from "../tools/ratchet.mjs";

type Found = { [file: string]: { long?: string[]; complex?: string[] } };

const allowed = { "a.ts": { long: 2, complex: 1 }, "b.ts": { long: 1 } };
const same = { "a.ts": { long: ["f (61, line 1)", "g (90, line 70)"], complex: ["f (21, line 1)"] }, "b.ts": { long: ["h (70, line 3)"] } };

test("no file has more functions that are too long or too complex than it may, and none has fewer", () => {
  expect(judge(readAllowed(), measure())).toEqual([]);
});

test("what is measured is what is there: some are left, each with its name, size and line", () => {
  const all = Object.values(measure() as Found).flatMap(({ long = [], complex = [] }) => [...long, ...complex]);
  expect(all.length).toBeGreaterThan(0);
  for (const each of all) expect(each).toMatch(/^.+ \(\d+, line \d+\)$/);
});

test("a file with one more is told which functions there are", () => {
  expect(judge(allowed, same)).toEqual([]);
  expect(judge(allowed, { ...same, "b.ts": { ...same["b.ts"], complex: ["h (30, line 3)"] } })).toEqual([
    "b.ts: functions of a complexity above 20: 1, allowed 0; split one of h (30, line 3)",
  ]);
  expect(judge(allowed, { ...same, "c.ts": { long: ["i (99, line 9)"] } })).toEqual([
    "c.ts: functions longer than 60 lines: 1, allowed 0; split one of i (99, line 9)",
  ]);
});

test("a file that got better is to be written down", () => {
  const better = { "a.ts": { ...same["a.ts"], long: ["f (61, line 1)"] } };
  expect(judge(allowed, better)).toEqual([
    "a.ts: functions longer than 60 lines: 1, allowed 2; it got better: run `npm run ratchet` to keep it so",
    "b.ts: functions longer than 60 lines: 0, allowed 1; it got better: run `npm run ratchet` to keep it so",
  ]);
  expect(lowered(allowed, better)).toEqual({ "a.ts": { long: 1, complex: 1 } });
});

test("numbers never grow", () => {
  const worse = { ...same, "b.ts": { long: ["h", "i"], complex: ["h"] }, "c.ts": { long: ["j"] } };
  expect(lowered(allowed, worse)).toEqual(allowed);
});
