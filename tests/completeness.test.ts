import { nothingHolds } from "../packages/core/src/dependency-files/conditions.ts";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../packages/cli/src/commands.ts";
import { dependencyFileRules } from "../packages/core/src/rules/dependency-file.generated.ts";
import { ruleIds } from "../packages/core/src/rules/ids.generated.ts";
import { rules } from "../packages/core/src/rules/machine.generated.ts";
import { formats } from "../packages/core/src/dependency-files/formats/index.generated.ts";
import { causes } from "../packages/core/src/model/cause.ts";
import { fixes } from "../packages/core/src/plan/fixes/index.generated.ts";
import { recognise } from "../packages/core/src/dependency-files/recognise.ts";

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
  expect(
    `${String(library["id"])}.json`,
    `knowledge/libraries/${file} says the id \`${String(library["id"])}\`, which is not its name`,
  ).toBe(file);
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

test.each(formats.map((format) => [format.id, format] as const))("the format %s is recognised, read, tested and told", (id, format) => {
  const { file, text } = format.example;
  expect(
    recognise(file, text),
    `the example of formats/${id}.ts is not recognised as its own: its signs, or those of another, say otherwise`,
  ).toBe(id);
  const { steps, alternatives = [], unknown } = format.read(text, file, nothingHolds);
  const asked = [...steps, ...alternatives.flatMap((each) => each.steps)].flatMap((step) => (step.kind === "install" ? step.packages : []));
  expect(asked.map(({ name }) => name).join(), `formats/${id}.ts reads no torch in its own example`).toMatch(/torch/);
  expect(unknown).toEqual([]);
  expect(
    readFileSync("tests/declare/formats.test.ts", "utf8").includes(`"${id}"`),
    `tests/declare/formats.test.ts has no file of the format "${id}"`,
  ).toBe(true);
  expect(readFileSync("README.md", "utf8").includes(format.words), `the README does not say that ${format.words} is read`).toBe(true);
});

const judging = ["rules", "log"].flatMap((folder) =>
  readdirSync(`${core}/${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(`${core}/${folder}/${file}`, "utf8")),
);

test.each([...causes])("the cause %s is told by a rule or by a message", (cause) => {
  expect(
    judging.some((text) => text.includes(`"${cause}"`)),
    `nothing in rules/ or log/ tells the cause "${cause}"`,
  ).toBe(true);
});

const planTests = ["plan", "apply"]
  .flatMap((folder) => readdirSync(`tests/${folder}`).map((file) => readFileSync(`tests/${folder}/${file}`, "utf8")))
  .join("\n");

test.each(fixes.map((fix) => [fix.id, fix] as const))("the fix %s has a title and a test", (id, { title }) => {
  expect(title, `plan/fixes/${id}.ts has no title`).not.toBe("");
  expect(existsSync(`${core}/plan/fixes/${id}.ts`), `${id} is not the name of a file in plan/fixes/`).toBe(true);
  expect(new RegExp(`["\\s]${id}[",]`).test(planTests), `no test below tests/plan/ or tests/apply/ names the fix "${id}"`).toBe(true);
});

test.each(commands.map(({ name }) => name))("the README shows the command %s", (name) => {
  expect(new RegExp(`culprit ${name}\\b`).test(readFileSync("README.md", "utf8")), `the README does not show \`culprit ${name}\``).toBe(
    true,
  );
});

test.each(
  readdirSync(core, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
)("ARCHITECTURE.md explains the folder %s", (name) => {
  expect(readFileSync("ARCHITECTURE.md", "utf8")).toContain(`\`${name}/\``);
});
