// What a release is made of: one version, one changelog, and an account of every package in the bundle.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { load } from "js-yaml";
import { afterAll, expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { bundled, sbomOf } from "../../tools/sbom.mjs";
// @ts-expect-error A tool, without types.
import { disagreements, notesOf, versionNow } from "../../tools/version.mjs";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-release-"));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

test("the version is the same wherever it is said, and the changelog has something to say about it", () => {
  expect((disagreements as () => string[])()).toEqual([]);
  expect((notesOf as (version: string) => string)((versionNow as () => string)())).toMatch(/^- /);
});

test("a new version is written everywhere; what was not changed is named", () => {
  const files = [
    "tools/version.mjs",
    "packages/core/src/version.ts",
    "packages/cli/package.json",
    "packages/fleet/package.json",
    "action.yml",
    "ci/culprit.gitlab-ci.yml",
    "docs/ci.md",
    "package-lock.json",
    "Containerfile",
    "CHANGELOG.md",
  ];
  for (const file of files) {
    fs.mkdirSync(path.join(scratch, path.dirname(file)), { recursive: true });
    fs.copyFileSync(file, path.join(scratch, file));
  }
  const run = (...given: string[]) =>
    spawnSync(process.execPath, [path.join(scratch, "tools/version.mjs"), ...given], { encoding: "utf8" });
  expect(run("9.8.7").status).toBe(0);
  expect(run("--check", "v9.8.7")).toMatchObject({ status: 0, stderr: "" });
  expect(fs.readFileSync(path.join(scratch, "CHANGELOG.md"), "utf8")).toMatch(/^## 9\.8\.7 \(\d{4}-\d\d-\d\d\)$/m);
  expect(run("--check", "v9.8.6").stderr).toBe("the tag is v9.8.6, and the version 9.8.7\n");
  fs.copyFileSync("action.yml", path.join(scratch, "action.yml"));
  expect(run("--check").stderr).toMatch(/^action\.yml says .*, not 9\.8\.7\n$/);
  expect(run("later").status).toBe(2);
  // The wheel could not be called that.
  expect(run("9.9.0-next.1").status).toBe(2);
  expect(run("9.9.0-rc.1").status).toBe(0);
  expect(run("--check")).toMatchObject({ status: 0, stderr: "" });
});

test("where it is published is said once, and written wherever it is repeated", () => {
  const files = ["tools/home.mjs", "packages/cli/package.json", "ci/culprit.gitlab-ci.yml", "docs/ci.md"];
  const folder = path.join(scratch, "home");
  for (const file of files) {
    fs.mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    fs.copyFileSync(file, path.join(folder, file));
  }
  const run = (...given: string[]) => spawnSync(process.execPath, [path.join(folder, "tools/home.mjs"), ...given], { encoding: "utf8" });
  expect(run("--check")).toMatchObject({ status: 0, stderr: "" });
  expect(run("--check", "acme/culprit").status).toBe(1);
  expect(run("acme/culprit")).toMatchObject({ status: 0 });
  expect(run("--check", "acme/culprit")).toMatchObject({ status: 0, stderr: "" });
  const text = fs.readFileSync(path.join(folder, "docs/ci.md"), "utf8");
  expect(text).not.toContain("OWNER");
  expect(text).toContain("uses: acme/culprit@v");
  expect(text).toContain("uses: actions/checkout@v4");
  expect(run("acme").status).toBe(2);
});

test("the account of what is bundled names exactly that, each with its licence", () => {
  const { components, dependencies, bomFormat } = (
    sbomOf as () => {
      bomFormat: string;
      components: { name: string; group?: string; version: string; licenses?: object[] }[];
      dependencies: object[];
    }
  )();
  expect(bomFormat).toBe("CycloneDX");
  const names = components.map(({ name, version }) => `${name}@${version}`).sort();
  expect(names).toEqual((bundled as () => string[])().sort());
  expect(names.length).toBeGreaterThan(5);
  expect(components.filter(({ licenses }) => !licenses || licenses.length === 0)).toEqual([]);
  expect(dependencies).toHaveLength(components.length + 1);
});

test("actions that a workflow uses are named by their commit, and no job has more rights than it says", () => {
  for (const name of fs.readdirSync(".github/workflows")) {
    const text = fs.readFileSync(`.github/workflows/${name}`, "utf8");
    const workflow = load(text) as { permissions: object; jobs: { [job: string]: { permissions?: object; "runs-on": string } } };
    expect(workflow.permissions).toEqual({});
    for (const job of Object.values(workflow.jobs)) expect(job.permissions).toBeDefined();
    for (const [, used] of text.matchAll(/uses: (\S+)/g)) expect(used).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/);
    // No text of an event is pasted into a shell.
    for (const [, script] of text.matchAll(/run: \|?([\s\S]*?)(?=\n {6}- |\n {2}\w|$)/g)) expect(script).not.toContain("${{");
  }
});

test("the package says what it is", () => {
  const about = JSON.parse(fs.readFileSync("packages/cli/package.json", "utf8")) as { [field: string]: unknown };
  for (const field of ["name", "version", "description", "keywords", "license", "bin", "files", "exports", "engines", "directories"])
    expect(about[field], field).toBeDefined();
  expect(about["dependencies"]).toBeUndefined();
  expect(about["scripts"]).toBeUndefined();
  expect(execFileSync(process.execPath, ["dist/cli.js", "--version"], { encoding: "utf8" })).toMatch(
    /^culprit \d+\.\d+\.\d+, knowledge of \d{4}-\d\d-\d\d\n$/,
  );
});
