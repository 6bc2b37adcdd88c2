import type { TraceFile, TraceReport } from "../model/trace.ts";
import { columns, count, plain, type Style } from "./style.ts";

/** One screen: was the GPU recorded, by which CUPTI, what was lost, why, and where the time went. */
export function traceReport({ files }: TraceReport, style: Style = plain): string {
  return `${files.map((file) => fileReport(file, style).join("\n")).join("\n\n")}\n`;
}

function fileReport(file: TraceFile, style: Style): string[] {
  return [
    `${file.file}: ${file.verdict}`,
    ...file.because,
    ...columns(
      file.top.map((top) => [top.short, count(top.count, "time")]),
      "  ",
    ),
    style.faint(""),
  ];
}
