// No report is wider than its terminal, but for words and commands that must not be broken.
import fs from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  diffReport,
  diffTargets,
  listReport,
  listStack,
  loadsOfFrameworks,
  loadsReport,
  openTarget,
  readSnapshot,
  solveReport,
  solveRequest,
  whyOfFrameworks,
  whyReport,
  type Examination,
  type Problem,
  type Style,
  type WhatIf,
} from "../../packages/core/src/index.ts";
import { columns, laidOut, unbroken } from "../../packages/core/src/report/style.ts";
import { answerOf, casesIn, openCase, type Snapshots } from "../cases/book.ts";

const widths = [60, 80, 100, 140];

/** Lines that are too wide although they could have been broken. `commands` are whole lines that are to be copied. */
function tooWide(text: string, width: number, commands: string[] = []): string[] {
  return text.split("\n").filter((line) => {
    if (line.length <= width) return false;
    if (commands.some((command) => line.includes(command))) return false;
    // What stands in backquotes is typed as it is.
    if (/^ *`[^`]*`$/.test(line)) return false;
    // One word, behind the label or the mark of its row.
    const before = line.trimEnd().slice(0, line.trimEnd().lastIndexOf(" ") + 1);
    return "  endangers    ".length < before.length && !/^ +$/.test(before);
  });
}

/** Whatever is a command in an answer, and so a line of its own. */
function commandsIn(value: unknown, name = ""): string[] {
  if (typeof value === "string") return ["commands", "command", "next", "check"].includes(name) ? [value] : [];
  if (Array.isArray(value)) return [...(name === "command" ? [value.join(" ")] : []), ...value.flatMap((each) => commandsIn(each, name))];
  return value === null || typeof value !== "object" ? [] : Object.entries(value).flatMap(([key, each]) => commandsIn(each, key));
}

const snapshots: Snapshots = new Map();

describe.each(casesIn("cases"))("the case %s", (name) => {
  test("fits every terminal", async () => {
    const answer = await answerOf(openCase("cases", name), snapshots);
    // Suggested commands are quoted for a shell; their beginning is enough to know them by.
    const commands = commandsIn(JSON.parse(answer.texts["diagnosis.json"])).map((command) => command.split(" ").slice(0, 2).join(" "));
    for (const width of widths)
      expect(tooWide(answer.reportAt(width), width, [...commands.filter((each) => each !== ""), "culprit "])).toEqual([]);
  });
});

const plain = (text: string) => text;
const terminal = (width: number): Style => ({ strong: plain, faint: plain, good: plain, bad: plain, width });

async function examination(whatIf: WhatIf = {}): Promise<Examination> {
  const read = await readSnapshot(gunzipSync(fs.readFileSync("cases/h200-healthy/snapshot.json.gz")).toString());
  return openTarget(good(read).snapshot, whatIf);
}

function good<T extends object>(answer: T | Problem): T {
  if ("problem" in answer) throw new Error(String(answer.problem));
  return answer;
}

const torch = { frameworks: ["torch"], activities: ["convolution" as const], python: ["/opt/torch/.venv"] };

test("so do list, loads, why, diff and solve", async () => {
  const [here, there] = [await examination(), await examination({ environment: { LD_LIBRARY_PATH: "/usr/lib/x86_64-linux-gnu" } })];
  const inventory = await listStack(here, []);
  const loads = good(await loadsOfFrameworks(here, torch));
  const why = good(await whyOfFrameworks(there, "cudnn", torch));
  const difference = good(await diffTargets(here, there, { programs: [], activities: [], python: [] }));
  const solution = good(await solveRequest({ requirements: ["torch", "jax", "driver==570", "gpu=H100"], places: [] }));
  const lines = solution.answers.flatMap((answer) => answer.lines.flatMap(({ commands }) => commands));
  for (const width of widths) {
    const style = terminal(width);
    expect(tooWide(listReport(inventory, style), width)).toEqual([]);
    for (const all of [false, true]) {
      expect(tooWide(loadsReport(loads, style, { all }), width)).toEqual([]);
      expect(tooWide(diffReport(difference, { a: "here", b: "there" }, style, { all }), width)).toEqual([]);
    }
    expect(tooWide(whyReport(why, style), width)).toEqual([]);
    expect(tooWide(solveReport(solution, style), width, lines)).toEqual([]);
  }
});

test("the measure itself notices a line that could have been broken", () => {
  expect(tooWide(`${"word ".repeat(20)}`.trimEnd(), 60)).toHaveLength(1);
  expect(tooWide(`  evidence  /${"a".repeat(80)}`, 60)).toEqual([]);
});

test("a line is broken at spaces, a command never; cells that do not fit stand below", () => {
  const style = terminal(40);
  expect(laidOut(["  one two three four five six seven eight nine"], style)).toBe("  one two three four five six seven\n    eight nine\n");
  const command = unbroken(`env ${"A=1 ".repeat(20)}true`);
  expect(laidOut([`  ${command}`], style)).toBe(`  env ${"A=1 ".repeat(20)}true\n`);
  const rows = [
    ["cudnn", "9.1.0", `/opt/${"x".repeat(30)}`, "pip"],
    ["nccl", "2.2", "/usr/lib", "dpkg"],
  ];
  expect(laidOut(columns(rows, "", style), style)).toBe(`cudnn  9.1.0
    /opt/${"x".repeat(30)}
    pip
nccl   2.2    /usr/lib  dpkg
`);
  expect(laidOut(columns(rows, "", terminal(60)), terminal(60))).toContain(`nccl   2.2    /usr/lib${" ".repeat(27)}  dpkg`);
});
