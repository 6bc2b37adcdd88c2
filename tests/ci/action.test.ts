// The action as a runner executes it, with a `gh` that writes down what it is asked.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { load, loadAll } from "js-yaml";
import { afterAll, expect, test } from "vitest";
import { version } from "../../packages/core/src/version.ts";
import { needs } from "../needs.ts";
import { readAction, runAction, type Ran } from "./runner.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-action-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const has = (command: string) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const withBash = needs({ bash: has("bash") });

const broken = "torch==2.4.1\nonnxruntime\nonnxruntime-gpu==1.20.0\n";
const fine = "torch==2.6.0\n";
let count = 0;

/** A checkout with these files, and a place for the runner. `comment`: the number of one that is there already. */
function place(files: { [name: string]: string }, gh: { comment?: string; fails?: true } = {}) {
  const folder = path.join(scratch, String((count += 1)));
  const [project, temp] = [path.join(folder, "project"), path.join(folder, "temp")];
  for (const each of [project, temp]) fs.mkdirSync(each, { recursive: true });
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(project, name), text);
  fs.writeFileSync(path.join(temp, "culprit"), `#!/bin/sh\nexec "${process.execPath}" "${path.resolve("dist/cli.js")}" "$@"\n`, {
    mode: 0o755,
  });
  fs.writeFileSync(
    path.join(temp, "gh"),
    `#!/bin/sh\necho "$*" >> "${temp}/gh.log"\n${gh.fails ? "exit 1" : `case "$*" in *--paginate*) echo "${gh.comment ?? ""}";; esac`}\n`,
    { mode: 0o755 },
  );
  const run = (inputs: { [name: string]: string }, pullRequest?: string): Ran & { asked: string[] } => {
    const ran = runAction({ command: path.join(temp, "culprit"), ...inputs }, project, temp, pullRequest);
    const log = path.join(temp, "gh.log");
    return { ...ran, asked: fs.existsSync(log) ? fs.readFileSync(log, "utf8").trimEnd().split("\n") : [] };
  };
  return { project, temp, run };
}

test("a file that cannot work: annotation, summary, outputs, and the job fails at the end", withBash, () => {
  const { run, project } = place({ "requirements.txt": broken });
  const ran = run({ targets: "requirements.txt", sarif: "out.sarif" });
  expect(ran.steps).toEqual([
    { name: "Check", status: 0 },
    { name: "Verdict", status: 1 },
  ]);
  expect(ran.printed).toMatch(/^::error title=packages-overwrite-each-other,file=requirements\.txt,line=3/m);
  expect(ran.summary).toContain("fill the same folder");
  expect(ran.outputs).toMatchObject({ "exit-code": "1", sarif: "out.sarif" });
  expect(fs.readFileSync(ran.outputs["report"]!, "utf8")).toBe(ran.summary);
  expect(JSON.parse(fs.readFileSync(path.join(project, "out.sarif"), "utf8")).runs[0].results.length).toBeGreaterThan(0);
});

test("what fits is silent; several targets, a project and what if", withBash, () => {
  const { run } = place({ "requirements.txt": fine, "requirements-old.txt": "torch==2.6.0\n" });
  expect(run({ targets: "requirements.txt\n  requirements-old.txt\n" })).toMatchObject({
    failed: false,
    outputs: { "exit-code": "0", sarif: "" },
  });
  expect(run({ targets: ".", gpu: "RTX 5090" }).printed).toMatch(/^::error title=gpu-not-in-build/m);
  expect(run({ targets: ".", gpu: "RTX 5090\nT4", driver: "470.57", "fail-on": "never" })).toMatchObject({ failed: false });
  expect(run({ targets: "requirements.txt", annotations: "false", summary: "false", gpu: "RTX 5090" })).toMatchObject({
    failed: true,
    summary: "",
  });
});

test("a mistake is one sentence, and the step fails", withBash, () => {
  const ran = place({}).run({ targets: "nowhere.txt" });
  expect(ran.steps).toEqual([{ name: "Check", status: 2 }]);
  expect(ran.printed).toMatch(/^culprit: there is no target `nowhere\.txt`/m);
});

test("inputs are words, whatever stands in them", withBash, () => {
  const { run, project } = place({ "requirements.txt": fine });
  const ran = run({ targets: '$(touch owned)\n"; touch owned; "\n--html=owned', driver: "`touch owned`" });
  expect(ran.failed).toBe(true);
  expect(fs.existsSync(path.join(project, "owned"))).toBe(false);
});

test("the log of a failed step is explained, and is text", withBash, () => {
  const log = "x\n```\n# heading\nOSError: libcudnn.so.8: cannot open shared object file: No such file or directory\n";
  const ran = place({ "step.log": log }).run({ targets: "", log: "step.log" });
  expect(ran.failed).toBe(false);
  expect(ran.summary).toContain("### What the log says");
  expect(ran.summary).toMatch(/^ {4}.*libcudnn\.so\.8/m);
  expect(ran.summary.split("\n").filter((line) => line !== "" && !/^( {4}|### What)/.test(line))).toEqual([]);
});

test("SARIF is uploaded as GitHub wants it, and where it may not be, that is a warning", withBash, () => {
  const { run, temp } = place({ "requirements.txt": fine });
  const ran = run({ "upload-sarif": "true" });
  expect(ran.failed).toBe(false);
  expect(ran.asked).toEqual([`api --method POST repos/owner/project/code-scanning/sarifs --input ${temp}/culprit-sarif.json --silent`]);
  const body = JSON.parse(fs.readFileSync(path.join(temp, "culprit-sarif.json"), "utf8"));
  expect(body).toMatchObject({ commit_sha: "0123456789", ref: "refs/pull/7/merge" });
  expect(JSON.parse(gunzipSync(Buffer.from(body.sarif, "base64")).toString()).version).toBe("2.1.0");
  const refused = place({ "requirements.txt": fine }, { fails: true }).run({ "upload-sarif": "true", comment: "true" }, "7");
  expect(refused.failed).toBe(false);
  expect(refused.printed.match(/^::warning title=culprit::/gm)).toHaveLength(2);
});

test("one comment: written when something is wrong, updated ever after", withBash, () => {
  const posted = place({ "requirements.txt": broken }).run({ comment: "true" }, "7");
  expect(posted.asked.at(-1)).toMatch(/^api --method POST repos\/owner\/project\/issues\/7\/comments --field body=@/);
  const updated = place({ "requirements.txt": fine }, { comment: "42" }).run({ comment: "true" }, "7");
  expect(updated.asked.at(-1)).toMatch(/^api --method PATCH repos\/owner\/project\/issues\/comments\/42 /);
  expect(place({ "requirements.txt": fine }).run({ comment: "true" }, "7").asked).toHaveLength(1);
  expect(place({ "requirements.txt": broken }).run({ comment: "true" }).asked).toEqual([]);
});

test("the release that it names is installed once, and taken from the cache after that", withBash, () => {
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--workspace", "culprit", "--pack-destination", scratch], { stdio: "pipe" });
  const { run, temp } = place({ "requirements.txt": broken });
  const given = { command: "", version: `file:${path.join(scratch, `culprit-${version}.tgz`)}`, targets: "requirements.txt" };
  const first = run(given);
  expect(first.steps.map(({ name, status }) => `${name} ${status}`)).toEqual(["Install 0", "Check 0", "Verdict 1"]);
  expect(first.printed).toContain("::error title=packages-overwrite-each-other");
  const folder = path.join(temp, "culprit-package");
  expect(first.used).toEqual([
    { action: expect.stringMatching(/^actions\/cache@[0-9a-f]{40}$/), with: { path: folder, key: `culprit-Linux-${given.version}` } },
  ]);
  // Whatever npm would do now would be seen: it is not there any more.
  fs.rmSync(path.join(scratch, `culprit-${version}.tgz`));
  const before = fs.statSync(path.join(folder, "node_modules/culprit/package.json")).mtimeMs;
  expect(run(given).steps.map(({ status }) => status)).toEqual([0, 0, 1]);
  expect(fs.statSync(path.join(folder, "node_modules/culprit/package.json")).mtimeMs).toBe(before);
});

test("its shell lines are clean", needs({ shellcheck: has("shellcheck") }), () => {
  const files = fs.readdirSync("action").map((name) => `action/${name}`);
  expect(spawnSync("shellcheck", files, { encoding: "utf8" }).stdout).toBe("");
});

test("every input is used, and the release is this one", () => {
  const action = readAction();
  const text = fs.readFileSync("action.yml", "utf8");
  for (const name of Object.keys(action.inputs)) expect(text).toMatch(new RegExp(`inputs\\.${name}\\b`));
  expect(action.inputs["version"]!.default).toBe(version);
});

test("the template for GitLab is two documents, and its lines do what they say", withBash, () => {
  const text = fs.readFileSync("ci/culprit.gitlab-ci.yml", "utf8");
  const [spec, job] = loadAll(text) as [
    { spec: { inputs: { [name: string]: { default: string } } } },
    { culprit: { script: string[]; artifacts: { reports: { junit: string } } } },
  ];
  expect(spec.spec.inputs["version"]!.default).toBe(version);
  const { project, temp } = place({ "requirements.txt": broken });
  fs.writeFileSync(path.join(temp, "npx"), `#!/bin/sh\nshift 2\nexec "${temp}/culprit" "$@"\n`, { mode: 0o755 });
  const filled = job.culprit.script
    .join("\n")
    .replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => spec.spec.inputs[name]!.default);
  const { status, stdout } = spawnSync("bash", ["-ec", filled], {
    cwd: project,
    encoding: "utf8",
    env: { PATH: `${temp}:${process.env["PATH"]}` },
  });
  expect(status).toBe(1);
  expect(stdout).toContain("fill the same folder");
  expect(fs.readFileSync(path.join(project, job.culprit.artifacts.reports.junit), "utf8")).toContain("<failure ");
});

test("the hook of pre-commit looks at files that say what will be installed, and at no others", () => {
  const [hook] = load(fs.readFileSync(".pre-commit-hooks.yaml", "utf8")) as { entry: string; files: string; language: string }[];
  expect(hook!.entry).toBe("culprit check --format concise --");
  const pattern = new RegExp(hook!.files.replace("(?x)", "").replaceAll(/\s+/g, ""));
  const wanted =
    "requirements.txt requirements-dev.txt requirements/gpu.txt dev-requirements.in pyproject.toml uv.lock poetry.lock pdm.lock pylock.toml pylock.gpu.toml Pipfile Pipfile.lock environment.yml environment-gpu.yaml conda-lock.yml pixi.lock Dockerfile Dockerfile.gpu gpu.Dockerfile Containerfile train.ipynb .devcontainer/devcontainer.json docker-compose.yml compose.yaml app.def job.sbatch tox.ini noxfile.py setup.cfg setup.py";
  for (const name of wanted.split(" ")) for (const folder of ["", "a/b/"]) expect(pattern.test(folder + name), folder + name).toBe(true);
  for (const name of ["train.py", "README.md", "package.json", "yarn.lock", "Cargo.toml", "notes.txt", "ci.yml"])
    expect(pattern.test(name), name).toBe(false);
});
