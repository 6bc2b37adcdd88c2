import { performance } from "node:perf_hooks";
import { expect, test } from "vitest";
import { dumps, signatures } from "../../packages/core/src/log/index.generated.ts";
import type { Signature } from "../../packages/core/src/log/signature.ts";

const all: [string, Signature][] = [...signatures, ...dumps].flat().map((signature) => [signature.pattern.source.slice(0, 60), signature]);

test.each(all)("%s fits its own examples, which hold one of its literals", (_, { literals, pattern, examples, facts }) => {
  expect(examples.length).toBeGreaterThan(0);
  for (const literal of literals) {
    expect(literal).toBe(literal.toLowerCase());
    // They are looked for in bytes.
    expect(literal).toMatch(/^[ -~]+$/);
  }
  for (const example of examples) {
    expect(literals.some((literal) => example.toLowerCase().includes(literal))).toBe(true);
    const match = pattern.exec(example);
    expect(match, example).not.toBeNull();
    expect(facts(match!.groups ?? {}, match!), example).toBeDefined();
  }
});

/** Quantifiers of a pattern, outermost first: how often at most, and how deep they stand within other quantified groups. */
function quantifiers(source: string): { most: number; outer: number }[] {
  const found: { most: number; outer: number }[] = [];
  // Groups that are open, each with the quantifiers inside it.
  const open: { most: number; outer: number }[][] = [[]];
  let last: { most: number; outer: number }[] = [];
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at]!;
    if (character === "\\") {
      at += 1;
      last = [];
    } else if (character === "[") {
      while (source[at] !== "]") at += source[at] === "\\" ? 2 : 1;
      last = [];
    } else if (character === "(") {
      open.push([]);
      const head = /^\(\?(?:<?[=!]|:|<\w+>)/.exec(source.slice(at))?.[0];
      if (head) at += head.length - 1;
    } else if (character === ")") {
      last = open.pop()!;
      open.at(-1)!.push(...last);
    } else if (character === "*" || character === "+" || character === "?" || character === "{") {
      const bounds = character === "{" ? /^\{(\d+)(,?)(\d*)\}/.exec(source.slice(at)) : undefined;
      if (character === "{" && !bounds) continue;
      const most = bounds
        ? bounds[2] === ""
          ? Number(bounds[1])
          : bounds[3] === ""
            ? Infinity
            : Number(bounds[3])
        : character === "?"
          ? 1
          : Infinity;
      if (bounds) at += bounds[0].length - 1;
      if (source[at + 1] === "?") at += 1;
      for (const inner of last) inner.outer *= Math.max(1, most);
      const entry = { most, outer: 1 };
      open.at(-1)!.push(entry);
      found.push(entry);
      last = [];
    } else last = [];
  }
  return found;
}

test("the reader of quantifiers sees what is forbidden", () => {
  expect(quantifiers("a+b").map(({ most }) => most)).toEqual([Infinity]);
  expect(quantifiers("[+*]a{2,}").map(({ most }) => most)).toEqual([Infinity]);
  expect(quantifiers("(?:a{1,9}b){1,9}").map(({ most, outer }) => most * outer)).toEqual([81, 9]);
});

test.each(all)("%s has no unbounded quantifier, and none within another that multiply", (_, { pattern }) => {
  for (const { most, outer } of quantifiers(pattern.source)) {
    expect(most).toBeLessThanOrEqual(3000);
    expect(most === 1 ? 1 : most * outer).toBeLessThanOrEqual(outer === 1 ? 3000 : 200);
  }
});

test("every pattern takes time in proportion to the line, also on lines made against it", () => {
  const slow: string[] = [];
  for (const [name, { pattern, examples, literals }] of all) {
    const seeds = new Set<string>(["a", " ", "/", "1", ".", "a/", "lib.so.1 ", "x: ", ...literals]);
    for (const example of examples) for (const part of [0.5, 0.95]) seeds.add(example.slice(0, Math.ceil(example.length * part)));
    for (const seed of seeds) {
      const time = (length: number) => {
        const text = seed.repeat(Math.ceil(length / seed.length)).slice(0, length);
        const started = performance.now();
        pattern.exec(text);
        return performance.now() - started;
      };
      let small = time(1 << 14);
      let large = Math.min(time(1 << 16), time(1 << 16));
      // Four times the length may take four times as long; measuring is rough, and short times are all noise.
      const isSlow = () => 60 < large && 10 * small < large;
      // On a busy machine one measurement says nothing: the shortest of many does.
      for (let again = 0; again < 8 && isSlow(); again += 1) {
        small = Math.max(small, time(1 << 14));
        large = Math.min(large, time(1 << 16));
      }
      if (isSlow()) slow.push(`${name} on ${JSON.stringify(seed.slice(0, 60))}: ${small.toFixed(1)} ms, then ${large.toFixed(1)} ms`);
      if (2000 < large) slow.push(`${name} on ${JSON.stringify(seed.slice(0, 60))}: ${large.toFixed(1)} ms`);
    }
  }
  expect(slow).toEqual([]);
});
