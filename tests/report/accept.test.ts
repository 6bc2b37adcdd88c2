import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Compile } from "typebox/schema";
import { afterAll, expect, test } from "vitest";
import { acceptFindings, readProject, ruleIds } from "../../packages/core/src/index.ts";
import projectSchema from "../../schema/project-1.schema.json" with { type: "json" };
import { judge, mixedCudnn, withSetter } from "./judged.ts";

const { check } = await judge(withSetter, mixedCudnn);
const mixture = check.findings[0]!;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-project-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

test("a finding is accepted by its rule, or by rule and subject, and keeps the reason", () => {
  for (const subject of [{}, { subject: mixture.subject }]) {
    const { check: left, unmet } = acceptFindings(check, [{ rule: mixture.rule, ...subject, reason: "works for us" }]);
    expect(left.findings).not.toContain(mixture);
    expect(left.accepted).toEqual([{ finding: mixture, reason: "works for us" }]);
    expect(unmet).toEqual([]);
  }
});

test("another subject is another finding, and an acceptance without one is named", () => {
  const acceptance = { rule: mixture.rule, subject: "/usr/lib/libcudnn.so.9", reason: "x" };
  const { check: left, unmet } = acceptFindings(check, [acceptance]);
  expect(left).toEqual(check);
  expect(unmet).toEqual([acceptance]);
});

test.each([
  ["", "it is empty"],
  ["{", "it is not JSON"],
  ["[]", "not an object"],
  ["{}", "it has no field `accept`"],
  ['{"accept":{}}', "`accept` is not a list"],
  ['{"$schema":1,"accept":[]}', "`$schema` is not a text"],
  ['{"accept":[],"ignore":[]}', "the field `ignore` is not known; the fields are `$schema`, `accept`"],
  ['{"accept":["two-copies"]}', "entry 1 of `accept` is not an object"],
  ['{"accept":[{"rule":"two-copies","reason":"x"},{"reason":"x"}]}', "entry 2 of `accept` has no `rule`"],
  ['{"accept":[{"rule":"two-copis","reason":"x"}]}', "there is no rule `two-copis`; did you mean `two-copies`?"],
  ['{"accept":[{"rule":"two-copies"}]}', "entry 1 of `accept` has no `reason`"],
  ['{"accept":[{"rule":"two-copies","reason":" "}]}', "`reason` is empty"],
  ['{"accept":[{"rule":"two-copies","subject":3,"reason":"x"}]}', "`subject` is not a text"],
  ['{"accept":[{"rule":"two-copies","why":"x"}]}', "the field `why` is not known"],
])("a project file %j gets one sentence", (text, words) => {
  expect(readProject(text)).toMatchObject({ problem: expect.stringContaining(words) as string });
});

test("a project file that is read fits the published schema, and one that does not fit is not read", () => {
  const validator = Compile(projectSchema);
  for (const [text, fits] of [
    ['{"$schema":"x","accept":[{"rule":"two-copies","subject":"/x","reason":"Triton brings its own"}]}', true],
    ['{"accept":[]}', true],
    ['{"accept":[{"rule":"two-copies"}]}', false],
    ['{"accept":[{"rule":"two-copies","reason":"x","subj":"y"}]}', false],
  ] as const) {
    expect("project" in readProject(text)).toBe(fits);
    expect(validator.Check(JSON.parse(text))).toBe(fits);
  }
});

function culprit(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const target = path.resolve("cases/h200-healthy/snapshot.json.gz");
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.resolve("dist/cli.js"), "check", target, "--env", "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu", ...args],
    { encoding: "utf8", cwd: folder },
  );
  return { status, stdout, stderr };
}

test("exit codes: an error is 1, accepted 0; --fail-on moves the line; a mistake is 2 and one sentence", () => {
  expect(culprit().status).toBe(1);
  expect(culprit("--fail-on", "never").status).toBe(0);
  const ignored = culprit("--ignore", mixture.rule);
  expect(ignored).toMatchObject({ status: 0, stderr: "" });
  expect(culprit("--ignore", mixture.rule, "--fail-on", "info").status).toBe(1);
  expect(culprit("--ignore", `${mixture.rule}:/elsewhere`)).toMatchObject({
    status: 1,
    stderr: `culprit: note: --ignore names a finding that is not there: ${mixture.rule}:/elsewhere\n`,
  });
  expect(culprit("--ignore", "cudnn-parts-from-two-release")).toEqual({
    status: 2,
    stdout: "",
    stderr: `culprit: \`--ignore cudnn-parts-from-two-release\`: there is no rule \`cudnn-parts-from-two-release\`; did you mean \`${mixture.rule}\`?\n`,
  });
  expect(culprit("--ignore", `${mixture.rule}:`)).toMatchObject({ status: 2, stdout: "" });
  expect(culprit("--config", "nowhere.json")).toEqual({
    status: 2,
    stdout: "",
    stderr: "culprit: `nowhere.json` cannot be read: there is no such file\n",
  });
});

test("culprit.json of the current folder counts, and the document keeps what was accepted and why", () => {
  const file = path.join(folder, "culprit.json");
  fs.writeFileSync(
    file,
    JSON.stringify({
      accept: [
        { rule: mixture.rule, reason: "only jax runs here" },
        { rule: "stub-driver", reason: "x" },
      ],
    }),
  );
  const { status, stdout, stderr } = culprit("--json");
  fs.rmSync(file);
  expect(status).toBe(0);
  expect(stderr).toBe("culprit: note: culprit.json names a finding that is not there: stub-driver\n");
  expect(JSON.parse(stdout)).toMatchObject({ accepted: [{ finding: { rule: mixture.rule }, reason: "only jax runs here" }] });
});

test("help knows every rule, and says what a mistyped one may have meant", () => {
  const help = (...words: string[]) => spawnSync(process.execPath, ["dist/cli.js", "help", ...words], { encoding: "utf8" });
  const all = help("rules").stdout;
  for (const id of ruleIds) expect(all).toContain(`  ${id} `);
  const page = help("gpus-hidden").stdout.replace(/\s+/g, " ");
  const document = fs.readFileSync("docs/rules/gpus-hidden.md", "utf8");
  for (const paragraph of document.split("\n").filter((line) => /^[A-Z`].* .*\.$/.test(line))) expect(page).toContain(paragraph);
  expect(help("gpus-hiden")).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining("did you mean `gpus-hidden`?") as string,
  });
});
