// A library that a server keeps for months must not grow: nothing of the core is kept in modules but through lib/memo.ts, which has a bound.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { heldByMemos, memo } from "../packages/core/src/lib/memo.ts";
import { isGpuLibrary } from "../packages/core/src/culprit.ts";
import { solveRequest } from "../packages/core/src/ask/solve.ts";

const folder = "packages/core/src";
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts") && file !== "lib/memo.ts");

/** What a module keeps and changes, in words. */
function stateIn(source: string): string[] {
  const found: string[] = [];
  for (const [, name] of source.matchAll(/^(?:export )?(?:let|var) (\w+)/gm)) found.push(`\`${name}\` can be given another value`);
  for (const [, name] of source.matchAll(/^(?:export )?const (\w+)(?:: [^=]+?)? =\s+(?:new \w+|\[|\{|Array\.|Object\.)/gm)) {
    const own = name!.replaceAll("$", "\\$");
    const written = [
      `\\b${own}\\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)\\(`,
      `\\b${own}(?:\\.\\w+|\\[[^\\]\\n]*\\])+!? (?:[-+*/|&?]{0,2}=) `,
      `\\bObject\\.assign\\(${own}\\b`,
      `\\bdelete ${own}\\b`,
    ].some((pattern) => new RegExp(`(?<![.\\w])${pattern}`).test(source));
    if (written) found.push(`\`${name}\` is written to`);
  }
  for (const [line] of source.matchAll(/^(?:export )?const .* = (?:new WeakMap|new WeakSet).*/gm)) found.push(`\`${line}\` is a cache`);
  // Within a function it would be one more for every call, and no bound at all.
  for (const [line] of source.matchAll(/^ +.*(?<![.\w])memo(?:By)?\(.*/gm)) found.push(`\`${line.trim()}\` is made within a function`);
  return found;
}

test.each(files)("%s keeps nothing of its own: what is kept goes with the question, or through lib/memo.ts", (file) => {
  expect(stateIn(readFileSync(`${folder}/${file}`, "utf8"))).toEqual([]);
});

test.each([
  ["let last = 0;\n", "`last` can be given another value"],
  ["const known = new Map<string, number>();\nexport function a() {\n  known.set(1, 2);\n}\n", "`known` is written to"],
  ["export const all: { [name: string]: number } = {};\nfunction a() {\n  all[name] ??= 1;\n}\n", "`all` is written to"],
  ["const list: string[] = [];\nconst add = (x) => list.push(x);\n", "`list` is written to"],
  ["const seen = new WeakMap<Place, number>();\n", "`const seen = new WeakMap<Place, number>();` is a cache"],
  ["function a() {\n  const f = memo(3, work);\n}\n", "`const f = memo(3, work);` is made within a function"],
])("state is seen: %j", (source, words) => {
  expect(stateIn(source)).toEqual([words]);
});

describe("what is kept has a bound", () => {
  test("a memo asks once as long as it remembers, keeps what is asked for again, and forgets the rest", () => {
    const asked: number[] = [];
    const before = heldByMemos();
    const half = memo(10, (number: number) => (asked.push(number), number === 3 ? undefined : number / 2));
    for (let number = 0; number < 1000; number += 1) {
      expect(half(number)).toBe(number === 3 ? undefined : number / 2);
      expect(half(3)).toBe(undefined);
      expect(heldByMemos().held - before.held).toBeLessThanOrEqual(10);
    }
    expect(asked.filter((number) => number === 3)).toHaveLength(1);
    expect(heldByMemos().bound - before.bound).toBe(10);
    asked.length = 0;
    half(0);
    expect(asked).toEqual([0]);
  });

  test("a million names of files", () => {
    const before = heldByMemos().held;
    for (let number = 0; number < 1_000_000; number += 1) isGpuLibrary(`/opt/lib${number}.so.${number % 7}`);
    expect(isGpuLibrary("/opt/libcudnn.so.9")).toBe(true);
    const { held, bound } = heldByMemos();
    expect(held - before).toBeLessThanOrEqual(20_000);
    expect(held).toBeLessThanOrEqual(bound);
  });

  test("hundreds of different requests to solve", async () => {
    const { bound } = heldByMemos();
    for (let number = 0; number < 300; number += 1)
      await solveRequest({ requirements: [`torch>=1.${number % 14}.${number},!=2.${number}.${number}`], driver: `535.${number}` });
    expect(heldByMemos().held).toBeLessThanOrEqual(bound);
    expect(heldByMemos().bound, "a memo was made while solving").toBe(bound);
    expect(bound).toBeLessThan(150_000);
  });
});
