// What a part of the time was spent on.
import { after, busyBetween, firstEnding, unionOf } from "./coverage.ts";
import type { Recording, Row, Track } from "./data.ts";

export interface Sum {
  name: string;
  total: number;
  count: number;
}

export interface RangeSums {
  length: number;
  /** How long each device was busy, whatever overlaps. */
  devices: { label: string; busy: number }[];
  kernels: Sum[];
  host: Sum[];
}

export function sumsBetween({ tracks, names }: Recording, from: number, to: number): RangeSums {
  const ofKind = (kind: Track["kind"]) =>
    tracks.filter((track) => track.kind === kind).flatMap(({ rows }) => rows.filter(({ first }) => 0 <= first));
  return {
    length: to - from,
    devices: tracks
      .filter(({ rows }) => rows.some(({ first }) => first < 0))
      .map(({ label, rows }) => ({ label, busy: rows.reduce((sum, row) => sum + busyBetween(row, from, to), 0) })),
    kernels: byName(ofKind("gpu"), names, from, to),
    host: byName(ofKind("host"), names, from, to),
  };
}

function byName(rows: Row[], names: string[], from: number, to: number): Sum[] {
  const totals = new Float64Array(names.length);
  const counts = new Uint32Array(names.length);
  for (const { starts, ends, names: called } of rows) {
    const last = after(starts, 0, to);
    for (let index = firstEnding(ends, from); index < last; index += 1) {
      totals[called[index]!]! += Math.min(ends[index]!, to) - Math.max(starts[index]!, from);
      counts[called[index]!]! += 1;
    }
  }
  return names
    .map((name, at) => ({ name, total: totals[at]!, count: counts[at]! }))
    .filter(({ count }) => 0 < count)
    .sort((a, b) => b.total - a.total);
}

/** Before the streams of each GPU, when any of them was busy. */
export function withDevices(recording: Recording): Recording {
  const devices = new Map<string, Track[]>();
  for (const track of recording.tracks)
    if (track.kind === "gpu") {
      const device = track.label.replace(/ stream \S+$/, "");
      devices.set(device, [...(devices.get(device) ?? []), track]);
    }
  const tracks = [...devices].flatMap(([label, streams]): Track[] => [
    { label: `${label}: any stream`, kind: "gpu", open: true, rows: [unionOf(streams.flatMap(({ rows }) => rows))] },
    ...streams,
  ]);
  return { ...recording, tracks: [...tracks, ...recording.tracks.filter(({ kind }) => kind !== "gpu")] };
}
