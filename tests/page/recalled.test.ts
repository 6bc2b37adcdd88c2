// What an experiment takes from answers before it is what a fresh check of the same facts says.
import { expect, test } from "vitest";
import { machines, triedInTurn } from "./experiments.ts";

// Large machines are for the deep lane.
const some = machines.filter((name) => ["cpu-build-of-torch", "jax-with-older-jaxlib"].includes(name));

test("there are machines to try", () => expect(some.length).toBeGreaterThan(0));
test.each(some)("%s: every experiment, one after the other, is answered as if it were the first", async (name) => {
  expect(await triedInTurn(name)).toBeGreaterThan(10);
});
