// Manual pages are made from the table of commands, and a program that reads manual pages has nothing to say against them.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../packages/cli/src/commands.ts";
import { needs } from "./needs.ts";

const has = (command: string) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const wanted = ["culprit.1", ...commands.map(({ name }) => `culprit-${name}.1`)].sort();

test("there is one for every command, and one for all", () => {
  expect(fs.readdirSync("dist/man").sort()).toEqual(wanted);
});

test.each(wanted)("%s is clean, and has every option", needs({ mandoc: has("mandoc") }), (name) => {
  const file = `dist/man/${name}`;
  expect(spawnSync("mandoc", ["-Tlint", "-Wwarning", file], { encoding: "utf8" }).stdout).toBe("");
  const { stdout } = spawnSync("mandoc", ["-Tutf8", "-Owidth=200", file], {
    encoding: "utf8",
    env: { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] },
  });
  // Bold is written as a letter over itself.
  // oxlint-disable-next-line no-control-regex
  const text = stdout.replaceAll(/.\u0008/g, "");
  const command = commands.find((each) => name === `culprit-${each.name}.1`);
  for (const option of command?.options ?? []) expect(text).toContain(`--${option.name}`);
  for (const { line } of command?.examples ?? []) expect(text.replaceAll(/\s+/g, " ")).toContain(line);
  if (!command) for (const each of commands) expect(text).toContain(`culprit-${each.name}(1)`);
});

test("a page that is not there is one sentence", () => {
  const { status, stderr } = spawnSync(process.execPath, ["dist/cli.js", "help", "--man", "nothing"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "culprit: there is no manual page on `nothing`: it is no command; `culprit help` lists them\n",
  });
});
