import { expect, test } from "vitest";
import { linesReadOtherwise, peopleLeft, secretsLeft } from "./redacted.ts";

test("no secret is left in a snapshot, whatever its form and wherever it stands", () => {
  expect(secretsLeft(1, 1500)).toEqual([]);
});

test("no name of a home is left, and every file is found as before", () => {
  expect(peopleLeft(1, 500)).toEqual([]);
});

test("what is left of a start-up file is read as the whole was", () => {
  expect(linesReadOtherwise(1, 1500)).toEqual([]);
});
