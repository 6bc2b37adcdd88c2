import { expect, test } from "vitest";
import { Dice } from "../fuzz/fuzz.ts";
import { isNoticed, namedCauses } from "./wrong-causes.ts";

test("fifteen causes set wrong, one at a time: a table notices each", { timeout: 600_000 }, async () => {
  const dice = new Dice(Number(process.env["CULPRIT_SEED"] ?? 19));
  const all = namedCauses();
  const missed: string[] = [];
  for (let round = 0; round < 15; round += 1) {
    const [one] = all.splice(dice.below(all.length), 1);
    if (!(await isNoticed(one!))) missed.push(`${one!.file}: ${one!.cause}`);
  }
  expect(missed).toEqual([]);
});
