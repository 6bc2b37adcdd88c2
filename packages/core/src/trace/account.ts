import { createCorrelation, type Correlation } from "./correlation.ts";
import { createIntervals, type Intervals } from "./intervals.ts";
import { createLongest, type Longest } from "./longest.ts";
import { createNames, type Names } from "./names.ts";
import { createOperators, type Operators } from "./operators.ts";
import { createScopes, type Scopes } from "./scopes.ts";
import type { Timeline } from "./timeline.ts";
import { collectiveOf, collectives, isCommunication } from "./kernel-names.ts";
import { compileHost, exchangeHost, hostKind, inputHost, isCompiled, isGpuOperator, plainHost } from "./host-kinds.ts";

/** What a device event is. */
export const kernel = 0;
export const copy = 1;
export const memset = 2;
export const other = 3;

/** What a call of the GPU's interface does, as far as it matters here. */
export const plainCall = 0;
export const launchCall = 1;
export const graphLaunchCall = 2;
export const beginCaptureCall = 3;
export const endCaptureCall = 4;

export interface DeviceAccount {
  id: number;
  kernels: number;
  copies: number;
  events: number;
  streams: Set<number>;
  /** Most events are on the stream of the one before. */
  lastStream: number;
  compute: Intervals;
  communication: Intervals;
  /** The same by collective. */
  collectives: Map<string, { count: number; total: number; times: Intervals }>;
  copying: Intervals;
  first: number;
  last: number;
}

/** A step that the program marked, or that the profiler derived on a device. */
export interface Step {
  name: number;
  start: number;
  duration: number;
  device: number;
}

/** Stands for the device of a step that the host marked. */
export const onHost = -1;

/** Sums per name of a kernel. */
export interface KernelSums {
  counts: Float64Array;
  totals: Float64Array;
  longest: Float64Array;
  /** Of those whose occupancy was recorded: their time, and the sum of occupancy by time, in percent. */
  measured: Float64Array;
  occupied: Float64Array;
}

/**
 * What is counted while a trace goes by, whatever its format. Memory is bounded by numbers of names and of calls, not by the size
 * of the file. Times are microseconds from any beginning.
 */
export interface Account {
  names: Names;
  correlation: Correlation;
  devices: Map<number, DeviceAccount>;
  sums: KernelSums;
  operators: Operators;
  scopes: Scopes;
  /** The longest things that the host did, to say what happened in the gaps. */
  host: Longest;
  /** When the host waited for a batch, compiled, waited for the GPU, or exchanged data with other processes. */
  held: { input: Intervals; compiling: Intervals; waiting: Intervals; exchanging: Intervals };
  /** Of those, by name: how often, and for how long. */
  heldBy: Map<number, { kind: number; count: number; total: number }>;
  /** Names of what only a GPU does. */
  signs: string[];
  /** Whether code ran that a compiler made. */
  compiled: boolean;
  launches: number;
  hostEvents: number;
  /** Calls of Python's that were recorded (`with_stack`), which costs the host time. */
  pythonEvents: number;
  withoutTime: number;
  /** Kinds of copies from or to memory of the host that is not pinned. */
  pageable: Set<string>;
  copied: Map<string, { count: number; bytes: number; total: number }>;
  durations: Sample;
  steps: Step[];
  first: number;
  last: number;
  /** `collective`: what a kernel of communication does where its name does not tell. */
  gpu(
    kind: number,
    device: number,
    stream: number,
    start: number,
    duration: number,
    name: number,
    correlation: number,
    collective?: string,
  ): void;
  copy(kind: string, bytes: number, duration: number): void;
  call(kind: number, thread: number, start: number, duration: number, name: number, correlation: number): void;
  /** Whether a host event of this length is worth the price of its name. */
  wantsHost(duration: number): boolean;
  hostEvent(thread: number, start: number, duration: number, name: number): void;
  /** `device`: whose line it stood on; `onHost` where the host marked it. */
  step(name: number, start: number, duration: number, device: number): void;
  device(id: number): DeviceAccount;
}

/** A sample of a stream of numbers, for its median. */
export interface Sample {
  add(value: number): void;
  median(): number;
}

const mostSteps = 20_000;
/** More devices than any machine has are a file that lies: the rest is one. */
const mostDevices = 1024;

export function createAccount(json: boolean, timeline?: Timeline): Account {
  const names = createNames(json);
  const correlation = createCorrelation();
  const devices = new Map<number, DeviceAccount>();
  const host = createLongest(1 << 17);
  let communicates = new Int8Array(1 << 10);
  let lastDevice: DeviceAccount | undefined;

  const account: Account = {
    names,
    correlation,
    devices,
    sums: {
      counts: new Float64Array(1 << 10),
      totals: new Float64Array(1 << 10),
      longest: new Float64Array(1 << 10),
      measured: new Float64Array(1 << 10),
      occupied: new Float64Array(1 << 10),
    },
    operators: createOperators(),
    scopes: createScopes(),
    host,
    held: { input: createIntervals(), compiling: createIntervals(), waiting: createIntervals(), exchanging: createIntervals() },
    heldBy: new Map(),
    signs: [],
    compiled: false,
    launches: 0,
    hostEvents: 0,
    pythonEvents: 0,
    withoutTime: 0,
    pageable: new Set(),
    copied: new Map(),
    durations: createSample(),
    steps: [],
    first: Infinity,
    last: -Infinity,
    device(wanted) {
      if (lastDevice?.id === wanted) return lastDevice;
      const id = devices.size < mostDevices || devices.has(wanted) ? wanted : -1;
      let found = devices.get(id);
      if (!found) {
        found = {
          id,
          kernels: 0,
          copies: 0,
          events: 0,
          streams: new Set(),
          lastStream: Number.NaN,
          compute: createIntervals(),
          communication: createIntervals(),
          collectives: new Map(),
          copying: createIntervals(),
          first: Infinity,
          last: -Infinity,
        };
        devices.set(id, found);
      }
      lastDevice = found;
      return found;
    },
    gpu(kind, id, stream, start, duration, name, number, collective) {
      const device = account.device(id);
      const end = start + duration;
      device.events += 1;
      if (stream !== device.lastStream && device.streams.size < 4096) device.streams.add((device.lastStream = stream));
      if (kind === kernel) device.kernels += 1;
      else if (kind === copy || kind === memset) device.copies += 1;
      if (kind !== other) correlation.device(number, start, kind === kernel);
      if (!Number.isFinite(end) || (start <= 0 && duration <= 0)) {
        account.withoutTime += 1;
        return;
      }
      seen(start, end);
      if (start < device.first) device.first = start;
      if (device.last < end) device.last = end;
      if (kind === kernel) {
        sum(name, duration);
        account.durations.add(duration);
        if (communicates[name] === 0) device.compute.add(start, end);
        else communicate(device, collective ?? collectives[communicates[name]! - 1]!, start, end);
      } else if (kind === copy || kind === memset) device.copying.add(start, end);
      timeline?.gpu(kind, id, stream, start, duration, name, number);
    },
    copy(kind, bytes, duration) {
      const found = account.copied.get(kind);
      if (found) {
        found.count += 1;
        found.bytes += bytes || 0;
        found.total += duration || 0;
      } else if (account.copied.size < 64) account.copied.set(kind, { count: 1, bytes: bytes || 0, total: duration || 0 });
    },
    call(kind, thread, start, duration, name, number) {
      account.hostEvents += 1;
      const end = start + duration;
      if (kind === launchCall) account.launches += 1;
      if (kind === launchCall || kind === graphLaunchCall) correlation.launch(number, start, kind === graphLaunchCall);
      else {
        correlation.call(number);
        if (kind === beginCaptureCall) correlation.beginCapture(start);
        else if (kind === endCaptureCall) correlation.endCapture(end);
      }
      if (!Number.isFinite(end)) return;
      seen(start, end);
      holding(name, start, end);
      host.add(start, duration, thread, name);
      timeline?.host(thread, start, duration, name, number);
    },
    wantsHost: (duration) => timeline !== undefined || host.wants(duration),
    hostEvent(thread, start, duration, name) {
      account.hostEvents += 1;
      const end = start + duration;
      if (!Number.isFinite(end)) return;
      seen(start, end);
      if (name < 0) return;
      holding(name, start, end);
      host.add(start, duration, thread, name);
      timeline?.host(thread, start, duration, name);
    },
    step(name, start, duration, device) {
      if (account.steps.length < mostSteps && Number.isFinite(start + duration)) account.steps.push({ name, start, duration, device });
    },
  };

  const seen = (start: number, end: number) => {
    if (start < account.first) account.first = start;
    if (account.last < end) account.last = end;
  };

  // By number of the name: its kind and one; 0 is not asked yet.
  let kinds = new Uint8Array(1 << 10);
  const holding = (name: number, start: number, end: number) => {
    if (kinds.length <= name) {
      const larger = new Uint8Array(Math.max(name + 1, kinds.length * 2));
      larger.set(kinds);
      kinds = larger;
    }
    if (kinds[name] === 0) kinds[name] = 1 + meet(account, names.text(name));
    const kind = kinds[name]! - 1;
    if (kind === plainHost) return;
    heldAs(account, kind).add(start, end);
    const known = account.heldBy.get(name);
    if (!known) account.heldBy.set(name, { kind, count: 1, total: end - start });
    else {
      known.count += 1;
      known.total += end - start;
    }
  };

  const sum = (name: number, duration: number) => {
    const { sums } = account;
    if (sums.counts.length <= name) {
      const size = Math.max(name + 1, sums.counts.length * 2);
      sums.counts = enlarged(sums.counts, size);
      sums.totals = enlarged(sums.totals, size);
      sums.longest = enlarged(sums.longest, size);
      sums.measured = enlarged(sums.measured, size);
      sums.occupied = enlarged(sums.occupied, size);
      const flags = new Int8Array(size);
      flags.set(communicates);
      communicates = flags;
    }
    if (sums.counts[name] === 0 && isCommunication(names.text(name)))
      communicates[name] = 1 + collectives.indexOf(collectiveOf(names.text(name)));
    sums.counts[name]! += 1;
    sums.totals[name]! += duration;
    if (sums.longest[name]! < duration) sums.longest[name] = duration;
  };

  return account;
}

function heldAs({ held }: Account, kind: number): Intervals {
  if (kind === inputHost) return held.input;
  if (kind === exchangeHost) return held.exchanging;
  return kind === compileHost ? held.compiling : held.waiting;
}

/** A name of the host's that was not seen before: what it is, and what it gives away. */
function meet(account: Account, name: string): number {
  if (account.signs.length < 5 && isGpuOperator(name)) account.signs.push(name.slice(0, 100));
  if (isCompiled(name)) account.compiled = true;
  return hostKind(name);
}

function communicate(device: DeviceAccount, name: string, start: number, end: number): void {
  device.communication.add(start, end);
  let found = device.collectives.get(name);
  if (!found) {
    found = { count: 0, total: 0, times: createIntervals() };
    device.collectives.set(name, found);
  }
  found.count += 1;
  found.total += end - start;
  found.times.add(start, end);
}

function enlarged(numbers: Float64Array, size: number): Float64Array {
  const larger = new Float64Array(size);
  larger.set(numbers);
  return larger;
}

function createSample(): Sample {
  // Every n-th value, n doubling when the room is full: even over the whole trace, and the same each time.
  const room = new Float64Array(1 << 12);
  let count = 0;
  let every = 1;
  let next = 0;
  return {
    add(value) {
      next += 1;
      if (next < every) return;
      next = 0;
      if (count === room.length) {
        for (let at = 0; at < count / 2; at += 1) room[at] = room[at * 2]!;
        count /= 2;
        every *= 2;
      }
      room[count] = value;
      count += 1;
    },
    median() {
      if (count === 0) return 0;
      return room.slice(0, count).sort()[count >> 1]!;
    },
  };
}
