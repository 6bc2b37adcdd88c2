import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { openTarget, diffReport, diffTargets, type Snapshot, type WhatIf } from "../../packages/core/src/index.ts";

const healthy = JSON.parse(gunzipSync(fs.readFileSync("cases/h200-healthy/snapshot.json.gz")).toString("utf8")) as Snapshot;
const question = { programs: [], activities: [], python: [] };

async function difference(other: Snapshot, whatIf: WhatIf = {}) {
  const answer = await diffTargets(await openTarget(healthy), await openTarget(other, whatIf), question);
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
}

test("a machine does not differ from itself", async () => {
  const answer = await difference(healthy);
  expect(answer.changes).toEqual([]);
  expect(diffReport(answer, { a: "here", b: "there" })).toBe("✓ No difference that matters to a GPU stack.\n");
});

test("of two variables that differ, the one that breaks torch is named, and the other is not", async () => {
  const answer = await difference(healthy, { environment: { LD_LIBRARY_PATH: "/usr/lib/x86_64-linux-gnu", CUDA_MODULE_LOADING: "LAZY" } });
  expect(answer.findings.onlyInB.map(({ rule }) => rule)).toEqual(["cudnn-parts-from-two-releases"]);
  expect(answer.changes.filter(({ explains }) => 0 < explains.length).map(({ subject }) => subject)).toEqual(["LD_LIBRARY_PATH"]);
  expect(answer.changes.map(({ subject }) => subject)).toContain("CUDA_MODULE_LOADING");
  expect(diffReport(answer, { a: "here", b: "there" })).toMatch(
    /^✗ only in there: torch will fail at LSTM and GRU layers: cuDNN 9\.19\.0 .*\n\nThe difference that matters\n {2}variable LD_LIBRARY_PATH\n/,
  );
});

test("files that are gone together are tried together", async () => {
  const folder = Object.keys(healthy.files).find((path) => path.endsWith("/site-packages/nvidia/cudnn/lib"))!;
  const files = { ...healthy.files, [folder]: { kind: "folder" as const, names: [] } };
  for (const path of Object.keys(files)) if (path.startsWith(`${folder}/`)) files[path] = { kind: "absent" };
  const answer = await difference({ ...healthy, files });
  expect(answer.findings.onlyInB.map(({ rule }) => rule)).toContain("wheel-files-missing");
  const guilty = answer.changes.filter(({ explains }) => 0 < explains.length);
  expect(guilty.length).toBeGreaterThan(3);
  for (const { subject } of guilty) expect(subject.startsWith(folder)).toBe(true);
});
