import { expect, test } from "vitest";
import { loadsReport } from "../../packages/core/src/index.ts";
import type { Failure, Loads } from "../../packages/core/src/model/loads.ts";

const failure = (activity: string): Failure => ({
  name: "libcudart.so.12",
  requestedBy: "/venv/rays/_C.so",
  activity,
  reason: "not-found",
  message: "libcudart.so.12: cannot open shared object file: No such file or directory",
  tried: [],
});

const title = (activity: string, imports?: string[]): string => {
  const program: Loads["program"] = { file: "/usr/bin/python3.11", path: "/venv/bin/python3", ...(imports ? { imports } : {}) };
  const answer: Loads = { schema: "culprit/loads@1", program, loads: [], failures: [failure(activity)], missed: [], unknown: [] };
  return loadsReport(answer).split("\n")[0]!;
};

test("the title says at what a program fails: its start, an import, an activity", () => {
  expect(title("import")).toBe("✗ /venv/bin/python3 would not start: 1 failure");
  expect(title("import", ["rays"])).toBe("✗ /venv/bin/python3 would fail at the import of rays: 1 failure");
  expect(title("matmul", ["torch", "rays"])).toBe("✗ /venv/bin/python3 would import torch, rays and fail at matmul: 1 failure");
});
