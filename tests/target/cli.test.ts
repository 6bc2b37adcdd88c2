import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kindOf, kinds } from "../../packages/machine/src/target/kinds.ts";
import { archive, dockerFiles, packings } from "./make-image.ts";

// Every kind of target is opened as the user names it: a module that no word leads to helps nobody.
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "target-cli-")));
const root = path.join(scratch, "root");
const shell = path.join(scratch, "ssh");
let sleeper: ChildProcess;

beforeAll(() => {
  fs.mkdirSync(`${root}/etc`, { recursive: true });
  fs.mkdirSync(`${root}/usr/lib`, { recursive: true });
  fs.writeFileSync(`${root}/etc/ld.so.conf`, "");
  // In the place of ssh: its last word is what the host would run.
  fs.writeFileSync(shell, "#!/bin/sh\nfor word; do last=$word; done\nset -- $last\nexec sh\n", { mode: 0o755 });
  sleeper = spawn("sleep", ["600"]);
});
afterAll(() => {
  sleeper.kill();
  fs.rmSync(scratch, { recursive: true });
});

function culprit(...args: string[]) {
  const env = { ...process.env, NO_COLOR: "1", CULPRIT_SSH_COMMAND: shell };
  return spawnSync(process.execPath, ["dist/cli.js", ...args], { encoding: "utf8", env });
}

/** A word that names one of each kind. */
const words: { [kind: string]: () => string } = {
  machine: () => "machine",
  root: () => root,
  snapshot() {
    const file = path.join(scratch, "taken.json");
    expect(culprit("snapshot", "--root", root, "-o", file)).toMatchObject({ status: 0 });
    return file;
  },
  pid: () => `pid:${sleeper.pid}`,
  image() {
    const file = path.join(scratch, "image.tar");
    const { stdout } = spawnSync("tar", ["-C", root, "-c", "."]);
    fs.writeFileSync(file, archive(dockerFiles({ layers: [packings["plain"]!(stdout)] })));
    return `image:${file}`;
  },
  ssh: () => "ssh:there",
};

test.each(kinds.map(({ id, kind }) => [id, kind] as const))("culprit list --target opens the kind %s", (id, kind) => {
  const word = words[id];
  expect(word, `target/kinds/${id}.ts is opened by no test: tests/target/cli.test.ts needs a word that names one`).toBeDefined();
  const { status, stdout, stderr } = culprit("list", "--target", word!(), "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const { target } = JSON.parse(stdout) as { target: { kind: string } };
  expect(target.kind).toBe(kind ?? "root");
});

test("help names every kind of target", () => {
  const { stdout } = culprit("check", "--help");
  const text = stdout.replaceAll(/\s+/g, " ");
  for (const { help, kind } of kinds) if (kind !== "machine") expect(text).toContain(help);
});

test.each([
  ["pid:", "`pid:` is not a process: pid:1234 is"],
  ["pid:x", "`pid:x` is not a process: pid:1234 is"],
  ["image:", "`image:` names no file: image:FILE does"],
  ["ssh:", "`ssh:` does not name a host"],
  ["/nowhere/at/all", "there is no target `/nowhere/at/all`: no such file or folder"],
])("%s is no target: one sentence, exit code 2", (word, says) => {
  const { status, stderr } = culprit("list", "--target", word);
  expect({ status, stderr }).toEqual({ status: 2, stderr: `culprit: ${says}\n` });
});

test("a folder called machine is not taken for this machine's word, nor the other way round", () => {
  const here = process.cwd();
  try {
    fs.mkdirSync(path.join(scratch, "machine"));
    process.chdir(scratch);
    expect(kindOf("machine")?.kind.id).toBe("machine");
    expect(kindOf("./machine")?.kind.id).toBe("root");
  } finally {
    process.chdir(here);
  }
});
