// The engine of the page answers as the command does: every snapshot of the case book, in a context that has nothing of Node.
import fs from "node:fs";
import vm from "node:vm";
import zlib from "node:zlib";
import { expect, test } from "vitest";
import type { Answer, FromWorker } from "../../packages/page/src/stack/messages.ts";

const built = "packages/cli/dist";
const engine = fs.readFileSync(`${built}/page/engine.js`, "utf8");
const names = JSON.parse(fs.readFileSync(`${built}/page/knowledge.json`, "utf8")) as string[];
const knowledge = Object.fromEntries(names.map((name) => [name, fs.readFileSync(`${built}/knowledge/${name}`, "utf8")]));

type Listener = (event: { data: object }) => void;

/** What a worker would be told and would say. */
async function answerOf(facts: string, experiment: object): Promise<Answer & { sections: string[] }> {
  return new Promise((settle, fail) => {
    let hear: Listener = () => undefined;
    let answer: Answer;
    const scope = vm.createContext({
      culpritKnowledge: knowledge,
      performance,
      structuredClone,
      // Nothing is tried for nobody here.
      setTimeout: (act: () => void, wait = 0) => (wait === 0 ? setTimeout(act) : 0),
      clearTimeout: () => undefined,
      URLSearchParams,
      TextDecoder,
      TextEncoder,
      addEventListener: (_type: string, listener: Listener) => (hear = listener),
      postMessage: (message: FromWorker) => {
        if (message.kind === "problem") fail(new Error(message.words));
        if (message.kind === "answer") answer = message.answer;
        if (message.kind === "rest") settle({ ...answer, sections: message.sections });
      },
    });
    vm.runInContext(engine, scope);
    const question = { programs: [], activities: [], python: [] };
    hear({ data: { kind: "begin", facts, made: { question, asked: { target: [], options: [] }, accepted: [] } } });
    hear({ data: { kind: "ask", id: 1, experiment } });
  });
}

// Those that ask something of their own are asked by the command alone.
const plain = fs
  .readdirSync("cases")
  .filter((name) => fs.existsSync(`cases/${name}/snapshot.json.gz`) && !fs.existsSync(`cases/${name}/question.json`))
  .map((name) => ({ name, diagnosis: JSON.parse(fs.readFileSync(`cases/${name}/diagnosis.json`, "utf8")) as Diagnosis }))
  .filter(({ diagnosis }) => diagnosis.schema === "culprit/check@2");

interface Diagnosis {
  schema?: string;
  findings?: { rule: string; subject: string; severity: string }[];
}

test("there are cases to compare", () => expect(plain.length).toBeGreaterThan(10));
test.each(plain)("$name", async ({ name, diagnosis }) => {
  const facts = zlib.gunzipSync(fs.readFileSync(`cases/${name}/snapshot.json.gz`)).toString("utf8");
  const { findings, sections } = await answerOf(facts, { variables: {} });
  // What matters was sent before all that lies below it.
  expect(sections.map((section) => /<h2 id="(\w+)"/.exec(section)?.[1])).toEqual(["overview", "loads", "frameworks", "copies", "machine"]);
  const expected = diagnosis.findings!.filter(({ severity }) => severity !== "info");
  expect(findings.map(({ key }) => key).sort()).toEqual(expected.map(({ rule, subject }) => `${rule} ${subject}`).sort());
});

test.each(["engine.js", "drop-engine.js", "page.js", "drop.js"])("%s asks for no address and runs no text", (name) => {
  const code = fs.readFileSync(`${built}/page/${name}`, "utf8");
  expect(code).not.toMatch(
    /(?<![.\w])(?:fetch|eval)\(`|(?<![.\w])eval\(|new XMLHttpRequest|new WebSocket|new Function\b|new\(globalThis\.Function\)/,
  );
});
