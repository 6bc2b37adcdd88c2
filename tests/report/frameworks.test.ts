import { expect, test } from "vitest";
import type { Check, Finding } from "../../packages/core/src/index.ts";
import { statusOf } from "../../packages/core/src/model/check.ts";
import { fatesOf, frameworkLines, frameworkRows } from "../../packages/core/src/report/frameworks.ts";
import { plain } from "../../packages/core/src/report/style.ts";

type Told = Pick<Finding, "rule" | "severity" | "subject" | "breaks" | "endangers">;

const torch = (activity: string) => [{ framework: "torch", activity }];
const told = (changes: Partial<Told>): Told => ({ rule: "x", severity: "error", subject: "y", breaks: [], endangers: [], ...changes });
const lines = (findings: Told[], more: { cpuOnly?: boolean } = {}, target: object = { kind: "root" }) =>
  frameworkLines(
    {
      judged: [{ program: "torch", version: "2.5.1", activities: ["import", "device", "matmul"], ...more }],
      findings,
      unknown: [],
      target,
    } as unknown as Check,
    plain,
  );

test("nothing works in a program that cannot be imported", () => {
  expect(lines([told({ breaks: torch("import") })])).toEqual(["  ✗ torch 2.5.1  fails: import"]);
  expect(lines([told({ breaks: torch("import") })], { cpuOnly: true })).toEqual(["  ✗ torch 2.5.1  fails: import; a build without CUDA"]);
  expect(lines([], { cpuOnly: true })).toEqual(["  – torch 2.5.1  a build without CUDA"]);
});

test("a program of one's own without anything of a GPU is none that was built without CUDA", () => {
  const judged = [{ program: "/bin/ls", activities: ["import"], cpuOnly: true }];
  const unknown = [{ subject: "driver and GPU", kind: "driver", reason: "no driver found" }];
  const check = { judged, findings: [], unknown, target: { kind: "machine" } } as unknown as Check;
  expect(frameworkLines(check, plain)).toEqual(["  – ls  needs no GPU library when it starts"]);
  // Nothing in it asks for a driver, so that none is missed.
  expect(statusOf(check)).toBe("ok");
});

test("what is slower is not at risk", () => {
  const slow = told({ rule: "kernels-compiled-at-start", severity: "warning", endangers: torch("matmul") });
  expect(lines([slow])).toEqual(["  ! torch 2.5.1  slow at first: matmul; works: import, device"]);
  expect(lines([told({ severity: "warning", endangers: torch("matmul") })])).toEqual([
    "  ! torch 2.5.1  at risk: matmul; works: import, device",
  ]);
});

test("of an installation that is refused nothing comes; a notebook goes on", () => {
  const refused = told({ rule: "requirements-clash", breaks: [{ framework: "jax", activity: "import" }] });
  const file = (name: string) => lines([refused], {}, { kind: "declaration", name });
  expect(file("requirements.txt")).toEqual(["  ! torch 2.5.1  see the error above"]);
  // A page begins with the programs.
  const judged = [{ program: "torch", version: "2.5.1", activities: ["import"] }];
  const check = { judged, findings: [refused], unknown: [], target: { kind: "declaration", name: "requirements.txt" } };
  expect(frameworkRows(check as unknown as Check, "below").map(({ words }) => words)).toEqual(["see the error below"]);
  expect(file("notebook.ipynb")).toEqual(["  ✓ torch 2.5.1"]);
  expect(lines([told({ ...refused, rule: "x" })], {}, { kind: "declaration", name: "requirements.txt" })).toEqual(["  ✓ torch 2.5.1"]);
});

test("a program of which nothing was judged that was asked about has no tick", () => {
  const none = { activities: [] } as { cpuOnly?: boolean };
  expect(lines([], none)).toEqual(["  – torch 2.5.1  not judged: no model of what was asked"]);
  expect(lines([told({ breaks: torch("import") })], none)).toEqual(["  ✗ torch 2.5.1  fails: import"]);
});

test("the table of a page ticks what the line of a terminal does", () => {
  const fates = (findings: Told[], unknown: object[] = []) =>
    fatesOf({
      judged: [{ program: "torch", version: "2.5.1", activities: ["import", "device", "matmul"] }],
      findings,
      unknown,
      target: { kind: "root" },
    } as unknown as Check)[0]!.fates;
  const all = (fate: string) => ({ import: fate, device: fate, matmul: fate });
  expect(fates([])).toEqual(all("works"));
  expect(fates([told({ severity: "info", breaks: torch("matmul") })])).toEqual(all("works"));
  expect(fates([told({ breaks: torch("matmul") })])).toEqual({ import: "works", device: "works", matmul: "fails" });
  expect(fates([told({ breaks: torch("import") })])).toEqual(all("fails"));
  // An error that names nobody concerns everybody, and where something could not be judged nobody gets a tick.
  expect(fates([told({})])).toEqual(all("at risk"));
  expect(fates([], [{ subject: "/opt", kind: "folder", reason: "unreadable" }])).toEqual(all("unknown"));
});
