/** What the page is given: a description, and one block of numbers (see packages/core/src/report/trace-page.ts). */
export interface PageData {
  names: string[];
  span: number;
  tracks: { label: string; kind: "gpu" | "host"; rows: number[] }[];
  kernels: { short: string; name: string; count: number; total: number; share: number; kind: string }[];
}

/** Events of one row, sorted and apart. Times are microseconds. */
export interface Row {
  starts: Float64Array;
  ends: Float64Array;
  names: Uint32Array;
}

export interface Track {
  label: string;
  kind: "gpu" | "host";
  rows: Row[];
  open: boolean;
}

/** Unpacks the numbers: for each event its start, its duration (in parts of the whole, 32 bits) and its name. */
export async function unpack(data: PageData, packed: string): Promise<Track[]> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const words = new Uint32Array(await new Response(stream).arrayBuffer());
  const unit = data.span / 0xffff_ffff;
  let at = 0;
  return data.tracks.map(({ label, kind, rows }) => ({
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
      at += 3 * length;
      return { starts, ends, names };
    }),
  }));
}
