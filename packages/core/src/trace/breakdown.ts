// Where each moment of the devices went: what ran, or else what the host was at while nothing ran.
import type { TraceBreakdown } from "../model/trace.ts";
import type { Account } from "./account.ts";
import { clipped, gapsIn, intersection, subtracted, total, union } from "./intervals.ts";

/** The times of one device, settled. */
export interface DeviceTimes {
  compute: Float64Array;
  communication: Float64Array;
  copying: Float64Array;
  kernels: Float64Array;
  all: Float64Array;
  /** How long each of these is. */
  sums: { compute: number; kernels: number; all: number };
}

/** A gap up to this long (microseconds) after the host waited for the GPU is what the waiting costs; in a longer one the host was at something else. */
const longestAfterWait = 300;
/** Clocks of host and device are matched to about this many microseconds. */
const tolerance = 5;

/** The parts, and what of the idle time the host's own events do not explain. */
export interface Broken {
  parts: TraceBreakdown;
  /** Of that, what lies in gaps longer than a millisecond, and the longest of them. */
  inLongGaps: number;
  /** Of the idle time that is the host's: while it exchanged data with other processes. */
  inExchange: number;
  longest: { start: number; duration: number };
}

/** A gap of more than this many microseconds is no launch that came late. */
const longGap = 1000;

/** The sums over all devices that ran something, within `window`; its parts add up to `span`. */
export function breakdownOf({ held }: Account, devices: DeviceTimes[], window: { from: number; to: number }): Broken | undefined {
  const { from, to } = window;
  if (!(from < to)) return undefined;
  const [input, compiling, waiting, exchanging] = [held.input, held.compiling, held.waiting, held.exchanging].map((each) =>
    clipped(each.settled(), from, to),
  );
  const found: TraceBreakdown = {
    span: 0,
    compute: 0,
    communication: 0,
    copies: 0,
    compilation: 0,
    input: 0,
    synchronisation: 0,
    host: 0,
  };
  const broken: Broken = { parts: found, inLongGaps: 0, inExchange: 0, longest: { start: 0, duration: 0 } };
  for (const device of devices) {
    const compute = clipped(device.compute, from, to);
    const kernels = clipped(device.kernels, from, to);
    const all = clipped(device.all, from, to);
    found.span += to - from;
    const { sums } = device;
    const computing = compute === device.compute ? sums.compute : total(compute);
    const running = kernels === device.kernels ? sums.kernels : total(kernels);
    found.compute += computing;
    found.communication += running - computing;
    found.copies += (all === device.all ? sums.all : total(all)) - running;
    const gaps = gapsIn(all, from, to);
    const duringCompilation = intersection(gaps, compiling!);
    const afterCompilation = subtracted(gaps, compiling!);
    const duringInput = intersection(afterCompilation, input!);
    const rest = subtracted(afterCompilation, input!);
    const afterWaits = followingWaits(rest, waiting!);
    found.compilation += total(duringCompilation);
    found.input += total(duringInput);
    found.synchronisation += afterWaits;
    found.host += total(rest) - afterWaits;
    broken.inExchange += total(intersection(rest, exchanging!));
    countLong(broken, rest);
  }
  return 0 < found.span ? broken : undefined;
}

function countLong(broken: Broken, gaps: Float64Array): void {
  for (let at = 0; at < gaps.length; at += 2) {
    const duration = gaps[at + 1]! - gaps[at]!;
    if (longGap < duration) broken.inLongGaps += duration;
    if (broken.longest.duration < duration) broken.longest = { start: gaps[at]!, duration };
  }
}

/** Short gaps that begin while the host waits for the GPU: it had nothing more to do, and had to be given it first. */
function followingWaits(gaps: Float64Array, waits: Float64Array): number {
  let sum = 0;
  let at = 0;
  for (let gap = 0; gap < gaps.length; gap += 2) {
    const start = gaps[gap]!;
    const length = gaps[gap + 1]! - start;
    if (longestAfterWait < length) continue;
    while (at < waits.length && waits[at + 1]! + tolerance < start) at += 2;
    if (at < waits.length && waits[at]! - tolerance <= start) sum += length;
  }
  return sum;
}

/** Of the communication, what ran while no kernel computed, by collective. */
export function exposedBy(collectives: Map<string, Float64Array>, compute: Float64Array): { name: string; exposed: number }[] {
  const base = total(compute);
  return [...collectives].map(([name, times]) => ({ name, exposed: total(union(times, compute)) - base }));
}
