import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { Explanation } from "../../packages/core/src/model/explain.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-explain-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const explain = (args: string[], input = "") =>
  spawnSync(process.execPath, ["dist/cli.js", "explain", ...args], { input, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
const message = "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory\n";

test("a file or standard input, as words or as JSON; the exit code is 0 whatever is found", () => {
  const file = path.join(scratch, "log.txt");
  fs.writeFileSync(file, message);
  for (const { status, stdout, stderr } of [explain([file]), explain(["-"], message), explain([], message)]) {
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("library-missing, likely");
    expect(stdout).toContain("line 1: ImportError");
  }
  const answer = JSON.parse(explain([file, "--json"]).stdout) as Explanation;
  expect(answer.schema).toBe("culprit/explain@1");
  expect(answer.diagnoses[0]).toMatchObject({ cause: "library-missing", name: "libcudnn.so.9", library: "cudnn", certainty: "likely" });
});

test("a packed log is unpacked, and a damaged one refused", () => {
  const file = path.join(scratch, "log.gz");
  // Larger than one piece, with the message at the end.
  const packed = gzipSync(`${Array.from({ length: 300_000 }, (_, line) => `step ${line}`).join("\n")}\n${message}`);
  fs.writeFileSync(file, packed);
  expect(explain([file]).stdout).toContain("line 300001: ImportError");
  fs.writeFileSync(file, packed.subarray(0, packed.length / 2));
  expect(explain([file])).toMatchObject({ status: 2, stdout: "", stderr: `culprit: \`${file}\` is a damaged gzip file\n` });
});

test("text that says nothing gets an empty list and a next step", () => {
  const { status, stdout } = explain(["-", "--json"], "hello\n");
  const answer = JSON.parse(stdout) as Explanation;
  expect(status).toBe(0);
  expect(answer.diagnoses).toEqual([]);
  expect(answer.next.length).toBeGreaterThan(0);
});

test("bad usage is one sentence and exit code 2", () => {
  for (const args of [
    [path.join(scratch, "absent")],
    [scratch],
    ["a", "b"],
    ["-", "--here", "--root", scratch],
    ["-", "--root", path.join(scratch, "absent")],
  ]) {
    const { status, stdout, stderr } = explain(args, message);
    expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: "" });
    expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
  }
});

test("joined with a root folder, the copies that are there stand beside the text", () => {
  const root = path.join(scratch, "root");
  fs.mkdirSync(path.join(root, "usr/lib/x86_64-linux-gnu"), { recursive: true });
  const { status, stdout } = explain(["-", "--root", root, "--json"], message);
  expect(status).toBe(0);
  expect((JSON.parse(stdout) as { diagnoses: { findings: string[] }[] }).diagnoses[0]!.findings).toEqual([]);
});

test("a driver and GPUs that are given beside the text count as facts of the case, and are said to be given", () => {
  const insufficient = "RuntimeError: CUDA driver version is insufficient for CUDA runtime version\ntorch 2.4.1+cu121\n";
  const first = (text: string, ...args: string[]) =>
    (JSON.parse(explain(["-", "--json", ...args], text).stdout) as Explanation).diagnoses[0]!;
  expect(first(insufficient)).toMatchObject({ cause: "driver-too-old", certainty: "possible" });
  expect(first(insufficient, "--driver", "470.57")).toMatchObject({
    cause: "driver-too-old",
    certainty: "certain",
    found: "470.57, CUDA 11.4",
    evidence: expect.arrayContaining([{ line: 0, text: "driver 470.57" }]) as unknown,
  });
  // A driver that is new enough is not too old: then none answers.
  expect(first(insufficient, "--driver", "550.54.14").cause).toBe("driver-not-exposed");
  expect(explain(["-", "--driver", "470.57"], insufficient).stdout).toContain("given: driver 470.57");

  const noImage = "RuntimeError: CUDA error: no kernel image is available for execution on the device\ntorch==2.4.1\n";
  expect(first(noImage, "--gpu", "RTX 5090")).toMatchObject({ certainty: "certain", required: "code for sm_120 (CUDA 12.8 or newer)" });
  expect(first(noImage, "--gpu", "K80").message).toContain("older than");
  expect(first(noImage, "--gpu", "T4").message).toContain("an extension");
});

test("what changes the question to a machine is refused where no machine is asked", () => {
  for (const args of [["--env", "A=b"], ["--cwd", "/"], ["--ldconfig"], ["--driver", "new"], ["--gpu", "no such GPU"]]) {
    const { status, stdout, stderr } = explain(["-", ...args], message);
    expect({ args, status, stdout }).toEqual({ args, status: 2, stdout: "" });
    expect(stderr).toMatch(/^culprit: [^\n]+\n$/);
  }
});
