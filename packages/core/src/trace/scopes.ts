import { createPages, pageSize, slotOf, type Pages } from "./pages.ts";

/**
 * Which modules and ranges of the program the kernels belong to. A kernel carries the number of the call that launched it; that call was
 * made on a thread at a time, and what the thread was in at that time is the answer. The backward pass runs on a thread of its own: its
 * operators carry the numbers of the forward operators that they belong to, and so lead to the module of those. Anything of this may come
 * first in the file, so all is kept, within bounds, and put together at the end (`scope-tree`).
 */
export interface Scopes {
  /** The thread was in the module, or in the range, of this name. */
  entered(kind: "modules" | "ranges", thread: number, start: number, duration: number, name: number): void;
  /** A call of the GPU's interface. */
  launched(correlation: number, thread: number, time: number): void;
  /** A kernel that this call started. */
  ran(correlation: number, duration: number): void;
  /** An operator that autograd has numbered: of the forward pass, or (`forward`: the number of a thread) of the backward pass. */
  numbered(sequence: number, forward: number, thread: number, start: number, duration: number): void;
  /** Undefined where no module or range was seen, or more than there is room for. */
  settled(): Recorded | undefined;
}

export interface Recorded {
  modules: Spans;
  ranges: Spans;
  backward: Spans;
  /** Calls that started kernels, by thread. */
  launches: Map<number, Launches>;
  /** Forward operators: by thread and number, when the last one with this number began. */
  forward: Map<number, Pages<Float64Array>>;
}

export interface Launches {
  times: number[];
  kernels: number[];
  totals: number[];
}

/** Events of threads; `marks` is the name of what was entered, or the number of a backward operator. */
export interface Spans {
  count: number;
  starts: Float64Array;
  durations: Float64Array;
  threads: Int32Array;
  marks: Float64Array;
  /** The thread of the forward pass, as autograd numbers it. */
  forward: Int32Array;
}

/** Bounds the memory: four million calls (80 MB), a million of modules, ranges and backward operators each (32 MB), four of forward ones (32 MB). */
const mostCallPages = 1000;
const mostSpans = 1 << 20;
const mostForwardPages = 1000;

interface CallPage {
  threads: Int32Array;
  times: Float64Array;
  kernels: Uint32Array;
  totals: Float32Array;
}

export function createScopes(): Scopes {
  const calls = createPages<CallPage>({ left: mostCallPages }, () => ({
    threads: new Int32Array(pageSize),
    times: new Float64Array(pageSize),
    kernels: new Uint32Array(pageSize),
    totals: new Float32Array(pageSize),
  }));
  const forward = new Map<number, Pages<Float64Array>>();
  const forwardRoom = { left: mostForwardPages };
  const kept = { modules: createSpans(), ranges: createSpans(), backward: createSpans() };

  return {
    entered(kind, thread, start, duration, name) {
      if (Number.isFinite(start + duration)) addSpan(kept[kind], thread, start, duration, name, 0);
    },
    launched(correlation, thread, time) {
      const page = calls.at(correlation);
      if (!page || !Number.isFinite(time)) return;
      page.threads[slotOf(correlation)] = thread;
      page.times[slotOf(correlation)] = time;
    },
    ran(correlation, duration) {
      const page = calls.at(correlation);
      if (!page || !Number.isFinite(duration)) return;
      page.kernels[slotOf(correlation)]! += 1;
      page.totals[slotOf(correlation)]! += duration;
    },
    numbered(sequence, of, thread, start, duration) {
      if (!Number.isFinite(start + duration)) return;
      if (0 < of) addSpan(kept.backward, thread, start, duration, sequence, of);
      else {
        let pages = forward.get(thread);
        if (!pages) forward.set(thread, (pages = createPages(forwardRoom, () => new Float64Array(pageSize).fill(-Infinity))));
        const page = pages.at(sequence + 1);
        const slot = slotOf(sequence + 1);
        // Several have the same number until one of them is recorded by autograd: that is the last.
        if (page && page[slot]! < start) page[slot] = start;
      }
    },
    settled() {
      const { modules, ranges } = kept;
      if (modules.count + ranges.count === 0 || modules.count === mostSpans || ranges.count === mostSpans) return undefined;
      return { ...kept, launches: launchesOf(calls.all()), forward };
    },
  };
}

function launchesOf(pages: Iterable<CallPage>): Map<number, Launches> {
  const found = new Map<number, Launches>();
  for (const { threads, times, kernels, totals } of pages)
    for (let slot = 0; slot < pageSize; slot += 1) {
      if (kernels[slot] === 0 || threads[slot] === 0) continue;
      let launches = found.get(threads[slot]!);
      if (!launches) found.set(threads[slot]!, (launches = { times: [], kernels: [], totals: [] }));
      launches.times.push(times[slot]!);
      launches.kernels.push(kernels[slot]!);
      launches.totals.push(totals[slot]!);
    }
  return found;
}

function createSpans(): Spans {
  const size = 1 << 8;
  return {
    count: 0,
    starts: new Float64Array(size),
    durations: new Float64Array(size),
    threads: new Int32Array(size),
    marks: new Float64Array(size),
    forward: new Int32Array(size),
  };
}

function addSpan(spans: Spans, thread: number, start: number, duration: number, mark: number, forward: number): void {
  const at = spans.count;
  if (at === mostSpans) return;
  if (at === spans.starts.length) {
    for (const key of ["starts", "durations", "marks"] as const) spans[key] = larger(spans[key], new Float64Array(2 * at));
    for (const key of ["threads", "forward"] as const) spans[key] = larger(spans[key], new Int32Array(2 * at));
  }
  spans.starts[at] = start;
  spans.durations[at] = duration;
  spans.threads[at] = thread;
  spans.marks[at] = mark;
  spans.forward[at] = forward;
  spans.count += 1;
}

function larger<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
