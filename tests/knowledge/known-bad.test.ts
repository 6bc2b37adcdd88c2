import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { activities } from "../../packages/core/src/model/activity.ts";
import { libraries } from "../../packages/core/src/knowledge/libraries.generated.ts";
import { libraryOf } from "../../packages/core/src/knowledge/libraries.ts";
import { architecture } from "../../packages/core/src/knowledge/toolkits.ts";
import { isWithin } from "../../packages/core/src/lib/pep440.ts";
import type { KnownBad } from "../../packages/core/src/model/knowledge.ts";

const { combinations } = JSON.parse(readFileSync("knowledge/known-bad.json", "utf8")) as KnownBad;

test.each(combinations.map((row) => [row.id, row] as const))("%s can be met, and speaks of what is known", (_id, row) => {
  const { packages = {}, libraries: loaded = {}, architectures = [], explains, activity } = row;
  expect(Object.keys({ ...packages, ...loaded })).not.toEqual([]);
  for (const specifier of [...Object.values(packages), ...Object.values(loaded)])
    expect(isWithin("1.0", specifier), specifier).toBeDefined();
  for (const id of Object.keys(loaded)) expect(libraries.map((library) => library.id)).toContain(id);
  for (const name of architectures) expect(architecture(name), name).toBeDefined();
  const isModule = explains?.startsWith("nvidia.") || explains === row.absent;
  if (explains !== undefined && !isModule)
    expect(libraries.some(({ id }) => id === explains) || libraryOf(explains) !== undefined).toBe(true);
  expect(activities).toContain(activity);
});
