import { expect, test } from "vitest";
import { strayCharacters } from "./cleaned.ts";

test("no report lets a character through that steers, whatever the texts are", async () => {
  expect(await strayCharacters(1, 150)).toEqual([]);
});
