// Help: what every command does, with examples that work and exit codes, on any terminal.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commands } from "../packages/cli/src/commands.ts";
import { helpText } from "../packages/cli/src/help.ts";
import { parse } from "../packages/cli/src/parse.ts";
import { causes } from "../packages/core/src/model/cause.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-help-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const examples = commands.flatMap(({ name, examples: lines }) => lines.map(({ line }) => ({ name, line })));

/** What the examples speak of. */
beforeAll(() => {
  fs.writeFileSync(path.join(scratch, "requirements.txt"), "torch==2.4.0\n");
  fs.writeFileSync(path.join(scratch, "error.log"), "OSError: libcudnn.so.8: cannot open shared object file: No such file or directory\n");
  fs.writeFileSync(path.join(scratch, "train.py"), "print('trained')\n");
  fs.mkdirSync(path.join(scratch, "logdir"));
  for (const name of ["logdir/a.pt.trace.json", "before.json", "after.json"])
    fs.copyFileSync("cases/trace-torch-healthy/trace.json", path.join(scratch, name));
  for (const name of ["machine.json.gz", "good.json", "node.json"])
    fs.copyFileSync("cases/h200-healthy/snapshot.json.gz", path.join(scratch, name));
});

const words = (line: string) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));

test.each(commands.map(({ name }) => name))("%s --help has two to four examples and its exit codes, and fits", async (name) => {
  const command = commands.find((each) => each.name === name)!;
  expect([2, 3, 4]).toContain(command.examples.length);
  for (const width of [60, 80, 120]) {
    const text = await helpText([name], width);
    expect(text.replaceAll(/\s+/g, " ")).toMatch(/ Exit code: \S.*; 2 culprit could not do it, and says why\. $/);
    for (const { line } of command.examples) expect(text).toContain(`\n  ${line}`);
    // An example is one line, so that it can be copied.
    const isExample = (line: string) => command.examples.some((example) => line.startsWith(`  ${example.line}`));
    expect(text.split("\n").filter((line) => width < line.length && !isExample(line))).toEqual([]);
  }
});

test("the overview fits, too", async () => {
  for (const width of [60, 80, 120]) {
    const text = await helpText([], width);
    expect(text.split("\n").filter((line) => width < line.length)).toEqual([]);
  }
});

test.each(examples)("an example of $name is understood: $line", async ({ line }) => {
  const [, ...given] = words(line.replace(/^.*\| /, ""));
  const command = commands.find(({ name }) => name === given[0]) ?? commands[0]!;
  await expect(parse(command, given[0] === command.name ? given.slice(1) : given)).resolves.toBeDefined();
});

/** Those that need nothing but what lies in the folder: no other host, no server, no image, nothing installed, nothing changed. */
const runnable = examples.filter(
  ({ line }) =>
    !/ssh:|image:|culprit push|--apply|--undo|^culprit$|^culprit fix$|^culprit list|torch --do|for torch|check torch|--each|machine$|-o machine/.test(
      line,
    ),
);

test("most examples are run", () => expect(runnable.length).toBeGreaterThan(12));

test.each(runnable)("an example of $name works: $line", ({ line }) => {
  const command = line
    .replaceAll(/\bculprit\b/g, `"${process.execPath}" "${path.resolve("dist/cli.js")}"`)
    .replace("python train.py", "echo trained");
  const { status, stderr } = spawnSync("sh", ["-c", command], { cwd: scratch, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
  expect(stderr).toMatch(line.includes("--report") ? /^\nculprit: the command ended with exit code 0\n/ : /^$/);
  expect([0, 1]).toContain(status);
});

test("every cause that an answer may name has a page, and those of rules name them", async () => {
  for (const cause of causes) expect(await helpText([cause]), cause).toContain(cause);
  expect(await helpText(["wrong-vendor"])).toContain("built-for-another-vendor");
  expect(await helpText(["causes"])).toContain("stale-artefact");
  await expect(helpText(["wrong-vendors"])).rejects.toThrow("there is no help on `wrong-vendors`");
});
