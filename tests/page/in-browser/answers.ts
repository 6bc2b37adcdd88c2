// What the engine says about the inputs of the case book: asked in Node and in a browser, by the same lines.
import fs from "node:fs";
import zlib from "node:zlib";
import { openTarget } from "../../../packages/core/src/ask/examination.ts";
import { checkDependencyFile, checkTarget, explainLog, fixTarget } from "../../../packages/core/src/culprit.ts";
import type { Snapshot } from "../../../packages/core/src/model/snapshot.ts";

const question = { programs: [], activities: [], python: [] };

async function answerTo(folder: string, input: string): Promise<unknown> {
  const file = `${folder}/${input}`;
  if (input === "log.txt") return explainLog([fs.readFileSync(file)]);
  if (input !== "snapshot.json.gz")
    return checkDependencyFile({ file: input, text: fs.readFileSync(file, "utf8"), read: async () => ({ problem: "is not here" }) });
  const facts = JSON.parse(zlib.gunzipSync(fs.readFileSync(file)).toString()) as Snapshot;
  const examination = await openTarget(facts);
  // Fixes are proven on copies of the facts, which is most of the engine; of large machines the answer is enough.
  return facts.target.kind === "machine" && Object.keys(facts.files).length < 2000
    ? fixTarget(examination, question).then((answer) => ("problem" in answer ? answer : [answer.check, answer.plan]))
    : checkTarget(examination, question).then((answer) => ("problem" in answer ? answer : answer.check));
}

/** By case and input, as JSON. */
export async function answersOfBook(): Promise<{ [input: string]: string }> {
  const answers: { [input: string]: string } = {};
  for (const name of fs.readdirSync("cases").sort()) {
    const folder = `cases/${name}`;
    const input = ["snapshot.json.gz", "log.txt", "requirements.txt", "Dockerfile"].find((each) => fs.existsSync(`${folder}/${each}`));
    if (input !== undefined) answers[`${name}/${input}`] = JSON.stringify(await answerTo(folder, input));
  }
  return answers;
}
