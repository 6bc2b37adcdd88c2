// The same attacks as in the tests beside this one, four thousand times each (ten thousand were run once).
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { strayCharacters } from "./cleaned.ts";
import { includesLeak } from "./includes-checked.ts";
import { linesReadOtherwise, peopleLeft, secretsLeft } from "./redacted.ts";

const minutes = 60_000;

test("secrets in texts of every kind", { timeout: 20 * minutes }, () => {
  expect(secretsLeft(2026, 4_000)).toEqual([]);
});

test("people in paths of every kind", { timeout: 20 * minutes }, () => {
  expect(peopleLeft(2026, 4_000)).toEqual([]);
});

test("start-up files of every shape", { timeout: 20 * minutes }, () => {
  expect(linesReadOtherwise(2026, 4_000)).toEqual([]);
});

test("random texts through every report", { timeout: 20 * minutes }, async () => {
  expect(await strayCharacters(2026, 4_000)).toEqual([]);
});

test("dependency files that lead astray", { timeout: 20 * minutes }, async () => {
  const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-astray-")));
  try {
    expect(await includesLeak(scratch, 2026, 4_000)).toEqual([]);
  } finally {
    fs.rmSync(scratch, { recursive: true });
  }
});
