// Experiments of every kind on a machine, each answered after the others and by itself.
import fs from "node:fs";
import { types } from "node:util";
import zlib from "node:zlib";
import { expect } from "vitest";
import { openTarget } from "../../packages/core/src/ask/examination.ts";
import { checkTarget } from "../../packages/core/src/culprit.ts";
import type { Judgement } from "../../packages/core/src/judge/question.ts";
import type { Snapshot } from "../../packages/core/src/model/snapshot.ts";
import { settleGround } from "../../packages/core/src/resolve/ground.ts";
import { answerTo } from "../../packages/page/src/stack/engine.ts";
import type { Experiment } from "../../packages/page/src/stack/experiment.ts";
import type { Made } from "../../packages/page/src/stack/messages.ts";

const made: Made = { question: { programs: [], activities: [], python: [] }, asked: { target: [], options: [] }, accepted: [] };
const textOf = (name: string) => zlib.gunzipSync(fs.readFileSync(`cases/${name}/snapshot.json.gz`)).toString("utf8");
const factsOf = (name: string) => JSON.parse(textOf(name)) as Snapshot;

/** Nobody changes what was answered; and no answer holds what only notes what is read. */
function frozen(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  seen.add(value);
  expect(types.isProxy(value), "an answer holds the facts themselves").toBe(false);
  Object.freeze(value);
  for (const each of value instanceof Map ? [...value.entries()].flat() : Object.values(value)) frozen(each, seen);
}

function experimentsOn({ stack }: Judgement, facts: Snapshot): Experiment[] {
  const folders = (facts.environment["LD_LIBRARY_PATH"] ?? "").split(":").filter((each) => each !== "");
  const copies = stack.inventory.copies.map(({ file }) => file);
  const some = copies.filter((_, index) => index % Math.max(1, Math.floor(copies.length / 6)) === 0);
  const paths = [...new Set(copies.map((file) => file.replace(/\/[^/]*$/, "")))].slice(0, 6);
  const withPath = (value: string | null): Experiment => ({ variables: { LD_LIBRARY_PATH: value } });
  return [
    { variables: {} },
    withPath(null),
    ...folders.map((_, index) => withPath(folders.filter((_each, at) => at !== index).join(":"))),
    ...paths.map(withPath),
    withPath([...paths].reverse().join(":")),
    { variables: { LD_PRELOAD: some[0] ?? "/nowhere.so" } },
    { variables: { PYTHONPATH: paths[0] ?? "/nowhere" } },
    { variables: { PATH: "/usr/bin", VIRTUAL_ENV: null, CONDA_PREFIX: null, HOME: null } },
    { variables: { CUDA_VISIBLE_DEVICES: "" } },
    { variables: { NVIDIA_DRIVER_CAPABILITIES: "utility", CUDA_HOME: "/usr/local/cuda" }, driver: "535.104.05" },
    { variables: {}, driver: "535.104.05" },
    { variables: {}, gpus: ["V100"] },
    { variables: {}, driver: "450.80.02", gpus: ["NVIDIA H200", "T4"] },
    { variables: {}, cpu: "v2" },
    { variables: {}, cpu: "amd:v3" },
    { variables: {}, ldconfig: true },
    { variables: { LD_LIBRARY_PATH: null }, ldconfig: true },
    ...some.map((file): Experiment => ({ variables: {}, removed: [file] })),
    { variables: {}, removed: some },
    ...(some.length < 2 ? [] : [{ variables: {}, swapped: { [some[0]!]: some[1]! } }]),
    ...some.map((file): Experiment => ({ variables: { LD_LIBRARY_PATH: null }, removed: [file] })),
    { variables: {} },
  ];
}

/** Those that ask something of their own are asked by the command alone. */
export const machines = fs
  .readdirSync("cases")
  .filter((name) => fs.existsSync(`cases/${name}/snapshot.json.gz`) && !fs.existsSync(`cases/${name}/question.json`));

export async function triedInTurn(name: string): Promise<number> {
  const facts = factsOf(name);
  settleGround(facts.files);
  const first = await checkTarget(await openTarget(facts), made.question);
  if ("problem" in first) return 0;
  frozen(Object.values(facts.files));
  const experiments = experimentsOn(first, facts);
  for (const experiment of experiments) {
    const answered = await answerTo(facts, made, [], experiment);
    const fresh = await answerTo(factsOf(name), made, [], experiment);
    const words = JSON.stringify(experiment);
    if ("problem" in answered || "problem" in fresh) {
      expect(answered, words).toEqual(fresh);
      continue;
    }
    expect(answered.judged.check, words).toEqual(fresh.judged.check);
    expect({ ...answered.answer, took: 0 }, words).toEqual({ ...fresh.answer, took: 0 });
    expect(answered.rest(), words).toEqual(fresh.rest());
    frozen(answered.judged.stack);
  }
  return experiments.length;
}
