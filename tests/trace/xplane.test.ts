import { expect, test } from "vitest";
import { bytes, device, host, number, read, space, xkernel, xlaunch, type XPlane } from "./encode.ts";
import { openTrace } from "../../packages/core/src/trace/trace.ts";

const stream = (events: ReturnType<typeof xkernel>[], id = 14) => ({ id, name: `Stream #${id}(Compute)`, events });
const call = (name: string, correlation: number, at: number) => ({
  name,
  at,
  takes: 1_000_000,
  stats: { device_id: 0, correlation_id: correlation },
});

const healthy = space([
  device(
    0,
    [
      stream([xkernel("fusion_1", 5, 10_000_000), xkernel("sm90_gemm", 6, 60_000_000)]),
      { id: -559038737, name: "XLA Ops", events: [{ name: "fusion.1" }] },
    ],
    {
      gpu_device_name: "NVIDIA H200",
    },
  ),
  host([{ name: "PjitFunction(step)", takes: 100_000_000 }, xlaunch("fusion_1", 5, 1_000_000), xlaunch("sm90_gemm", 6, 20_000_000)]),
  {
    name: "/host:metadata",
    stats: { jax_version: "0.11.2", cuda_version: "13000", cuda_runtime_version: "13000", cuda_driver_version: "13010" },
  },
]);

test("kernels are events with kernel_details on a stream; on NVIDIA a launch bears its kernel's name", () => {
  const found = read(healthy);
  expect(found).toMatchObject({
    format: "xplane",
    framework: "jax",
    vendor: "nvidia",
    verdict: "healthy",
    kernels: 2,
    launches: 2,
    unmatchedLaunches: 0,
    host: "vm",
    versions: { compiledFor: "13.0", runtime: "13.0", driver: "13.1" },
  });
  expect(found.devices).toMatchObject([{ id: 0, name: "NVIDIA H200", architecture: "sm_90", kernels: 2, events: 3, streams: 1, busy: 40 }]);
  expect(found.top.map(({ name, count, total }) => [name, count, total])).toEqual([
    ["fusion_1", 1, 20],
    ["sm90_gemm", 1, 20],
  ]);
});

test.each([1, 2, 7, 64, 1000])("pieces of %i bytes give the same answer as the whole, jumped over or not", (piece) => {
  const { file: _, ...whole } = read(healthy);
  expect(read(healthy, { piece })).toMatchObject(whole);
  expect(read(healthy, { piece, seek: false })).toMatchObject(whole);
});

test("two files one after the other are one profile", () => {
  const both = new Uint8Array([...healthy, ...healthy]);
  expect(read(both)).toMatchObject({ verdict: "healthy", kernels: 4 });
});

test("planes of GPUs without events prove nothing: CUPTI failed, and older writers say so", () => {
  const silent = read(space([device(0, []), device(1, []), host([{ name: "PjitFunction(f)" }])]));
  expect(silent).toMatchObject({
    verdict: "no-gpu-events",
    kernels: 0,
  });
  expect(silent.causes.map(({ cause }) => cause)).toEqual([
    "library-missing",
    "profiler-conflict",
    "driver-too-old",
    "profiler-platform-unsupported",
    "activity-not-asked-for",
    "not-a-mismatch",
  ]);
  expect(silent.causes.find(({ cause }) => cause === "not-a-mismatch")?.message).toContain("TF_GPU_CUPTI_USE_STUB_INTERFACE");
  const quoted = read(space([device(0, [])], { errors: ["vm: Failed to load libcupti (is it installed and accessible?)"] }));
  expect(quoted.because.join()).toContain("Failed to load libcupti");
  expect(quoted.causes).toMatchObject([{ cause: "library-missing" }]);
  const refused = read(space([device(0, [])], { errors: ["vm: Insufficient privilege to run libcupti (you need root permission)."] }));
  expect(refused.causes).toMatchObject([{ cause: "profiler-permission", certainty: "certain" }]);
});

test("newer writers leave out plane and error: the host's own events and JAX's backends betray the GPU", () => {
  const found = read(
    space([host([{ name: "[0] GpuExecutable::ExecuteThunks" }]), { name: "/host:metadata", stats: { gpu_version: "cuda 13000" } }]),
  );
  expect(found.verdict).toBe("no-gpu-events");
  expect(found.causes[0]!.check).toContain("raise_error_on_start_failure");
  const cpu = read(
    space([
      host([{ name: "TfrtCpuExecutable::Execute" }, { name: "ThunkExecutor::Execute" }]),
      { name: "/host:metadata", stats: { cpu_version: "cpu" } },
    ]),
  );
  expect(cpu.verdict).toBe("cpu-only");
});

test("a device tracer that was switched off is the certain cause", () => {
  const options = new Uint8Array([...number(2, 2), ...number(5, 1)]);
  const found = read(space([device(0, []), { name: "Task Environment", stats: { profile_options: { bytes: options } } }]));
  expect(found.causes).toMatchObject([{ cause: "activity-not-asked-for", certainty: "certain" }]);
  const on = new Uint8Array([...number(2, 2), ...number(3, 1), ...number(5, 1)]);
  expect(read(space([device(0, []), { name: "Task Environment", stats: { profile_options: { bytes: on } } }])).causes[0]!.cause).toBe(
    "library-missing",
  );
});

test("launches without a kernel and drops make it partial", () => {
  const lost = space([
    device(0, [stream([xkernel("a", 5, 10_000_000), xkernel("a", 7, 90_000_000)])]),
    host([5, 6, 7].map((id) => xlaunch("a", id, id * 1_000_000))),
  ]);
  expect(read(lost)).toMatchObject({ verdict: "partial", launches: 3, unmatchedLaunches: 1 });
  const warning =
    "Detected GPU events dropped on vm: Profiler has collected 2097152 driver events and 2097152 device events. 4194304 events dropped because total device(activity) events reaches max; 12 events dropped because total driver(callback) events reaches max.";
  const dropped = read(space([device(0, [stream([xkernel("a", 5, 10_000_000)])])], { warnings: [warning] }));
  expect(dropped).toMatchObject({
    verdict: "partial",
    dropped: { events: 4194316 },
    causes: [{ cause: "records-dropped", certainty: "certain" }],
  });
});

test("where graphs are launched, launches without a kernel may have gone into one: no alarm", () => {
  const found = read(
    space([
      device(0, [stream([xkernel("a", 5, 10_000_000), xkernel("b", 9, 60_000_000)])]),
      host([xlaunch("a", 5, 0), xlaunch("c", 6, 1), call("cuGraphLaunch (CudaGraph:3)", 9, 2)]),
    ]),
  );
  expect(found).toMatchObject({ verdict: "healthy", graphLaunches: 1, unmatchedLaunches: 0, capturedLaunches: 1 });
});

test("copies alone are a GPU that was recorded", () => {
  const copies = {
    id: 16,
    name: "Stream #16(MemcpyH2D)",
    events: [{ name: "MemcpyH2D", stats: { memcpy_details: { ref: "kind_src:pageable kind_dst:device size:4096 dest:0 async:1" } } }],
  };
  expect(read(space([device(0, [copies])]))).toMatchObject({
    verdict: "healthy",
    kernels: 0,
    copies: 1,
    work: { copied: [{ kind: "HtoD", bytes: 4096 }] },
  });
});

test("AMD is a GPU, a TPU is none", () => {
  const amd: XPlane = {
    ...device(0, [{ id: 1, name: "Stream #1(Kernel)", events: [xkernel("loop_fusion.kd", 3, 5_000_000)] }], { device_vendor: "AMD" }),
  };
  expect(read(space([amd, host([call("hipModuleLaunchKernel", 3, 0), call("hipMemcpyHtoDAsync", 4, 0)])]))).toMatchObject({
    verdict: "healthy",
    vendor: "amd",
    launches: 1,
    kernels: 1,
  });
  const tpu: XPlane = { name: "/device:TPU:0", lines: [{ id: 2, name: "XLA Ops", events: [{ name: "fusion" }, { name: "copy" }] }] };
  expect(read(space([tpu, host([])]))).toMatchObject({ verdict: "not-gpu", kernels: 0 });
});

test("a file that ends early gives what was readable, and says where it ends", () => {
  const [first, second] = [healthy, space([device(1, [stream([xkernel("late", 8, 0)])])])];
  const cut = new Uint8Array([...first, ...second]).subarray(0, first.length + 40);
  const found = read(cut);
  expect(found).toMatchObject({ verdict: "damaged", kernels: 2, damage: { offset: cut.length } });
  expect(found.damage!.reason).toMatch(/ends.*missing/);
});

test("bytes that were replaced by a copy as text are recognised", () => {
  const mangled = new TextEncoder().encode(new TextDecoder().decode(new Uint8Array([...healthy, ...healthy, ...healthy, ...healthy])));
  const found = read(mangled, { name: "vm.xplane.pb" });
  expect(found).toMatchObject({ verdict: "damaged", causes: [{ cause: "copied-as-text", certainty: "certain" }] });
});

test("an empty file is what a profile of more than 2 GB leaves behind", () => {
  const found = read(new Uint8Array(0), { name: "logs/plugins/profile/run/vm.xplane.pb" });
  expect(found).toMatchObject({ verdict: "damaged", format: "xplane" });
  expect(found.because.join()).toContain("2 GB");
});

test("errors and nothing else are a profile, too", () => {
  expect(read(space([], { errors: ["vm: No GPU detected."] }))).toMatchObject({
    verdict: "no-gpu-events",
    causes: [{ cause: "driver-not-exposed" }],
  });
});

test("pages that TensorFlow 2.1 to 2.3 computed, and compiled programs, are not profiles", () => {
  const page = bytes(2, bytes(2, new Uint8Array([0x09, 1, 2, 3, 4, 5, 6, 7, 8])));
  expect(read(page, { name: "localhost.overview_page.pb" })).toMatchObject({ verdict: "not-a-trace", format: "legacy-tf" });
  for (const name of ["10.0.0.1.overview_page.json", "h.input_pipeline.json", "h.tensorflow_stats.json.gz", "h.memory_profile.json"])
    expect(read('[{"cols": [], "rows": [], "p": {}}]', { name })).toMatchObject({ verdict: "not-a-trace", format: "legacy-tf" });
  expect(read(bytes(1, bytes(1, "jit_step")), { name: "jit_step.hlo_proto.pb" })).toMatchObject({
    verdict: "not-a-trace",
    format: "hlo-proto",
  });
});

test("TensorFlow's own trace of 2.0 to 2.2 is read", () => {
  const entry = (field: number, key: number, value: Uint8Array) => bytes(field, new Uint8Array([...number(1, key), ...bytes(2, value)]));
  const gpuDevice = new Uint8Array([
    ...bytes(1, "/device:GPU:0"),
    ...number(2, 1),
    ...entry(3, 7, bytes(1, "Stream #7(Compute)")),
    ...entry(3, 9, bytes(1, "Steps")),
  ]);
  const hostDevice = new Uint8Array([...bytes(1, "/host:CPU"), ...number(2, 2)]);
  const event = (at: number, line: number, name: string) =>
    bytes(4, new Uint8Array([...number(1, at), ...number(2, line), ...bytes(3, name), ...number(9, 5_000_000), ...number(10, 2_000_000)]));
  const legacy = new Uint8Array([
    ...entry(1, 1, gpuDevice),
    ...entry(1, 2, hostDevice),
    ...event(1, 7, "Conv2D"),
    ...event(1, 7, "MemcpyD2H"),
    ...event(1, 9, "1"),
    ...event(2, 3, "EagerExecute"),
  ]);
  expect(read(legacy, { name: "vm.trace" })).toMatchObject({
    format: "legacy-tf",
    verdict: "healthy",
    kernels: 1,
    copies: 1,
    events: 4,
    steps: { count: 1 },
  });
  expect(read(legacy.subarray(0, -3), { name: "vm.trace" })).toMatchObject({ verdict: "damaged", kernels: 1 });
});

test("steps are counted once for a host: those it marked, or those of one of its GPUs", () => {
  const steps = { id: 1, name: "Steps", events: [{ name: "1" }, { name: "2" }] };
  const gpus = [0, 1].map((id) => device(id, [stream([xkernel("fusion", id + 1, 10_000_000)]), steps]));
  expect(read(space(gpus)).steps.count).toBe(2);
  const marked = host([0, 1, 2].map((step) => ({ name: "train", at: step * 1e9, takes: 5e8, stats: { step_num: step } })));
  expect(read(space([...gpus, marked])).steps).toMatchObject({ count: 3, median: 500 });
});

test("a packed file whose lines can be held goes by once, planes without lines among them", () => {
  const whole = new Uint8Array([...healthy, ...space([host([]), { name: "/host:CUPTI" }])]);
  const reading = openTrace(whole.subarray(0, 65_536), "trace", { isCompressed: true });
  reading.push(whole);
  reading.end();
  expect(reading.again).toBe(false);
  expect(reading.finish("trace", whole.length)).toMatchObject({ verdict: "healthy", kernels: 2 });
});
