import { readFileSync, readdirSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { TestModule } from "vitest/node";
import ClosingLine from "./closing-line.ts";
import { needs } from "./needs.ts";

type Told = { state: "passed" | "failed" | "skipped"; note?: string; skipped?: string };
const moduleOf = (tests: Told[], errors = 0, suites: number[] = []) =>
  ({
    errors: () => Array.from({ length: errors }),
    children: {
      allTests: () => tests.map(({ state, note, skipped }) => ({ result: () => ({ state, note }), meta: () => ({ skipped }) })),
      allSuites: () => suites.map((count) => ({ errors: () => Array.from({ length: count }) })),
    },
  }) as unknown as TestModule;

function ended(modules: TestModule[], unhandled = 0): string {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    new ClosingLine().onTestRunEnd(
      modules,
      Array.from({ length: unhandled }, () => ({ message: "" })),
    );
    return written.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    written.mockRestore();
  }
}

test("what was skipped is told by its reason, the most first; the last line has the counts", () => {
  const modules = [
    moduleOf([{ state: "passed" }, { state: "skipped", skipped: "needs rpm" }, { state: "failed" }]),
    moduleOf([
      { state: "skipped", note: "needs root: files that another user cannot read" },
      { state: "skipped", note: "needs root: files that another user cannot read" },
      { state: "skipped" },
      { state: "passed" },
    ]),
  ];
  expect(ended(modules).split("\n")).toEqual([
    "",
    "skipped 2: needs root: files that another user cannot read",
    "skipped 1: needs rpm",
    "skipped 1: nothing says why",
    "2 passed, 1 failed, 4 skipped",
    "",
  ]);
});

test("what fails around tests is a failure, too", () => {
  expect(ended([moduleOf([{ state: "passed" }])])).toBe("\n1 passed, 0 failed, 0 skipped\n");
  expect(ended([moduleOf([{ state: "passed" }], 2, [0, 1])], 1)).toBe("\n1 passed, 3 failed, 0 skipped\n");
});

test("a need that is not met skips, and says which", () => {
  expect(needs({ gcc: true, python3: "/usr/bin/python3" })).toEqual({});
  expect(needs({ gcc: "", python3: undefined })).toEqual({ skip: true, meta: { skipped: "needs gcc" } });
  expect(needs("needs root: chroot")).toEqual({ skip: true, meta: { skipped: "needs root: chroot" } });
  expect(needs(undefined)).toEqual({});
});

test("no test is skipped without a reason", () => {
  const silent = readdirSync("tests", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && file !== "closing-line.test.ts")
    .flatMap((file) => {
      const found = readFileSync(`tests/${file}`, "utf8").match(
        /\.(?:skipIf|runIf|todo|only|fails)\(|\b(?:test|describe)\.skip\b|\.skip\(\)/,
      );
      return found ? [`${file}: ${found[0]}`] : [];
    });
  expect(silent, "use needs(…) of tests/needs.ts, or context.skip with a reason").toEqual([]);
});
