import { createPages, pageSize, slotOf } from "./pages.ts";

/**
 * Which launches have a kernel. Every call of the GPU's interface has a number, and what it started on the device carries the same
 * one: a launch without its kernel is a record that was lost. Numbers grow by one with each call, so they are kept in pages.
 */
export interface Correlation {
  launch(number: number, time: number, graph: boolean): void;
  /** Any call: the smallest number tells where the recorded window begins. */
  call(number: number): void;
  device(number: number, time: number, kernel: boolean): void;
  beginCapture(time: number): void;
  endCapture(time: number): void;
  settled(): Matches;
}

export interface Matches {
  launches: number;
  graphLaunches: number;
  /** Launches that nothing on the device answers, and that were not captured into a graph. */
  unmatched: number;
  unmatchedGraphs: number;
  /** Launches while a graph was being captured: they start nothing, by design. */
  captured: number;
  /** Of the unmatched: those before the first and after the last launch that has its kernel. */
  unmatchedAtStart: number;
  unmatchedAtEnd: number;
  /** Kernels whose call is older than the window. */
  launchedBefore: number;
  /** Kernels whose call should be in the window and is not. */
  callLost: number;
  /** Kernels that seem to start before they were launched. */
  beforeLaunch: number;
  /** How long after its launch each kernel began: how many, and how many at once (the device was waiting for them). */
  delays: number;
  promptStarts: number;
}

/** Bounds the memory at about 120 MB: 24 million calls. What comes after them is not judged. */
const mostPages = 6000;
const isLaunch = 1;
const isGraph = 2;
const onDevice = 4;
const hasKernel = 8;
const isCall = 16;

interface Page {
  flags: Uint8Array;
  /** Quarters of a microsecond, modulo 2^32: of the launch or, until that is seen, of the kernel. */
  times: Uint32Array;
}

/** A kernel that starts within this many microseconds of its launch was waited for by the device. */
const prompt = 25;
/** Clocks of host and device are matched to about this many microseconds. */
const tolerance = 20;

export function createCorrelation(): Correlation {
  const pages = createPages<Page>({ left: mostPages }, () => ({ flags: new Uint8Array(pageSize), times: new Uint32Array(pageSize) }));
  const captures: { from: number; to: number }[] = [];
  let base = Number.NaN;
  let beforeLaunch = 0;
  let delays = 0;
  let promptStarts = 0;
  let open = 0;

  const quarters = (time: number) => {
    if (Number.isNaN(base)) base = time;
    return ((time - base) * 4) >>> 0;
  };
  const compare = (launched: number, started: number) => {
    const delay = (started - launched) | 0;
    delays += 1;
    if (delay < -tolerance * 4) beforeLaunch += 1;
    else if (delay < prompt * 4) promptStarts += 1;
  };

  return {
    launch(number, time, graph) {
      const page = pages.at(number);
      if (!page) return;
      const slot = slotOf(number);
      const flags = page.flags[slot]!;
      if (flags & isLaunch) return;
      if (flags & hasKernel) compare(quarters(time), page.times[slot]!);
      page.times[slot] = quarters(time);
      page.flags[slot] = flags | isLaunch | isCall | (graph ? isGraph : 0);
    },
    call(number) {
      const page = pages.at(number);
      if (page) page.flags[slotOf(number)]! |= isCall;
    },
    device(number, time, kernel) {
      const page = pages.at(number);
      if (!page) return;
      const slot = slotOf(number);
      const flags = page.flags[slot]!;
      if (kernel && !(flags & hasKernel)) {
        if (flags & isLaunch) compare(page.times[slot]!, quarters(time));
        else page.times[slot] = quarters(time);
      }
      page.flags[slot] = flags | onDevice | (kernel ? hasKernel : 0);
    },
    beginCapture(time) {
      quarters(time);
      if (open === 0) captures.push({ from: time, to: Infinity });
      open += 1;
    },
    endCapture(time) {
      quarters(time);
      open -= 1;
      const current = captures.at(-1);
      if (open < 0 || !current) {
        open = 0;
        captures.push({ from: -Infinity, to: time });
      } else if (open === 0) current.to = time;
    },
    settled() {
      const found: Matches = {
        launches: 0,
        graphLaunches: 0,
        unmatched: 0,
        unmatchedGraphs: 0,
        captured: 0,
        unmatchedAtStart: 0,
        unmatchedAtEnd: 0,
        launchedBefore: 0,
        callLost: 0,
        beforeLaunch,
        delays,
        promptStarts,
      };
      const inCapture = (time: number) => captures.some(({ from, to }) => from <= time && time <= to);
      let seenCall = false;
      let seenMatch = false;
      for (const { flags, times } of pages.ordered()) {
        for (let slot = 0; slot < pageSize; slot += 1) {
          const flag = flags[slot]!;
          if (flag === 0) continue;
          if (flag & isCall) seenCall = true;
          if (flag & hasKernel && !(flag & isCall)) {
            if (seenCall) found.callLost += 1;
            else found.launchedBefore += 1;
          }
          if (!(flag & isLaunch)) continue;
          if (flag & isGraph) {
            found.graphLaunches += 1;
            if (!(flag & onDevice)) found.unmatchedGraphs += 1;
            continue;
          }
          found.launches += 1;
          if (flag & onDevice) {
            seenMatch = true;
            found.unmatchedAtEnd = 0;
          } else if (0 < captures.length && inCapture(base + times[slot]! / 4)) found.captured += 1;
          else {
            found.unmatched += 1;
            found.unmatchedAtEnd += 1;
            if (!seenMatch) found.unmatchedAtStart += 1;
          }
        }
      }
      // Without any call in the file, nothing can be said about those that are missing.
      if (!seenCall) found.launchedBefore = 0;
      if (!seenMatch) found.unmatchedAtStart = found.unmatchedAtEnd = 0;
      return found;
    },
  };
}
