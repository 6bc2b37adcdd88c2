import type { TraceCounter, TraceDrawing, TraceDrawnTrack } from "../model/trace.ts";
import { createLongest, type Longest } from "./longest.ts";
import type { Names } from "./names.ts";
import { shortName } from "./kernel-names.ts";

/** Events kept for drawing, when that is asked for: as many as there is room for, the longest ones. */
export interface Timeline {
  /** `call`: the number that it shares with the call that started it. */
  gpu(kind: number, device: number, stream: number, start: number, duration: number, name: number, call?: number): void;
  host(thread: number, start: number, duration: number, name: number, call?: number): void;
  /** What else is told of the next events, asked for where one is kept; undefined: nothing. */
  about(tell: (() => string) | undefined): void;
  /** What a thread is called, and of which process it is, where there are several. */
  threadName(thread: number, text: string, process?: number): void;
  processName(process: number, text: string): void;
  /** What a value was from a time on: bytes in use on a device. */
  counter(label: string, time: number, value: number): void;
  /** `origin`: the time from which the report counts. */
  drawn(names: Names, origin: number): TraceDrawing;
}

/** Python's calls lie deep in each other; beyond this they are left out. */
const deepest = 128;

/** So many different texts about events are kept. */
const mostDetails = 20_000;

/** `most`: so many events of the devices, and as many of the host. */
export function createTimeline(most: number): Timeline {
  const device = createLongest(most);
  const host = createLongest(most);
  // Streams are counted through: device and stream together are one number.
  const streams = new Map<string, number>();
  const labels: string[] = [];
  const threads = new Map<number, { text: string; process: number | undefined }>();
  const processes = new Map<number, string>();
  const counters = new Map<string, { times: number[]; values: number[] }>();
  // By text, from 1 on: kernels are launched in the same way again and again.
  const details = new Map<string, number>();
  let tell: (() => string) | undefined;
  const detail = (): number => {
    const text = tell?.() ?? "";
    const known = text === "" ? 0 : details.get(text);
    if (known !== undefined) return known;
    if (details.size === mostDetails) return 0;
    details.set(text, details.size + 1);
    return details.size;
  };
  const labelOf = (thread: number): string => {
    const known = threads.get(thread);
    if (!known) return `thread ${thread}`;
    const { text, process } = known;
    const several = new Set([...threads.values()].map((each) => each.process)).size;
    if (process === undefined || several < 2) return text;
    const called = processes.get(process);
    return `${called === undefined || called === "" ? "process" : called} ${process}: ${text}`;
  };

  return {
    gpu(_kind, id, stream, start, duration, name, call) {
      if (!device.wants(duration)) return;
      const key = `${id}/${stream}`;
      let track = streams.get(key);
      if (track === undefined) {
        if (streams.size === 4096) return;
        track = streams.size;
        streams.set(key, track);
        labels.push(`GPU ${id} stream ${stream}`);
      }
      device.add(start, duration, track, name, call, detail());
    },
    host(thread, start, duration, name, call) {
      if (host.wants(duration)) host.add(start, duration, thread, name, call, detail());
    },
    about(next) {
      tell = next;
    },
    threadName(thread, text, process) {
      if (threads.size < 65_536) threads.set(thread, { text, process });
    },
    processName(process, text) {
      if (processes.size < 4096) processes.set(process, text);
    },
    counter(label, time, value) {
      let counter = counters.get(label);
      if (!counter) {
        if (counters.size === 64) return;
        counter = { times: [], values: [] };
        counters.set(label, counter);
      }
      if (counter.times.length === most || !Number.isFinite(time + value)) return;
      counter.times.push(time);
      counter.values.push(value);
    },
    drawn(names, origin) {
      const numbers = new Map<number, number>();
      const texts: string[] = [];
      const nameOf = (name: number, gpu: boolean) => {
        let number = numbers.get(name);
        if (number === undefined) {
          number = texts.length;
          numbers.set(name, number);
          texts.push((gpu ? shortName(names.text(name)) : names.text(name)).slice(0, 160));
        }
        return number;
      };
      const gpuTracks = tracksOf(
        device,
        "gpu",
        (track) => labels[track] ?? "GPU",
        (name) => nameOf(name, true),
      );
      gpuTracks.sort((a, b) => a.label.localeCompare(b.label, "en", { numeric: true }));
      const hostTracks = tracksOf(host, "host", labelOf, (name) => nameOf(name, false));
      // The threads that did most come first.
      hostTracks.sort((a, b) => sizeOf(b) - sizeOf(a));
      const placed = [...gpuTracks, ...hostTracks.slice(0, 64)];
      const arrows = arrowsBetween(placed);
      const tracks: TraceDrawnTrack[] = placed.map(({ label, kind, rows }) => ({
        label,
        kind,
        rows: rows.map(({ starts, durations, names: called, details: told }) => ({ starts, durations, names: called, details: told })),
      }));
      let start = Infinity;
      let end = -Infinity;
      for (const { rows } of tracks)
        for (const { starts, durations } of rows) {
          start = Math.min(start, starts[0] ?? Infinity);
          for (let at = 0; at < starts.length; at += 1) end = Math.max(end, starts[at]! + durations[at]!);
        }
      if (end < start) start = end = 0;
      else if (Number.isFinite(origin)) start = Math.min(start, origin);
      for (const { rows } of tracks) for (const { starts } of rows) for (let at = 0; at < starts.length; at += 1) starts[at]! -= start;
      return {
        names: texts,
        details: [...details.keys()],
        tracks,
        span: end - start,
        events: tracks.reduce((sum, track) => sum + sizeOf(track), 0),
        left: Math.max(device.least, host.least),
        arrows,
        counters: [...counters].map(([label, each]) => counterFrom(label, each, start, end)),
      };
    },
  };
}

/** In the order of time: threads write theirs one after the other. */
function counterFrom(label: string, { times, values }: { times: number[]; values: number[] }, start: number, end: number): TraceCounter {
  const order = times.map((_, at) => at).sort((a, b) => times[a]! - times[b]!);
  const within = order.filter((at) => start <= times[at]! && times[at]! <= end);
  return { label, times: Float64Array.from(within, (at) => times[at]! - start), values: Float64Array.from(within, (at) => values[at]!) };
}

type LinkedTrack = TraceDrawnTrack & { rows: { links: Float64Array }[] };

/** From every call to what it started: pairs of events, each by its place among all of them. */
function arrowsBetween(tracks: LinkedTrack[]): Uint32Array {
  const calls = new Map<number, number>();
  const started: [number, number][] = [];
  let at = 0;
  for (const { kind, rows } of tracks)
    for (const { links } of rows) {
      for (let index = 0; index < links.length; index += 1) {
        const link = links[index]!;
        if (!(0 < link)) continue;
        if (kind === "host") calls.set(link, at + index);
        else started.push([link, at + index]);
      }
      at += links.length;
    }
  return Uint32Array.from(
    started.flatMap(([link, event]) => {
      const call = calls.get(link);
      return call === undefined ? [] : [call, event];
    }),
  );
}

const sizeOf = ({ rows }: TraceDrawnTrack) => rows.reduce((sum, { starts }) => sum + starts.length, 0);

function tracksOf(
  events: Longest,
  kind: "gpu" | "host",
  label: (track: number) => string,
  nameOf: (name: number) => number,
): LinkedTrack[] {
  const byTrack = new Map<number, number[]>();
  for (let at = 0; at < events.count; at += 1) {
    const track = events.threads[at]!;
    const found = byTrack.get(track);
    if (found) found.push(at);
    else byTrack.set(track, [at]);
  }
  const tracks: LinkedTrack[] = [];
  for (const [track, indexes] of byTrack) {
    // Of two that begin together the longer one lies around the other.
    indexes.sort((a, b) => events.starts[a]! - events.starts[b]! || events.durations[b]! - events.durations[a]!);
    const rows: number[][] = [];
    const ends: number[] = [];
    for (const index of indexes) {
      const start = events.starts[index]!;
      // Below everything that still runs.
      let row = ends.length;
      while (0 < row && ends[row - 1]! - 1e-3 <= start) row -= 1;
      if (deepest <= row) continue;
      (rows[row] ??= []).push(index);
      ends[row] = start + events.durations[index]!;
    }
    tracks.push({
      label: label(track),
      kind,
      rows: rows.map((row) => ({
        starts: Float64Array.from(row, (index) => events.starts[index]!),
        durations: Float64Array.from(row, (index) => events.durations[index]!),
        names: Int32Array.from(row, (index) => nameOf(events.names[index]!)),
        links: Float64Array.from(row, (index) => events.links[index]!),
        details: Int32Array.from(row, (index) => events.details[index]!),
      })),
    });
  }
  return tracks;
}

/** Several drawings as one, each from its own beginning. */
export function joinDrawings(drawings: { label: string; drawing: TraceDrawing }[]): TraceDrawing | undefined {
  const [first] = drawings;
  if (drawings.length < 2) return first?.drawing;
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const details: string[] = [];
  const tracks: TraceDrawnTrack[] = [];
  for (const { label, drawing } of drawings) {
    const told = details.length;
    details.push(...drawing.details);
    const translated = drawing.names.map((name) => {
      const known = numbers.get(name) ?? names.length;
      if (known === names.length) {
        numbers.set(name, known);
        names.push(name);
      }
      return known;
    });
    for (const { label: own, kind, rows } of drawing.tracks)
      tracks.push({
        label: `${label}: ${own}`,
        kind,
        rows: rows.map((row) => ({
          ...row,
          names: row.names.map((name) => translated[name]!),
          details: row.details.map((detail) => (detail === 0 ? 0 : detail + told)),
        })),
      });
  }
  return {
    names,
    details,
    tracks,
    span: Math.max(...drawings.map(({ drawing }) => drawing.span)),
    events: drawings.reduce((sum, { drawing }) => sum + drawing.events, 0),
    left: Math.max(...drawings.map(({ drawing }) => drawing.left)),
    arrows: joinedArrows(drawings.map(({ drawing }) => drawing)),
    counters: drawings.flatMap(({ label, drawing }) => drawing.counters.map((each) => ({ ...each, label: `${label}: ${each.label}` }))),
  };
}

function joinedArrows(drawings: TraceDrawing[]): Uint32Array {
  const joined = new Uint32Array(drawings.reduce((sum, { arrows }) => sum + arrows.length, 0));
  let [at, before] = [0, 0];
  for (const { arrows, events } of drawings) {
    for (const event of arrows) {
      joined[at] = event + before;
      at += 1;
    }
    before += events;
  }
  return joined;
}
