import { jsonText } from "../lib/visible.ts";
import type { TraceDrawing } from "../model/trace.ts";

/**
 * A lean Chrome trace, which ui.perfetto.dev opens: what ran on the devices, calls and the longest events of the host, without the
 * arguments that make up most of a profile. It comes in pieces, since as one text it may be too long.
 */
export function* perfettoTrace({ names, tracks }: TraceDrawing): Generator<string> {
  yield '{"displayTimeUnit":"ns","traceEvents":[\n';
  yield `${["GPU", "host"].map((name, process) => metadata("process_name", process + 1, 0, name)).join(",\n")}`;
  let thread = 0;
  for (const { label, kind, rows } of tracks) {
    thread += 1;
    const process = kind === "gpu" ? 1 : 2;
    let piece = `,\n${metadata("thread_name", process, thread, label)},\n${metadata("thread_sort_index", process, thread, thread)}`;
    for (const { starts, durations, names: called } of rows) {
      for (let at = 0; at < starts.length; at += 1) {
        piece += `,\n{"ph":"X","pid":${process},"tid":${thread},"ts":${rounded(starts[at]!)},"dur":${rounded(durations[at]!)},"name":${jsonText(names[called[at]!])}}`;
        if (1 << 18 < piece.length) {
          yield piece;
          piece = "";
        }
      }
    }
    yield piece;
  }
  yield "\n]}\n";
}

// Nanoseconds are as fine as profilers measure.
const rounded = (microseconds: number) => Number(microseconds.toFixed(3));

function metadata(what: string, process: number, thread: number, value: string | number): string {
  const argument = typeof value === "number" ? { sort_index: value } : { name: value };
  return jsonText({ ph: "M", pid: process, tid: thread, name: what, args: argument });
}
