// What is said of a roll-out, from verdicts as they are and as they would be.
import { expect, test } from "vitest";
import type { Check, Finding } from "../../packages/core/src/index.ts";
import { whatIfReport } from "../../packages/fleet/src/report/whatif.ts";
import { answerWhatIf, type Pair } from "../../packages/fleet/src/whatif.ts";

const finding = (subject: string, severity: Finding["severity"] = "error"): Finding =>
  ({
    rule: "library-missing",
    subject,
    severity,
    certainty: "certain",
    message: `${subject} is missing`,
    because: [],
    evidence: [],
    breaks: [],
    advice: [],
  }) as unknown as Finding;
const unknown = { subject: "cupy in /opt", kind: "program", reason: "its files were not read" };
function check(subjects: string[], open: object[] = []): Check {
  const status = 0 < subjects.length ? "findings" : 0 < open.length ? "incomplete" : "ok";
  return { status, findings: subjects.map((each) => finding(each)), unknown: open, judged: [{}] } as unknown as Check;
}

const stacks: { [name: string]: Pair } = {
  fine: { now: check([]), supposed: check([]) },
  broken: { now: check(["a"]), supposed: check(["a"]) },
  breaks: { now: check(["a", "hidden"]), supposed: check(["a", "new"]) },
  mended: { now: check(["a"]), supposed: check([]) },
  hidden: { now: check(["b"]), supposed: check([], [unknown]) },
  untold: { now: check([], [unknown]), supposed: check([], [unknown]) },
  damaged: { problem: "it is not a snapshot" },
};
const nodes = Object.keys(stacks).map((name) => ({ name, kind: "machine", group: "", stack: name }));
const answer = answerWhatIf(nodes, [{ pairs: new Map(Object.entries(stacks)) }], { driver: "580.95" });
const nodesIn = (why: RegExp) => answer.waves.find((wave) => why.test(wave.why))?.nodes;

test("what is wrong today is not the roll-out's fault, and shows nothing of how it went", () => {
  expect(Object.fromEntries(answer.nodes.map(({ name, outcome }) => [name, outcome]))).toEqual({
    fine: "fine",
    broken: "already-broken",
    breaks: "breaks",
    mended: "fine",
    hidden: "unknown",
    untold: "unknown",
    damaged: "unknown",
  });
  expect(nodesIn(/^nothing new would be wrong: one node of each kind/)).toEqual(["fine", "mended"]);
  expect(nodesIn(/^wrong already, and not because of this/)).toEqual(["broken"]);
  expect(nodesIn(/^cannot be told/)).toEqual(["hidden", "untold", "damaged"]);
  expect(nodesIn(/^would break/)).toEqual(["breaks"]);
  const report = whatIfReport(answer);
  expect(report).toContain("1 broken already");
  expect(report).toContain("would break:\n✗ new is missing\n");
  expect(report).toContain("wrong already, with or without it:\n  a is missing\n    on 1 node: broken\n");
});

test("what cannot be told says why, also where it cannot be told today", () => {
  expect(answer.unknown).toEqual([
    { ...unknown, nodes: ["hidden", "untold"] },
    { subject: "the whole stack", kind: "file", reason: "it is not a snapshot", nodes: ["damaged"] },
  ]);
});

test("a fault behind one that comes, or behind what cannot be looked at then, is not called gone", () => {
  expect(answer.gone.map(({ subject, nodes: its }) => [subject, its])).toEqual([["a", ["mended"]]]);
});

test("a command can be pasted as it is printed", () => {
  const advised = {
    ...finding("new"),
    advice: [{ words: "install it", command: ["pip", "install", "a<3,>=2"], scope: "install" }],
  } as Finding;
  const pairs = new Map([["fine", { now: check([]), supposed: { ...check(["new"]), findings: [advised] } }]]);
  expect(whatIfReport(answerWhatIf([nodes[0]!], [{ pairs }], { driver: "580.95" }))).toContain(
    "first: install it: pip install 'a<3,>=2'\n",
  );
});
