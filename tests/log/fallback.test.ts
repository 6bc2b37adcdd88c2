import { expect, test } from "vitest";
import { fallbackNotices, mayHaveFallenBack } from "../../packages/core/src/log/fallback.ts";
import { signatures } from "../../packages/core/src/log/index.generated.ts";

// What `fellBackToCpu` of an explanation rests on.
const tells = (fact: { kind: string; id?: string; by?: string }) =>
  (fact.kind === "notice" && fallbackNotices.includes(fact.id ?? "")) ||
  (fact.kind === "version-pair" && fact.by === "jax") ||
  (fact.kind === "unable-to-load" && fact.by !== "paddle");

const telling = signatures.flat().flatMap(({ pattern, examples, facts }) =>
  examples.filter((example) => {
    const match = pattern.exec(example)!;
    return [facts(match.groups ?? {}, match) ?? []].flat().some(tells);
  }),
);

test("every message that a framework falls back with is seen before its log is read", () => {
  expect(telling.length).toBeGreaterThan(10);
  for (const example of telling) expect(mayHaveFallenBack([new TextEncoder().encode(example)]), example).toBe(true);
});

test("an ordinary log is not", () => {
  expect(mayHaveFallenBack([new TextEncoder().encode("epoch 1: loss 0.5\nsaved to out.pt\n")])).toBe(false);
  // A word may be cut by the pieces in which the text came.
  expect(mayHaveFallenBack(["cannot dlopen some", " GPU libraries"].map((text) => new TextEncoder().encode(text)))).toBe(true);
});
