import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TraceReport } from "../../packages/core/src/model/trace.ts";
import { hasTool } from "../elf/readelf.ts";
import { needs } from "../needs.ts";
import { kernel, kineto, launch, read } from "./encode.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-recorders-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));
const at = (name: string) => path.join(scratch, name);
const bytesOf = (name: string) => new Uint8Array(fs.readFileSync(at(name)));
function run(...names: string[]): { status: number | null; stderr: string; files: TraceReport["files"] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["dist/cli.js", "trace", "--json", ...names.map(at)], {
    encoding: "utf8",
  });
  return { status, stderr, files: status === 0 ? (JSON.parse(stdout) as TraceReport).files : [] };
}

// Real SQLite files in the schema of `nsys export`, and real pickles, both made by Python.
const program = String.raw`
import sqlite3, pickle, sys, zipfile, tarfile, os
os.chdir(sys.argv[1])
def nsys(name, kernels=True, diagnostics=(), count=3000, page=4096, called=7, pageable=False):
    c = sqlite3.connect(name)
    c.execute(f"PRAGMA page_size={page}")
    c.execute("CREATE TABLE StringIds (\n -- Consolidation of repetitive, string (values).\n id INTEGER NOT NULL PRIMARY KEY,\n value TEXT NOT NULL)")
    c.execute("CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT)")
    c.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1.3.140')")
    c.execute("CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, cuDevice INTEGER, computeMajor INTEGER, computeMinor INTEGER)")
    c.execute("INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA H200', 0, 9, 0)")
    # A name longer than a page goes on in others.
    c.executemany("INSERT INTO StringIds VALUES (?, ?)", [(7, "cudaLaunchKernel_v7000"), (8, "gemm<" + "x" * 9000 + ">(float*)"), (9, "cudaMemcpy_v3020"), (10, "forward"), (11, "cudaMallocManaged_v6000")])
    c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER)")
    pids = [(1 << 56) + (p << 24) for p in (300000, 300001)]
    rows, device = [], []
    for i in range(count):
        # Two processes number their calls alike.
        for pid in pids:
            rows.append((i * 100000, i * 100000 + 5000, 0, pid + 77, i + 1, called, 0, None))
            device.append((i * 100000 + 10000, i * 100000 + 30000, 0, 1, 7, i + 1, pid, 8, 8))
    c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,?,?,?)", rows)
    if kernels:
        c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL)")
        c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,?,?,?,?,?,?)", device)
        c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER)")
        c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1000, 3000, 0, 1, 7, 90000, ?, 4194304, 1, 1, 2)", (pids[0],))
        # Half as long again as all kernels together.
        if pageable: c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (400000000, 800000000, 0, 1, 7, 90001, ?, 700000000, 2, 2, 0)", (pids[0],))
        c.execute("CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER)")
        c.execute("INSERT INTO NVTX_EVENTS VALUES (0, 5000000, 59, NULL, ?, 10)", (pids[0],))
    c.execute("CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER, source INTEGER, severity INTEGER NOT NULL, text TEXT NOT NULL, globalPid INTEGER)")
    for severity, text in diagnostics: c.execute("INSERT INTO DIAGNOSTIC_EVENT VALUES (0,0,0,?,?,0)", (severity, text))
    c.commit(); c.execute("VACUUM"); c.close()
nsys("good.sqlite")
nsys("large-pages.sqlite", page=65536)
nsys("silent.sqlite", kernels=False, diagnostics=[(1, "Loaded CUPTI library: /opt/nvidia/nsys/libcupti.so.12.9"), (3, "CUDA device 0: Unified Memory cannot be traced on devices"), (2, "CUDA profiling might have not been started correctly.")])
nsys("unlaunched.sqlite", kernels=False, count=3, called=11)
nsys("copied.sqlite", kernels=False, count=3, called=9)
nsys("pageable.sqlite", pageable=True)
c = sqlite3.connect("other.sqlite"); c.execute("CREATE TABLE notes (id INTEGER)"); c.commit(); c.close()
c = sqlite3.connect("rocpd.db"); c.execute("CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER)"); c.commit(); c.close()

frames = [{"filename": "??", "name": "at::empty", "line": 0}, {"filename": "/venv/lib/python3.12/site-packages/torch/nn/modules/linear.py", "name": "forward", "line": 9}, {"filename": "/home/u/train.py", "name": "step", "line": 47}]
block = lambda size, state, f=frames: {"size": size, "requested_size": size, "address": 1, "state": state, "frames": f}
segments = [{"device": 0, "address": 1, "total_size": 1000, "allocated_size": 600, "blocks": [block(600, "active_allocated"), block(400, "inactive", [])]},
            {"device": 0, "address": 2, "total_size": 1 << 40, "allocated_size": 200, "blocks": [block(200, "active_allocated", []), block((1 << 40) - 200, "inactive", [])]}]
act = lambda action, size: {"action": action, "addr": 5, "size": size, "stream": 0, "time_us": 1, "frames": frames}
history = [act("alloc", 600), act("alloc", 5000), act("free_requested", 5000), act("free_completed", 5000), act("oom", 7), act("alloc", 100)]
for protocol in (2, 3, 4, 5):
    pickle.dump({"segments": segments, "device_traces": [history], "allocator_settings": {"x": 1.5, "y": None, "z": True, "n": -3}}, open(f"memory{protocol}.pickle", "wb"), protocol=protocol)
class Evil:
    def __reduce__(self): return (os.system, ("touch " + os.path.join(sys.argv[1], "was-run"),))
pickle.dump({"segments": Evil()}, open("evil-memory.pickle", "wb"))
pickle.dump({"weights": [1, 2]}, open("other-memory.pickle", "wb"))

with zipfile.ZipFile("two.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.write("a.pt.trace.json"); z.write("a.pt.trace.json.gz", compress_type=zipfile.ZIP_STORED); z.writestr("README.md", "hello")
with zipfile.ZipFile("model.zip", "w") as z: z.writestr("archive/data.pkl", b"x")
with tarfile.open("two.tar.gz", "w:gz") as t:
    for n in ("a.pt.trace.json", "a.pt.trace.json.gz", "good.sqlite", "memory4.pickle"): t.add(n)
`;

const python = spawnSync("python3", ["-c", "import sqlite3, pickle"]).status === 0;

describe("recorders", needs({ python3: python }), () => {
  beforeAll(() => {
    const trace = kineto([launch(1, 1), kernel(1, 10)]);
    fs.writeFileSync(at("a.pt.trace.json"), trace);
    fs.writeFileSync(at("a.pt.trace.json.gz"), zlib.gzipSync(trace));
    const { status, stderr } = spawnSync("python3", ["-c", program, scratch], { encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("an export of Nsight Systems is counted table by table, whatever its pages", () => {
    for (const name of ["good.sqlite", "large-pages.sqlite"]) {
      const found = read(bytesOf(name), { name });
      expect(found).toMatchObject({
        format: "nsys",
        verdict: "healthy",
        kernels: 6000,
        launches: 6000,
        unmatchedLaunches: 0,
        copies: 1,
        devices: [{ name: "NVIDIA H200", architecture: "sm_90", kernels: 6000 }],
        versions: { nsys: "2025.1.3.140" },
        work: { copied: [{ kind: "HtoD", bytes: 4_194_304, total: 2 }] },
      });
      // Both processes run at the same time: busy once, summed twice.
      expect(found.work.kernels).toBeCloseTo(60_000);
      expect(found.top).toMatchObject([{ short: "gemm", count: 6000, total: 120_000 }]);
      expect(found.top[0]!.name).toHaveLength(8192);
    }
    expect(run("good.sqlite").files).toMatchObject([{ kernels: 6000, verdict: "healthy" }]);
  });

  test("calls of CUDA and no table of kernels: the GPU was not recorded, and nsys' own words are told", () => {
    const found = read(bytesOf("silent.sqlite"));
    expect(found).toMatchObject({
      verdict: "no-gpu-events",
      launches: 6000,
      kernels: 0,
      errors: [],
      versions: { cuptiFile: "/opt/nvidia/nsys/libcupti.so.12.9" },
    });
    expect(found.warnings).toEqual(["CUDA profiling might have not been started correctly."]);
    expect(found.causes.map(({ cause }) => cause)).toContain("library-wrong-version");
    expect(found.causes.map(({ check }) => check).join()).toContain("culprit check --do profile");
  });

  test("calls of CUDA, and none that would start something: nothing was to be recorded, and CUPTI is not to blame", () => {
    const found = read(bytesOf("unlaunched.sqlite"));
    expect(found).toMatchObject({ verdict: "no-gpu-events", launches: 0, kernels: 0 });
    expect(found.causes).toMatchObject([{ cause: "not-a-mismatch", certainty: "likely" }]);
    // A copy that was asked for and is not there was lost.
    expect(read(bytesOf("copied.sqlite")).causes.map(({ cause }) => cause)).toContain("library-wrong-version");
  });

  test("copies from memory that is not pinned are told, with the call that pins it", () => {
    const told = read(bytesOf("pageable.sqlite")).conclusions.find(({ kind }) => kind === "copies");
    expect(told?.advice).toMatch(/not pinned.*`cudaHostAlloc`/);
    expect(JSON.stringify(read(bytesOf("good.sqlite")).conclusions)).not.toContain("pinned");
  });

  test("other databases are named; damaged ones are damaged, whatever is wrong with them", () => {
    expect(read(bytesOf("other.sqlite"))).toMatchObject({ verdict: "not-a-trace", format: "sqlite" });
    expect(read(bytesOf("rocpd.db")).because.join()).toContain("rocprofv3");
    const good = bytesOf("good.sqlite");
    expect(read(good.slice(0, good.length / 2)).verdict).toBe("damaged");
    for (let place = 0; place < 60; place += 1) {
      const spoilt = good.slice();
      for (let index = 0; index < 40; index += 1) spoilt[(place * 7919 + index * 104_729) % spoilt.length] = (place * 31 + index) & 255;
      expect(["healthy", "partial", "no-gpu-events", "damaged", "not-a-trace", "cpu-only"]).toContain(read(spoilt).verdict);
    }
  });

  test("a memory snapshot says what is reserved, allocated, free, and who holds it; no pickle is ever run", () => {
    for (const protocol of [2, 3, 4, 5]) {
      const found = read(bytesOf(`memory${protocol}.pickle`));
      expect(found).toMatchObject({ format: "torch-memory-snapshot", framework: "torch" });
      expect(found.memory).toEqual({
        source: "snapshot",
        reserved: 1000 + 2 ** 40,
        allocated: 800,
        // 700 of 800 were allocated while recording: 100 before it.
        peakAllocated: 100 + 600 + 5000,
        unused: 2 ** 40 + 200,
        largestUnused: 2 ** 40 - 200,
        segments: 2,
        outOfMemory: 1,
        holders: [
          { where: "/home/u/train.py:47 step", bytes: 600, blocks: 1 },
          { where: "(not recorded)", bytes: 200, blocks: 1 },
        ],
      });
    }
    expect(read(bytesOf("evil-memory.pickle")).because.join()).toContain("would run code");
    expect(fs.existsSync(at("was-run"))).toBe(false);
    expect(read(bytesOf("other-memory.pickle")).verdict).toBe("not-a-trace");
    const whole = bytesOf("memory4.pickle");
    for (let length = 0; length < whole.length; length += 7) expect(read(whole.slice(0, length)).memory).toBeUndefined();
  });

  test("zip and tar archives are looked into; zstd is unpacked; what cannot be is said", () => {
    expect(run("two.zip").files.map(({ file, kernels }) => [path.basename(file), kernels])).toEqual([
      ["a.pt.trace.json", 1],
      ["a.pt.trace.json.gz", 1],
    ]);
    expect(run("two.tar.gz").files).toMatchObject([{ kernels: 1 }, { kernels: 1 }, { kernels: 6000 }, { memory: { segments: 2 } }]);
    expect(run("model.zip").files).toMatchObject([{ verdict: "not-a-trace", format: "zip" }]);
    fs.writeFileSync(at("cut.zip"), fs.readFileSync(at("two.zip")).subarray(0, 200));
    expect(run("cut.zip")).toMatchObject({ status: 2 });
    // A frame of zstd whose block is stored as it is (RFC 8878, 3.1.1).
    const body = fs.readFileSync(at("a.pt.trace.json"));
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x60, (body.length - 256) & 255, (body.length - 256) >> 8]);
    const block = (body.length << 3) | 1;
    fs.writeFileSync(at("a.json.zst"), Buffer.concat([header, Buffer.from([block & 255, (block >> 8) & 255, block >> 16]), body]));
    expect(run("a.json.zst").files).toMatchObject([{ verdict: "healthy", kernels: 1 }]);
  });
});

test("xz is unpacked", needs({ xz: hasTool("xz") }), () => {
  const { stdout } = spawnSync("xz", ["-c"], { input: kineto([launch(1, 10), kernel(1, 20)]) });
  fs.writeFileSync(at("packed.json.xz"), stdout);
  expect(run("packed.json.xz").files).toMatchObject([{ verdict: "healthy", kernels: 1 }]);
  fs.writeFileSync(at("cut.json.xz"), stdout.subarray(0, -40));
  expect(run("cut.json.xz")).toMatchObject({ status: 2, stderr: expect.stringContaining("cut off") as string });
});

test("reports that only NVIDIA's tools read are named, with the line that exports them", () => {
  const letters = (text: string) => new TextEncoder().encode(text);
  expect(read(letters("NVIDIA Tegra Profiler Report 1.0 …")).because.join()).toContain("nsys export --type sqlite");
  expect(read(letters("NVR\0\u0002\0\0\0")).format).toBe("ncu-rep");
});

test("rocprofv3's result is read piece by piece: dispatches, copies, calls of HIP", () => {
  const times = (start: number, takes: number, correlation: number) => ({
    start_timestamp: start * 1000,
    end_timestamp: (start + takes) * 1000,
    correlation_id: { internal: correlation, external: 0 },
    thread_id: 5,
  });
  const tool = {
    metadata: { pid: 9, command: ['[{"}'] },
    agents: [
      { id: { handle: 1 }, type: 1, name: "EPYC" },
      { id: { handle: 2 }, type: 2, name: "gfx950", product_name: "AMD Instinct MI350X" },
    ],
    strings: {
      buffer_records: [
        { kind: "NONE", operations: [] },
        { kind: "HIP", operations: ["hipLaunchKernel", "hipMemcpy"] },
        { kind: "COPY", operations: ["MEMORY_COPY_HOST_TO_DEVICE"] },
      ],
    },
    kernel_symbols: [{ kernel_id: 4, formatted_kernel_name: "gemm(float*)", kernel_name: "_Z4gemmPf.kd" }],
    buffer_records: {
      kernel_dispatch: [0, 1].map((index) => ({
        ...times(100 * index + 10, 20, index + 1),
        dispatch_info: { agent_id: { handle: 2 }, queue_id: { handle: 1 }, kernel_id: 4 },
      })),
      hip_api: [0, 1, 2].map((index) => ({ kind: 1, operation: 0, ...times(100 * index, 5, index + 1) })),
      memory_copy: [{ kind: 2, operation: 0, bytes: 64, src_agent_id: { handle: 1 }, dst_agent_id: { handle: 2 }, ...times(400, 2, 9) }],
    },
  };
  const text = JSON.stringify({ "rocprofiler-sdk-tool": [tool] }, undefined, 1);
  for (const piece of [7, 64, 1 << 16])
    expect(read(text, { piece })).toMatchObject({
      format: "rocprofv3",
      verdict: "partial",
      vendor: "amd",
      kernels: 2,
      launches: 3,
      unmatchedLaunches: 1,
      copies: 1,
      devices: [{ name: "AMD Instinct MI350X", architecture: "gfx950", kernels: 2 }],
      top: [{ short: "gemm", total: 40 }],
    });
  expect(read(text.slice(0, text.length - 40)).verdict).toBe("damaged");
});
