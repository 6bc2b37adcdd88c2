import type { TraceDrawing, TraceFile } from "../model/trace.ts";
import { createAccount } from "./account.ts";
import { chromeTrace } from "./chrome-json.ts";
import { emptyFacts, type TraceReader } from "./facts.ts";
import { nsysTrace } from "./nsys.ts";
import { memorySnapshot } from "./torch-memory.ts";
import { rocprofTrace } from "./rocprof.ts";
import { sniff, type Reader } from "./sniff.ts";
import { summarize } from "./summary.ts";
import { createTimeline, type Timeline } from "./timeline.ts";
import { traceProto } from "./trace-proto.ts";
import { xplaneTrace } from "./xplane.ts";

/** How much of a file's beginning tells what it is. */
export const sniffedBytes = 65_536;

/** A plane of XLA's is at most about as large: it stops at a number of events. */
const maxBuffered = 96 << 20;

/** One trace while its bytes come in. Whoever has the bytes pushes them, from the beginning, as often as `again` says. */
export interface TraceReading extends TraceReader {
  finish(file: string, bytes: number, broken?: { offset: number; reason: string }): TraceFile;
  /** What was kept for drawing, if anything was to be. */
  drawing(): TraceDrawing | undefined;
}

/**
 * Begins to read a trace whose first bytes (unpacked) are these; they are to be pushed as well. The name only helps with files that say
 * nothing about themselves. With `drawn`, up to so many events are kept for drawing; bytes that are unpacked on the way (`isCompressed`) are rather
 * held in memory than asked for again.
 */
export function openTrace(first: Uint8Array, name: string, { drawn = 0, isCompressed = false } = {}): TraceReading {
  const timeline = 0 < drawn ? createTimeline(drawn) : undefined;
  const kind = sniff(first, name);
  const reader = "reader" in kind ? readerFor(kind.reader, isCompressed, timeline) : nothing(kind, timeline);
  return {
    push: reader.push,
    end: reader.end,
    facts: reader.facts,
    get again() {
      return reader.again ?? false;
    },
    get skip() {
      return reader.skip ?? 0;
    },
    skipped: (count) => reader.skipped?.(count),
    ...(reader.pages ? { pages: reader.pages } : {}),
    finish(file, bytes, broken) {
      const facts = reader.facts();
      // What broke outside (a gzip that ends) comes before what it caused.
      if (broken && facts.notATrace === undefined) facts.damage = broken;
      return summarize(file, bytes, facts);
    },
    drawing: () => {
      const { names, first } = reader.facts().account;
      return timeline?.drawn(names, first);
    },
  };
}

function readerFor(kind: Reader, isCompressed: boolean, timeline?: Timeline): TraceReader {
  if (kind === "sqlite") return nsysTrace(timeline);
  if (kind === "pickle") return memorySnapshot();
  if (kind === "rocprof") return rocprofTrace(timeline);
  if (kind === "xplane") return xplaneTrace(timeline, isCompressed ? maxBuffered : 0);
  return kind === "chrome" ? chromeTrace(timeline) : traceProto(timeline);
}

function nothing(kind: { format: string; words: string; damaged?: true }, timeline?: Timeline): TraceReader {
  const facts = emptyFacts(kind.format, createAccount(false, timeline));
  if (kind.damaged) facts.damage = { offset: 0, reason: kind.words };
  else facts.notATrace = kind.words;
  return { push() {}, end() {}, facts: () => facts, skip: Infinity };
}
