// What is suggested is typed, by a shell, as it was printed.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit pasted-")));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const root = path.join(scratch, "root");
fs.mkdirSync(path.join(root, "etc/profile.d"), { recursive: true });
fs.mkdirSync(path.join(root, "home/lib"), { recursive: true });
fs.writeFileSync(path.join(root, "etc/profile.d/cuda.sh"), "# CUDA\nexport LD_LIBRARY_PATH='~/lib'\n");
fs.writeFileSync(path.join(root, "etc/passwd"), "root:x:0:0:root:/home:/bin/sh\n");

/** A line as a person pastes it, with `culprit` on his PATH. */
function pasted(line: string): { status: number | null; stdout: string; stderr: string } {
  const bin = path.join(scratch, "bin");
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(path.join(bin, "culprit"), `#!/bin/sh\nexec '${process.execPath}' '${path.resolve("dist/cli.js")}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, NO_COLOR: "1", PATH: `${bin}:${process.env["PATH"]}` };
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { encoding: "utf8", env, cwd: scratch });
  return { status, stdout, stderr };
}

const suggested = (text: string) => text.split("\n").flatMap((line) => /^\s*(?:more +)?(culprit (?!help).*)$/.exec(line)?.[1] ?? []);

test("the command below a finding asks the same question", () => {
  const { stdout } = pasted("culprit check --root root --env 'LD_LIBRARY_PATH=~/lib' --env 'X=a b'");
  const lines = suggested(stdout);
  expect(lines).toEqual(["culprit fix library-path-malformed --root root --env 'LD_LIBRARY_PATH=~/lib' --env 'X=a b'"]);
  const fixed = pasted(lines[0]!);
  expect(fixed.stderr).toBe("");
  expect(fixed.status).toBe(0);
  expect(fixed.stdout).toContain("LD_LIBRARY_PATH has an element that cannot work");
});

test("an edit of a root folder names the file where it lies, and does what it says", () => {
  const { stdout } = pasted("culprit fix --root root --env 'LD_LIBRARY_PATH=~/lib'");
  const [edit] = stdout.split("\n").flatMap((line) => /^\s*(sed -i .*)$/.exec(line)?.[1] ?? []);
  expect(edit).toContain(path.join(root, "etc/profile.d/cuda.sh"));
  expect(pasted(edit!).status).toBe(0);
  expect(fs.readFileSync(path.join(root, "etc/profile.d/cuda.sh"), "utf8")).not.toContain("~");
});

test("a snapshot keeps what was asked of it; several targets, too", () => {
  expect(pasted("culprit snapshot --root root --env 'LD_LIBRARY_PATH=~/lib' -o s.json").status).toBe(0);
  const one = suggested(pasted("culprit check s.json --env 'LD_LIBRARY_PATH=~/lib'").stdout);
  expect(one).toEqual(["culprit fix library-path-malformed --target s.json --env 'LD_LIBRARY_PATH=~/lib'"]);
  expect(pasted(one[0]!).stderr).toBe("");
  const several = pasted("culprit check s.json root --env 'LD_LIBRARY_PATH=~/lib'").stdout;
  const [, command] = /`(culprit check .*)` says why/.exec(several)!;
  expect(command).toBe("culprit check s.json --env 'LD_LIBRARY_PATH=~/lib'");
  expect(pasted(command!).stdout).toContain("cannot work");
});

test("what an error text is joined with is asked again", () => {
  fs.writeFileSync(path.join(scratch, "log"), "RuntimeError: CUDA driver initialization failed, you might not have a CUDA gpu.\n");
  const { stdout } = pasted("culprit explain log --root root --env X=1");
  expect(suggested(stdout)).toContain("culprit why libcuda.so.1 --root root --env X=1");
});
