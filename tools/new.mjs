// `npm run new rule|format|target|framework|fix NAME`: writes the files that one more takes, makes the indexes, and says what is left to do.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { identifier } from "./knowledge-texts.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const core = "packages/core/src";
const target = "packages/machine/src/target";

/** A test that fails until somebody writes it. */
const unwritten = (name, what, says) => `import { expect, test } from "vitest";

test("${name}: ${what}", () => {
  expect.fail("${says}");
});
`;

/** What each kind takes: its files, what to do next, and what must not be there yet. */
const kinds = {
  rule: {
    taken: (name) => [`${core}/rules/${name}.ts`, `${core}/rules/${name}`],
    files: (name) => ({
      [`${core}/rules/${name}.ts`]: `import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "${name}",
  title: "",
  cause: "library-wrong-version",
  severity: "error",
  notOn: { "dependency-file": "" },
  page: { what: "", why: "", how: "", fix: "", observed: "" },
  finds: () => [],
});
`,
      [`tests/diagnose/${name}.test.ts`]: unwritten(
        name,
        "what is wrong is found, and what is right is not",
        `make a stack that has it (tests/diagnose/python-stack.ts) and expect the finding { rule: \\"${name}\\" }; then one that has not`,
      ),
    }),
    next: (name) => [
      `write the page, the cause and \`blames\` or \`finds\` in ${core}/rules/${name}.ts`,
      `say in \`notOn\` why it does not judge dependency files; where it does, make it a folder with page.ts, machine.ts and dependency-file.ts`,
      `write tests/diagnose/${name}.test.ts, and a line in tests/rules/expected.ts`,
      "npm run generate, which writes its page in docs/rules/",
      `npm run record-case NAME -- --from FILE, for a case that shows it`,
    ],
  },
  format: {
    taken: (name) => [`${core}/dependency-files/formats/${name}.ts`],
    files: (name) => ({
      [`${core}/dependency-files/formats/${name}.ts`]: `import type { Declaration } from "../../model/dependency-file.ts";
import { defineFormat } from "../format.ts";

export default defineFormat({
  id: "${name}",
  words: "${name}",
  place: 99,
  signs: [{ by: "name", is: ({ name }) => name === "${name}" }],
  read: (_text, file): Declaration => ({ format: "${name}", file, steps: [], unknown: [] }),
  example: { file: "${name}", text: "torch==2.4.1\\n" },
});
`,
      [`tests/declare/${name}.test.ts`]: unwritten(
        name,
        "every shape of a line is read as its own tool reads it",
        "read texts of the format with readFormat() and expect their steps, with lines",
      ),
    }),
    next: (name) => [
      `write signs, reader, words, place and example in ${core}/dependency-files/formats/${name}.ts`,
      `write tests/declare/${name}.test.ts, and add a line to the table of tests/declare/formats.test.ts`,
      "name it in the README, where the formats are listed",
      "npm run generate",
    ],
  },
  target: {
    taken: (name) => [`${target}/${name}.ts`, `${target}/kinds/${name}.ts`],
    files: (name) => ({
      [`${target}/kinds/${name}.ts`]: `import { defineTargetKind } from "../target-kind.ts";
import { ${identifier(name)} } from "../${name}.ts";

export default defineTargetKind({
  id: "${name}",
  kind: "${name}",
  prefix: "${name}:",
  form: "\`${name}:NAME\`",
  forms: "\`${name}:NAME\`",
  help: "a ${name} (\`${name}:NAME\`)",
  place: 99,
  open: (named) => ${identifier(name)}(named),
});
`,
      [`${target}/${name}.ts`]: `import type { Target } from "@culprit/core/model/target";

/** What it is. */
export function ${identifier(name)}(named: string): Target {
  throw new Error(\`cannot look at ${name}:\${named}: that is not written yet\`);
}
`,
      [`${core}/model/target-kinds.ts`]: readFileSync(`${core}/model/target-kinds.ts`, "utf8").replace(
        "  declaration:",
        `  ${identifier(name) === name ? name : JSON.stringify(name)}: "a ${name}",\n  declaration:`,
      ),
      [`tests/target/${name}.test.ts`]: unwritten(
        name,
        "what the contract does not ask",
        `expect what only this kind does; what all do is asked by a line in tests/target/contract.test.ts`,
      ),
    }),
    next: (name) => [
      `write ${target}/${name}.ts, and the words of ${target}/kinds/${name}.ts`,
      "add a line that makes one to tests/target/contract.test.ts, and a word that names one to tests/target/cli.test.ts",
      `write tests/target/${name}.test.ts, or remove it where the contract asks all`,
      "npm run generate: the schema of snapshots has the new kind",
    ],
  },
  framework: {
    taken: (name) => [`${core}/frameworks/${name}`, `${core}/frameworks/${name}.ts`],
    files: (name) => ({
      [`${core}/frameworks/${name}/names.ts`]: `import { defineNames } from "../../model/framework-names.ts";

export default defineNames({
  id: "${name}",
  packages: ["${name}"],
  modules: ["${name.replaceAll("-", "_")}"],
  mapped: ["/${name.replaceAll("-", "_")}/"],
});
`,
      [`${core}/frameworks/${name}/model.ts`]: `import { defineFramework } from "../framework.ts";
import names from "./names.ts";

export default defineFramework({
  ...names,
  compiledFor: () => ({}),
  steps: {},
});
`,
      [`tests/frameworks/${name}.test.ts`]: unwritten(
        name,
        "what it loads, as a real installation did",
        `make an installation in small (tests/frameworks/python-root.ts) and expect what LD_DEBUG showed for \\"${name}\\"`,
      ),
    }),
    next: (name) => [
      `write what others call it in ${core}/frameworks/${name}/names.ts, and what it loads in model.ts`,
      `write tests/frameworks/${name}.test.ts from what a real installation loaded`,
      `${core}/frameworks/${name}/builds.ts, and \`solve\` in names.ts, where \`culprit solve\` shall know it`,
      "npm run generate",
    ],
  },
  fix: {
    taken: (name) => [`${core}/plan/fixes/${name}.ts`],
    files: (name) => ({
      [`${core}/plan/fixes/${name}.ts`]: `import { defineFix } from "../fix.ts";

export default defineFix({
  id: "${name}",
  title: "",
  proposes: () => [],
});
`,
      [`tests/plan/${name}.test.ts`]: unwritten(
        name,
        "the finding is gone after it, and no other came",
        `plan for facts that have the finding and expect { fix: \\"${name}\\" } with its proof (tests/plan/kinds.test.ts shows how)`,
      ),
    }),
    next: (name) => [
      `write what it proposes in ${core}/plan/fixes/${name}.ts: from facts of the finding, never from its words`,
      `write tests/plan/${name}.test.ts`,
      "npm run generate",
    ],
  },
};

function refuse(sentence) {
  console.error(`new: ${sentence}`);
  process.exit(2);
}

const [kind, name, ...more] = process.argv.slice(2);
const made = Object.hasOwn(kinds, kind ?? "") ? kinds[kind] : undefined;
if (!made || name === undefined || 0 < more.length) refuse(`say what to make: npm run new ${Object.keys(kinds).join("|")} NAME`);
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) refuse(`\`${name}\` is no name in small letters with dashes, such as library-missing`);
const there = made.taken(name).find((file) => existsSync(file));
if (there !== undefined) refuse(`there is a ${kind} \`${name}\` already: ${there}`);

for (const [file, text] of Object.entries(made.files(name))) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote ${file}`);
}
execFileSync(process.execPath, ["tools/generate.mjs", "--indexes"], { stdio: "inherit" });
console.log(
  `\nNext:\n${made
    .next(name)
    .map((step, index) => `  ${index + 1}. ${step}`)
    .join("\n")}`,
);
console.log("\n`npx vitest run tests/completeness.test.ts` names what is forgotten.");
