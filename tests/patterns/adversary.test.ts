import { expect, test } from "vitest";
import { dumps, signatures } from "../../packages/core/src/log/index.generated.ts";
import { slowOnes } from "./adversary.ts";
import { patternsIn } from "./written.ts";

test("patterns are found where they are written", () => {
  const source =
    'const a = /x+$/g; // no /comment/\nconst b = c! / 2 / 3;\nf("/no/", `/no/${/y[/]/u.exec(z)} /no/`, !/q/.test(r));\n/* /no/ */ return /end/;';
  expect(patternsIn(source).map(({ line, pattern }) => [line, String(pattern)])).toEqual([
    [1, "/x+$/g"],
    [3, "/y[/]/u"],
    [3, "/q/"],
    [4, "/end/"],
  ]);
});

test.each([/\/+$/, /^\s*x\s*$/m, /(?<name>[\w./+-]{0,200}lib[\w.+-]{2,80}\.so[\w.]{0,40})\*? -> (?<target>\S{3,200})/])(
  "%s is found to be slow",
  (pattern) => {
    expect(slowOnes([{ name: "it", pattern }], 1, 1 << 12)).toHaveLength(1);
  },
);

test.each([/^a+$/, /(?<!\/)\/+$/, /lib\w{1,80}\.so/])("%s is not", (pattern) => {
  expect(slowOnes([{ name: "it", pattern }], 5, 1 << 14)).toEqual([]);
});

// The line that took seconds, and others of its kind, through every signature that it concerns; all of them are in the deep tests.
test("names of libraries, as often as a line holds them", () => {
  const about = [...signatures, ...dumps].flat().filter(({ literals }) => literals.some((literal) => /lib|\.so|requires/.test(literal)));
  expect(about.length).toBeGreaterThan(20);
  expect(
    slowOnes(
      about.slice(0, 60).map(({ pattern, examples }) => ({ name: pattern.source.slice(0, 60), pattern, examples })),
      5,
      1 << 14,
    ),
  ).toEqual([]);
});
