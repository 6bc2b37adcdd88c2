// What is attached when culprit is wrong: the facts and the answer, and nobody's name.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { version } from "../packages/core/src/version.ts";
import { shadowing, torchTree } from "./leaks/tree.ts";
import { glibcLoader } from "./loader/answers.ts";
import { needs } from "./needs.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-bug-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const run = (...given: string[]) =>
  spawnSync(process.execPath, [path.resolve("dist/cli.js"), ...given], { encoding: "utf8", cwd: scratch });

test("both files are written, name nobody, and the facts give the same answer", needs({ glibc: glibcLoader }), () => {
  const tree = path.join(scratch, "root");
  const folder = "/home/wilhelmina/old";
  torchTree(tree, folder);
  const question = ["--root", tree, ...shadowing(folder)];
  const { status, stdout, stderr } = run("bug-report", ...question, "-o", "case");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("case.json.gz");
  expect(stdout).toContain("Nothing was sent anywhere");
  const facts = gunzipSync(fs.readFileSync(path.join(scratch, "case.json.gz"))).toString();
  const report = fs.readFileSync(path.join(scratch, "case.md"), "utf8");
  for (const text of [facts, report]) expect(text).not.toMatch(/wilhelmina/);
  expect(report).toContain(`culprit ${version}, knowledge of `);
  expect(report).toContain("cudnn-parts-from-two-releases");
  expect(fs.statSync(path.join(scratch, "case.json.gz")).mode & 0o077).toBe(0);
  const rules = (answer: string) => (JSON.parse(answer) as { findings: { rule: string }[] }).findings.map(({ rule }) => rule);
  const asked = rules(run("check", ...question, "--json").stdout);
  expect(asked).toContain("cudnn-parts-from-two-releases");
  expect(rules(run("check", "--target", "case.json.gz", "--json").stdout)).toEqual(asked);
});

test("a mistake is one sentence, and nothing is written", () => {
  for (const given of [["word"], ["-o", "nowhere/case"], ["--target", "nowhere.json"]]) {
    const { status, stderr, stdout } = run("bug-report", ...given);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
  }
  expect(fs.existsSync(path.join(scratch, "culprit-report.md"))).toBe(false);
});
