// What runs on other hosts is a real file, which shells and linters can read; what is sent is that file without its comments.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { expect, test } from "vitest";
import { hasTool } from "../elf/readelf.ts";
import { needs } from "../needs.ts";
import { hostScript } from "../../packages/machine/src/target/host-script.generated.ts";

const file = "packages/machine/src/target/host.sh";
const read = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, [...args, file], { encoding: "utf8" });
  return { status, said: stdout + stderr };
};
const clean = { status: 0, said: "" };

test("it is sent without comments, and with nothing else", () => {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  expect(hostScript.split("\n")).toEqual(["", ...lines.filter((line) => !line.startsWith("#"))]);
  expect(hostScript).toMatch(/^\nLC_ALL=C; .*\n\}\n$/s);
});

test("sh reads it", () => {
  expect(read("sh", "-n")).toEqual(clean);
});

test("busybox reads it", needs({ busybox: hasTool("busybox") }), () => {
  expect(read("busybox", "sh", "-n")).toEqual(clean);
});

test("shellcheck has nothing to say", needs({ shellcheck: hasTool("shellcheck") }), () => {
  expect(read("shellcheck")).toEqual(clean);
});
