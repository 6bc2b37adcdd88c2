import { expect, test } from "vitest";
import { device, event, host, kernel, kineto, launch, read, space, xkernel, xlaunch } from "../trace/encode.ts";
import { Dice, mutate } from "./fuzz.ts";

const pairs = Array.from({ length: 40 }, (_, index) => [launch(index + 1, index * 100), kernel(index + 1, index * 100 + 10)]).flat();
const json = new TextEncoder().encode(
  kineto([event("user_annotation", "ProfilerStep#1", 0, 5000), ...pairs], { cupti_version: 28, distributedInfo: { rank: 1 } }),
);
const plane = space(
  [
    device(0, [
      {
        id: 14,
        name: "Stream #14(Compute)",
        events: Array.from({ length: 30 }, (_, index) => xkernel("fusion", index + 1, index * 50_000_000)),
      },
      { id: -1, name: "Steps", events: [{ name: "1" }] },
    ]),
    host(Array.from({ length: 30 }, (_, index) => xlaunch("fusion", index + 1, index * 50_000_000))),
    { name: "/host:metadata", stats: { jax_version: "0.11.2", cuda_driver_version: "13000" } },
  ],
  { warnings: ["Detected GPU events dropped on vm: 12 events dropped because x reaches max;"] },
);

const verdicts = ["healthy", "partial", "no-gpu-events", "cpu-only", "not-gpu", "damaged", "not-a-trace"];

function sane(bytes: Uint8Array, piece: number): void {
  const began = performance.now();
  const found = read(bytes, { piece });
  expect(verdicts).toContain(found.verdict);
  expect(found.kernels).toBeGreaterThanOrEqual(0);
  expect(found.unmatchedLaunches).toBeLessThanOrEqual(found.launches);
  expect(found.because.length).toBeGreaterThan(0);
  // The report has to survive JSON: no cycles, no BigInt.
  JSON.stringify(found);
  expect(performance.now() - began).toBeLessThan(5000);
}

test.each([
  ["Kineto's JSON", json],
  ["an XSpace", plane],
])("mutations of %s: no crash, no hang, always a verdict", (_, source) => {
  const dice = new Dice(77);
  for (let round = 0; round < 1500 * Number(process.env["FUZZ_TIMES"] ?? 1); round += 1)
    sane(mutate([source, json, plane], dice), dice.pick([1 << 16, 97, 4096]));
});

test("every cut of both gives a verdict", () => {
  for (const source of [json, plane])
    for (let length = 0; length < source.length; length += 1 + Math.floor(source.length / 400)) sane(source.subarray(0, length), 1 << 16);
});

test("random bytes", () => {
  const dice = new Dice(5);
  for (let round = 0; round < 500; round += 1)
    sane(
      Uint8Array.from({ length: dice.below(3000) }, () => dice.below(256)),
      512,
    );
  for (const first of ["{", "[", '{"traceEvents":[', '[{"ph":"X","args":{', "\n\x12", "\x0a\xff\xff\xff\xff\x7f"])
    for (let round = 0; round < 100; round += 1)
      sane(
        Uint8Array.from([
          ...Array.from(first, (letter) => letter.charCodeAt(0)),
          ...Array.from({ length: dice.below(500) }, () =>
            dice.pick([0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x5c, 0x2c, 0x3a, 0x31, 0x20, 0x00, 0xff]),
          ),
        ]),
        33,
      );
});

test("a million names, numbers beyond every bound and nesting without end stay within bounds", () => {
  const many = Array.from(
    { length: 200_000 },
    (_, index) =>
      `{"ph":"X","cat":"kernel","name":"kernel number ${index} ${"x".repeat(40)}","pid":${index % 5000},"tid":${index},"ts":${index},"dur":1,"args":{"correlation":${index * 1_000_003}}}`,
  );
  const before = process.memoryUsage().rss;
  expect(read(`{"traceEvents":[${many.join(",")}]}`)).toMatchObject({ verdict: "healthy", kernels: 200_000 });
  expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(900);
  const huge = "9".repeat(400);
  const odd = [launch(1, 1), kernel(1, 5)].map((each) =>
    JSON.stringify(each)
      .replace(/"ts":\d+/, `"ts":${huge}`)
      .replace(/"correlation":\d+/, `"correlation":${huge}`),
  );
  expect(read(`[${odd.join(",")}]`)).toMatchObject({ kernels: 1, launches: 1 });
  expect(read(`{"a":${"[".repeat(1_000_000)}`, { piece: 100_000 })).toMatchObject({ verdict: "not-a-trace" });
  expect(read(`{"traceEvents":[{"ph":"X","args":${'{"a":'.repeat(500_000)}`, { piece: 100_000 })).toMatchObject({ verdict: "damaged" });
});

test("a value larger than what is kept is gone over, not stored", () => {
  const long = `"${"y".repeat(40 << 20)}"`;
  const text = `{"huge":${long},"traceEvents":[${JSON.stringify(launch(1, 1))},{"ph":"X","name":${long}},${JSON.stringify(kernel(1, 5))}]}`;
  expect(read(text, { piece: 1 << 20 })).toMatchObject({
    verdict: "damaged",
    kernels: 1,
    launches: 1,
    damage: { reason: "an event of more than 32 MB was skipped" },
  });
});
