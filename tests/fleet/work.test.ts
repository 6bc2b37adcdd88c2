import process from "node:process";
import { setTimeout as later } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Judges } from "../../packages/fleet/src/judge/pool.ts";
import { beginWork } from "../../packages/fleet/src/judge/work.ts";
import type { Store } from "../../packages/fleet/src/store/sql.ts";

/** A database without jobs, which counts who asks. */
function idle(): { store: Store; asked: () => number } {
  let asked = 0;
  const rows = async () => ((asked += 1), []);
  const sql = { rows, one: async () => void (await rows()) } as unknown as Store;
  return { store: { ...sql, engine: "embedded", tx: async (work) => work(sql), end: async () => {} }, asked: () => asked };
}

const judges = (size: number): Judges => ({ size, judge: async () => ({}), end: async () => {} });

test("a hundred threads sleep, are woken all at once and end at once, without a warning", async () => {
  const warnings: string[] = [];
  const note = ({ message }: Error) => void warnings.push(message);
  process.on("warning", note);
  const { store, asked } = idle();
  const work = beginWork(store, judges(100), (sentence) => warnings.push(sentence));
  await later(50);
  expect(asked()).toBe(100);
  work.wake();
  await later(50);
  expect(asked()).toBe(200);
  const begin = performance.now();
  await work.end();
  expect(performance.now() - begin).toBeLessThan(500);
  await later(0);
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
