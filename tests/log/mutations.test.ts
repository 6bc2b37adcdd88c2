// One word, quote or mark more or less must not make culprit deaf: every example of every signature, changed.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";
import { heardOf, mutationsOf } from "./mutations.ts";

/** One of eight lots, by the words alone: a new row elsewhere must not change which examples are tried. */
const lotOf = (text: string): number => [...text].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) % 65_521, 7) % 8;

// All of them are tried in the deep lane (mutations.deep.test.ts).
test("changed messages are still understood", { timeout: 120_000 }, async () => {
  const examples = signatures.flat().flatMap((signature) => signature.examples);
  const { tried, same, answered } = await heardOf(examples.filter((example) => lotOf(example) === 0));
  expect(tried).toBeGreaterThan(500);
  expect(same / tried).toBeGreaterThan(0.87);
  expect(answered / tried).toBeGreaterThan(0.88);
});

test("the changes are changes, and the same ones each time", async () => {
  const text = "ImportError: libcupti.so.11.2: cannot open shared object file: No such file or directory";
  const changed = mutationsOf(text);
  expect(changed.length).toBeGreaterThan(8);
  expect(changed).toEqual(mutationsOf(text));
  for (const mutation of changed) expect(mutation.text).not.toBe(text);
  expect((await explainLog([new TextEncoder().encode(text)])).diagnoses[0]?.cause).toBeDefined();
});
