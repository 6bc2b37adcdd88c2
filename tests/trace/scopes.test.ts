import { expect, test } from "vitest";
import { traceReport } from "../../packages/core/src/report/trace.ts";
import { tracePage } from "../../packages/core/src/report/trace-page.ts";
import type { TraceScopes } from "../../packages/core/src/model/trace.ts";
import { scopesIn } from "../../packages/core/src/trace/xla-scopes.ts";
import { device, event, kernel, kineto, launch, read, space, xkernel } from "./encode.ts";

const autograd = 200;
const module = (name: string, from: number, to: number, thread = 100) =>
  event("python_function", `nn.Module: ${name}`, from, to - from, {}, 100, thread);
const range = (name: string, from: number, to: number, thread = 100) => event("user_annotation", name, from, to - from, {}, 100, thread);
/** An operator with autograd's number; of the backward pass where `forward` is the number of a thread. */
const operator = (name: string, sequence: number, from: number, to: number, forward = 0, thread = 100) =>
  event("cpu_op", name, from, to - from, { "External id": 1, "Sequence number": sequence, "Fwd thread id": forward }, 100, thread);
const launchOn = (thread: number, correlation: number, at: number) => ({ ...launch(correlation, at), tid: thread });

/** As one reads it: how deep, how many of what, its time, and that of the backward pass. */
const told = (scopes: TraceScopes | undefined) =>
  scopes?.rows.map(({ name, depth, instances, total, own, backward }) => [depth, instances, name, total, own, backward]);

test("kernels belong to the module that their launch was made in, whatever comes first in the file", () => {
  const events = [
    kernel(1, 1000, "gemm", 30),
    module("Net_0", 0, 100),
    module("Linear_0", 10, 20),
    module("Linear_1", 20, 40),
    launch(1, 12),
    launch(2, 25),
    kernel(2, 1100, "gemm", 50),
    launch(3, 60),
    kernel(3, 1200, "relu", 5),
    // After the model, and on a thread that is in no module.
    launch(4, 150),
    kernel(4, 1300, "loss", 15),
    launchOn(101, 5, 30),
    kernel(5, 1400, "copy", 100),
  ];
  for (const order of [events, [...events].reverse()]) {
    const { modules, ranges } = read(kineto(order));
    expect(told(modules)).toEqual([
      [0, 1, "Net", 85, 5, 0],
      [1, 2, "Linear", 80, 80, 0],
    ]);
    expect(modules!.share).toBeCloseTo(85 / 200);
    expect(modules!.message).toBe("40 % of the kernels' time was launched in `Net › Linear` (2 of them).");
    expect(ranges).toBeUndefined();
  }
});

test("the backward pass is counted for the module of the forward operator, and for the range that it was called in", () => {
  const { modules, ranges } = read(
    kineto([
      range("forward", 0, 50),
      module("Net_0", 0, 50),
      module("Linear_0", 10, 20),
      operator("aten::linear", 7, 11, 19),
      operator("aten::addmm", 7, 12, 18),
      launch(1, 13),
      kernel(1, 1000, "gemm", 10),
      module("LayerNorm_0", 20, 30),
      operator("aten::layer_norm", 8, 21, 29),
      launch(2, 22),
      kernel(2, 1020, "norm", 1),
      range("backward", 60, 100),
      operator("NativeLayerNormBackward0", 8, 61, 70, 1, autograd),
      launchOn(autograd, 3, 65),
      kernel(3, 1030, "norm_backward", 2),
      operator("AddmmBackward0", 7, 71, 90, 1, autograd),
      launchOn(autograd, 4, 75),
      kernel(4, 1040, "gemm", 20),
      // No operator of the forward pass has this number: nobody's.
      operator("OtherBackward0", 99, 91, 99, 1, autograd),
      launchOn(autograd, 5, 95),
      kernel(5, 1070, "gemm", 4),
    ]),
  );
  expect(told(modules)).toEqual([
    [0, 1, "Net", 33, 0, 22],
    [1, 1, "Linear", 30, 30, 20],
    [1, 1, "LayerNorm", 3, 3, 2],
  ]);
  expect(told(ranges)).toEqual([
    [0, 1, "backward", 26, 26, 26],
    [0, 1, "forward", 11, 11, 0],
  ]);
  expect(modules!.message).toContain("67 % of that for the backward pass");
});

test("a module that is run again in the backward pass is where it was", () => {
  const { modules } = read(
    kineto([
      module("Net_0", 0, 50),
      module("Block_0", 10, 40),
      operator("aten::mm", 3, 12, 18),
      launch(1, 13),
      kernel(1, 1000, "gemm", 10),
      operator("MmBackward0", 3, 60, 90, 1, autograd),
      module("Block_0", 61, 80, autograd),
      launchOn(autograd, 2, 65),
      kernel(2, 1020, "gemm", 10),
      launchOn(autograd, 3, 85),
      kernel(3, 1040, "gemm", 20),
    ]),
  );
  expect(told(modules)).toEqual([
    [0, 1, "Net", 40, 0, 30],
    [1, 1, "Block", 40, 40, 30],
  ]);
});

test("autograd counts on each thread anew: numbers of another thread lead nowhere", () => {
  const { modules } = read(
    kineto([
      module("Net_0", 0, 50),
      operator("aten::mm", 3, 12, 18),
      operator("aten::mm", 4, 20, 28),
      module("Other_0", 0, 50, 300),
      operator("aten::mm", 3, 12, 18, 0, 300),
      operator("MmBackward0", 4, 60, 70, 1, autograd),
      operator("MmBackward0", 3, 70, 80, 1, autograd),
      launchOn(autograd, 1, 75),
      kernel(1, 1000, "gemm", 10),
    ]),
  );
  expect(told(modules)).toEqual([[0, 1, "Net", 10, 10, 10]]);
});

test("ranges that overlap no launch, steps, and files without any have no table", () => {
  const { modules, ranges } = read(kineto([range("idle", 500, 600), range("ProfilerStep#3", 0, 400), launch(1, 10), kernel(1, 100)]));
  expect([modules, ranges]).toEqual([undefined, undefined]);
});

test("names of modules are text in every report", () => {
  const file = read(kineto([module("<img src=x>_0", 0, 50), launch(1, 10), kernel(1, 100)]));
  const report = { schema: "culprit/trace@1" as const, files: [file] };
  expect(traceReport(report)).toContain("Modules by the time of the kernels that were launched in them");
  expect(tracePage(report, undefined, "")).toContain("&lt;img src=x&gt;");
  expect(tracePage(report, undefined, "")).not.toContain("<img src=x>");
});

test("scopes of JAX and TensorFlow stand in the names of operators", () => {
  expect(scopesIn("jit(train)/jit(main)/transpose(jvp(block))/up/dot_general")).toEqual({
    scopes: ["train", "block", "up"],
    isBackward: true,
  });
  expect(scopesIn("jit(train)/jvp(block)/while/body/closed_call/mul")).toEqual({ scopes: ["train", "block"], isBackward: false });
  expect(scopesIn("gradient_tape/model/dense/MatMul:MatMul")).toEqual({ scopes: ["model", "dense"], isBackward: true });
  expect(scopesIn("jit(f)/conv(a/b)/mul").scopes).toEqual(["f", "conv(a/b)"]);
  expect(scopesIn("fusion.3 of jit_step")).toEqual({ scopes: [], isBackward: false });
});

const ofJax = [
  { name: "jit(step)/jvp(block)/dot_general", takes: 3 },
  { name: "jit(step)/transpose(jvp(block))/dot_general", takes: 6 },
  { name: "jit(step)/head/dot_general", takes: 1 },
];
const stepScopes = [
  [0, 1, "step", 10, 0, 6],
  [1, 1, "block", 9, 9, 6],
  [1, 1, "head", 1, 1, 0],
];

test("XLA's profile has scopes as modules", () => {
  const events = ofJax.map(({ name, takes }, at) => {
    const made = xkernel("gemm", at + 1, at * 100_000_000);
    return {
      ...made,
      takes: takes * 1e6,
      stats: { ...made.stats, tf_op: { ref: "XlaModule:" }, name: { ref: name }, hlo_op: { ref: `dot.${at}` } },
    };
  });
  expect(told(read(space([device(0, [{ id: 14, name: "Stream #14(Compute)", events }])])).modules)).toEqual(stepScopes);
});

test("its trace.json has operators and scopes, too", () => {
  const meta = (name: string, args: object, tid?: number) => ({ ph: "M", pid: 1, name, args, ...(tid === undefined ? {} : { tid }) });
  const events = ofJax.map(({ name, takes }, at) => ({
    ph: "X",
    pid: 1,
    tid: 14,
    ts: at * 100,
    dur: takes,
    name: "gemm",
    args: {
      correlation_id: String(at + 1),
      kernel_details: "regs:1",
      tf_op: "XlaModule:",
      hlo_op: `dot.${at}`,
      hlo_module: "jit_step",
      name,
    },
  }));
  const fused = {
    ...events[0],
    ts: 900,
    dur: 10,
    args: { kernel_details: "regs:1", tf_op: "XlaModule:", hlo_op: 'fusion."1"', hlo_module: "jit_step" },
  };
  const found = read(
    JSON.stringify({
      traceEvents: [
        meta("process_name", { name: "/device:GPU:0" }),
        meta("thread_name", { name: "Stream #14(Compute)" }, 14),
        ...events,
        fused,
      ],
    }),
  );
  expect(found.operators?.map(({ name, kernels, share }) => [name, kernels, share])).toEqual([
    ['fusion."1" of jit_step', 1, 0.5],
    ["jit(step)/transpose(jvp(block))/dot_general", 1, 0.3],
    ["jit(step)/jvp(block)/dot_general", 1, 0.15],
    ["jit(step)/head/dot_general", 1, 0.05],
  ]);
  expect(told(found.modules)).toEqual(stepScopes);
});
