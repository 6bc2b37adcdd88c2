// Where nothing is wrong, nothing is said: lines of healthy programs, each for itself and all together.
import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { logReader } from "../../packages/core/src/log/read.ts";
import { healthyLines } from "./healthy.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const alarms = async (text: string) =>
  (await explainLog([bytes(text)])).diagnoses.filter(({ cause }) => cause !== "benign-warning").map(({ message }) => message);

const lines = healthyLines(10_000);

test("ten thousand lines together", async () => expect(await alarms(lines.join("\n"))).toEqual([]));

test("in heaps of fifty, so that no line hides another", { timeout: 60_000 }, async () => {
  const heard: string[] = [];
  for (let at = 0; at < lines.length; at += 50)
    for (const message of await alarms(lines.slice(at, at + 50).join("\n"))) heard.push(message);
  expect(heard).toEqual([]);
});

test("no frame makes anything of them but what is compared and met", () => {
  const reader = logReader();
  reader.push(bytes(lines.join("\n")));
  expect(reader.end().facts.filter(({ grammar, kind }) => grammar !== undefined && kind !== "needs-has")).toEqual([]);
});
