import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

// One more of each, made in a copy of the repository: what is made compiles, and what is left to do is named.
const copy = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-growth-")));
// Never as one word: a test that names something counts as its test, in the copy as well.
const one = (kind: string) => ["brand", "new", kind].join("-");
const at = (file: string) => path.join(copy, file);

beforeAll(() => {
  for (const entry of ["packages", "python", "tests", "tools", "docs/rules", "knowledge", "schema"])
    fs.cpSync(entry, at(entry), { recursive: true, filter: (file) => !/\/(dist|node_modules|recorded[\w-]*)$/.test(file) });
  for (const entry of fs.readdirSync(".", { withFileTypes: true }))
    if (entry.isFile() && /\.(json|md|ts|jsonc)$/.test(entry.name)) fs.copyFileSync(entry.name, at(entry.name));
  // Our own packages are those of the copy.
  fs.mkdirSync(at("node_modules/@culprit"), { recursive: true });
  for (const name of fs.readdirSync("node_modules"))
    if (name !== "@culprit" && !name.startsWith(".")) fs.symlinkSync(fs.realpathSync(`node_modules/${name}`), at(`node_modules/${name}`));
  for (const name of ["core", "machine"]) fs.symlinkSync(at(`packages/${name}`), at(`node_modules/@culprit/${name}`));
});
afterAll(() => fs.rmSync(copy, { recursive: true }));

function node(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, output: `${stdout}${stderr}` };
}
const make = (...words: string[]) => node("tools/new.mjs", ...words);
const vitest = (...words: string[]) => node("node_modules/vitest/vitest.mjs", "run", "--reporter=default", ...words);

test.each([
  [[], "new: say what to make: npm run new rule|format|target|framework|fix NAME\n"],
  [["room", "x"], "new: say what to make: npm run new rule|format|target|framework|fix NAME\n"],
  [["rule"], "new: say what to make: npm run new rule|format|target|framework|fix NAME\n"],
  [["rule", "Too_Loud"], "new: `Too_Loud` is no name in small letters with dashes, such as library-missing\n"],
  [["rule", "../x"], "new: `../x` is no name in small letters with dashes, such as library-missing\n"],
  [["rule", "two-copies"], "new: there is a rule `two-copies` already: packages/core/src/rules/two-copies.ts\n"],
  [["rule", "driver-too-old"], "new: there is a rule `driver-too-old` already: packages/core/src/rules/driver-too-old\n"],
  [["framework", "torch"], "new: there is a framework `torch` already: packages/core/src/frameworks/torch\n"],
  [["target", "image"], "new: there is a target `image` already: packages/machine/src/target/image.ts\n"],
])("npm run new %s is refused in one sentence", (words, output) => {
  expect(make(...words)).toEqual({ status: 2, output });
});

test("one more of each compiles, and what is forgotten is named", () => {
  const before = fs.readFileSync(at("packages/core/src/model/target-kinds.ts"), "utf8");
  for (const kind of ["rule", "format", "target", "framework", "fix"]) {
    const { status, output } = make(kind, one(kind));
    expect({ status, output }, output).toMatchObject({ status: 0 });
    expect(output).toContain("Next:");
  }
  expect(fs.readFileSync(at("packages/core/src/model/target-kinds.ts"), "utf8")).not.toBe(before);
  for (const project of ["packages/core", "."])
    expect(node("node_modules/typescript/bin/tsc", "-p", project)).toEqual({ status: 0, output: "" });

  const { output } = vitest(
    "tests/completeness.test.ts",
    "tests/target/contract.test.ts",
    "tests/target/cli.test.ts",
    `tests/diagnose/${one("rule")}.test.ts`,
    `tests/declare/${one("format")}.test.ts`,
    `tests/frameworks/${one("framework")}.test.ts`,
    `tests/plan/${one("fix")}.test.ts`,
    `tests/target/${one("target")}.test.ts`,
    "-t",
    "brand-new",
  );
  for (const sentence of [
    "a section of its page is empty",
    `formats/${one("format")}.ts reads no torch in its own example`,
    `target/kinds/${one("target")}.ts does not pass the contract: tests/target/contract.test.ts needs a line that makes one`,
    `target/kinds/${one("target")}.ts is opened by no test: tests/target/cli.test.ts needs a word that names one`,
    `plan/fixes/${one("fix")}.ts has no title`,
    // The tests that were written along fail until somebody writes them.
    "make a stack that has it",
    "read texts of the format with readFormat()",
    "expect what only this kind does",
    "make an installation in small",
    "plan for facts that have the finding",
  ])
    expect(output).toContain(sentence);

  // Who removes the tests instead of writing them is told, too.
  fs.rmSync(at(`tests/frameworks/${one("framework")}.test.ts`));
  fs.rmSync(at(`tests/diagnose/${one("rule")}.test.ts`));
  fs.rmSync(at(`tests/plan/${one("fix")}.test.ts`));
  const fill = (file: string) => fs.writeFileSync(at(file), fs.readFileSync(at(file), "utf8").replaceAll('""', '"Told."'));
  fill(`packages/core/src/rules/${one("rule")}.ts`);
  fill(`packages/core/src/plan/fixes/${one("fix")}.ts`);
  expect(node("tools/generate.mjs", "--indexes")).toEqual({ status: 0, output: "" });
  const without = vitest("tests/completeness.test.ts", "tests/frameworks/names.test.ts", "-t", "brand-new").output;
  expect(without).toContain(`no test below tests/ names "${one("rule")}"`);
  expect(without).toContain(`no test below tests/plan/ or tests/apply/ names the fix "${one("fix")}"`);
  expect(without).toContain(`frameworks/${one("framework")} has no test below tests/frameworks/ that names "${one("framework")}"`);
});

test("a name of a framework elsewhere is told in one sentence", () => {
  fs.appendFileSync(at("packages/core/src/lib/near.ts"), '\nexport const favourites = ["torch"];\n');
  expect(vitest("tests/frameworks/names.test.ts", "-t", "lib/near.ts").output).toContain(
    "packages/core/src/lib/near.ts names `torch`: what is known of a framework belongs into frameworks/<id>/names.ts",
  );
});

test.each([
  ["packages/core/src/frameworks/shared/tools.ts", "packages/core/src/frameworks/shared has no model.ts: a folder there is a framework"],
  ["packages/core/src/dependency-files/formats/tools.ts", "formats/tools.ts"],
  ["packages/machine/src/target/kinds/tools.ts", "packages/machine/src/target/kinds/tools.ts says another id than its name"],
])("what is none of them, %s, stops the generator in one sentence and changes no index", (file, says) => {
  const indexes = () =>
    [
      "frameworks/index",
      "frameworks/builds",
      "dependency-files/formats/index",
      "model/framework-names",
      "model/dependency-file-formats",
    ].map((name) => fs.readFileSync(at(`packages/core/src/${name}.generated.ts`), "utf8"));
  const before = indexes();
  fs.mkdirSync(path.dirname(at(file)), { recursive: true });
  fs.writeFileSync(at(file), "export const shared = 1;\nexport default {};\n");
  const { status, output } = node("tools/generate.mjs", "--indexes");
  fs.rmSync(file.includes("/shared/") ? path.dirname(at(file)) : at(file), { recursive: true });
  expect(status).toBe(1);
  expect(output).toContain(says);
  expect(output).not.toContain(" at ");
  expect(indexes()).toEqual(before);
});
