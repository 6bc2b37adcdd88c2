// A plan without findings is green only where everything was judged.
import { expect, test } from "vitest";
import { fixReport, type Plan } from "../../packages/core/src/index.ts";

const plan: Plan = {
  schema: "culprit/fix@1",
  status: "ok",
  findings: [],
  chosen: [],
  proof: { removes: [], adds: [], leaves: [] },
  conflicts: [],
};

test.each([
  ["ok", /^✓ Nothing to fix\.\n$/],
  ["incomplete", /^\? Nothing to fix in what could be judged; culprit check says what could not\.\n$/],
  ["nothing-to-check", /^– Nothing to fix: no framework was found to examine\.\n$/],
] as const)("%s", (status, said) => {
  expect(fixReport({ ...plan, status })).toMatch(said);
});
