import { expect, test } from "vitest";
import type { ChromeEvent } from "../../packages/core/src/trace/chrome-event.ts";
import { readChrome } from "../../packages/core/src/trace/chrome-scanner.ts";
import { Dice } from "../fuzz/fuzz.ts";
import { event, kernel, kineto, launch, read } from "./encode.ts";

interface Seen {
  phase: string;
  time: number;
  duration: number;
  process: number;
  name: string | undefined;
  category: string | undefined;
  args: string | undefined;
}

function scan(text: string, piece = 1 << 16) {
  const seen: Seen[] = [];
  const members: [string, string | undefined][] = [];
  const reader = readChrome({
    event({ bytes, phase, time, duration, process, nameStart, nameEnd, categoryStart, categoryEnd, argsStart, argsEnd }: ChromeEvent) {
      const text = (start: number, end: number) => (start < 0 ? undefined : Buffer.from(bytes.subarray(start, end)).toString());
      seen.push({
        phase: String.fromCharCode(phase),
        time,
        duration,
        process,
        name: text(nameStart, nameEnd),
        category: text(categoryStart, categoryEnd),
        args: text(argsStart, argsEnd),
      });
    },
    member: (name, value) => members.push([name, value]),
  });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) reader.push(new Uint8Array(bytes.subarray(at, at + piece)));
  reader.end();
  return { seen, members, reader };
}

// Any JSON value that a writer may put into an event's arguments.
function anyValue(dice: Dice, depth: number): unknown {
  switch (dice.below(depth < 4 ? 8 : 6)) {
    case 0:
      return dice.below(1e9) / 1000;
    case 1:
      return -dice.below(1e6);
    case 2:
      return null;
    case 3:
      return dice.chance(2);
    case 4:
      return dice.pick(['a "quoted" \\ word', "back\\slash\\", "}{][,:", "tab\there", "ünïcode", "", '\\"', "\\\\"]);
    case 5:
      return 12345678901234;
    case 6:
      return Array.from({ length: dice.below(4) }, () => anyValue(dice, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: dice.below(4) }, (_, index) => [
          dice.pick(["name", "ph", 'k"ey', "dur", `x${index}`]),
          anyValue(dice, depth + 1),
        ]),
      );
  }
}

test("every event is what JSON.parse says it is, whatever the order of its members, in pieces of any size", () => {
  const dice = new Dice(20);
  for (let round = 0; round < 60; round += 1) {
    const events = Array.from({ length: 1 + dice.below(30) }, () => {
      const members: [string, unknown][] = [
        ["ph", dice.pick(["X", "i", "M", "s"])],
        ["ts", dice.below(1e9) + dice.below(1000) / 1000],
        ["dur", dice.below(1e6) / 1000],
        ["pid", dice.below(1e6)],
        ["name", dice.pick(['say "hi"', "plain", "end\\", "a::b<c>"])],
        ["cat", dice.pick(["kernel", "cpu_op", 'q"'])],
        ["args", anyValue(dice, 0)],
        ["other", anyValue(dice, 0)],
      ];
      return Object.fromEntries(members.filter(() => !dice.chance(8)).sort(() => (dice.chance(2) ? 1 : -1)));
    });
    const document = { before: anyValue(dice, 0), traceEvents: events, after: anyValue(dice, 0) };
    const text = dice.chance(2) ? JSON.stringify(document) : JSON.stringify(document, null, 1 + dice.below(4));
    const { seen, members, reader } = scan(text, 1 + dice.below(dice.chance(2) ? 20 : 2000));
    expect(reader.damage).toBeUndefined();
    expect(seen).toHaveLength(events.length);
    seen.forEach((found, index) => {
      const wanted = events[index]!;
      expect(found.phase).toBe(wanted["ph"] ?? "\0");
      if (wanted["ts"] !== undefined) expect(found.time).toBeCloseTo(wanted["ts"] as number, 5);
      else expect(found.time).toBeNaN();
      expect(found.process).toBe(wanted["pid"] ?? 0);
      expect(found.name === undefined ? undefined : JSON.parse(`"${found.name}"`)).toBe(wanted["name"]);
      if (typeof wanted["args"] === "object" && wanted["args"] !== null) expect(JSON.parse(found.args!)).toEqual(wanted["args"]);
    });
    expect(members.map(([name, value]) => [name, JSON.parse(value!)])).toEqual([
      ["before", document.before],
      ["after", document.after],
    ]);
  }
});

test("numbers are read as JavaScript reads them", () => {
  for (const text of [
    "0",
    "-1",
    "1.5",
    "3852848812974.744",
    "1e3",
    "-2.5E-3",
    "12345678901234567890",
    "1610366662254362",
    "0.1",
    "32.354999999999997",
  ]) {
    const { seen } = scan(`[{"ph":"X","ts":${text},"dur":"${text}"}]`);
    expect(Math.abs(seen[0]!.time - Number(text))).toBeLessThanOrEqual(Math.abs(Number(text)) * 4e-16);
    expect(Math.abs(seen[0]!.duration - Number(text))).toBeLessThanOrEqual(Math.abs(Number(text)) * 4e-16);
  }
  expect(scan(`[{"ph":"X","ts":NaN,"dur":-Infinity}]`).seen[0]).toMatchObject({ time: Number.NaN, duration: -Infinity });
});

test("what writers get wrong is tolerated: NaN, commas too many, control characters, lone backslashes", () => {
  const text = kineto([launch(1, 1), kernel(1, 5), event("cpu_op", "x", 1, 2)])
    .replace('"ts":1,', '"ts":1,"bad":NaN,"worse":-Infinity,')
    .replace('"args":{"device"', '"args":{"path":"C:\\temp\\x","nothing":[1,2,],"device"')
    .replace('"name":"x"', '"name":"x\u0001\ty"')
    .replace('}},\n  {"ph":"X","cat":"cpu_op"', '}},,\n  {"ph":"X","cat":"cpu_op"');
  expect(() => JSON.parse(text)).toThrow();
  expect(read(text)).toMatchObject({ verdict: "healthy", kernels: 1, launches: 1, events: 3 });
});

test("an event that is not JSON costs that event alone, and it is said where", () => {
  const events = [launch(1, 1), kernel(1, 5), launch(2, 10), kernel(2, 20)];
  const text = kineto(events).replace('"name":"void gemm<float>(float*)"', '"name":"say "hi" to it"');
  const found = read(text);
  expect(found).toMatchObject({
    verdict: "damaged",
    kernels: 1,
    launches: 2,
    damage: { offset: text.indexOf('{"ph":"X","cat":"kernel"') },
  });
});

test.each([0.3, 0.6, 0.9, 0.98])("a file cut at %f of its length gives what was there, and says where it ends", (share) => {
  const events = Array.from({ length: 50 }, (_, index) => [launch(index + 1, index * 100), kernel(index + 1, index * 100 + 10)]).flat();
  const whole = kineto(events);
  const cut = whole.slice(0, Math.floor(whole.length * share));
  const found = read(cut);
  expect(found).toMatchObject({ verdict: "damaged", damage: { offset: cut.length } });
  expect(found.kernels).toBe(cut.match(/"cat":"kernel".*\}\}/g)?.length);
});

test("members of any order and size, and nesting of any depth, are gone through", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  const found = read(
    `{"stackFrames":${deep},"traceEvents":[${JSON.stringify(launch(1, 1)).replace('"cbid":211', `"x":${deep}`)},${JSON.stringify(kernel(1, 5))}],"more":${deep}}`,
    { piece: 4096 },
  );
  expect(found).toMatchObject({ verdict: "healthy", kernels: 1, launches: 1 });
});

test("TensorFlow's and JAX's trace viewer files are told by the names of their processes", () => {
  const meta = (pid: number, name: string, tid?: number) => ({
    ph: "M",
    pid,
    ...(tid === undefined ? {} : { tid }),
    name: tid === undefined ? "process_name" : "thread_name",
    args: { name },
  });
  const plain = (pid: number, tid: number, name: string, ts: number, args?: object) => ({
    ph: "X",
    pid,
    tid,
    ts,
    dur: 5,
    name,
    ...(args ? { args } : {}),
  });
  const details = { kernel_details: "regs:32", correlation_id: "7" };
  const viewer = (events: object[]) =>
    JSON.stringify({ displayTimeUnit: "ns", metadata: { "highres-ticks": true }, traceEvents: [...events, {}] });
  const processes = [
    meta(1, "/device:GPU:0"),
    meta(1, "Stream #14(Compute)", 14),
    meta(1, "XLA Ops", 15),
    meta(701, "/host:CPU"),
    meta(701, "python3", 9),
  ];
  const events = [
    plain(1, 14, "fusion", 10, details),
    plain(1, 15, "fusion.1", 10),
    plain(701, 9, "fusion", 2, { correlation_id: "7", device_id: "0" }),
    plain(701, 9, "PjitFunction(f)", 1),
  ];
  expect(read(viewer([...processes, ...events]))).toMatchObject({
    format: "chrome",
    framework: "jax",
    verdict: "healthy",
    kernels: 1,
    launches: 1,
    unmatchedLaunches: 0,
    events: 10,
  });
  expect(read(viewer(processes))).toMatchObject({ verdict: "no-gpu-events", kernels: 0 });
  expect(read(viewer([meta(1, "/device:TPU:0"), meta(1, "XLA Ops", 2), plain(1, 2, "fusion", 1)]))).toMatchObject({ verdict: "not-gpu" });
});
