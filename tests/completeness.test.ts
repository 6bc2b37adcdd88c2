import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../src/cli/commands.ts";

test("generated files are fresh", () => {
  execFileSync(process.execPath, ["tools/generate.mjs", "--check"], { stdio: "pipe" });
});

test("the version is the package's", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(readFileSync("src/version.ts", "utf8")).toContain(`"${version}"`);
  expect(readFileSync("CHANGELOG.md", "utf8")).toContain(`## ${version}`);
});

test.each(readdirSync("knowledge/libraries"))("knowledge/libraries/%s says where its facts come from", (file) => {
  const library = JSON.parse(readFileSync(`knowledge/libraries/${file}`, "utf8")) as Record<string, unknown>;
  expect(`${String(library["id"])}.json`).toBe(file);
  expect(library["source"]).toMatch(/\S/);
  expect(library["checked"]).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(library["objects"]).not.toEqual([]);
});

test.each(commands.map(({ name }) => name))("the README shows the command %s", (name) => {
  expect(readFileSync("README.md", "utf8")).toMatch(new RegExp(`culprit ${name}\\b`));
});

test.each(
  readdirSync("src", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
)("ARCHITECTURE.md explains src/%s", (name) => {
  expect(readFileSync("ARCHITECTURE.md", "utf8")).toContain(`src/${name}/`);
});
