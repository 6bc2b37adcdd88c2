import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { checkTarget, openTarget, diffReport, diffTargets, type Snapshot, type WhatIf } from "../../packages/core/src/index.ts";
import { filesOf } from "../../packages/core/src/model/overlay.ts";
import { plain } from "../../packages/core/src/report/style.ts";

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

test("what two machines share is worked out once, and the answer is the same as for two that share nothing", async () => {
  const mixed = JSON.parse(gunzipSync(fs.readFileSync("cases/h200-system-cudnn-first/snapshot.json.gz")).toString("utf8")) as Snapshot;
  const folder = Object.keys(mixed.files).find((path) => path.endsWith("/site-packages/nvidia/cudnn/lib"))!;
  const { [`${folder}/libcudnn.so.9`]: _gone, ...left } = mixed.files;
  const listing = left[folder]!;
  const names = listing.kind === "folder" ? listing.names!.filter((name) => name !== "libcudnn.so.9") : [];
  const other: Snapshot = {
    ...mixed,
    files: { ...left, [folder]: { kind: "folder", names }, "/opt/only-there": { kind: "folder", names: [] } },
  };
  const { onSharedGround } = await import("../../packages/core/src/diff/shared-ground.ts");
  const [a, b] = [await openTarget(mixed), await openTarget(other)];
  const [one, two] = onSharedGround(a, b);
  expect(Object.getPrototypeOf(one.view.snapshot.files)).toBe(Object.getPrototypeOf(two.view.snapshot.files));
  expect(filesOf(one.view.snapshot)).toEqual(mixed.files);
  expect(filesOf(two.view.snapshot)).toEqual(other.files);
  for (const [shared, alone] of [
    [one, a],
    [two, b],
  ] as const) {
    const [judged, before] = [await checkTarget(shared, question), await checkTarget(alone, question)];
    expect("check" in judged && judged.check).toEqual("check" in before && before.check);
  }
});

test("a value of a thousand characters is cut short, and shown whole on request", async () => {
  const answer = await difference(healthy, { environment: { NVIDIA_REQUIRE_CUDA: "brand=tesla,driver>=535 ".repeat(50) } });
  const shown = (all: boolean) => diffReport(answer, { a: "here", b: "there" }, plain, { all });
  expect(shown(false)).toMatch(/NVIDIA_REQUIRE_CUDA .*driver>=535 …/s);
  expect(shown(false).length).toBeLessThan(800);
  expect(shown(true).length).toBeGreaterThan(1000);
});
