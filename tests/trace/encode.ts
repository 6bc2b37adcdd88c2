import { expect } from "vitest";
import { openTrace } from "../../packages/core/src/trace/trace.ts";
import type { TraceFile } from "../../packages/core/src/model/trace.ts";

/** Reads bytes as the command does, in pieces of any size. */
export function read(bytes: Uint8Array | string, given: { name?: string; piece?: number; seek?: boolean } = {}): TraceFile {
  const all = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  const answer = readOnce(all, given, false);
  // Packed or not, the answer is the same; of several damaged places another may be the first that is met.
  const again = readOnce(all, { ...given, seek: false }, true);
  const told = (file: TraceFile) => (file.damage ? [file.verdict, file.kernels, file.launches] : file);
  expect(told(again)).toEqual(told(answer));
  return answer;
}

function readOnce(all: Uint8Array, { name = "trace", piece = 1 << 16, seek = true }, isCompressed: boolean): TraceFile {
  const reading = openTrace(all.subarray(0, 65_536), name, { isCompressed });
  const pages = reading.pages?.(all.length);
  for (let step = pages?.next(); step && !step.done;)
    step = pages!.next(all.slice(step.value.offset, step.value.offset + step.value.length));
  do {
    for (let at = 0; at < all.length;) {
      const skip = seek ? Math.min(reading.skip ?? 0, all.length - at) : 0;
      if (0 < skip) {
        reading.skipped?.(skip);
        at += skip;
        continue;
      }
      // A copy of its own, spoilt afterwards: nobody may keep what was pushed.
      const given = all.slice(at, at + piece);
      reading.push(given);
      given.fill(0xff);
      at += given.length;
    }
    reading.end();
  } while (reading.again);
  return reading.finish(name, all.length);
}

type Json = Record<string, unknown>;

/** One event as Kineto writes it. */
export const event = (
  cat: string,
  name: string,
  ts: number,
  dur: number,
  args: Json = {},
  pid: number | string = 100,
  tid: number | string = 100,
): Json => ({
  ph: "X",
  cat,
  name,
  pid,
  tid,
  ts,
  dur,
  args,
});
export const launch = (correlation: number, ts: number, name = "cudaLaunchKernel") =>
  event("cuda_runtime", name, ts, 5, { cbid: 211, correlation });
export const kernel = (correlation: number, ts: number, name = "void gemm<float>(float*)", dur = 20, device = 0, stream = 7) =>
  event("kernel", name, ts, dur, { device, context: 1, stream, correlation, grid: [1, 1, 1] }, device, stream);

export const gpu = (id: number, name = "NVIDIA H100") => ({ id, name, computeMajor: 9, computeMinor: 0 });

/** A file of torch's profiler, laid out as libkineto/src/output_json.cpp does: header, events, then the rest. */
export function kineto(events: Json[], header: Json = {}): string {
  const head = Object.entries({ schemaVersion: 1, deviceProperties: [gpu(0)], ...header });
  const text = head.map(([key, value]) => `  "${key}": ${JSON.stringify(value)},`).join("\n");
  return `{\n${text}\n  "displayTimeUnit": "ms",\n  "baseTimeNanoseconds": 1790857026000000000,\n  "traceEvents": [\n  ${events.map((each) => JSON.stringify(each)).join(",\n  ")}\n  ],\n  "traceName": "/tmp/x.json"\n}\n`;
}

// Protocol buffers, by hand: the few parts that XSpace needs.
function varint(value: number | bigint): number[] {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (127n < rest) {
    out.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return [...out, Number(rest)];
}
const join = (parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
export const bytes = (field: number, content: Uint8Array | string) => {
  const body = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return join([Uint8Array.from([...varint((field << 3) | 2), ...varint(body.length)]), body]);
};
export const number = (field: number, value: number | bigint) => Uint8Array.from([...varint(field << 3), ...varint(value)]);

/** A value of an event or plane: a number, a text, a reference to a name, or bytes. */
export type Stat = number | bigint | string | { ref: string } | { bytes: Uint8Array };
export interface XEvent {
  name: string;
  /** Picoseconds. */
  at?: number;
  takes?: number;
  stats?: { [name: string]: Stat };
}
export interface XLine {
  id: number | bigint;
  name: string;
  start?: bigint;
  events: XEvent[];
}
export interface XPlane {
  name: string;
  id?: number;
  lines?: XLine[];
  stats?: { [name: string]: Stat };
}

function encodePlane({ name, id = 0, lines = [], stats = {} }: XPlane): Uint8Array {
  const events = new Map<string, number>();
  const names = new Map<string, number>();
  const idIn = (map: Map<string, number>, text: string) => {
    if (!map.has(text)) map.set(text, map.size + 1);
    return map.get(text)!;
  };
  const stat = ([key, value]: [string, Stat]): Uint8Array => {
    const own = number(1, idIn(names, key));
    if (typeof value === "string") return join([own, bytes(5, value)]);
    if (typeof value === "number" || typeof value === "bigint") return join([own, number(3, value)]);
    return "ref" in value ? join([own, number(7, idIn(names, value.ref))]) : join([own, bytes(6, value.bytes)]);
  };
  const encodedLines = lines.map((line) =>
    bytes(
      3,
      join([
        number(1, line.id),
        bytes(2, line.name),
        number(3, line.start ?? 1_790_857_026_000_000_000n),
        ...line.events.map((each) =>
          bytes(
            4,
            join([
              number(1, idIn(events, each.name)),
              number(2, each.at ?? 0),
              number(3, each.takes ?? 1_000_000),
              ...Object.entries(each.stats ?? {}).map((entry) => bytes(4, stat(entry))),
            ]),
          ),
        ),
      ]),
    ),
  );
  const ownStats = Object.entries(stats).map((entry) => bytes(6, stat(entry)));
  const map = (field: number, entries: Map<string, number>) =>
    [...entries].map(([text, key]) => bytes(field, join([number(1, key), bytes(2, join([number(1, key), bytes(2, text)]))])));
  return join([number(1, id), bytes(2, name), ...encodedLines, ...map(4, events), ...map(5, names), ...ownStats]);
}

/** A profile of TensorFlow or JAX, in the order in which XLA writes it: the names come after the lines. */
export function space(planes: XPlane[], { errors = [] as string[], warnings = [] as string[], hosts = ["vm"] } = {}): Uint8Array {
  return join([
    ...planes.map((plane) => bytes(1, encodePlane(plane))),
    ...errors.map((text) => bytes(2, text)),
    ...warnings.map((text) => bytes(3, text)),
    ...hosts.map((text) => bytes(4, text)),
  ]);
}

const details = { ref: "regs:32 static_shared:0 dynamic_shared:0 grid:1,1,1 block:128,1,1 occ_pct:100" };
export const xkernel = (name: string, correlation: number, at: number): XEvent => ({
  name,
  at,
  takes: 20_000_000,
  stats: { correlation_id: correlation, theoretical_occupancy_pct: 100, kernel_details: details },
});
export const xlaunch = (name: string, correlation: number, at: number): XEvent => ({
  name,
  at,
  takes: 4_000_000,
  stats: { device_id: 0, correlation_id: correlation },
});
export const device = (id: number, lines: XLine[], stats: XPlane["stats"] = {}): XPlane => ({
  name: `/device:GPU:${id}`,
  id,
  lines,
  stats: { device_vendor: "Nvidia", compute_cap_major: 9, compute_cap_minor: 0, ...stats },
});
export const host = (events: XEvent[]): XPlane => ({ name: "/host:CPU", lines: [{ id: -6911239557830019770n, name: "python3", events }] });
