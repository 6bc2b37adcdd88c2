import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { needs } from "../needs.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-run-test-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const environment = { ...process.env, NO_COLOR: "1" };
const run = (args: string[], env: NodeJS.ProcessEnv = environment) => {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ["dist/cli.js", "run", ...args], { encoding: "utf8", env });
  return { status, signal, stdout, stderr };
};
const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

test("a command that succeeds leaves no trace", () => {
  expect(run(["--", "sh", "-c", "echo out; echo err >&2"])).toEqual({ status: 0, signal: null, stdout: "out\n", stderr: "err\n" });
});

test("output is the same, byte for byte, also for who opens /dev/stdout, and the input reaches it", () => {
  const bytes = path.join(scratch, "bytes");
  fs.writeFileSync(
    bytes,
    Uint8Array.from({ length: 700_000 }, (_, index) => (index * 31) & 255),
  );
  const { stdout } = spawnSync(process.execPath, ["dist/cli.js", "run", "--", "sh", "-c", `cat ${bytes} > /dev/stdout; cat`], {
    input: "end",
    maxBuffer: 1 << 24,
  });
  expect(Buffer.compare(stdout, Buffer.concat([fs.readFileSync(bytes), Buffer.from("end")]))).toBe(0);
});

test("a failure keeps its exit code and is explained on standard error", () => {
  const { status, stdout, stderr } = run([
    "--",
    "sh",
    "-c",
    "echo before; echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 9",
  ]);
  expect(status).toBe(9);
  expect(stdout).toBe("before\nFailed to initialize NVML: Driver/library version mismatch\n");
  expect(stderr).toContain("the command ended with exit code 9");
  expect(stderr).toContain("kernel-module-mismatch, certain");
});

test("a silent fall-back to the CPU is explained, a harmless line is not", () => {
  const fallen = run(["--", "sh", "-c", "echo 'CUDA backend failed to initialize: Unable to load cuDNN. Is it installed?' >&2"]);
  expect(fallen.status).toBe(0);
  expect(fallen.stderr).toContain("library-missing");
  expect(run(["--", "sh", "-c", "echo 'W py_utils.cc:38] TF-TRT Warning: Could not find TensorRT'"]).stderr).toBe("");
});

test("signals end it as they would without us", async () => {
  expect(run(["--", "sh", "-c", "kill -TERM $$"])).toMatchObject({ signal: "SIGTERM", stderr: "" });
  expect(run(["--", "sh", "-c", "kill -SEGV $$"]).status).toBe(139);
  const child = spawn(process.execPath, [
    "dist/cli.js",
    "run",
    "--",
    "sh",
    "-c",
    "trap 'echo heard; exit 7' USR1; echo ready; while :; do sleep 0.05; done",
  ]);
  let output = "";
  const code = await new Promise((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (output === "" && String(chunk).includes("ready")) setTimeout(() => child.kill("SIGUSR1"), 300);
      output += String(chunk);
    });
    child.on("exit", resolve);
  });
  expect({ code, output }).toEqual({ code: 7, output: "ready\nheard\n" });
});

test("a reader that goes away ends the command quietly", () => {
  const { stdout, stderr } = spawnSync("sh", ["-c", `${process.execPath} dist/cli.js run -- yes | head -1`], {
    encoding: "utf8",
    env: environment,
    timeout: 20_000,
  });
  expect({ stdout, stderr }).toEqual({ stdout: "y\n", stderr: "" });
});

test("bad usage and a command that is not there are one sentence and exit code 2", () => {
  expect(run([])).toMatchObject({ status: 2, stderr: "culprit: `culprit run` needs a command: `culprit run -- python train.py`\n" });
  expect(run(["--", "/no/such/program"])).toMatchObject({
    status: 2,
    stderr: "culprit: `/no/such/program` cannot be started: there is no such program\n",
  });
});

test("libraries that were really mapped are shown, those of children as well", () => {
  // Any library will do: its name makes it a CUDA runtime.
  const real = spawnSync(
    "sh",
    ["-c", "ldconfig -p | sed -n 's/.*x86-64.* => \\(.*libz\\.so\\.1\\)$/\\1/p;s/.*AArch64.* => \\(.*libz\\.so\\.1\\)$/\\1/p' | head -1"],
    { encoding: "utf8" },
  ).stdout.trim();
  if (real === "") return;
  const named = path.join(scratch, "libcudart.so.12");
  fs.copyFileSync(real, named);
  const { stderr } = run(["--report", "--", "sh", "-c", `LD_PRELOAD=${named} sleep 1; true`]);
  expect(stderr).toContain("What was really loaded");
  expect(stderr).toMatch(new RegExp(`cudart +loaded +${named}`));
});

test("a terminal stays a terminal, and its text is explained", needs({ "script (util-linux)": hasScript }), () => {
  const inner = `${process.execPath} dist/cli.js run -- sh -c 'test -t 0 && test -t 1 && test -t 2 && echo all three; echo "CUDA driver is a stub library" > /dev/stderr; exit 5'; echo code $?`;
  const { stdout } = spawnSync("script", ["-qec", inner, "/dev/null"], { encoding: "utf8", env: environment, input: "" });
  expect(stdout).toContain("all three");
  expect(stdout).toContain("stub-library, certain");
  expect(stdout).toContain("code 5");
  expect(fs.readdirSync(os.tmpdir()).filter((name) => /^culprit-run-[A-Za-z0-9]{6}$/.test(name))).toEqual([]);
});
