import { expect, test } from "vitest";
import { readBudgets, unmetBudgets } from "../../packages/core/src/trace/budget.ts";
import { compareTraces, stragglerAmong } from "../../packages/core/src/trace/compare.ts";
import { clipped, gapsIn, intersection, subtracted, total } from "../../packages/core/src/trace/intervals.ts";
import { traceReport } from "../../packages/core/src/report/trace.ts";
import { bytes, event, host, kernel, kineto, launch, number, read, space } from "./encode.ts";

const step = (number: number, at: number, takes: number) => event("user_annotation", `ProfilerStep#${number}`, at, takes);
const steps = (count: number, takes: number) => Array.from({ length: count }, (_, index) => step(index, index * takes, takes));
type Events = ReturnType<typeof event>[];
/** So many steps of `takes` microseconds, each with what `inside` puts into it. */
const run = (count: number, takes: number, inside: (at: number, index: number) => Events, header = {}) =>
  kineto([...steps(count, takes), ...Array.from({ length: count }, (_, index) => inside(index * takes, index)).flat()], header);
const pair = (number: number, at: number, takes: number, name?: string): Events => [
  launch(number, at - 10),
  kernel(number, at, name, takes),
];
const kinds = (text: string) => read(text).conclusions.map(({ kind }) => kind);

test("sets of times: within bounds, in both, in neither, in one only; as an independent count says", () => {
  let seed = 7;
  const random = (below: number) => ((seed = (seed * 48_271) % 2_147_483_647), seed % below);
  const made = () => {
    const set: number[] = [];
    for (let at = random(9); at < 300; at += 1 + random(20)) {
      const end = at + 1 + random(15);
      set.push(at, end);
      at = end;
    }
    return Float64Array.from(set);
  };
  const has = (set: Float64Array, at: number) => set.some((start, index) => index % 2 === 0 && start <= at && at < set[index + 1]!);
  for (let round = 0; round < 200; round += 1) {
    const [left, right] = [made(), made()];
    const counted = { both: 0, gaps: 0, only: 0, within: 0 };
    for (let at = 0; at < 400; at += 1) {
      if (has(left, at) && has(right, at)) counted.both += 1;
      if (has(left, at) && !has(right, at)) counted.only += 1;
      if (20 <= at && at < 310 && !has(left, at)) counted.gaps += 1;
      if (20 <= at && at < 310 && has(left, at)) counted.within += 1;
    }
    expect({
      both: total(intersection(left, right)),
      gaps: total(gapsIn(left, 20, 310)),
      only: total(subtracted(left, right)),
      within: total(clipped(left, 20, 310)),
    }).toEqual(counted);
  }
});

test("the parts of the time add up, and each moment counts once", () => {
  const found = read(
    run(4, 10_000, (at, index) => [
      event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 4000),
      ...pair(3 * index + 1, at + 5000, 2000),
      ...pair(3 * index + 2, at + 6000, 3000, "ncclDevKernel_AllReduce_Sum_f32"),
    ]),
  );
  const parts = found.breakdown!;
  expect(parts).toMatchObject({ span: 40_000, compute: 8000, communication: 8000, input: 16_000, copies: 0, compilation: 0 });
  expect(
    parts.compute + parts.communication + parts.copies + parts.input + parts.compilation + parts.synchronisation + parts.host,
  ).toBeCloseTo(parts.span);
  expect(found.conclusions).toMatchObject([
    { kind: "input-bound", share: 0.4 },
    { kind: "communication", share: 0.2 },
  ]);
  expect(found.conclusions[0]!.advice).toContain("num_workers");
  expect(found.work.collectives).toMatchObject([{ name: "all-reduce", count: 4, total: 12_000, exposed: 8000 }]);
});

test("a GPU that is busy gets no sentence", () => {
  expect(kinds(run(4, 1000, (at, index) => pair(index + 1, at + 15, 980)))).toEqual([]);
});

test("compilation in every step is told with what ends it, once with what avoids it", () => {
  const compiled = (every: boolean) =>
    read(
      run(3, 100_000, (at, index) => [
        ...(every || index === 0 ? [event("cpu_op", "entire_frame_compile", at, 80_000)] : []),
        ...pair(index + 1, at + 85_000, 10_000),
      ]),
    ).conclusions.find(({ kind }) => kind === "compilation")!;
  expect(compiled(true)).toMatchObject({ share: 0.8 });
  expect(compiled(true).advice).toContain("every step");
  expect(compiled(false).advice).toContain("before the recording");
});

test("waiting for the GPU again and again is told; one wait at the end is not", () => {
  const often = run(4, 2000, (at, index) =>
    Array.from({ length: 10 }, (_, turn) => {
      const [number, from] = [index * 10 + turn + 1, at + turn * 200];
      return [
        ...pair(number, from + 20, 100),
        event("cuda_runtime", "cudaStreamSynchronize", from + 25, 100, { correlation: 1000 + number }),
      ];
    }).flat(),
  );
  const found = read(often).conclusions.find(({ kind }) => kind === "synchronisation")!;
  expect(found.message).toContain("40 calls, 10 a step");
  const once = run(4, 2000, (at, index) => pair(index + 1, at + 15, 1970));
  expect(kinds(once)).toEqual([]);
});

test("copies of memory that is not pinned are told as such", () => {
  const copy = (at: number, kind: string) =>
    event("gpu_memcpy", `Memcpy HtoD (${kind} -> Device)`, at, 600, { device: 0, stream: 7, bytes: 6_000_000 }, 0, 7);
  const found = (kind: string) => read(run(4, 1000, (at, index) => [copy(at, kind), ...pair(index + 1, at + 610, 380)])).conclusions[0]!;
  expect(found("Pageable")).toMatchObject({ kind: "copies", share: 0.6 });
  expect(found("Pageable").message).toContain("24 MB at 10.0 GB/s");
  expect(found("Pageable").advice).toContain("not pinned");
  expect(found("Pinned").advice).not.toContain("not pinned");
});

test("advice that the file refutes is not given", () => {
  const launches = (more: Events) =>
    kineto([...more, ...Array.from({ length: 200 }, (_, index) => pair(index + 1, index * 50 + 12, 5)).flat()]);
  const advice = (more: Events) => read(launches(more)).conclusions.find(({ kind }) => kind === "launch-bound")!.advice!;
  expect(advice([])).toContain("fused kernels (`torch.compile`)");
  const compiled = advice([event("cpu_op", "## Call CompiledFxGraph fabc", 1, 2)]);
  expect(compiled).not.toContain("fused kernels");
  expect(compiled).toContain("compiled already");
  const graphs = advice([event("cuda_runtime", "cudaGraphLaunch", 20_000, 5, { correlation: 900 }), kernel(900, 20_010, "k", 5)]);
  expect(graphs).not.toContain("CUDA graphs");
  // Larger batches do not help where communication is what takes the time.
  const talking = Array.from({ length: 200 }, (_, index) => pair(1000 + index, index * 50 + 20, 5, "ncclDevKernel_AllReduce")).flat();
  expect(advice(talking)).not.toContain("arger batches");
});

test("the rank that others wait for has the shortest collectives", () => {
  const rank = (number: number, computes: number) =>
    read(
      run(
        4,
        10_000,
        (at, index) => [
          ...pair(2 * index + 1, at + 20, computes),
          ...pair(2 * index + 2, at + 30 + computes, 9900 - computes, "ncclDevKernel_AllReduce"),
        ],
        { distributedInfo: { backend: "nccl", rank: number, world_size: 4 } },
      ),
    );
  const ranks = [rank(0, 5000), rank(1, 5100), rank(2, 9000), rank(3, 5000)];
  const found = stragglerAmong(ranks)!;
  expect(found.message).toContain("Rank 2");
  expect(found.message).toContain("computation");
  expect(stragglerAmong([rank(0, 5000), rank(1, 5100), rank(2, 5050)])).toBeUndefined();
  // Two profiles of the same rank are two runs.
  expect(stragglerAmong([rank(0, 5000), rank(0, 9000)])).toBeUndefined();
  expect(compareTraces([rank(0, 5000), rank(1, 9000)])).toBeUndefined();
});

test("two runs are compared step by step: slower, new and gone kernels, and what was recorded otherwise", () => {
  const a = read(
    run(4, 1000, (at, index) => [...pair(2 * index + 1, at + 20, 400, "gemm"), ...pair(2 * index + 2, at + 500, 100, "old")], {
      cupti_version: 130001,
    }),
    { name: "a" },
  );
  const b = read(
    run(8, 1500, (at, index) => [...pair(2 * index + 1, at + 20, 800, "gemm"), ...pair(2 * index + 2, at + 900, 200, "fresh")], {
      cupti_version: 28,
    }),
    { name: "b" },
  );
  const found = compareTraces([a, b])!;
  expect(found).toMatchObject({ perStep: true, time: { before: 1000, after: 1500 }, recording: ["CUPTI: 13.0 before, 12.9 after"] });
  expect(found.kernels).toEqual([
    { name: "gemm", before: 400, after: 800, countBefore: 1, countAfter: 1 },
    { name: "fresh", before: 0, after: 200, countBefore: 0, countAfter: 1 },
    { name: "old", before: 100, after: 0, countBefore: 1, countAfter: 0 },
  ]);
  const text = traceReport({ schema: "culprit/trace@1", files: [a, b], comparison: found });
  expect(text).toContain("A step takes 1.50 ms where it took 1.00 ms (+50.0 %).");
  const kept = (expected: string) => {
    const budgets = readBudgets(expected);
    if ("problem" in budgets) throw new Error(budgets.problem);
    return unmetBudgets(budgets, [a, b]);
  };
  expect(kept("step<=1.5*baseline")).toEqual([]);
  expect(kept("step<1.5*baseline")).toHaveLength(1);
  expect(kept("step<=1.05*baseline")[0]).toContain("1.50 ms, more than 1.05 ms (1.05 × 1.00 ms)");
  expect(kept("gpu, step<=2ms, kernels>=8")).toEqual([]);
  expect(kept("step<=1.2ms")).toHaveLength(1);
  expect(kept("idle>=1%, host>90%")).toHaveLength(2);
  expect(kept("input<=1*baseline")).toEqual([]);
  for (const wrong of ["tpu", "step", "step<=", "step<=5%", "idle<=3ms", "foo<=1", "step<=1.05*other", ""])
    expect(readBudgets(wrong)).toHaveProperty("problem");
});

test("a budget that cannot be judged is not kept", () => {
  const none = read(kineto(pair(1, 20, 5)));
  const judge = (expected: string, files = [none]) =>
    unmetBudgets(readBudgets(expected) as Exclude<ReturnType<typeof readBudgets>, { problem: string }>, files);
  expect(judge("step<=1s")[0]).toContain("no steps");
  expect(judge("step<=2*baseline")[0]).toContain("no second profile");
  expect(judge("gpu", [])).toHaveLength(1);
  expect(judge("gpu", [read(kineto([launch(1, 1)]))])).toHaveLength(1);
});

test("collectives of the host are told as such, and the rank that comes last to them", () => {
  const rank = (own: number, waits: number) =>
    read(
      run(
        4,
        50_000,
        (at, index) => [
          ...pair(index + 1, at + 45_000, 500),
          event("user_annotation", "gloo:all_reduce", at + 44_000 - waits, waits, {}, 100, 7),
        ],
        { distributedInfo: { rank: own, world_size: 2, backend: "gloo" } },
      ),
    );
  const [first, second] = [rank(0, 40_000), rank(1, 10_000)];
  const [told] = first.conclusions;
  expect(told).toMatchObject({ kind: "host-communication", share: 0.8 });
  expect(told!.message).toContain("mostly `gloo:all_reduce` (4 calls, 1 a step)");
  expect(stragglerAmong([first, second])!.message).toMatch(/^Rank 1 is the one/);
});

test("a program that waits for its result is not said to be at something else", () => {
  const found = read(run(4, 10_000, (at, index) => [...pair(index + 1, at + 9000, 500), event("cpu_op", "block_until_ready", at, 8990)]));
  expect(found.conclusions[0]!.message).toContain("while the program waits for its result");
});

test("idle time that nothing explains is named, and so are too few kernels", () => {
  const [told] = read(run(4, 1000, (at, index) => pair(index + 1, at + 500, 50))).conclusions;
  expect(told).toMatchObject({ kind: "host-bound" });
  expect(told!.message).toContain("4 kernels are too few to say more: record more steps");
});

test("a plugin of PJRT's is a sign of a device that was not recorded", () => {
  const found = read(space([host([{ name: "PjitFunction(step)" }, { name: "PjRtCApiLoadedExecutable::Execute" }])]));
  expect(found.verdict).toBe("no-gpu-events");
});

test("pprof's profiles are named: JAX writes its memory so", () => {
  const kind = (type: number, unit: number) => bytes(1, Buffer.concat([number(1, type), number(2, unit)]));
  const sample = bytes(2, Buffer.concat([bytes(1, Uint8Array.of(1, 2, 3)), bytes(2, Uint8Array.of(1, 64))]));
  const found = read(Buffer.concat([kind(1, 2), kind(3, 4), sample, bytes(6, "space")]), { name: "memory.prof" });
  expect(found).toMatchObject({ verdict: "not-a-trace", format: "pprof" });
});
