// A choice whose arms are the same decides nothing: somebody changed one arm and forgot the other, or both. No rule of the linter sees it.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAst } from "vitest/node";

interface Node {
  type: string;
  start: number;
  end: number;
}
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value && "start" in value;

/** The conditions of choices with equal arms, with their lines. */
function deadChoices(source: string): string[] {
  const found: string[] = [];
  const textOf = ({ start, end }: Node) => source.slice(start, end).replace(/\s+/g, " ");
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isNode(value)) return;
    const { test: condition, consequent, alternate } = value as Node & { test?: unknown; consequent?: unknown; alternate?: unknown };
    if (isNode(condition) && isNode(consequent) && isNode(alternate) && textOf(consequent) === textOf(alternate))
      found.push(`line ${source.slice(0, value.start).split("\n").length}: ${textOf(condition)}`);
    Object.values(value).forEach(visit);
  };
  visit(parseAst(source, { lang: "ts" }));
  return found;
}

test("equal arms are seen", () => {
  expect(deadChoices("const a = b ? [1, 2] :\n [1, 2];\nif (c) d();\nelse d();\nif (e) f(); else g();")).toEqual([
    "line 1: b",
    "line 3: c",
  ]);
});

const files = ["core", "machine", "cli"].flatMap((name) =>
  readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".generated.ts"))
    .map((file) => `packages/${name}/src/${file}`),
);
test.each(files)("every choice in %s has two different arms", (file) => {
  expect(deadChoices(readFileSync(file, "utf8"))).toEqual([]);
});
