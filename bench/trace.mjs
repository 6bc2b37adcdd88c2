// How fast `culprit trace` reads, beside merely reading and unpacking the same bytes, and beside npm's stream parsers. Inputs are made
// under the temporary folder. `node bench/trace.mjs [--full]`; --full adds a file of 4 GB.
import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/main.js", import.meta.url));
if (!existsSync(cli)) {
  console.error("dist/ is missing: run `npm run build` first");
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), "culprit-bench-trace-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const megabyte = 1e6;
const runs = Number(process.env["RUNS"] ?? 3);

/** A trace as Kineto writes it: Python calls around operators around launches, and their kernels. */
function writeKineto(file, bytes) {
  const handle = openSync(file, "w");
  let written = 0;
  let piece = `{\n  "schemaVersion": 1,\n  "deviceProperties": [\n    {\n      "id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150109880320,\n      "computeMajor": 9, "computeMinor": 0\n    }\n  ],\n  "cupti_version": 130001,\n  "cuda_runtime_version": 13000,\n  "cuda_driver_version": 13000,\n  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": 1790857026000000000,\n  "traceEvents": [`;
  let time = 3_852_848_812_974;
  let correlation = 1;
  let events = 0;
  const flush = () => {
    written += writeSync(handle, piece);
    piece = "";
  };
  const event = (text) => {
    piece += `${events === 0 ? "" : ","}\n  {\n    ${text}\n  }`;
    events += 1;
  };
  while (written + piece.length < bytes) {
    const module = correlation % 97;
    event(
      `"ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py(${1700 + module}): _call_impl", "pid": 3753, "tid": 3753,\n    "ts": ${time}.120, "dur": 181.204,\n    "args": {\n      "Python parent id": ${correlation}, "Python id": ${correlation + 1}, "Ev Idx": ${events}\n    }`,
    );
    event(
      `"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 3753, "tid": 3753,\n    "ts": ${time + 3}.447, "dur": 88.031,\n    "args": {\n      "External id": ${correlation},"Record function id": 0, "Concrete Inputs": ["", "", ""], "Input type": ["float", "float", "float"], "Input Strides": [[1024, 1], [1024, 1], [1]], "Input Dims": [[512, 1024], [4096, 1024], [4096]], "Ev Idx": ${events}\n    }`,
    );
    event(
      `"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 3753, "tid": 3753,\n    "ts": ${time + 41}.002, "dur": 4.511,\n    "args": {\n      "External id": ${correlation}, "cbid": 211, "correlation": ${correlation}\n    }`,
    );
    event(
      `"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, ${module}ul> >(int, at::native::FillFunctor<float>, std::array<char*, ${module}ul>)", "pid": 0, "tid": 7,\n    "ts": ${time + 52}.713, "dur": 61.440,\n    "args": {\n      "External id": ${correlation}, "queued": 0, "device": 0, "context": 1,\n      "stream": 7, "correlation": ${correlation},\n      "registers per thread": 32, "shared memory": 0,\n      "blocks per SM": 7.757576, "warps per SM": 31.030304,\n      "grid": [1024, 1, 1], "block": [128, 1, 1],\n      "est. achieved occupancy %": 48\n    }`,
    );
    event(`"ph": "s", "id": ${correlation}, "pid": 3753, "tid": 3753, "ts": ${time + 41}.002,\n    "cat": "ac2g", "name": "ac2g"`);
    event(`"ph": "f", "id": ${correlation}, "pid": 0, "tid": 7, "ts": ${time + 52}.713,\n    "cat": "ac2g", "name": "ac2g", "bp": "e"`);
    correlation += 1;
    time += 190;
    if (1 << 20 < piece.length) flush();
  }
  piece += `\n  ],"traceName": "bench" }\n`;
  flush();
  closeSync(handle);
  return events;
}

/** An XSpace: lines of launches and kernels, the names after them, as XLA writes it. */
function writeXplane(file, bytes) {
  const handle = openSync(file, "w");
  const varint = (value) => {
    const out = [];
    let rest = value;
    while (127 < rest) {
      out.push((rest % 128) | 128);
      rest = Math.floor(rest / 128);
    }
    return [...out, rest];
  };
  const field = (number, content) => Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(content.length)]), content]);
  const number = (at, value) => Buffer.from([at << 3, ...varint(value)]);
  const text = (at, value) => field(at, Buffer.from(value));
  const names = (at, entries) =>
    entries.map((name, index) =>
      field(at, Buffer.concat([number(1, index + 1), field(2, Buffer.concat([number(1, index + 1), text(2, name)]))])),
    );
  const kernels = Array.from({ length: 97 }, (_, index) => `fusion_${index}`);
  let total = 0;
  let correlation = 1;
  // One plane pair after the other, each as large as XLA's own bound on events makes them.
  while (total < bytes) {
    const [device, host] = [[], []];
    const from = correlation;
    let size = 0;
    while (size < Math.min(64e6, bytes - total)) {
      const name = 1 + (correlation % kernels.length);
      const at = (correlation - from) * 60_000_000;
      const own = field(4, Buffer.concat([number(1, 1), number(3, correlation)]));
      const details = field(4, Buffer.concat([number(1, 2), number(7, 3)]));
      const kernel = field(
        4,
        Buffer.concat([
          number(1, name),
          number(2, at + 9_000_000),
          number(3, 41_000_000),
          own,
          field(4, Buffer.concat([number(1, 4), number(3, 100)])),
          details,
        ]),
      );
      const launch = field(4, Buffer.concat([number(1, name), number(2, at), number(3, 4_000_000), own]));
      device.push(kernel);
      host.push(launch, field(4, Buffer.concat([number(1, 98), number(2, at + 20_000_000), number(3, 30_000_000)])));
      size += kernel.length + launch.length + 16;
      correlation += 1;
    }
    const line = (id, name, events) =>
      field(3, Buffer.concat([number(1, id), text(2, name), number(3, 1_790_857_026_000_000 + from * 60_000), ...events]));
    const stats = names(5, [
      "correlation_id",
      "kernel_details",
      "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100",
      "theoretical_occupancy_pct",
    ]);
    const planes = [
      field(
        1,
        Buffer.concat([number(1, 0), text(2, "/device:GPU:0"), line(14, "Stream #14(Compute)", device), ...names(4, kernels), ...stats]),
      ),
      field(
        1,
        Buffer.concat([
          number(1, 1),
          text(2, "/host:CPU"),
          line(77, "python3", host),
          ...names(4, [...kernels, "PjitFunction(step)"]),
          ...stats,
        ]),
      ),
    ];
    for (const plane of planes) total += writeSync(handle, plane);
  }
  closeSync(handle);
}

// A child of its own for each run: its time, its memory, what it said.
function run(code, ...given) {
  const wrapped = `const began = performance.now();
    process.on("exit", () => { const { userCPUTime, systemCPUTime } = process.resourceUsage();
      // The peak since this program was started; resourceUsage() would count its parent in.
      const peak = Number(/VmHWM:\\s*(\\d+)/.exec(require("node:fs").readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0);
      process.stderr.write("\\n@" + JSON.stringify({ wall: (performance.now() - began) / 1e3, cpu: (userCPUTime + systemCPUTime) / 1e6, memory: peak / 1024 })); });
    ${code}`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", wrapped, ...given], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env: { PATH: process.env["PATH"] },
  });
  const found = /@(\{.*\})$/.exec(stderr);
  if (!found) throw new Error(stderr.slice(-2000));
  return { ...JSON.parse(found[1]), stdout };
}

function best(code, ...given) {
  const all = Array.from({ length: runs }, () => run(code, ...given));
  const least = (key) => Math.min(...all.map((each) => each[key]));
  return { wall: least("wall"), cpu: least("cpu"), memory: Math.max(...all.map(({ memory }) => memory)) };
}

const trace = `process.argv = ["node", "culprit", "trace", process.argv[1], "--json"]; require(${JSON.stringify(cli)});`;
const reading = `const fs = require("node:fs"); const h = fs.openSync(process.argv[1]); const b = Buffer.alloc(1 << 20); while (0 < fs.readSync(h, b, 0, b.length, null));`;
const unpacking = `require("node:fs").createReadStream(process.argv[1], { highWaterMark: 1 << 18 }).pipe(require("node:zlib").createGunzip({ chunkSize: 1 << 18 })).on("data", () => {});`;

const pad = (text, width) => String(text).padStart(width);
function row(what, size, { wall, cpu, memory }, base) {
  console.log(
    `  ${what.padEnd(34)}${pad((size / megabyte).toFixed(0), 7)} MB${pad(wall.toFixed(2), 8)} s${pad((size / megabyte / wall).toFixed(0), 7)} MB/s${pad(cpu.toFixed(2), 8)} s CPU${pad(memory.toFixed(0), 6)} MB memory${base === undefined ? "" : `${pad((wall / base).toFixed(2), 8)} × reading alone`}`,
  );
}

console.log(`Node ${process.version}, best of ${runs}; the wall clock is only right on a quiet machine\n`);
const file = (name) => join(scratch, name);

console.log("Chrome JSON (torch), plain and packed");
const speeds = [];
for (const size of [64, 256, 1024]) {
  const path = file(`${size}.json`);
  writeKineto(path, size * megabyte);
  const bytes = statSync(path).size;
  const ours = best(trace, path);
  speeds.push({ bytes, wall: ours.wall });
  row("culprit trace", bytes, ours);
  if (size === 256) {
    execFileSync("gzip", ["-k1", path]);
    const base = best(unpacking, `${path}.gz`);
    row("read and unpack", bytes, base);
    row("culprit trace, packed", bytes, best(trace, `${path}.gz`), base.wall);
    peers(path, bytes, ours.wall);
  }
  if (size !== 64) rmSync(path);
}
console.log(
  `  cost per byte, against the smallest: ${speeds.map(({ bytes, wall }) => ((wall / bytes) * (speeds[0].bytes / speeds[0].wall)).toFixed(2)).join(", ")}\n`,
);

console.log("XSpace (TensorFlow, JAX), plain and packed");
const planes = [];
for (const size of [64, 256, 512]) {
  const path = file(`${size}.xplane.pb`);
  writeXplane(path, size * megabyte);
  const bytes = statSync(path).size;
  const ours = best(trace, path);
  planes.push({ bytes, wall: ours.wall });
  row("culprit trace", bytes, ours);
  if (size === 256) {
    row("read", bytes, best(reading, path));
    execFileSync("gzip", ["-k1", path]);
    const base = best(unpacking, `${path}.gz`);
    row("read and unpack", bytes, base);
    const packed = best(trace, `${path}.gz`);
    row("culprit trace, packed", bytes, packed, base.wall);
    const zcat = best(`require("node:child_process").spawnSync("zcat", [process.argv[1]], { stdio: "ignore" });`, `${path}.gz`).wall;
    console.log(`  ${(packed.wall / zcat).toFixed(2)} × the time of zcat (${zcat.toFixed(2)} s)`);
  }
  rmSync(path);
}
console.log(
  `  cost per byte, against the smallest: ${planes.map(({ bytes, wall }) => ((wall / bytes) * (planes[0].bytes / planes[0].wall)).toFixed(2)).join(", ")}\n`,
);

if (process.argv.includes("--full")) {
  console.log("A file of 4 GB");
  const path = file("4g.json");
  writeKineto(path, 4e9);
  const ours = run(trace, path);
  row("culprit trace", statSync(path).size, ours);
  const [{ kernels, launches, unmatchedLaunches }] = JSON.parse(ours.stdout).files;
  console.log(`  ${kernels} kernels, ${launches} launches, ${unmatchedLaunches} without a kernel`);
}

// The stream parsers of npm, if they can be had: each goes through the whole file and counts objects.
function peers(path, bytes, ours) {
  const wanted = ["clarinet@0.12.6", "@streamparser/json@0.0.22", "jsonparse@1.3.1"];
  try {
    execFileSync("npm", ["install", "--prefix", scratch, "--no-audit", "--no-fund", "--ignore-scripts", ...wanted], { stdio: "ignore" });
  } catch {
    console.log("  (npm's stream parsers could not be installed: left out)");
    return;
  }
  const at = (name) => JSON.stringify(createRequire(join(scratch, "x.js")).resolve(name));
  const source = `require("node:fs").createReadStream(process.argv[1], { highWaterMark: 1 << 18 })`;
  const each = {
    clarinet: `const s = require(${at("clarinet")}).createStream(); let n = 0; s.on("closeobject", () => { n += 1; }); ${source}.pipe(s);`,
    "@streamparser/json": `const { JSONParser } = require(${at("@streamparser/json")}); const p = new JSONParser({ paths: ["$.traceEvents.*"], keepStack: false }); p.onValue = () => {}; ${source}.on("data", (d) => p.write(d));`,
    jsonparse: `const P = require(${at("jsonparse")}); const p = new P(); p.onValue = function () { if (this.stack.length === 2) this.value = undefined; }; ${source}.on("data", (d) => p.write(d));`,
  };
  for (const [name, code] of Object.entries(each)) {
    const theirs = run(code, path);
    row(name, bytes, theirs);
    console.log(`  ${"".padEnd(34)}culprit is ${(theirs.wall / ours).toFixed(1)} times as fast`);
  }
}
