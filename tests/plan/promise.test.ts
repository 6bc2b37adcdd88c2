// What `fix --apply` says when the machine is not as the proof said.
import { expect, test } from "vitest";
import { notKept } from "../../packages/cli/src/promise.ts";
import type { Finding } from "../../packages/core/src/model/finding.ts";

const found = (...lines: string[]) => ({
  findings: lines.map((line) => {
    const [severity, rule, subject] = line.split(" ");
    return { severity, rule, subject } as Finding;
  }),
});
const plan = (removes: string[], adds: string[] = []) => ({ proof: { removes, adds, leaves: [] } });

test("a proof that held says nothing", () => {
  expect(notKept(plan(["pins-not-met a"]), found("warning pins-not-met a", "error x b"), found("error x b", "info y c"))).toEqual([]);
});

test("a finding that stayed, also one that is only a warning, and one that came", () => {
  const after = found("warning pins-not-met a", "warning pins-not-met torch");
  expect(notKept(plan(["pins-not-met a"]), found("warning pins-not-met a"), after)).toEqual([
    "still there: pins-not-met a",
    "new: pins-not-met torch",
  ]);
});

test("what was told before it was applied is no surprise", () => {
  expect(notKept(plan(["x a"], ["y b"]), found("error x a"), found("warning y b"))).toEqual([]);
});
