import { expect, test } from "vitest";
import { traceReport } from "../../packages/core/src/report/trace.ts";
import { bytes, device, event, kernel, kineto, launch, number, read, space, xkernel, type Stat } from "./encode.ts";

const operator = (name: string, id: number, at: number) => event("cpu_op", name, at, 50, { "External id": id, "Record function id": 0 });
/** A kernel of the operator with this number, as torch of 2024 and later writes it: the number comes first. */
const ran = (id: number, correlation: number, at: number, takes: number) => {
  const made = kernel(correlation, at, "gemm", takes);
  return { ...made, args: { "External id": id, ...(made["args"] as object) } };
};

test("kernels are counted for the operator that launched them, whichever comes first", () => {
  const found = read(
    kineto([
      ran(7, 1, 100, 30),
      operator("aten::mm", 7, 80),
      launch(1, 90),
      operator("aten::mm", 8, 200),
      launch(2, 210),
      ran(8, 2, 220, 20),
      ran(8, 3, 250, 10),
      launch(3, 215),
      operator("aten::add", 9, 300),
      launch(4, 310),
      ran(9, 4, 330, 40),
      // Of a graph: no operator launched it by itself.
      kernel(5, 400, "gemm", 100),
    ]),
  );
  expect(found.operators).toEqual([
    { name: "aten::mm", kernels: 3, total: 60, share: 0.3 },
    { name: "aten::add", kernels: 1, total: 40, share: 0.2 },
  ]);
  expect(traceReport({ schema: "culprit/trace@1", files: [found] })).toContain("Operators by the time of their kernels");
});

test("numbers that do not mean operators give none", () => {
  const found = read(
    kineto([
      operator("aten::mm", 1, 80),
      ...Array.from({ length: 20 }, (_, index) => ran(1 + 50 * index, index + 1, 100 + 40 * index, 30)),
    ]),
  );
  expect(found.kernels).toBe(20);
  expect(found.operators).toBeUndefined();
});

test("XLA names the operator beside each kernel: TensorFlow's, JAX's, or its own", () => {
  const of = (stats: { [key: string]: Stat }, correlation: number) => {
    const made = xkernel("fusion_1", correlation, correlation * 100_000_000);
    return { ...made, stats: { ...made.stats, ...stats } };
  };
  const found = read(
    space([
      device(0, [
        {
          id: 14,
          name: "Stream #14(Compute)",
          events: [
            of({ tf_op: { ref: "XlaModule:" }, hlo_op: { ref: "fusion.1" }, hlo_module: { ref: "jit_step" } }, 1),
            of({ tf_op: { ref: "XlaModule:" }, hlo_op: { ref: "fusion.1" }, hlo_module: { ref: "jit_step" } }, 2),
            of({ tf_op: { ref: "XlaModule:" }, name: { ref: "jit(step)/dot_general" }, hlo_op: { ref: "custom-call.1" } }, 5),
            of({ tf_op: { ref: "model/dense/MatMul:MatMul" } }, 3),
            of({}, 4),
          ],
        },
      ]),
    ]),
  );
  expect(found.operators?.map(({ name, kernels, share }) => [name, kernels, share])).toEqual([
    ["fusion.1 of jit_step", 2, 0.4],
    ["jit(step)/dot_general", 1, 0.2],
    ["model/dense/MatMul:MatMul", 1, 0.2],
  ]);
});

test("what a fusion was made from is said by the compiled module, where the file has it; who disagrees is not believed", () => {
  const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
  /** As xla/service/hlo.proto numbers the fields. */
  const instruction = (id: number, name: string, operation: string, calls?: number) =>
    bytes(
      2,
      join(
        bytes(1, name),
        number(35, id),
        ...(operation === "" ? [] : [bytes(7, bytes(2, operation))]),
        ...(calls === undefined ? [] : [bytes(38, Uint8Array.from([calls]))]),
      ),
    );
  const computation = (id: number, root: number, ...instructions: Uint8Array[]) =>
    bytes(3, join(...instructions, number(5, id), number(6, root)));
  const module = (name: string, ...computations: Uint8Array[]) =>
    bytes(
      4,
      join(number(1, 1), bytes(2, join(bytes(2, `${name}(1)`), bytes(5, bytes(6, bytes(1, join(bytes(1, name), ...computations))))))),
    );
  const fused = computation(7, 71, instruction(70, "p", "x"), instruction(71, "reduce", "jit(step)/reduce_sum"));
  const metadata = join(
    bytes(2, "/host:metadata"),
    module(
      "jit_step",
      fused,
      computation(8, 0, instruction(80, "fusion.1", "", 7), instruction(81, "fusion.2", "jit(step)/tanh"), instruction(82, "copy", "x")),
    ),
    module("jit_twice", computation(1, 0, instruction(1, "fusion.1", "jit(twice)/add"))),
    module("jit_twice", computation(1, 0, instruction(1, "fusion.1", "jit(twice)/mul"))),
  );
  const of = (op: string, hlo: string, correlation: number) => {
    const made = xkernel("k", correlation, correlation * 100_000_000);
    return { ...made, stats: { ...made.stats, tf_op: { ref: "XlaModule:" }, hlo_op: { ref: op }, hlo_module: { ref: hlo } } };
  };
  const events = [
    of("fusion.1", "jit_step", 1),
    of("fusion.2", "jit_step", 2),
    of("copy", "jit_step", 3),
    of("fusion.1", "jit_twice", 4),
    of("fusion.1", "jit_other", 5),
  ];
  const planes = space([device(0, [{ id: 14, name: "Stream #14(Compute)", events }])]);
  const named = ["jit(step)/reduce_sum", "jit(step)/tanh", "copy of jit_step", "fusion.1 of jit_twice", "fusion.1 of jit_other"].sort();
  const operators = (file: Uint8Array) =>
    read(file)
      .operators?.map(({ name }) => name)
      .sort();
  expect(operators(join(planes, bytes(1, metadata)))).toEqual(named);
  // The plane may come first; a module that is cut off says nothing and harms nobody.
  expect(operators(join(bytes(1, metadata), planes))).toEqual(named);
  const broken = join(
    bytes(2, "/host:metadata"),
    bytes(4, join(number(1, 1), bytes(2, bytes(5, bytes(6, Uint8Array.from([10, 200, 1, 1])))))),
  );
  expect(operators(join(bytes(1, broken), planes))).toContain("fusion.1 of jit_step");
});

test("a collective whose kernel does not tell is named by its call", () => {
  const made = kernel(1, 100, "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", 50);
  const told = { ...made, args: { ...(made["args"] as object), "Collective name": "_allgather_base", dtype: "Float" } };
  const found = read(kineto([launch(1, 90), told, launch(2, 190), kernel(2, 200, "ncclDevKernel_Generic()", 20)]));
  expect(found.work.collectives.map(({ name, total }) => [name, total])).toEqual([
    ["all-gather", 50],
    ["collectives that the kernel's name does not tell", 20],
  ]);
});

// As an H200 ran them with torch 2.11, and how many TFLOP/s came of it: without tensor cores it cannot do more than 67.
test.each([
  ["sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas", 51],
  ["void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(cutlass_80_simt_sgemm_256x128_8x4_nn_align1::Params)", 47],
  ["sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nchwkcrs_nchw_tilesize32x32x8_stage3_warpsize1x2x1_g1_ffma_aligna4_alignc4", 27],
  ["sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas", 402],
  ["nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", 795],
  ["sm90_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize256x128x32_warpgroupsize2x1x1_g1_execute_segment_k", 247],
  ["void cutlass::Kernel2<cutlass_80_tensorop_i16832gemm_s8_128x256_128x3_tn_align16>(cutlass_80_tensorop_i16832gemm_s8)", 848],
])("%s", (name, rate) => {
  const found = read(kineto([launch(1, 90), kernel(1, 100, name, 1000)]));
  const told = found.conclusions.filter(({ kind }) => kind === "no-tensor-cores");
  expect(told).toHaveLength(rate < 67 ? 1 : 0);
  if (rate < 67) expect(told[0]!.advice).toContain(/fprop/.test(name) ? "cudnn.allow_tf32" : "set_float32_matmul_precision");
});

test("a GPU without tensor cores for float32 gets no advice about TF32, one without any gets none", () => {
  const on = (computeMajor: number, computeMinor: number) =>
    read(
      kineto([launch(1, 90), kernel(1, 100, "volta_sgemm_128x64_nn", 1000)], {
        deviceProperties: [{ id: 0, name: "NVIDIA GPU", computeMajor, computeMinor }],
      }),
    ).conclusions.find(({ kind }) => kind === "no-tensor-cores")?.advice;
  expect(on(6, 1)).toBeUndefined();
  expect(on(7, 0)).toContain("float16");
  expect(on(7, 0)).not.toContain("set_float32");
  expect(on(8, 0)).toContain("set_float32_matmul_precision");
});

test("occupancy is weighed by time; 0 stands for not known", () => {
  const full = (correlation: number, takes: number, occupancy: number) => {
    const made = kernel(correlation, 100 * correlation, "gemm", takes);
    return { ...made, args: { ...(made["args"] as object), "est. achieved occupancy %": occupancy } };
  };
  const found = read(kineto([full(1, 30, 50), full(2, 10, 90), full(3, 40, 0), kernel(4, 400, "other", 5)]));
  expect(found.top.map(({ name, occupancy }) => [name, occupancy])).toEqual([
    ["gemm", 60],
    ["other", undefined],
  ]);
});
