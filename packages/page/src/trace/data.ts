/** What the page is given: a description, and one block of numbers (see packages/core/src/report/trace-page.ts). */
export interface PageData {
  names: string[];
  details: string[];
  span: number;
  tracks: { label: string; kind: "gpu" | "host"; rows: number[] }[];
  /** Words of the block that are arrows. */
  arrows: number;
  counters: { label: string; length: number; most: number }[];
  kernels: { short: string; name: string; count: number; total: number; share: number; kind: string }[];
}

/** Events of one row, sorted and apart. Times are microseconds. */
export interface Row {
  starts: Float64Array;
  ends: Float64Array;
  names: Uint32Array;
  /** What is busy before each event, in all: one more than there are events. */
  busy: Float64Array;
  /** The place of its first event among all of them; -1 where the row was made here. */
  first: number;
}

export interface Track {
  label: string;
  kind: "gpu" | "host";
  rows: Row[];
  open: boolean;
}

export interface Counter {
  label: string;
  times: Float64Array;
  /** Parts of the highest. */
  values: Float64Array;
  most: number;
}

export interface Recording {
  names: string[];
  span: number;
  tracks: Track[];
  counters: Counter[];
  /** By the place of an event: what else it says of itself. */
  detailOf: (event: number) => string | undefined;
  /** By the place of a call: what it started; and the other way round. */
  started: Map<number, number[]>;
  startedBy: Map<number, number>;
}

/** gzip and base64, as a page carries it. */
export async function blockOf(packed: string): Promise<Uint32Array> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint32Array(await new Response(stream).arrayBuffer());
}

/** The numbers of the block: for each event its start, its duration (in parts of the whole, 32 bits), its name and its detail; then arrows and counters. */
export function recordingOf(data: PageData, words: Uint32Array): Recording {
  const unit = data.span / 0xffff_ffff;
  let at = 0;
  let count = 0;
  const details: { first: number; numbers: Uint32Array }[] = [];
  const tracks = data.tracks.map(({ label, kind, rows }): Track => ({
    label,
    kind,
    open: true,
    rows: rows.map((length) => {
      const starts = new Float64Array(length);
      const ends = new Float64Array(length);
      const names = words.slice(at + 2 * length, at + 3 * length);
      for (let index = 0; index < length; index += 1) {
        starts[index] = words[at + index]! * unit;
        ends[index] = starts[index]! + words[at + length + index]! * unit;
      }
      details.push({ first: count, numbers: words.subarray(at + 3 * length, at + 4 * length) });
      at += 4 * length;
      count += length;
      return { starts, ends, names, busy: busyIn(starts, ends), first: count - length };
    }),
  }));
  const { started, startedBy } = arrowsIn(words.subarray(at, at + data.arrows));
  at += data.arrows;
  const counters = data.counters.map(({ label, length, most }): Counter => {
    const times = Float64Array.from(words.subarray(at, at + length), (word) => word * unit);
    const values = Float64Array.from(words.subarray(at + length, at + 2 * length), (word) => word / 0xffff_ffff);
    at += 2 * length;
    return { label, times, values, most };
  });
  const detailOf = (event: number) => {
    const row = details.findLast(({ first }) => first <= event);
    const number = row?.numbers[event - row.first] ?? 0;
    return number === 0 ? undefined : data.details[number - 1];
  };
  return { names: data.names, span: data.span, tracks, counters, detailOf, started, startedBy };
}

function arrowsIn(pairs: Uint32Array): Pick<Recording, "started" | "startedBy"> {
  const started = new Map<number, number[]>();
  const startedBy = new Map<number, number>();
  for (let index = 0; index < pairs.length; index += 2) {
    const [call, event] = [pairs[index]!, pairs[index + 1]!];
    const known = started.get(call);
    if (known) known.push(event);
    else started.set(call, [event]);
    startedBy.set(event, call);
  }
  return { started, startedBy };
}

export function busyIn(starts: Float64Array, ends: Float64Array): Float64Array {
  const busy = new Float64Array(starts.length + 1);
  for (let index = 0; index < starts.length; index += 1) busy[index + 1] = busy[index]! + (ends[index]! - starts[index]!);
  return busy;
}
