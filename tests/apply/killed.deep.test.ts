import { expect, test } from "vitest";
import { buildWorker, killAlong } from "./killed.ts";
import { stage } from "./stage.ts";

const { scratch, place } = stage("killed-deep");
const worker = buildWorker(scratch);

test.each([
  ["apply", false],
  ["apply", true],
  ["undo", false],
  ["undo", true],
] as const)(
  "killed at every change of %s (a file with two names: %s), old or new is there, and undo works",
  { timeout: 900_000 },
  (what, linked) => {
    expect(killAlong(worker, place, what, { stride: 1, linked })).toBeGreaterThan(30);
  },
);
