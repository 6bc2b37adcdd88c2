import fs from "node:fs";
import { spawnSync } from "node:child_process";
import path from "node:path";
import { Compile } from "typebox/schema";
import { expect, test } from "vitest";
import { checkOne, checkReport, checkStack, checkDependencyFile, type Check } from "../../packages/core/src/index.ts";
import { h200, hiddenGpus, judge, mixedCudnn, settled, withSetter } from "./judged.ts";

const nothing: Check = {
  schema: "culprit/check@2",
  target: { kind: "root" },
  status: "ok",
  judged: [],
  unknown: [],
  findings: [],
  accepted: [],
};
const torch = { program: "torch", version: "2.5.1", environment: "/venv", activities: ["import"] };
const driver = { subject: "driver and GPU", kind: "driver" as const, reason: "none is to be seen here" };

test("what was asked for and cannot be told leaves the answer open", async () => {
  // A snapshot of one program does not hold the folders that ldconfig goes through.
  const files = Object.fromEntries(Object.entries(h200.files).filter(([name]) => !name.startsWith("/etc/ld.so.conf")));
  const check = await checkStack({ ...h200, files }, { ldconfig: true }, { programs: [["cupy"]] });
  expect(check.unknown).toContainEqual(expect.objectContaining({ subject: "ldconfig" }));
  expect(check.unknown.find(({ subject }) => subject === "ldconfig")).not.toHaveProperty("aside");
  expect(check.status).toBe("incomplete");
});

test("a tick is for what was judged whole", () => {
  const status = (changes: Partial<Check>) => settled({ ...nothing, ...changes });
  expect(status({}).status).toBe("nothing-to-check");
  expect(checkReport(status({}))).toBe("– Nothing to check: no framework was found to examine\n");
  // Where no program is there, none asks for a driver.
  expect(status({ unknown: [driver] }).status).toBe("nothing-to-check");
  expect(status({ judged: [torch] }).status).toBe("ok");
  expect(checkReport(status({ judged: [torch] }))).toBe("✓ Nothing wrong found\n  ✓ torch 2.5.1  import\n");
  const open = status({ judged: [torch], unknown: [driver] });
  expect(open.status).toBe("incomplete");
  expect(checkReport(open)).toMatch(
    /^\? Nothing wrong found, but not everything could be judged: driver and GPU \(`--driver V --gpu NAME`/,
  );
  // A folder that could not be read may hold a program.
  expect(status({ unknown: [{ subject: "/opt", kind: "folder", reason: "it cannot be read" }] }).status).toBe("incomplete");
  // Judged as its neighbours, with less certainty.
  expect(status({ judged: [torch], unknown: [{ subject: "torch 2.5.1", kind: "release", reason: "not watched" }] }).status).toBe("ok");
});

test("what is wrong comes before what is open; what is accepted does not", async () => {
  const { check } = await judge(h200, mixedCudnn);
  expect(check.status).toBe("findings");
  expect(settled({ ...check, findings: check.findings.filter(({ severity }) => severity === "info") }).status).toBe("incomplete");
});

test("programs of one process have one number, and stand together in the schema before", async () => {
  const together = await judge(h200, {}, { programs: [["torch", "jax"]], activities: ["import"], python: ["/opt/torch/.venv"] });
  expect(together.check.judged).toMatchObject([
    { program: "torch", version: "2.11.0", process: 0 },
    { program: "jax", version: "0.11.2", process: 0 },
  ]);
  expect(checkReport(together.check)).toContain("torch 2.11.0 with jax 0.11.2  import");
  expect(checkOne(together.check)).toMatchObject({
    schema: "culprit/check@1",
    examined: [{ programs: ["torch", "jax"], versions: ["2.11.0", "0.11.2"], environment: "/opt/torch/.venv", activities: ["import"] }],
  });
});

test("the schema before has words only", async () => {
  const { check } = await judge(withSetter, mixedCudnn);
  const one = checkOne(check) as { findings: { because: string[]; advice: unknown[]; facts?: unknown }[]; status?: unknown };
  expect(one.status).toBeUndefined();
  expect(one.findings[0]!.facts).toBeUndefined();
  expect(one.findings[0]!.because.at(-1)).toMatch(/^it ends with: cuDNN version incompatibility/);
  expect(one.findings[0]!.advice).toContain("for one command: env -u LD_LIBRARY_PATH COMMAND");
});

test("the published schema fits every answer", async () => {
  const validator = Compile(JSON.parse(fs.readFileSync("schema/check-2.schema.json", "utf8")) as object);
  const declared = await checkDependencyFile({
    file: "requirements.txt",
    text: "torch==2.4.1\nnvidia-cudnn-cu12==8.9.7.29\n",
    read: async () => ({ problem: "is not there" }),
    driver: "470.57",
  });
  if ("problem" in declared) throw new Error(declared.problem);
  const answers = [await judge(h200), await judge(withSetter, mixedCudnn), await judge(h200, hiddenGpus), declared];
  for (const { check } of answers) {
    const plain = JSON.parse(JSON.stringify(check)) as object;
    expect(validator.Errors(plain)[1].slice(0, 3)).toEqual([]);
  }
  const { status: _status, ...without } = nothing;
  expect(validator.Check(without)).toBe(false);
});

test("on the command line: --schema, and --fail-on unknown", () => {
  const culprit = (...given: string[]) =>
    spawnSync(process.execPath, [path.resolve("dist/cli.js"), "check", ...given], { encoding: "utf8" });
  const machine = ["--target", "cases/h200-healthy/snapshot.json.gz"];
  const whole = ["--target", "cases/h200-with-packages/snapshot.json.gz"];
  expect(JSON.parse(culprit(...machine, "--json").stdout)).toMatchObject({ schema: "culprit/check@2", status: "incomplete" });
  expect(JSON.parse(culprit(...machine, "--json", "--schema", "1").stdout)).toMatchObject({ schema: "culprit/check@1" });
  expect(culprit(...machine).status).toBe(0);
  expect(culprit(...machine, "--fail-on", "unknown").status).toBe(1);
  expect(culprit(...whole, "--fail-on", "unknown")).toMatchObject({ status: 0, stdout: expect.stringMatching(/^✓ /) as string });
  expect(culprit(...machine, "--schema", "3", "--json")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("is not 1 or 2") as string,
  });
  expect(culprit(...machine, "--schema", "1")).toMatchObject({ status: 2, stderr: expect.stringContaining("give both") as string });
});
