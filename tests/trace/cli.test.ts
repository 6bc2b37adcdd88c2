import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { afterAll, expect, test } from "vitest";
import type { TraceReport } from "../../packages/core/src/model/trace.ts";
import { device, host, kernel, kineto, launch, space, xkernel, xlaunch } from "./encode.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-trace-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

function trace(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/cli.js", "trace", ...args], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}
const files = (...args: string[]) => (JSON.parse(trace(...args, "--json").stdout) as TraceReport).files;
function write(name: string, content: string | Uint8Array): string {
  const file = path.join(scratch, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  return file;
}

const pairs = (count: number) =>
  Array.from({ length: count }, (_, index) => [launch(index + 1, index * 100), kernel(index + 1, index * 100 + 10)]).flat();
const good = kineto(pairs(2000));
const bad = kineto([launch(1, 1)]);

test("--json is one document with the shape of the contract", () => {
  const { status, stdout, stderr } = trace(write("good.pt.trace.json", good), "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const report = JSON.parse(stdout) as TraceReport;
  expect(report.schema).toBe("culprit/trace@1");
  expect(report.files[0]).toMatchObject({
    format: "kineto",
    verdict: "healthy",
    kernels: 2000,
    launches: 2000,
    unmatchedLaunches: 0,
    dropped: { events: 0 },
  });
  for (const key of ["file", "devices", "versions", "because", "top"]) expect(report.files[0]).toHaveProperty(key);
});

test("--expect gpu exits 1 when kernels are missing, and 0 when they are there", () => {
  const [with_, without] = [write("with.json", good), write("without.json", bad)];
  expect(trace(with_, "--expect", "gpu").status).toBe(0);
  expect(trace(without, "--expect", "gpu").status).toBe(1);
  expect(trace(without).status).toBe(0);
  expect(trace(with_, without, "--expect", "gpu").status).toBe(1);
  expect(trace(write("package.json", "{}"), "--expect", "gpu").status).toBe(1);
});

test("gzip, in one member or several, is unpacked; one that is cut or damaged gives what was readable", () => {
  const bytes = Buffer.from(good);
  const members = Buffer.concat([zlib.gzipSync(bytes.subarray(0, 5000)), zlib.gzipSync(bytes.subarray(5000))]);
  expect(files(write("members.json.gz", members))).toMatchObject([{ verdict: "healthy", kernels: 2000, bytes: bytes.length }]);
  // By content, not by name.
  expect(files(write("packed-without-saying.json", zlib.gzipSync(bytes)))).toMatchObject([{ verdict: "healthy", kernels: 2000 }]);
  const packed = zlib.gzipSync(bytes, { level: 0 });
  const [cut] = files(write("cut.json.gz", packed.subarray(0, packed.length >> 1)));
  expect(cut).toMatchObject({ verdict: "damaged", damage: { reason: "the gzip file is cut off" } });
  expect(cut!.kernels).toBeGreaterThan(500);
  packed.fill(0x55, packed.length >> 1, (packed.length >> 1) + 2000);
  expect(files(write("broken.json.gz", packed))).toMatchObject([{ verdict: "damaged" }]);
});

const profile = space([
  device(0, [{ id: 14, name: "Stream #14(Compute)", events: [xkernel("a", 5, 10_000_000)] }]),
  host([xlaunch("a", 5, 0)]),
]);

test("a logdir gives one line for each host, and an empty xplane.pb is joined by what lies beside it", () => {
  const run = "logs/train/plugins/profile/2026_11_15_07_00_00";
  write(`${run}/a.xplane.pb`, profile);
  write(`${run}/a.trace.json.gz`, zlib.gzipSync("{}"));
  write(`${run}/b.xplane.pb`, "");
  write(
    `${run}/b.trace.json.gz`,
    zlib.gzipSync('{"displayTimeUnit":"ns","traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0"}},{}]}'),
  );
  write(`${run}/jit_f.hlo_proto.pb`, "x");
  const found = files(path.join(scratch, "logs"));
  expect(found.map(({ file, verdict }) => [path.basename(file), verdict])).toEqual([
    ["a.xplane.pb", "healthy"],
    ["b.xplane.pb", "damaged"],
    ["b.trace.json.gz", "no-gpu-events"],
  ]);
  const { stdout } = trace(path.join(scratch, "logs"));
  expect(stdout).toContain("without kernel");
});

test("--html writes one page and --perfetto a lean trace; neither leaves anything half-written", () => {
  const [page, lean, packed] = ["page.html", "lean.json", "lean.json.gz"].map((name) => path.join(scratch, "out", name)) as [
    string,
    string,
    string,
  ];
  fs.mkdirSync(path.join(scratch, "out"));
  const file = write("draw.json", good);
  expect(trace(file, "--html", page, "--perfetto", lean).status).toBe(0);
  const text = fs.readFileSync(page, "utf8");
  expect(text).toMatch(/^<!doctype html>[^]*<canvas[^]*<\/html>\n$/);
  // Events, and an arrow for each launch.
  const block = Buffer.from(/id="events">([^<]*)</.exec(text)![1]!, "base64");
  expect(zlib.gunzipSync(block)).toHaveLength(4000 * 16 + 2000 * 8);
  expect(
    (JSON.parse(fs.readFileSync(lean, "utf8")) as { traceEvents: { ph: string }[] }).traceEvents.filter(({ ph }) => ph === "X"),
  ).toHaveLength(4000);
  expect(trace(file, "--perfetto", packed).status).toBe(0);
  expect(zlib.gunzipSync(fs.readFileSync(packed)).toString()).toBe(fs.readFileSync(lean, "utf8"));
  // A profile that cannot be drawn still gets its page.
  expect(trace(write("empty.json", ""), "--html", page).status).toBe(0);
  expect(fs.readFileSync(page, "utf8")).toContain("damaged");
  expect(trace(file, "--html", path.join(scratch, "nowhere/page.html"))).toMatchObject({ status: 2, stdout: "" });
  expect(fs.readdirSync(path.join(scratch, "out")).toSorted()).toEqual(["lean.json", "lean.json.gz", "page.html"]);
});

test("--with-machine tells what is known of the machine", () => {
  const found = JSON.parse(trace(write("machine.json", bad), "--with-machine", "--root", scratch, "--json").stdout) as TraceReport;
  expect(found.machine).toMatchObject({ findings: expect.any(Array), unknown: expect.any(Array) });
});

test.each([
  [[], "needs a profile"],
  [["/nowhere/at/all"], "there is no file or folder `/nowhere/at/all`"],
  [["/dev/null"], "neither a file nor a folder"],
  [["/bin/sh", "--expect", "tpu"], "`--expect tpu` is not known"],
  [["/bin/sh", "--frobnicate"], "has no option"],
])("bad input gets one sentence and exit code 2: %j", (args, words) => {
  const { status, stdout, stderr } = trace(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("a folder without profiles is said to have none", () => {
  fs.mkdirSync(path.join(scratch, "none"));
  expect(trace(path.join(scratch, "none"))).toMatchObject({ status: 2, stdout: "" });
});

test("a logdir without a profile says how far a recording came, and leads to the machine", () => {
  const folder = path.dirname(write("summaries/events.out.tfevents.1700000000.host.1.2.v2", "x"));
  expect(trace(folder).stderr).toContain("no profiler was started");
  expect(trace(folder).status).toBe(2);
  write("started/events.out.tfevents.1700000000.host.profile-empty", "x");
  expect(trace(path.join(scratch, "started")).stderr).toContain("was told to write here");
  const { status, stdout, stderr } = trace(folder, "--with-machine");
  expect({ status, stderr }).toEqual({ status: 2, stderr: "" });
  expect(stdout).toContain("no profiler was started");
  expect(stdout).toContain("This machine");
  expect(trace(folder, "--with-machine", "--quiet").stdout).toContain("there is no profile in");
  const page = path.join(scratch, "none.html");
  expect(trace(folder, "--with-machine", "--html", page).status).toBe(2);
  expect(fs.existsSync(page)).toBe(false);
});
