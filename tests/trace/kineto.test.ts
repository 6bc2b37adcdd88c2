import { expect, test } from "vitest";
import { event, gpu, kernel, kineto, launch, read } from "./encode.ts";

test("kernels that were recorded make a healthy profile; versions, device and rank are read", () => {
  const found = read(
    kineto(
      [
        launch(10, 1000),
        kernel(10, 1010),
        launch(11, 1040, "cudaLaunchKernelExC"),
        kernel(11, 1050),
        launch(12, 1080, "cuLaunchKernel"),
        kernel(12, 1090),
      ],
      {
        cupti_version: 130001,
        cuda_runtime_version: 13000,
        cuda_driver_version: 13000,
        distributedInfo: { backend: "nccl", rank: 3, world_size: 8, nccl_version: "2.27.3" },
      },
    ),
  );
  expect(found).toMatchObject({
    format: "kineto",
    framework: "torch",
    verdict: "healthy",
    kernels: 3,
    launches: 3,
    unmatchedLaunches: 0,
    events: 6,
    rank: 3,
    worldSize: 8,
    versions: { cupti: { api: 130001, toolkit: "13.0" }, runtime: "13.0", driver: "13.0", nccl: "2.27.3" },
  });
  expect(found.devices).toMatchObject([{ id: 0, name: "NVIDIA H100", architecture: "sm_90", kernels: 3, streams: 1 }]);
});

test("categories of 2021 mean the same", () => {
  const old = [
    event("Runtime", "cudaLaunchKernel", 1, 2, { correlation: 5 }),
    event("Kernel", "k", 5, 9, { device: 1, stream: 7, correlation: 5 }, 1, 7),
    event("Memcpy", "Memcpy HtoD (Pageable -> Device)", 20, 3, { device: 1, stream: 7, correlation: 6, bytes: 4096 }, 1, 7),
    event("Operator", "aten::add", 0, 30),
  ];
  expect(read(kineto(old, { deviceProperties: undefined }).replace(/.*undefined,\n/, ""))).toMatchObject({
    verdict: "healthy",
    kernels: 1,
    copies: 1,
    launches: 1,
    work: { copied: [{ kind: "HtoD", bytes: 4096, count: 1 }] },
  });
});

test("GPUs that are merely listed prove nothing", () => {
  const found = read(kineto([event("cpu_op", "aten::mm", 1, 2)], { deviceProperties: [gpu(0), gpu(1)] }));
  expect(found).toMatchObject({ verdict: "no-gpu-events", kernels: 0, launches: 0 });
  expect(found.causes.map(({ cause }) => cause)).toEqual(
    expect.arrayContaining(["library-missing", "profiler-conflict", "driver-too-old"]),
  );
  expect(found.causes.every(({ check }) => check !== "")).toBe(true);
});

test("launches and no kernel: the activity was not asked for, most likely", () => {
  const found = read(kineto([launch(1, 1), launch(2, 2)], { cupti_version: 28, cuda_driver_version: 13000 }));
  expect(found).toMatchObject({ verdict: "no-gpu-events", launches: 2, unmatchedLaunches: 2 });
  expect(found.causes[0]).toMatchObject({ cause: "activity-not-asked-for", certainty: "likely" });
  expect(found.causes).toContainEqual(expect.objectContaining({ cause: "cupti-too-old-for-driver", certainty: "possible" }));
});

test("the range profiler takes the place of kernels, and that is certain", () => {
  const found = read(kineto([launch(1, 1), event("cuda_profiler_range", "__cupti_profiler__", 1, 9, {}, 0, 0)]));
  expect(found.verdict).toBe("no-gpu-events");
  expect(found.causes).toMatchObject([{ cause: "range-profiler", certainty: "certain" }]);
});

test("nothing of a GPU is cpu-only", () => {
  expect(read(kineto([event("cpu_op", "aten::mm", 1, 2)], { deviceProperties: [] }))).toMatchObject({ verdict: "cpu-only", kernels: 0 });
});

test("a launch without its kernel makes it partial; where they lie tells why", () => {
  const pairs = [1, 2, 3, 4].flatMap((number) => [launch(number * 10, number * 100), kernel(number * 10, number * 100 + 10)]);
  const at = (numbers: number[]) => read(kineto([...pairs, ...numbers.map((number) => launch(number, number * 10))]));
  expect(at([])).toMatchObject({ verdict: "healthy" });
  expect(at([15])).toMatchObject({ verdict: "partial", unmatchedLaunches: 1, launches: 5, causes: [{ cause: "records-dropped" }] });
  expect(at([41, 42])).toMatchObject({ verdict: "partial", unmatchedLaunches: 2, causes: [{ cause: "stopped-before-the-gpu" }] });
  expect(at([1, 2])).toMatchObject({ verdict: "partial", unmatchedLaunches: 2, causes: [{ cause: "upstream-bug" }] });
});

test("launches that a graph captures start nothing, by design", () => {
  const call = (name: string, ts: number, correlation: number) => event("cuda_runtime", name, ts, 1, { correlation });
  const captured = [
    launch(1, 10),
    kernel(1, 20),
    call("cudaStreamBeginCapture", 100, 2),
    launch(3, 110),
    launch(4, 120),
    call("cudaStreamEndCapture", 130, 5),
  ];
  expect(read(kineto(captured))).toMatchObject({ verdict: "healthy", launches: 3, unmatchedLaunches: 0, capturedLaunches: 2 });
  // The graph's kernels bear the number of its launch.
  const replayed = [...captured, call("cudaGraphLaunch", 200, 6), kernel(6, 210), kernel(6, 240)];
  expect(read(kineto(replayed))).toMatchObject({ verdict: "healthy", kernels: 3, graphLaunches: 1, unmatchedGraphLaunches: 0 });
  const lost = [...captured, call("cudaGraphLaunch", 200, 6)];
  expect(read(kineto(lost))).toMatchObject({ verdict: "partial", unmatchedGraphLaunches: 1 });
  expect(read(kineto([...captured, launch(7, 300)]))).toMatchObject({ verdict: "partial", unmatchedLaunches: 1, capturedLaunches: 2 });
});

test("kernels launched before the recording are told apart from those whose call was lost", () => {
  const found = read(
    kineto([kernel(3, 10), kernel(4, 40), launch(10, 50), kernel(10, 60), kernel(11, 90), launch(12, 100), kernel(12, 120)]),
  );
  expect(found).toMatchObject({ verdict: "healthy", launchedBefore: 2, lostCalls: 1 });
});

test("what Kineto says it dropped makes it partial", () => {
  const dropped = read(kineto([launch(1, 1), kernel(1, 5)], { WARNING: ["Dropped 4711 activity records"] }));
  expect(dropped).toMatchObject({ verdict: "partial", dropped: { events: 4711 } });
  const stopped = read(kineto([launch(1, 1), kernel(1, 5)], { INFO: ["CUPTI stopped early? = 1"] }));
  expect(stopped).toMatchObject({ verdict: "partial", causes: [{ cause: "records-dropped", certainty: "certain" }] });
  const usual = [
    "Record counts: Out-of-range = 4181, Blocklisted runtime = 26, CUPTI stopped early? = 0",
    "Processed 127395 GPU records (4774824 bytes)",
  ];
  expect(read(kineto([launch(1, 1), kernel(1, 5)], { INFO: usual }))).toMatchObject({
    verdict: "healthy",
    dropped: { events: 0, reasons: [] },
  });
});

test("clocks that disagree, and kernels without a time, are named", () => {
  const early = read(kineto([launch(1, 1000), kernel(1, 400), launch(2, 2000), kernel(2, 2010)]));
  expect(early.clock.kernelsBeforeLaunch).toBe(1);
  const timeless = read(kineto([launch(1, 1000), kernel(1, 0, "k", 0)]));
  expect(timeless).toMatchObject({ verdict: "healthy", kernels: 1, clock: { withoutTime: 1 } });
});

test("AMD and Intel GPUs are GPUs; MTIA, HPU and custom devices are not", () => {
  const amd = [event("cuda_runtime", "hipExtModuleLaunchKernel", 1, 2, { correlation: 1 }), kernel(1, 5, "Cijk_Ailk_Bljk")];
  expect(
    read(kineto(amd, { deviceProperties: [gpu(0, "AMD Instinct MI300X")], hip_runtime_version: 60443483, roctracer_version: 4.1 })),
  ).toMatchObject({
    verdict: "healthy",
    vendor: "amd",
    launches: 1,
    versions: { hip: "6.4", roctracer: "4.1" },
  });
  const intel = [event("xpu_runtime", "urEnqueueKernelLaunch", 1, 2, { correlation: 1 }), kernel(1, 5)];
  expect(read(kineto(intel, { deviceProperties: [] }))).toMatchObject({ verdict: "healthy", vendor: "intel", launches: 1 });
  expect(read(kineto([event("mtia_ccp_events", "op", 1, 2), event("mtia_runtime", "launch", 1, 2)]))).toMatchObject({ verdict: "not-gpu" });
  expect(read(kineto([event("hpu_op", "op", 1, 2)], { deviceProperties: [] }))).toMatchObject({ verdict: "not-gpu" });
  const custom = [event("privateuse1_runtime", "launch", 1, 2, { correlation: 1 }), kernel(1, 5)];
  expect(read(kineto(custom, { deviceProperties: [] }))).toMatchObject({ verdict: "not-gpu" });
});

test("a trace may be a list of events alone, which may lack its end", () => {
  const list = [launch(1, 1), kernel(1, 5)].map((each) => JSON.stringify(each)).join(",");
  expect(read(`[${list}]`)).toMatchObject({ verdict: "healthy", format: "kineto", kernels: 1 });
  expect(read(`[${list}`)).toMatchObject({ verdict: "healthy", kernels: 1 });
});

test.each([
  [`{"schema":"1.0.4","pid":1,"nodes":[{"id":1}]}`, "torch-execution-trace"],
  [`[[-1,1,37888,7],[0,0,512,3]]`, "torch-memory-timeline"],
  [`{"segments":[],"device_traces":[]}`, "torch-memory-snapshot"],
  [`{"rocprofiler-sdk-tool":[{"a":1}]}`, "rocprofiler"],
  [`{"byProgram":{},"deviceType":"GPU"}`, "legacy-tf"],
  [`[{"cols":[],"rows":[]}]`, "json"],
  [`{"name":"a package"}`, "json"],
  ["\x80\x05abc", "pickle"],
  ["PK\x03\x04", "zip"],
  ["SQLite format 3\0", "sqlite"],
  ["#!/bin/sh\necho hello, world\n", "unknown"],
])("%j is not a trace, and it is said what it is: %s", (text, format) => {
  const found = read(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  expect(found).toMatchObject({ verdict: "not-a-trace", format });
  expect(found.because).toHaveLength(1);
});

test("what cost the time: busy, idle, gaps and what the host did, communication, steps", () => {
  const found = read(
    kineto([
      event("user_annotation", "ProfilerStep#1", 0, 2000),
      event("user_annotation", "ProfilerStep#2", 2000, 3000),
      event("cpu_op", "aten::item", 1200, 3000),
      event("cuda_runtime", "cudaStreamSynchronize", 1250, 2900, { correlation: 90 }),
      ...[1, 2].flatMap((number) => [launch(number, number * 10), kernel(number, number * 400, "gemm", 400)]),
      launch(3, 30),
      kernel(3, 1100, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 200, 0, 20),
      launch(4, 40),
      kernel(4, 4300, "gemm", 100),
    ]),
  );
  // 400-800 and 800-1200 gemm, 1100-1300 nccl, 4300-4400 gemm.
  expect(found.work).toMatchObject({ span: 4000, kernels: 1000, communication: 200, exposedCommunication: 100, idle: 3000 });
  expect(found.gaps).toMatchObject([{ device: 0, duration: 3000, meanwhile: ["ProfilerStep#2", "aten::item", "cudaStreamSynchronize"] }]);
  expect(found.steps).toMatchObject({ count: 2, slowest: { name: "ProfilerStep#2", duration: 3000 } });
  expect(found.top).toMatchObject([
    { short: "gemm", count: 3, total: 900, kind: "compute" },
    { short: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", count: 1, kind: "communication" },
  ]);
});

test("a device that waits for each launch is found, one that is kept busy is not", () => {
  const waiting = Array.from({ length: 100 }, (_, index) => [
    launch(index + 1, index * 100),
    kernel(index + 1, index * 100 + 8, "k", 5),
  ]).flat();
  expect(read(kineto(waiting)).work.launchBound).toMatchObject({ promptShare: 1, medianKernel: 5 });
  const busy = Array.from({ length: 100 }, (_, index) => [
    launch(index + 1, index * 10),
    kernel(index + 1, 500 + index * 100, "k", 95),
  ]).flat();
  expect(read(kineto(busy)).work.launchBound).toBeUndefined();
});

test("steps of 2021 were operators", () => {
  const steps = [1, 2, 3].map((step) => event("Operator", `ProfilerStep#${step}`, step * 1000, 900));
  expect(read(kineto([...steps, launch(1, 1001), kernel(1, 1010)])).steps).toMatchObject({ count: 3, median: 900 });
});

test("what only a GPU does is a sign of one: NCCL, memory of streams, cuDNN, memory of a GPU", () => {
  const nothing = { deviceProperties: [] };
  const memory = (type: number) => ({
    ph: "i",
    cat: "cpu_instant_event",
    name: "[memory]",
    ts: 5,
    args: { "Device Type": type, "Device Id": 0 },
  });
  const signs = [
    kineto([event("cpu_op", "nccl:all_to_all", 1, 2)], nothing),
    kineto([event("cpu_op", "aten::record_stream", 1, 2)], nothing),
    kineto([event("cpu_op", "aten::cudnn_convolution", 1, 2)], nothing),
    kineto([event("cpu_op", "aten::add", 1, 2), memory(1)], nothing),
    kineto([event("cpu_op", "aten::add", 1, 2)], { ...nothing, distributedInfo: { backend: "nccl", rank: 0 } }),
  ];
  for (const text of signs) {
    const found = read(text);
    expect(found.verdict).toBe("no-gpu-events");
    // Each cause that fits is named, and each answer leads to the machine.
    expect(found.causes.map(({ cause }) => cause)).toEqual(expect.arrayContaining(["library-missing", "activity-not-asked-for"]));
    expect(found.causes.map(({ check }) => check).join()).toContain("`culprit check --for torch --do profile`");
  }
  const none = [
    kineto([event("cpu_op", "record_param_comms", 1, 2), event("cpu_op", "gloo:all_reduce", 1, 2), memory(0)], {
      ...nothing,
      distributedInfo: { backend: "gloo", pg_config: [{ backend_config: "cpu:gloo,cuda:gloo" }] },
    }),
    kineto([event("cpu_op", "aten::cudnn_is_acceptable", 1, 2)], { ...nothing, distributedInfo: { backend: "cpu:gloo,cuda:nccl" } }),
  ];
  for (const text of none) expect(read(text).verdict).toBe("cpu-only");
});

test("calls of CUDA and no launch among them: nothing ran on the GPU", () => {
  const found = read(kineto([event("cuda_runtime", "cudaDeviceSynchronize", 1, 2, { correlation: 1 })], { cupti_version: 130001 }));
  expect(found).toMatchObject({ verdict: "no-gpu-events", causes: [{ cause: "not-a-mismatch", certainty: "likely" }, {}, {}] });
});

test("traces of browsers and other programs are not profiles", () => {
  const browser = [
    { ph: "X", cat: "devtools.timeline", name: "RunTask", ts: 1, dur: 2, pid: 1, tid: 1 },
    { ph: "M", name: "process_name", pid: 1, args: { name: "Renderer" } },
  ];
  expect(read(JSON.stringify({ traceEvents: browser })).because.join()).toContain("browser");
  const build = [{ ph: "X", cat: "build", name: "compile", ts: 1, dur: 2, pid: 1, tid: 1 }];
  for (const events of [browser, build, []])
    expect(read(JSON.stringify({ traceEvents: events }))).toMatchObject({ verdict: "not-a-trace", causes: [] });
});

test("a GPU that ROCm's events number otherwise than its list is one GPU, with its name", () => {
  const amd = (id: number) => [event("cuda_runtime", "hipLaunchKernel", 1, 2, { correlation: 1 }), kernel(1, 5, "Cijk_Ailk_Bljk", 20, id)];
  const name = "AMD Instinct MI300X VF";
  expect(read(kineto(amd(2), { deviceProperties: [gpu(0, name)] })).devices).toMatchObject([{ name, kernels: 1 }]);
  const eight = Array.from({ length: 8 }, (_, id) => gpu(id, name));
  const devices = read(kineto(amd(9), { deviceProperties: eight })).devices;
  expect(devices).toHaveLength(8);
  expect(devices.filter(({ kernels }) => 0 < kernels)).toMatchObject([{ id: 9, name }]);
  // Different ones cannot be told apart.
  expect(read(kineto(amd(9), { deviceProperties: [gpu(0, "a"), gpu(1, "b")] })).devices).toHaveLength(3);
});
