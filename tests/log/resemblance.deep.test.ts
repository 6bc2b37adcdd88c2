// What was learnt is what the texts teach.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("learning again from the same texts gives the same answers", { timeout: 300_000 }, () => {
  expect(execFileSync("node", ["tools/resemblance.mjs", "--check"], { encoding: "utf8" })).toMatch(/^\d+ texts$/m);
});

test("of texts that it has not seen, it is right first about two of three at least", { timeout: 300_000 }, () => {
  const [, percent] = /(\d+) % first right/.exec(execFileSync("node", ["tools/resemblance.mjs", "--score"], { encoding: "utf8" }))!;
  expect(Number(percent)).toBeGreaterThanOrEqual(66);
});
