import { expect, test } from "vitest";
import { fitsGlob } from "../../packages/core/src/lib/glob.ts";

test.each([
  ["a.conf", "*.conf", true],
  ["a.conf", "*", true],
  ["", "*", true],
  ["", "?", false],
  ["a.conf", "?.conf", true],
  ["ab.conf", "?.conf", false],
  ["a.conf.d", "*.conf", false],
  ["a.conf.conf", "*.conf", true],
  ["cuda-12.conf", "cuda-[0-9]*.conf", true],
  ["cuda-x.conf", "cuda-[0-9]*.conf", false],
  ["cuda-x.conf", "cuda-[!0-9]*.conf", true],
  ["a]", "[]]*", false],
  ["[a", "[a", true],
  ["a-b", "a[-]b", true],
  ["aXbXc", "a*b*c", true],
  ["aXbX", "a*b*c", false],
])("%s and %s: %s", (name, pattern, expected) => {
  expect(fitsGlob(name, pattern)).toBe(expected);
});

test("a pattern of stars does not try every way", () => {
  expect(fitsGlob("a".repeat(255), `${"*a".repeat(5000)}b`)).toBe(false);
  expect(fitsGlob("a".repeat(255), `${"*a".repeat(200)}*`)).toBe(true);
});
