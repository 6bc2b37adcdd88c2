// What the table of rules and targets (docs/rules/targets.md) says is true.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget, type WhatIf } from "../../packages/core/src/index.ts";
import { ruleTargets, silenceOn } from "../../packages/core/src/model/rule.ts";
import type { TargetDescription } from "../../packages/core/src/model/snapshot.ts";
import { dependencyFileRules } from "../../packages/core/src/rules/dependency-file.generated.ts";
import { ruleIds } from "../../packages/core/src/rules/ids.generated.ts";
import { rules } from "../../packages/core/src/rules/machine.generated.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { cupy } from "../diagnose/cupy-root.ts";
import { torch, verdicts } from "../diagnose/gpu-root.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { tensorflow } from "../diagnose/tensorflow-root.ts";
import { installed, pythonRoot } from "../frameworks/python-root.ts";
import { expectedRules } from "./expected.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";

const sidesOf = (id: string) => ({
  machine: rules.find((rule) => rule.id === id),
  file: dependencyFileRules.find((rule) => rule.id === id),
});

test.each(ruleIds)("%s has a side for every target that it says it judges, and a reason for every other", (id) => {
  const { machine, file } = sidesOf(id);
  const { notOn = {} } = (machine ?? file)!;
  const machineTargets = ruleTargets.filter((target) => target !== "dependency-file");
  expect(silenceOn(notOn, "dependency-file") === undefined, "dependency files").toBe(file !== undefined);
  expect(
    machineTargets.some((target) => silenceOn(notOn, target) === undefined),
    "machines",
  ).toBe(machine !== undefined);
  for (const reason of Object.values(notOn)) expect(reason, "a reason is a sentence").toMatch(/^[^A-Z\s].*\s.*\s.*[^.\s]$/);
});

test.each(rules.filter(({ id }) => sidesOf(id).file).map(({ id }) => id))("%s has one description", (id) => {
  const { machine, file } = sidesOf(id);
  const headOf = ({ title, cause, severity, page, notOn, otherCauses }: NonNullable<typeof machine | typeof file>) => ({
    title,
    cause,
    severity,
    page,
    notOn,
    otherCauses,
  });
  expect(headOf(file!)).toEqual(headOf(machine!));
});

test("each rule has the cause and the severity that its scenarios are held against", () => {
  const heads = ruleIds.map((id) => (sidesOf(id).machine ?? sidesOf(id).file)!);
  const all = heads.map(({ id, severity, cause, otherCauses = [] }) => [id, [severity, cause, ...otherCauses]]);
  expect(Object.fromEntries(all)).toEqual(expectedRules);
});

test("the table has a row for every rule, and an explanation for every number", () => {
  const page = readFileSync("docs/rules/targets.md", "utf8");
  const rows = [...page.matchAll(/^\| \[([a-z0-9-]+)\].*$/gm)];
  expect(rows.map(([, id]) => id)).toEqual(ruleIds);
  const cells = rows.flatMap(([row]) => row.split(" | ").slice(1)).map((cell) => cell.replace(/ \|$/, ""));
  expect(cells).toHaveLength(ruleIds.length * ruleTargets.length);
  for (const cell of cells) if (cell !== "✓") expect(page).toMatch(new RegExp(`^${cell}\\. .+`, "m"));
});

/** What is said of the same files as another kind of target, and of a snapshot of it. */
async function judgedAs(kind: TargetDescription["kind"], files: Files, whatIf: WhatIf) {
  const target = { ...root(pythonRoot(files).folder), description: { kind, name: "somewhere" } };
  const examination = await openTarget(target, { cwd: "/run", cpu: { level: 1 }, ...whatIf });
  const asked = { programs: [], activities: [], python: ["/venv"] };
  const first = await checkTarget(examination, asked);
  const again = await checkTarget(await openTarget(examination.view.snapshot, whatIf), asked);
  if ("problem" in first || "problem" in again) throw new Error("it was not judged");
  return [first, again].map(({ check }) => verdicts(check.findings.filter(({ severity }) => severity !== "info")));
}

const driver = "580.159.04";
const torch29 = torch("2.9.1", "12.8", { cudnn: "9.10.2.21" });

const plugins = { ...packaged("tensorboard-plugin-profile", "2.19.9"), ...packaged("xprof", "2.20.7") };

describe("the same on every machine", needs({ glibc: glibcLoader }), () => {
  test.each<[string, Files, WhatIf]>([
    ["driver-too-old error", torch29, { driver: "470.57.02" }],
    ["gpu-not-in-build error", torch("2.11.0", "13.0", { cudnn: "9.19.0.56" }), { driver, gpus: ["V100"] }],
    ["kernels-compiled-at-start warning", tensorflow, { driver, gpus: ["B200"] }],
    ["ptx-newer-than-driver error", tensorflow, { driver: "550.54.15", gpus: ["sm_110"] }],
    ["library-dropped-gpu error", cupy("13.0.88"), { driver, gpus: ["V100"] }],
    ["compiler-too-old-for-gpu error", cupy("12.6.77"), { driver, gpus: ["RTX 5090"] }],
    ["gpus-hidden error", torch29, { driver, environment: { CUDA_VISIBLE_DEVICES: "" } }],
    ["numpy-too-new warning", { ...torch("2.2.2", "12.1"), ...installed("numpy", "2.0.0") }, { driver }],
    ["pins-not-met warning", { ...healthy(), ...packaged("torchvision", "0.20.1", {}, ["torch==2.5.1"]) }, { driver }],
    ["profiler-plugin-versions warning", { ...healthy(), ...plugins }, { driver }],
  ])("%s", async (verdict, files, whatIf) => {
    for (const kind of ["machine", "root", "process", "host", "image"] as const)
      expect(await judgedAs(kind, files, whatIf), kind).toEqual([[verdict], [verdict]]);
  });
});
