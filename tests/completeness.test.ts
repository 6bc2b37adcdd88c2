import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../packages/cli/src/commands.ts";
import { dependencyFileRules } from "../packages/core/src/rules/dependency-file.generated.ts";
import { ruleIds } from "../packages/core/src/rules/ids.generated.ts";
import { rules } from "../packages/core/src/rules/machine.generated.ts";

test("generated files are fresh", () => {
  execFileSync(process.execPath, ["tools/generate.mjs", "--check"], { stdio: "pipe" });
});

test("the version is the package's", () => {
  const { version } = JSON.parse(readFileSync("packages/cli/package.json", "utf8")) as { version: string };
  expect(readFileSync("packages/core/src/version.ts", "utf8")).toContain(`"${version}"`);
  expect(readFileSync("CHANGELOG.md", "utf8")).toContain(`## ${version}`);
});

test.each(readdirSync("knowledge/libraries"))("knowledge/libraries/%s says where its facts come from", (file) => {
  const library = JSON.parse(readFileSync(`knowledge/libraries/${file}`, "utf8")) as Record<string, unknown>;
  expect(`${String(library["id"])}.json`).toBe(file);
  expect(library["source"]).toMatch(/\S/);
  expect(library["checked"]).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(library["objects"]).not.toEqual([]);
});

// The words of every test below tests/, where a rule has to be named.
const tests = readdirSync("tests", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => readFileSync(`tests/${file}`, "utf8"))
  .join("\n");

const core = "packages/core/src";
const ruleNames = readdirSync(`${core}/rules`)
  .filter((name) => !name.endsWith(".generated.ts") && name !== "rule.ts")
  .map((name) => name.replace(/\.ts$/, ""));

test.each(ruleNames)("the rule %s is known by that name, has a page and a test", (id) => {
  expect(ruleIds, `${id} exports no rule by default, or another id: see rules/rule.ts, then run \`npm run generate\``).toContain(id);
  expect(existsSync(`docs/rules/${id}.md`), `docs/rules/${id}.md is not there: run \`npm run generate\``).toBe(true);
  expect(readFileSync(`docs/rules/${id}.md`, "utf8"), "a section of its page is empty").not.toMatch(/\n\n(?=\n|$)/);
});

test.each(rules.map(({ id }) => id))("a test names what the rule %s says of machines", (id) => {
  expect(tests.includes(`"${id}"`), `no test below tests/ names "${id}"`).toBe(true);
});

test.each(dependencyFileRules.map(({ id }) => id))("a test names what the rule %s says of dependency files", (id) => {
  expect(tests, `no test below tests/ names ${id}`).toMatch(new RegExp(`(error|warning) ${id} |rule: "${id}"`));
});

test.each(readdirSync(`${core}/dependency-files/formats`).map((file) => file.replace(/\.ts$/, "")))("the format %s has a test", (name) => {
  expect(readFileSync("tests/declare/formats.test.ts", "utf8")).toContain(`"${name}"`);
});

test.each(commands.map(({ name }) => name))("the README shows the command %s", (name) => {
  expect(readFileSync("README.md", "utf8")).toMatch(new RegExp(`culprit ${name}\\b`));
});

test.each(
  readdirSync(core, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
)("ARCHITECTURE.md explains the folder %s", (name) => {
  expect(readFileSync("ARCHITECTURE.md", "utf8")).toContain(`\`${name}/\``);
});
