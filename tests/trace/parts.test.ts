import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Finding } from "../../packages/core/src/model/finding.ts";
import type { TraceReport } from "../../packages/core/src/model/trace.ts";
import { chooseTraces, leftOut } from "../../packages/core/src/trace/choose.ts";
import { demangled } from "../../packages/core/src/lib/demangle.ts";
import { createIntervals, total, union } from "../../packages/core/src/trace/intervals.ts";
import { isCommunication, shortName } from "../../packages/core/src/trace/kernel-names.ts";
import { createLongest } from "../../packages/core/src/trace/longest.ts";
import { joinMachine } from "../../packages/core/src/trace/machine.ts";
import { createNames, unescaped } from "../../packages/core/src/trace/names.ts";
import { openTrace } from "../../packages/core/src/trace/trace.ts";
import { createTimeline, joinDrawings } from "../../packages/core/src/trace/timeline.ts";
import { cuptiToolkit, dottedCuda, dottedHip } from "../../packages/core/src/trace/versions.ts";
import { perfettoTrace } from "../../packages/core/src/report/trace-perfetto.ts";
import { packDrawing, tracePage } from "../../packages/core/src/report/trace-page.ts";
import { traceReport } from "../../packages/core/src/report/trace.ts";
import { Dice } from "../fuzz/fuzz.ts";
import { gpu, kernel, kineto, launch, read } from "./encode.ts";

test("times that overlap are one; any order, any number", () => {
  const dice = new Dice(4);
  for (const count of [1, 10, 1000, 50_000]) {
    const intervals = createIntervals();
    const length = count * 4;
    const covered = new Uint8Array(length + 20);
    for (let index = 0; index < count; index += 1) {
      const start = dice.chance(3) ? dice.below(length) : Math.min(length, index * 4 + dice.below(8));
      const end = start + dice.below(6);
      intervals.add(start, end);
      covered.fill(1, start, end);
    }
    intervals.add(Number.NaN, 5);
    const settled = intervals.settled();
    expect(total(settled)).toBe(covered.reduce((sum, bit) => sum + bit, 0));
    for (let at = 2; at < settled.length; at += 2) expect(settled[at - 1]!).toBeLessThan(settled[at]!);
    expect(total(union(settled, Float64Array.from([0, 1])))).toBe(total(settled) + (covered[0] === 0 ? 1 : 0));
  }
});

test("the longest are kept, whatever comes", () => {
  const longest = createLongest(64);
  const dice = new Dice(9);
  const all = Array.from({ length: 5000 }, () => dice.below(1_000_000));
  all.forEach((duration, index) => longest.add(index, duration, 0, index));
  const kept = new Set(longest.durations.slice(0, longest.count));
  for (const duration of all.toSorted((a, b) => b - a).slice(0, 30)) expect(kept).toContain(duration);
  const same = createLongest(64);
  for (let index = 0; index < 1000; index += 1) same.add(index, 5, 0, index);
  expect(same.count).toBeGreaterThan(0);
});

test("a name has one number, and beyond the bound on memory none", () => {
  const names = createNames(true, 1000);
  const numbers = Array.from({ length: 300 }, (_, index) => names.numberOf(`name ${index % 50}`));
  expect(new Set(numbers).size).toBe(50);
  expect(names.text(numbers[7]!)).toBe("name 7");
  expect(names.numberOf("x".repeat(2000))).toBe(0);
  expect(names.text(names.numberOf(String.raw`say \"hi\"\né`))).toBe('say "hi"\né');
  expect(unescaped(String.raw`C:\path`)).toBe(String.raw`C:\path`);
});

test("names that c++filt knows come out as it writes them, but for the parameters", () => {
  const mangled = [
    "_Z6vecAddPKfS0_Pfi",
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_",
    "_ZN7cutlass7Kernel2I66cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8EEvNT_6ParamsE",
    "_ZN5Eigen8internal15EigenMetaKernelINS_15TensorEvaluatorIKNS_14TensorAssignOpINS_9TensorMapINS_6TensorIfLi1ELi1EiEELi16ENS_11MakePointerEEEKS7_EENS_9GpuDeviceEEEiEEvT_T0_",
    "_ZN12_GLOBAL__N_110softmax_bwIfLb1EEEvPT_S2_",
    "_Z14fused_mul_tanhI6__halfEvPT_S2_j",
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_functorIfffEclERNS_14TensorIteratorEEUlffE_EEjfLi4ELi4EEEEEvT1_",
    "_ZN4cuml6kernelIdNS_3OpsIdEEEEvRKT0_PT_",
    "_Z3fooIJifdEEvDpT_",
    "_ZN3c105Error4whatEv",
  ];
  const filt = spawnSync("c++filt", ["--no-params", ...mangled], { encoding: "utf8" });
  if (filt.status !== 0) return;
  const plain = (text: string) =>
    text
      .replace(/\{lambda[^}]*\}/g, "{lambda}")
      .replace(/#\d+/g, "")
      .replaceAll(" >", ">")
      .replaceAll("> >", ">>")
      .replace(/^void /, "");
  const theirs = filt.stdout.trim().split("\n").map(plain);
  mangled.forEach((name, index) => {
    // A lambda's parameters stand in its name there.
    if (name.includes("UlffE")) expect(demangled(name)).toContain("sum_functor<float, float, float>");
    else expect(plain(demangled(name))).toBe(theirs[index]);
  });
});

test("what cannot be demangled stays, quickly", () => {
  for (const name of [
    "gemm",
    "_Z",
    "_ZN",
    "_ZNSt",
    "_Z3fo",
    "_ZS99_",
    `_Z${"N".repeat(5000)}`,
    `_Z1fI${"P".repeat(5000)}`,
    `_ZN${"1a".repeat(4000)}E`,
  ])
    expect(typeof demangled(name)).toBe("string");
  expect(demangled("_Zgarbage")).toBe("_Zgarbage");
});

test.each([
  [
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>)",
    "vectorized_elementwise_kernel<FillFunctor>",
  ],
  [
    "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>(cutlass_80::Params)",
    "Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8>",
  ],
  ["sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32", "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x128x32"],
  ["void (anonymous namespace)::softmax_warp_forward<float, float, 10>(float*, float const*)", "softmax_warp_forward"],
  ["_ZN7cutlass7Kernel2I20cutlass_80_s884gemmXEEvNT_6ParamsE", "Kernel2<cutlass_80_s884gemmX>"],
  ["loop_convert_fusion.kd", "loop_convert_fusion"],
  [
    "std::enable_if<(width > 0) && vllm::_typeConvert<c10::Half>::exists>::type vllm::fused_add_rms_norm_kernel<c10::Half, 8>(c10::Half*, float)",
    "fused_add_rms_norm_kernel",
  ],
  [
    "void c10d::symmetric_memory::(anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, int)",
    "multimem_all_reduce_kernel",
  ],
  ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"],
  ["", ""],
])("%s is shown as %s", (name, short) => {
  expect(shortName(name)).toBe(short);
});

test("communication is told by its name", () => {
  expect(
    ["ncclDevKernel_AllGather_RING_LL", "rccl_main_kernel", "void vllm::cross_device_reduce_1stage<half>"].every(isCommunication),
  ).toBe(true);
  expect(["sm90_gemm", "reduce_kernel", "gather_kernel"].some(isCommunication)).toBe(false);
});

test("version numbers", () => {
  expect([cuptiToolkit(28), cuptiToolkit(130001), cuptiToolkit(130200), cuptiToolkit(99)]).toEqual(["12.9", "13.0", "13.2", undefined]);
  expect([dottedCuda(12090), dottedCuda(13000), dottedCuda(Number.NaN)]).toEqual(["12.9", "13.0", undefined]);
  expect([dottedHip(60443483), dottedHip(70125424)]).toEqual(["6.4", "7.1"]);
});

test("what may be a profile and is not read is told, but nothing that lies beside a recording", () => {
  const files = ["logs/a.xplane.pb", "logs/a.trace.json.gz", "logs/rank0.json.gz", "logs/package.json", "logs/a.cached_tools.json"];
  expect(
    leftOut(
      files.map((path) => ({ path, size: 10 })),
      ["logs/a.xplane.pb"],
    ),
  ).toEqual(["logs/rank0.json.gz"]);
});

test("of a logdir the recordings are chosen, one for each host, not what was computed from them", () => {
  const run = "logs/plugins/profile/2026_11_15_07_00_00";
  const files = (...given: [string, number?][]) => given.map(([path, size = 10]) => ({ path: `${run}/${path}`, size }));
  const names = (chosen: string[]) => chosen.map((path) => path.slice(run.length + 1));
  expect(
    names(
      chooseTraces(
        files(
          ["a.xplane.pb"],
          ["a.trace.json.gz"],
          ["b.xplane.pb"],
          ["b.trace.json.gz"],
          ["jit_f.hlo_proto.pb"],
          ["perfetto_trace.json.gz"],
          ["a.cached_tools.json"],
        ),
      ),
    ),
  ).toEqual(["a.xplane.pb", "b.xplane.pb"]);
  expect(names(chooseTraces(files(["a.xplane.pb", 0], ["a.trace.json.gz"])))).toEqual(["a.xplane.pb", "a.trace.json.gz"]);
  expect(names(chooseTraces(files(["w0.1.pt.trace.json"], ["w1.1.pt.trace.json.gz"], ["w2.1.pt.trace.json.tmp"])))).toEqual([
    "w0.1.pt.trace.json",
    "w1.1.pt.trace.json.gz",
    "w2.1.pt.trace.json.tmp",
  ]);
  expect(names(chooseTraces(files(["a.overview_page.pb"], ["a.input_pipeline.pb"])))).toEqual([
    "a.input_pipeline.pb",
    "a.overview_page.pb",
  ]);
  expect(names(chooseTraces(files(["rank0.json.gz"], ["notes.txt"])))).toEqual(["rank0.json.gz"]);
  // Memory snapshots of torch: beside a recording by their name, alone under any.
  expect(names(chooseTraces(files(["rank0.json.gz"], ["memory_snapshot.pickle"], ["labels.pickle"])))).toEqual([
    "rank0.json.gz",
    "memory_snapshot.pickle",
  ]);
  expect(names(chooseTraces(files(["2.7b_forward.pickle"], ["notes.txt"])))).toEqual(["2.7b_forward.pickle"]);
});

const finding = (rule: string, cause: Finding["cause"], activity: string, framework = "torch"): Finding => ({
  rule,
  cause,
  severity: "error",
  certainty: "certain",
  subject: "x",
  message: `${rule} it is`,
  because: [],
  evidence: [],
  breaks: [{ framework, activity }],
  endangers: [],
  facts: {},
  advice: [],
  sources: [],
  fixes: [],
});

test("what is wrong on the machine comes before what merely fits; the rest of the machine is no business of a profile", () => {
  const file = read(kineto([], { deviceProperties: [gpu(0)] }));
  expect(file.causes[0]!.cause).toBe("library-missing");
  const joined = joinMachine(file, [
    finding("two-cuptis", "library-wrong-version", "profile"),
    finding("cudnn", "mixed-cudnn-sublibraries", "convolution"),
    finding("other", "library-missing", "profile", "jax"),
  ]);
  expect(joined.causes[0]).toMatchObject({ cause: "library-wrong-version", certainty: "likely" });
  expect(joined.causes).toHaveLength(file.causes.length + 1);
  expect(joined.because.at(-1)).toBe("on this machine: two-cuptis it is");
  // Whoever asks about another machine gets the line that asks the same of it.
  const asked = { target: ["--root", "/mnt/disk"], options: [], place: { kind: "root" as const, name: "/mnt/disk" } };
  const elsewhere = joinMachine(file, [finding("two-cuptis", "library-wrong-version", "profile")], asked);
  expect(elsewhere.causes[0]!.check).toContain("`culprit fix two-cuptis --do profile --root /mnt/disk`");
  expect(elsewhere.because.at(-1)).toBe("inside /mnt/disk: two-cuptis it is");
  const healthy = read(kineto([launch(1, 1), kernel(1, 5)]));
  expect(joinMachine(healthy, [finding("two-cuptis", "library-wrong-version", "profile")])).toEqual(healthy);
});

test("a thread belongs to its process, and a launch leads to its kernel", () => {
  const named = (pid: number, tid: number, name: string) => ({ ph: "M", name: "thread_name", pid, tid, args: { name } });
  const trace = {
    deviceProperties: [{ id: 0, name: "NVIDIA H200" }],
    traceEvents: [
      // Stream 7 of the GPU, and a thread of the same number in two processes.
      named(0, 7, "stream 7"),
      named(40, 7, "MainThread"),
      named(41, 7, "loader"),
      { ph: "M", name: "process_name", pid: 40, tid: 0, args: { name: "python" } },
      { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 40, tid: 7, ts: 100, dur: 5, args: { correlation: 3 } },
      { ph: "X", cat: "cpu_op", name: "aten::mm", pid: 41, tid: 7, ts: 100, dur: 9 },
      { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 110, dur: 20, args: { device: 0, stream: 7, correlation: 3 } },
    ],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(trace));
  const reading = openTrace(bytes, "x.pt.trace.json", { drawn: 100 });
  reading.push(bytes);
  reading.end();
  const drawing = reading.drawing()!;
  expect(drawing.tracks.map(({ label }) => label).sort()).toEqual(["GPU 0 stream 7", "process 41: loader", "python 40: MainThread"]);
  const events = drawing.tracks.flatMap(({ rows }) => rows.flatMap(({ names }) => [...names].map((name) => drawing.names[name])));
  expect([...drawing.arrows].map((event) => events[event])).toEqual(["cudaLaunchKernel", "gemm"]);
});

test("an event of a drawing says what else is known of it: grid, block and bytes, and not the numbers that tie it to others", () => {
  const args = {
    "External id": 5,
    device: 0,
    stream: 7,
    correlation: 3,
    grid: [2048, 1, 1],
    block: [128, 1, 1],
    "est. achieved occupancy %": 0,
  };
  const trace = {
    traceEvents: [
      {
        ph: "X",
        cat: "cpu_op",
        name: "aten::mm",
        pid: 41,
        tid: 7,
        ts: 100,
        dur: 9,
        args: { "External id": 5, "Input Dims": [[8, 8], []] },
      },
      { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 110, dur: 20, args },
      { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 140, dur: 20, args: { ...args, correlation: 4 } },
      {
        ph: "X",
        cat: "gpu_memcpy",
        name: "Memcpy HtoD",
        pid: 0,
        tid: 7,
        ts: 170,
        dur: 5,
        args: { device: 0, stream: 7, correlation: 5, bytes: 4096 },
      },
      { ph: "X", cat: "user_annotation", name: "step", pid: 41, tid: 7, ts: 200, dur: 9, args: { "External id": 9 } },
    ],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(trace));
  const reading = openTrace(bytes, "x.pt.trace.json", { drawn: 100 });
  reading.push(bytes);
  reading.end();
  const drawing = reading.drawing()!;
  const told = drawing.tracks.flatMap(({ rows }) =>
    rows.flatMap(({ names, details }) => [...names].map((name, at) => [drawing.names[name], drawing.details[details[at]! - 1]])),
  );
  expect(told).toEqual([
    ["gemm", "grid [2048,1,1]; block [128,1,1]"],
    ["gemm", "grid [2048,1,1]; block [128,1,1]"],
    [expect.stringContaining("HtoD"), "bytes 4096"],
    ["aten::mm", "Input Dims [[8,8],[]]"],
    ["step", undefined],
  ]);
  expect(drawing.details).toHaveLength(3);
});

test("a drawing has rows without overlap, on the page and for Perfetto", () => {
  const timeline = createTimeline(1000);
  const names = createNames(false);
  timeline.threadName(7, "python3");
  timeline.gpu(0, 0, 14, 100, 10, names.numberOf("void gemm<float>(float*)"));
  timeline.gpu(0, 0, 14, 105, 10, names.numberOf("b"));
  timeline.host(7, 90, 50, names.numberOf("outer"));
  timeline.host(7, 95, 5, names.numberOf("inner </script><b>"));
  timeline.host(7, 100, 60, names.numberOf("straddles"));
  const drawing = timeline.drawn(names, Infinity);
  expect(drawing).toMatchObject({ events: 5, span: 70, names: ["gemm", "b", "outer", "inner </script><b>", "straddles"] });
  expect(drawing.tracks.map(({ label, rows }) => [label, rows.map(({ starts }) => [...starts])])).toEqual([
    ["GPU 0 stream 14", [[10], [15]]],
    ["python3", [[0], [5, 10]]],
  ]);
  const lean = JSON.parse([...perfettoTrace(drawing)].join("")) as { traceEvents: { ph: string; name: string }[] };
  expect(lean.traceEvents.filter(({ ph }) => ph === "X")).toHaveLength(5);
  expect(read(JSON.stringify(lean))).toMatchObject({ format: "chrome", events: lean.traceEvents.length });
  expect(packDrawing(drawing)).toHaveLength(5 * 16);
  const twice = joinDrawings([
    { label: "rank 0", drawing },
    { label: "rank 1", drawing },
  ])!;
  expect(twice).toMatchObject({ events: 10, names: drawing.names });
  const page = tracePage(
    { schema: "culprit/trace@1", files: [read(kineto([launch(1, 1), kernel(1, 5, "<img src=x>")]))] },
    drawing,
    "AAAA",
  );
  expect(page).not.toContain("<img");
  expect(page).not.toContain("inner </script>");
  expect(page).not.toMatch(/(?:src|href)=["']?https?:/);
});

test("the screen says what matters first, and several files get a table", () => {
  const healthy = read(
    kineto([launch(1, 1), kernel(1, 5)], { cupti_version: 28, cuda_runtime_version: 12090, cuda_driver_version: 13000 }),
  );
  const one = traceReport({ schema: "culprit/trace@1", files: [healthy] });
  expect(one.split("\n")[0]).toBe("✓ healthy: the GPU was recorded");
  expect(one).toContain("CUPTI 28 (CUDA 12.9)");
  expect(one.split("\n").length).toBeLessThan(40);
  const broken = read(kineto([], {}), { name: "b.json" });
  const three = traceReport({ schema: "culprit/trace@1", files: [healthy, healthy, broken] });
  expect(three).toMatch(/verdict|kernels/);
  expect(three).toContain("✗ no-gpu-events: there was a GPU, and nothing of it was recorded\n  b.json");
});

test("the page says what the screen says: the verdict first, as its only first heading, no level left out", () => {
  const healthy = read(kineto([launch(1, 1), kernel(1, 5)], {}));
  const broken = read(kineto([], {}), { name: "b.json" });
  for (const files of [[healthy], [broken], [healthy, broken]]) {
    const page = tracePage({ schema: "culprit/trace@1", files }, undefined, "");
    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    levels.forEach((level, index) => expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1));
    expect(page).not.toContain("below");
  }
  const page = tracePage({ schema: "culprit/trace@1", files: [broken] }, undefined, "");
  expect(page).toContain("✗ There was a GPU, and nothing of it was recorded</span>");
  for (const { message } of broken.causes) expect(page).toContain(message.split("`")[0]!.slice(0, 20));
});

test("joined with a machine: what was judged there is said, what was not is not green, and the cure stands with the finding", () => {
  const file = read(kineto([], { deviceProperties: [gpu(0)] }));
  const report = (machine: NonNullable<TraceReport["machine"]>) => traceReport({ schema: "culprit/trace@1", files: [file], machine });
  const nothing = { findings: [], unknown: [{ subject: "jaxtyping 0.3.11", kind: "package", reason: "no list" }] };
  const torch = { program: "torch", version: "2.11.0", activities: ["import", "device", "profile"] };
  const ready = {
    framework: "torch",
    activity: "profile",
    message: "torch 2.11.0: recorded by /opt/libcupti.so.13",
    file: "/opt/libcupti.so.13",
  };
  const well = report({ ...nothing, judged: [torch], readiness: [ready], place: "inside /mnt/disk" });
  expect(well).toMatch(
    /The machine \(inside \/mnt\/disk\)\n {2}✓ nothing was found that keeps the profiler of torch 2\.11\.0 from the GPU\n.*libcupti\.so\.13/,
  );
  expect(well).not.toContain("jaxtyping");
  const unjudged = report({ ...nothing, judged: [] });
  expect(unjudged).toContain("? torch is not installed here");
  expect(unjudged).not.toContain("✓");
  const wrong = {
    ...finding("cupti-missing", "library-missing", "profile"),
    advice: [{ words: "install CUPTI", command: ["pip", "install", "x"] }],
  };
  expect(report({ findings: [wrong], unknown: [], judged: [torch] })).toMatch(
    /✗ cupti-missing it is\n {4}do {2}install CUPTI: `pip install x`/,
  );
});
