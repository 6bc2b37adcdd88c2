// No pattern of this program costs more than a few milliseconds for each kilobyte of any line: here time is the fact. Lines are made from the
// pattern itself, cost is what this process worked, and of several measurements the least counts.
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dumps, signatures } from "../../packages/core/src/log/index.generated.ts";
import { slowOnes } from "./adversary.ts";
import { patternsIn } from "./written.ts";

const ceiling = 10;
const length = 1 << 14;

test("messages, with what they look like", () => {
  const all = [...signatures, ...dumps].flat();
  expect(all.length).toBeGreaterThan(400);
  const patterns = all.map(({ pattern, examples }) => ({ name: pattern.source.slice(0, 60), pattern, examples }));
  expect(slowOnes(patterns, ceiling, length)).toEqual([]);
}, 300_000);

const files = readdirSync("packages", { recursive: true, encoding: "utf8" }).filter(
  (file) => /^\w+\/src\/.*\.ts$/.test(file) && !file.includes("generated") && !/^core\/src\/log\/(?:messages|dumps)\//.test(file),
);
test("everything else that is written", () => {
  const patterns = files.flatMap((file) =>
    patternsIn(readFileSync(`packages/${file}`, "utf8")).map(({ line, pattern }) => ({ name: `${file}:${line}`, pattern })),
  );
  expect(patterns.length).toBeGreaterThan(900);
  expect(slowOnes(patterns, ceiling, length)).toEqual([]);
}, 300_000);
