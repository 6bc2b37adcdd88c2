import { expect, test } from "vitest";
import { buildWorker, killAlong } from "./killed.ts";
import { stage } from "./stage.ts";

const { scratch, place } = stage("killed");
const worker = buildWorker(scratch);

// killed.deep.test.ts takes every single one.
test.each([
  ["apply", false],
  ["apply", true],
  ["undo", false],
  ["undo", true],
] as const)(
  "killed along the way of %s (a file with two names: %s), old or new is there, and undo works",
  { timeout: 240_000 },
  (what, linked) => {
    expect(killAlong(worker, place, what, { stride: 11, first: 3, linked })).toBeGreaterThan(3);
  },
);
