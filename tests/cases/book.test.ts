// The case book: every answer is what its goldens say, letter for letter.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ruleIds } from "./culprit.ts";
import {
  answerOf,
  casesIn,
  goldens,
  howToRecord,
  indexOf,
  mismatches,
  openCase,
  readmeTemplate,
  readQuestion,
  readStory,
  subjectsIn,
  type Answer,
  type Snapshots,
} from "./book.ts";

const book = "cases";
const names = casesIn(book);
const snapshots: Snapshots = new Map();
const answers = new Map<string, Promise<Answer>>();

async function answerIn(name: string): Promise<Answer> {
  const known = answers.get(name) ?? answerOf(openCase(book, name), snapshots);
  answers.set(name, known);
  return known;
}

describe.each(names)("the case %s", (name) => {
  test("is answered as its goldens say", async () => {
    const different = mismatches(openCase(book, name), await answerIn(name));
    for (const { golden, expected, now } of different) {
      expect(expected, `cases/${name}/${golden} is missing: \`npm run record-case ${name}\` writes it`).toBeDefined();
      expect(now, `cases/${name}/${golden} is not what culprit says now: ${howToRecord(name)}`).toBe(expected);
    }
  });

  test("tells its story", () => {
    const story = readStory({ name, folder: path.join(book, name) });
    const problem = "problem" in story ? story.problem : undefined;
    expect(problem, problem).toBeUndefined();
  });
});

test("there are at least forty cases: machines, logs, dependency files and traces, some of them silent", () => {
  const opened = names.map((name) => openCase(book, name));
  const count = (kind: string) => opened.filter((each) => each.kind === kind).length;
  expect(opened.length).toBeGreaterThanOrEqual(40);
  expect(count("machine")).toBeGreaterThanOrEqual(20);
  expect(count("log")).toBeGreaterThanOrEqual(10);
  expect(count("dependency-file")).toBeGreaterThanOrEqual(8);
  expect(count("trace")).toBeGreaterThanOrEqual(3);
  const silent = opened.filter(({ folder }) => subjectsIn(folder).join() === "ok").map(({ kind }) => kind);
  expect(silent).toEqual(expect.arrayContaining(["machine", "dependency-file"]));
});

test("every rule has a case", () => {
  const shown = new Set(names.flatMap((name) => subjectsIn(path.join(book, name))));
  const without = ruleIds.filter((rule) => !shown.has(rule));
  expect(without.map((rule) => `rule ${rule} has no case: npm run record-case NAME -- --from FILE [--question JSON]`)).toEqual([]);
});

test("no two cases have the same facts", async () => {
  const seen = new Map<string, string>();
  const same: string[] = [];
  for (const name of names) {
    const { facts } = await answerIn(name);
    const other = seen.get(facts);
    if (other !== undefined) same.push(`${other} and ${name} have the same facts: keep one of them`);
    seen.set(facts, name);
  }
  expect(same).toEqual([]);
});

test("cases/README.md lists every case", () => {
  expect(fs.readFileSync(path.join(book, "README.md"), "utf8"), "`npm run record-case` writes cases/README.md").toBe(indexOf(book));
});

test("nothing lies in the book that no case asks about", () => {
  const asked = new Set(names.map((name) => path.normalize(openCase(book, name).input)));
  const unasked = names.map((name) => path.join(book, name, "snapshot.json.gz")).filter((file) => fs.existsSync(file) && !asked.has(file));
  expect(unasked).toEqual([]);
});

function scratch(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-cases-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

test("whichever golden has one letter changed, or is gone, is noticed", async () => {
  for (const name of names) {
    const folder = scratch();
    const answer = await answerIn(name);
    for (const golden of goldens) fs.writeFileSync(path.join(folder, golden), answer.texts[golden]);
    const noticed = () => mismatches({ folder }, answer).map(({ golden }) => golden);
    expect(noticed(), name).toEqual([]);
    for (const golden of goldens) {
      const file = path.join(folder, golden);
      const text = answer.texts[golden];
      const middle = Math.floor(text.length / 2);
      fs.writeFileSync(file, `${text.slice(0, middle)}\u0000${text.slice(middle + 1)}`);
      expect(noticed(), name).toEqual([golden]);
      fs.rmSync(file);
      expect(noticed(), name).toEqual([golden]);
      fs.writeFileSync(file, text);
    }
  }
});

test("a changed input is noticed, too", async () => {
  const folder = scratch();
  fs.cpSync(path.join(book, "requirements-that-fit"), path.join(folder, "requirements-that-fit"), { recursive: true });
  fs.appendFileSync(path.join(folder, "requirements-that-fit", "requirements.txt"), "nvidia-cudnn-cu12==8.9.7.29\n");
  const asked = openCase(folder, "requirements-that-fit");
  expect(mismatches(asked, await answerOf(asked, new Map())).map(({ golden }) => golden)).toEqual([...goldens]);
});

test("a new case is refused until its story is told", () => {
  const folder = scratch();
  const read = (text: string) => {
    fs.writeFileSync(path.join(folder, "README.md"), text);
    return readStory({ name: "new", folder });
  };
  expect(readStory({ name: "new", folder })).toEqual({ problem: "the case new has no README.md" });
  expect(read(readmeTemplate)).toEqual({ problem: expect.stringContaining("still says `TODO") });
  expect(read("# A title\n\nOne line only.\n")).toEqual({ problem: expect.stringContaining("two lines of story") });
  expect(read("# A title\n\nDid.\nHappened.\n\nInput: real.\n")).toEqual({
    title: "A title",
    story: ["Did.", "Happened."],
    input: "real.",
  });
});

test("a question with a typing error is refused", () => {
  expect(() => readQuestion('{ "gpus": ["T4"] }', "new")).toThrow("question.json of the case new: there is no `gpus`");
  expect(() => readQuestion('{ "gpu": "T4" }', "new")).toThrow("`gpu` is not a list");
  expect(() => readQuestion('{ "command": "explain" }', "new")).toThrow("`command` is check or fix");
  expect(readQuestion('{ "gpu": ["T4"], "env": { "A": "b" }, "all": true }', "new")).toEqual({ gpu: ["T4"], env: { A: "b" }, all: true });
});
