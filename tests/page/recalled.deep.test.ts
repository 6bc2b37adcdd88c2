// What an experiment takes from answers before it is what a fresh check of the same facts says.
import { expect, test } from "vitest";
import { machines, triedInTurn } from "./experiments.ts";

const some = machines.filter((name, index) => name.startsWith("h200-") || index % 6 === 0);

test("there are machines to try", () => expect(some.length).toBeGreaterThan(3));
test.each(some)("%s: every experiment, one after the other, is answered as if it were the first", async (name) => {
  expect(await triedInTurn(name)).toBeGreaterThan(10);
});
