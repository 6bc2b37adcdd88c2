import { expect, test } from "vitest";
import { signatures } from "../../packages/core/src/log/index.generated.ts";
import { heardOf } from "./mutations.ts";

test("every example of every signature is understood when it is changed a little", { timeout: 600_000 }, async () => {
  const { tried, same, answered } = await heardOf(signatures.flat().flatMap((signature) => signature.examples));
  console.log(
    `${tried} changed messages: ${((100 * same) / tried).toFixed(1)} % have the same first cause, ${((100 * answered) / tried).toFixed(1)} % an answer`,
  );
  expect(same / tried).toBeGreaterThan(0.89);
  expect(answered / tried).toBeGreaterThan(0.9);
});
