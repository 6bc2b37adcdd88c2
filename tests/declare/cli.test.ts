import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Check } from "../../packages/core/src/model/check.ts";
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
write("large.txt", "");
fs.truncateSync(path.join(scratch, "large.txt"), 17 << 20);
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
  expect([check.schema, check.target, stderr]).toEqual(["culprit/check@2", { kind: "declaration", name: "requirements.txt" }, ""]);
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
  [["check", "notes.md"], "is neither a dependency file"],
  [["check", "pyproject.toml"], "`pyproject.toml` cannot be read: "],
  [["check", "large.txt"], "`large.txt` is too large to be read: it has 17 MB, 16 MB are the most"],
  [["check", "absent.txt"], "there is no target `absent.txt`"],
  [["loads", "torch", "--target", "fine.txt"], "is a dependency file"],
  [["fix", "--target", "fine.txt"], "is a dependency file"],
  [["check", "fine.txt", "--root", "/"], "give one target only"],
  [["check", "fine.txt", "--for", "torch"], "`--for` says nothing about"],
  [["check", "fine.txt", "--gpu", "nonsense"], "`--gpu nonsense` is not known"],
  [["check", "n.ipynb", "--colab", "soon"], "`soon` is no day of Colab"],
  [["check", "colab:2019-01-01"], "what Colab had is known from"],
  [["check", "--root", ".", "--colab", "latest"], "`--colab` needs a dependency file"],
  [["check", "colab:latest", "--colab", "latest"], "give one day of Colab"],
  [["diff", "fine.txt", "machine"], "`fine.txt` is a dependency file, `machine` is not"],
  [["check", "--python-version", "3.12"], "`--python-version` needs a dependency file"],
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

test("Colab of a day is a target by itself", () => {
  const { stdout } = run(["list", "--colab", "2024-10-21"]);
  expect(stdout).toContain("base: Colab of 2024-10-21, CUDA 12.2 with cuDNN 8\nPython: 3.10\n");
  expect(stdout).toContain("torch 2.5.0+cu121, for CUDA 12.1");
  expect(run(["list", "colab:2024-10-21"]).stdout).toBe(stdout);
  expect(run(["check", "colab:latest"]).status).toBe(0);
});

test("of two files, the difference that makes the finding comes first; exit code 1 for any", () => {
  write("old.txt", "torch==2.4.1\nnumpy<2\npandas==2.2.2\n");
  write("new.txt", "torch==2.4.1\nnumpy<2\npandas==2.2.3\nnvidia-cudnn-cu12==8.9.7.29\n");
  const { status, stdout } = run(["diff", "old.txt", "new.txt"]);
  expect(status).toBe(1);
  expect(stdout).toMatch(
    /^✗ only in new.txt: .*\n\nThe difference that matters\n {2}package nvidia-cudnn-cu12\n.*9\.1\.0\.70\n.*8\.9\.7\.29\n/,
  );
  expect(stdout).not.toContain("pandas");
  expect(run(["diff", "old.txt", "new.txt", "--all"]).stdout).toContain("pandas");
  expect(JSON.parse(run(["diff", "old.txt", "new.txt", "--json"]).stdout)).toMatchObject({ schema: "culprit/diff@1" });
  // Of many, packages that nothing is known of are not tried out.
  const many = (digit: number) => Array.from({ length: 100 }, (_, index) => `own-${index}==1.${digit}\n`).join("");
  write("old-many.txt", `torch==2.4.1\n${many(0)}`);
  write("new-many.txt", `torch==2.4.1\n${many(1)}nvidia-cudnn-cu12==8.9.7.29\n`);
  expect(run(["diff", "old-many.txt", "new-many.txt"]).stdout).toContain("The difference that matters\n  package nvidia-cudnn-cu12\n");
  expect(run(["diff", "old.txt", "old.txt"])).toMatchObject({ status: 0, stdout: "✓ No difference that matters to a GPU stack.\n" });
});

test("the base of two Dockerfiles, and the system of two days of Colab", () => {
  write("Dockerfile.a", "FROM python:3.11\nRUN pip install torch==2.1.0\n");
  write("Dockerfile.b", "FROM python:3.12\nRUN pip install torch==2.1.0\n");
  const { stdout } = run(["diff", "Dockerfile.a", "Dockerfile.b"]);
  expect(stdout).toMatch(/The differences that matter\n {2}image base\n.*python:3\.11\n.*python:3\.12\n {2}python version\n/);
  expect(JSON.parse(run(["diff", "colab:2023-11-15", "colab:2023-12-12", "--json"]).stdout)).toMatchObject({
    changes: expect.arrayContaining([
      { kind: "toolkit", subject: "of the system", a: "CUDA 11.8 with cuDNN 8", b: "CUDA 12.2 with cuDNN 8", explains: [] },
    ]),
  });
});

test("compose, sbatch and Makefile: check, list, diff and SARIF, as with any other file", () => {
  const compose = (vision: string) =>
    `services:\n  a:\n    image: python:3.11\n    command: pip install torch==2.5.1 torchvision==${vision}\n  b:\n    image: postgres\n`;
  write("docker-compose.yml", compose("0.19.1"));
  write("compose.fine.yml", compose("0.20.1"));
  write("job.sbatch", "#!/bin/bash\n#SBATCH --gres=gpu:k80:1\npip install torch==2.5.1\n");
  write("Makefile", "install:\n\tpip install torch==2.5.1 \\\n\t  torchvision==0.19.1\n");
  write("none.yml", "site_name: x\nservices: 3\n");
  expect(run(["check", "docker-compose.yml"]).stdout).toContain("at        docker-compose.yml:4");
  expect(run(["check", "compose.fine.yml"]).status).toBe(0);
  expect(run(["check", "job.sbatch", "-q"]).stdout).toMatch(/^job\.sbatch:3: error: .*\[gpu-not-in-build\]/);
  expect(run(["list", "compose.fine.yml"]).stdout).toContain("base: python:3.11\nPython: 3.11\ntorch 2.5.1+cu124");
  expect(run(["diff", "compose.fine.yml", "docker-compose.yml"]).stdout).toContain("The difference that matters\n  package torchvision\n");
  const { runs } = JSON.parse(run(["check", "Makefile", "--sarif"]).stdout) as { runs: { results: { locations: object[] }[] }[] };
  expect(runs[0]!.results[0]!.locations[0]).toMatchObject({
    physicalLocation: { artifactLocation: { uri: "Makefile" }, region: { startLine: 3, startColumn: 4, endColumn: 23 } },
  });
  const { status, stderr } = run(["check", "none.yml"]);
  expect([status, stderr]).toEqual([2, expect.stringContaining("is no dependency file: it has neither")]);
});

test("of a folder, scripts and settings of other tools are taken along where they install a framework", () => {
  const project = path.join(scratch, "project");
  fs.mkdirSync(project);
  const put = (files: { [name: string]: string }) => {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(project, name), text);
  };
  put({
    "requirements.txt": "torch==2.5.1\n",
    Makefile: "test:\n\tpip install pytest # torch\n\ttorchrun x\n",
    "run.sh": "torchrun train.py\n",
    "tox.ini": "[testenv]\ndeps = pytest\n",
    "setup.cfg": "[flake8]\n",
    "setup.py": "from setuptools import setup\nsetup()\n",
    "docker-compose.yml": "services:\n  db:\n    image: postgres:16\n",
    "exports.def": "EXPORTS\n  torch\n",
  });
  const targets = () =>
    (JSON.parse(run(["check", "project", "--json"]).stdout) as { targets?: { target: string }[] }).targets?.map(({ target }) =>
      path.basename(target),
    );
  expect(targets()).toBeUndefined();
  put({
    Makefile: "install:\n\t$(PIP) install -q \\\n\t\ttorch==2.5.1\n",
    "run.sh": "uv pip install torch==2.5.1\n",
    "tox.ini": "[testenv]\ndeps = torch==2.5.1\n",
    "docker-compose.yml": "services:\n  a:\n    image: pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime\n    gpus: all\n",
  });
  expect(targets()).toEqual(["Makefile", "docker-compose.yml", "requirements.txt", "run.sh", "tox.ini"]);
});
