import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Check } from "../../packages/core/src/model/check.ts";
import { Dice } from "../fuzz/fuzz.ts";
import { setTrap } from "./includes.ts";
import { includesLeak } from "./includes-checked.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-includes-")));
afterAll(() => fs.rmSync(scratch, { recursive: true }));
const cli = path.resolve("dist/cli.js");
const run = (args: string[], cwd = scratch) =>
  spawnSync(process.execPath, [cli, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, MARKER: "marked-in-the-environment" },
    input: "",
  });

function project(files: { [name: string]: string }): string {
  const folder = fs.mkdtempSync(path.join(scratch, "p-"));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const outputs = (file: string, cwd?: string) =>
  [["--all"], ["--json"], ["--markdown"], ["--sarif"], []].map((form) => {
    const { stdout, stderr } = run(["check", ...form, file], cwd);
    return stdout + stderr;
  });

test("what lies outside of the project is named, not read", () => {
  const folder = project({
    "elsewhere/secret.txt": "hunter2==1.0\nhunter2 hunter2\n",
    "project/requirements.txt":
      "-r /proc/self/environ\n-r ../elsewhere/secret.txt\n-c ../elsewhere/none.txt\n-r https://user:hunter2@host.example/r.txt\ntorch==2.4.1\n",
  });
  const file = path.join(folder, "project/requirements.txt");
  for (const text of [...outputs(file), ...outputs("requirements.txt", path.dirname(file)), run(["list", file]).stdout])
    expect(text).not.toMatch(/hunter2|marked-in/);
  const { unknown } = JSON.parse(run(["check", "--json", file]).stdout) as Check;
  expect(unknown.map(({ subject, reason }) => `${path.basename(subject)} ${reason}`)).toEqual([
    "requirements.txt:1 what it brings is not known: `/proc/self/environ` is outside the project: not read",
    "requirements.txt:2 what it brings is not known: `../elsewhere/secret.txt` is outside the project: not read",
    // Whether it exists is not told.
    "requirements.txt:3 what it brings is not known: `../elsewhere/none.txt` is outside the project: not read",
    "requirements.txt:4 `https://(redacted)@host.example/r.txt` is an address: it is not read",
  ]);
});

test("a git work tree is one project", () => {
  const folder = project({ "base.txt": "numpy==1.26.4\n", "sub/requirements.txt": "-r ../base.txt\n" });
  const file = path.join(folder, "sub/requirements.txt");
  const names = () => run(["list", file]).stdout;
  expect(names()).not.toContain("numpy");
  fs.mkdirSync(path.join(folder, ".git"));
  expect(names()).toContain("numpy 1.26.4");
});

test("a workflow and a devcontainer speak of the folder around them", () => {
  const folder = project({
    "requirements.txt": "numpy==1.26.4\n",
    Dockerfile: "FROM python:3.11\nRUN pip install scipy==1.11.1\n",
    ".github/workflows/ci.yml":
      "on: push\njobs:\n  t:\n    runs-on: ubuntu-latest\n    steps:\n      - run: pip install -r requirements.txt\n",
    ".devcontainer/devcontainer.json": '{"build": {"dockerfile": "../Dockerfile"}}',
  });
  expect(run(["list", path.join(folder, ".github/workflows/ci.yml")]).stdout).toContain("numpy 1.26.4");
  expect(run(["list", path.join(folder, ".devcontainer/devcontainer.json")]).stdout).toContain("scipy 1.11.1");
});

test("a link out of the project is refused, also where it is the file itself", () => {
  const folder = project({ "elsewhere/requirements.txt": "hunter2==1.0\n", "project/x.txt": "" });
  const link = path.join(folder, "project/requirements.txt");
  fs.symlinkSync("../elsewhere/requirements.txt", link);
  const { status, stdout, stderr } = run(["check", link]);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("is a link that leads out of its project: name the file itself");
  fs.rmSync(link);
  fs.symlinkSync("/proc/self/environ", link);
  expect(outputs(link).join("")).not.toContain("marked-in");
  // The folder may be a link: the project is where it really lies.
  fs.symlinkSync("project", path.join(folder, "way"));
  fs.writeFileSync(path.join(folder, "project/a.txt"), "-r b.txt\n");
  fs.writeFileSync(path.join(folder, "project/b.txt"), "numpy==1.26.4\n");
  expect(run(["list", path.join(folder, "way/a.txt")]).stdout).toContain("numpy 1.26.4");
  expect(run(["list", "way/a.txt"], folder).stdout).toContain("numpy 1.26.4");
});

test("a line that cannot be read is named by its number; what is no dependency file is not repeated", () => {
  const folder = project({
    ".env": "KEY=hunter2\n",
    id_rsa: "hunter2\n",
    "notes.txt": "my password is hunter2\nhunter2 it is\n",
    "key.txt": "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----\n",
    "requirements.txt":
      "torch==2.4.1\n-r .env\n-r id_rsa\n-r notes.txt\n-c key.txt\nhunter2 is no requirement\nx[hunter 2]\nx=hunter2\nx==hunter2!!\nx; hunter2\n${HUNTER}hunter2\n",
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.4.1", "hunter2 is none"]\n',
    "broken.toml": "[project]\nname = hunter2\n",
    "environment.yml": "dependencies:\n  - python=3.11\n  - *hunter2\n",
    Dockerfile: 'FROM python:3.11\nRUN pip install "hunter2 is none" torch==2.4.1 "x=hunter2" "$hunter2"\n',
  });
  for (const name of ["requirements.txt", "pyproject.toml", "broken.toml", "environment.yml", "Dockerfile"])
    for (const text of outputs(path.join(folder, name))) expect(text, name).not.toContain("hunter2");
  const { unknown } = JSON.parse(run(["check", "--json", path.join(folder, "requirements.txt")]).stdout) as Check;
  expect(unknown.map(({ subject }) => Number(subject.split(":").at(-1))).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("tricks with paths bring nothing out", async () => {
  expect(await includesLeak(scratch, 1, 300)).toEqual([]);
});

test("nor do they on the command line", () => {
  const dice = new Dice(99);
  for (let round = 0; round < 4; round += 1) {
    const { file, secret, how } = setTrap(fs.mkdtempSync(path.join(scratch, "t-")), dice, `Xq${round}marker${round}Zk`);
    for (const text of outputs(file)) expect(text, how).not.toMatch(new RegExp(`${secret}|marked-in`));
  }
});
