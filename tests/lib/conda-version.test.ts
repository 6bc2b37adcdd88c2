import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compareCondaVersions, isWithinConda, parseCondaVersion } from "../../packages/core/src/lib/conda-version.ts";

const recorded = JSON.parse(readFileSync("tests/lib/conda-answers.json", "utf8")) as {
  orders: [string, string, number | null][];
  specifications: [string, string, boolean | null][];
};

test("conda versions are ordered as conda ordered them", () => {
  for (const [a, b, answer] of recorded.orders) {
    const order = compareCondaVersions(a, b);
    expect(order === undefined ? null : Math.sign(order), `${a} ? ${b}`).toBe(answer);
  }
});

test("conda specifications let in what conda let in", () => {
  for (const [version, specification, answer] of recorded.specifications)
    expect(isWithinConda(version, specification) ?? null, `${version} in ${specification}`).toBe(answer);
});

// The lists of conda's own tests (tests/models/test_version.py), each in order.
const orders = [
  "0.4.1a.vc11 0.4.1.rc 0.4.1.vc11 0.4.1 0.5* 0.5a1 0.5b3 0.5C1 0.5z 0.5za 0.5 0.5_5 0.9.6 0.960923 1.0 1.0.4a3 1.0.4b1 1.0.4 1.1dev1 1.1_ 1.1a1 1.1.dev1 1.1.a1 1.1 1.1.post1 1.1.1dev1 1.1.1rc1 1.1.1 1.1.1post1 1.1post1 2g6 2.0b1pr0 2.2be.ta29 2.2be5ta29 2.2beta29 2.2.0.1 3.1.1.6 3.2.p.r0 3.2.pr0 3.2.pr.1 5.5.kw 11g 14.3.1 14.3.1.post26.g9d75ca2 1996.07.12 1!0.4.1 1!3.1.1.6 2!0.4.1",
  "1.0.1dev 1.0.1_ 1.0.1a 1.0.1b 1.0.1r 1.0.1rc 1.0.1rc1 1.0.1rc2 1.0.1s 1.0.1 1.0.1post.a 1.0.1post.za 1.0.2",
  "1.0a1 1.0a2.dev456 1.0a12.dev456 1.0a12 1.0b1.dev456 1.0b2 1.0b2.post345.dev456 1.0b2.post345 1.0c1.dev456 1.0c1 1.0c3 1.0rc2 1.0.dev456 1.0 1.0.post456.dev34 1.0.post456 1.1.dev1 1.2.r32+123456 1.2.rev33+123456 1.2+abc 1.2+abc123def 1.2+abc123 1.2+123abc 1.2+123abc456 1.2+1234.abc 1.2+123456",
].map((line) => line.split(" "));

test.each(orders)("%s and what follows it are in order", (...versions) => {
  versions.forEach((a, i) =>
    versions.forEach((b, j) => expect(Math.sign(compareCondaVersions(a, b)!), `${a} ? ${b}`).toBe(Math.sign(i - j))),
  );
});

test("what conda refuses is no version and no specification", () => {
  for (const text of ["", "  ", "3.5&1", "5.5++", "5.5..mw", "!", "a!1.0", "a!b!1.0", "1.2+", "+1.2"])
    expect(parseCondaVersion(text), text).toBeUndefined();
  for (const text of ["(1.5", "1.5)", "1.5||1.6", "^1.5", "><2.4.5", "!!2.4.5", "!", "~", "^", "1.2+", "+1.2+", "==", "=", ">=", "<="])
    expect(isWithinConda("3.0.0", text), text).toBeUndefined();
});

// The same file's table for 1.7.1.
test.each([
  ["1.7.*|1.8.*", true],
  [">1.7,<1.8", true],
  [">1.7.1,<1.8", false],
  ["^1.7.1$", true],
  ["^1\\.[5-8]\\.1$", true],
  ["^[^1].*$", false],
  ["1.6.*|^0.*$|1.7.1", true],
  ["1.*.1", true],
  ["1.5.*|>1.7,<1.7.1", false],
  ["==1.7.1.0", true],
  ["*", true],
])("1.7.1 in %s: %s", (specification, answer) => expect(isWithinConda("1.7.1", specification)).toBe(answer));
