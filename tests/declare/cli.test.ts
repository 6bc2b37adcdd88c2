import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Check } from "../../src/model/check.ts";
import { notebook } from "./declared.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-declared-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));
const cli = path.resolve("dist/cli.js");
const write = (name: string, text: string) => fs.writeFileSync(path.join(scratch, name), text);
const run = (args: string[], environment: { [name: string]: string } = {}) =>
  spawnSync(process.execPath, [cli, ...args], { cwd: scratch, encoding: "utf8", env: { ...process.env, NO_COLOR: "1", ...environment } });

write("requirements.txt", "torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\n");
write("fine.txt", "torch==2.5.1\n");
write("loop.txt", "-r loop.txt\n-r other.txt\ntorch==2.5.1\n");
write("other.txt", "-r loop.txt\n");
write("notes.md", "# nothing\n");
write("broken.toml", "[project\n");
fs.renameSync(path.join(scratch, "broken.toml"), path.join(scratch, "pyproject.toml"));
write("n.ipynb", notebook(["import os, torch\nos.environ['LD_LIBRARY_PATH'] = '/x'"]));

test("a finding is 1, none is 0, another level decides with --fail-on; --ignore leaves it out", () => {
  expect(run(["check", "requirements.txt"]).status).toBe(1);
  expect(run(["requirements.txt"]).status).toBe(1);
  expect(run(["check", "--target", "requirements.txt"]).status).toBe(1);
  expect(run(["check", "fine.txt"]).status).toBe(0);
  expect(run(["check", "n.ipynb"]).status).toBe(0);
  expect(run(["check", "n.ipynb", "--fail-on", "warning"]).status).toBe(1);
  expect(run(["check", "requirements.txt", "--ignore", "requirements-clash"]).status).toBe(0);
});

test("words say the line; JSON is one document of the check", () => {
  expect(run(["check", "requirements.txt"]).stdout).toContain("at        requirements.txt:2");
  expect(run(["check", "requirements.txt", "--markdown"]).stdout).toContain("- **at** `requirements.txt:2`");
  const { stdout, stderr } = run(["check", "requirements.txt", "--json"]);
  const check = JSON.parse(stdout) as Check;
  expect([check.schema, check.target, stderr]).toEqual(["culprit/check@1", { kind: "declaration", name: "requirements.txt" }, ""]);
  expect(check.findings[0]!.place).toEqual({ file: "requirements.txt", line: 2, column: 1, endColumn: 28 });
});

test("SARIF has the place, relative to where the command runs, and the rule", () => {
  const sarif = JSON.parse(run(["check", "requirements.txt", "--sarif"]).stdout) as {
    runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleIndex: number; locations: object[] }[] }[];
  };
  const [{ results, tool }] = sarif.runs as [(typeof sarif.runs)[number]];
  expect(tool.driver.rules[results[0]!.ruleIndex]!.id).toBe("requirements-clash");
  expect(results[0]!.locations[0]).toMatchObject({
    physicalLocation: { artifactLocation: { uri: "requirements.txt" }, region: { startLine: 2, startColumn: 1, endColumn: 28 } },
  });
});

test("SARIF of a notebook has the line of its file, words have the cell", () => {
  const cells = ["import os, torch\n", "os.environ['LD_LIBRARY_PATH'] = '/x'"];
  const text = { nbformat: 4, metadata: {}, cells: [{ cell_type: "code", source: cells, outputs: [] }] };
  write("lines.ipynb", JSON.stringify(text, null, 1));
  const { runs } = JSON.parse(run(["check", "lines.ipynb", "--sarif"]).stdout) as { runs: { results: { locations: object[] }[] }[] };
  expect(runs[0]!.results[0]!.locations[0]).toMatchObject({
    physicalLocation: { artifactLocation: { uri: "lines.ipynb" }, region: { startLine: 9 } },
  });
  expect(run(["check", "lines.ipynb"]).stdout).toContain("at        lines.ipynb cell 1:2");
});

test("files that name each other end, and are said", () => {
  const { status, stdout } = run(["check", "loop.txt", "--all"]);
  expect(status).toBe(0);
  expect(stdout).toContain("is the file that names it, or one above");
});

test("list shows what would be installed", () => {
  const { stdout } = run(["list", "fine.txt"]);
  expect(stdout).toContain("torch 2.5.1+cu124, for CUDA 12.4, with cuDNN 9.1.0.70");
  expect(JSON.parse(run(["list", "fine.txt", "--json"]).stdout)).toMatchObject({ schema: "culprit/foreseen@1" });
});

test.each([
  [["check", "notes.md"], "is no file that says what will be installed"],
  [["check", "pyproject.toml"], "`pyproject.toml` cannot be read: "],
  [["check", "absent.txt"], "there is no target `absent.txt`"],
  [["loads", "torch", "--target", "fine.txt"], "says what will be installed"],
  [["fix", "--target", "fine.txt"], "says what will be installed"],
  [["check", "fine.txt", "--root", "/"], "give one target only"],
  [["check", "fine.txt", "--for", "torch"], "`--for` says nothing about"],
  [["check", "fine.txt", "--gpu", "nonsense"], "`--gpu nonsense` is not known"],
  [["check", "n.ipynb", "--colab", "soon"], "`--colab soon` is no day"],
  [["check", "--colab", "latest"], "`--colab` needs a file"],
  [["check", "--python-version", "3.12"], "`--python-version` needs a file"],
  [["check", "fine.txt", "--python-version", "new"], "`--python-version new` is not a Python"],
])("culprit %s: one sentence, exit code 2", (args, words) => {
  const { status, stdout, stderr } = run(args as string[]);
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(words);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("in a cell of Colab lines are short and plain", () => {
  const { stdout } = run(["check", "requirements.txt"], { COLAB_RELEASE_TAG: "release-colab_x" });
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(stdout).not.toContain("\u001b");
});
