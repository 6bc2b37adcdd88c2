import type { TraceReport } from "@culprit/core";
import { counted, list, number, object, string, type Tool } from "../tool.ts";

export const trace: Tool<TraceReport> = {
  name: "trace",
  title: "Whether a profile recorded the GPU",
  description:
    "Reads what a profiler wrote (xplane.pb, trace.json.gz, pt.trace.json, or a TensorBoard logdir): whether kernels were recorded, by which CUPTI, what was lost and why, and where the time went.",
  command: "trace",
  words: [{ name: "path", help: "a file of a profiler, or a folder of them", required: true, multiple: true }],
  options: ["with-machine", "target", "root"],
  data: object({
    files: list(
      object({
        file: string(),
        verdict: { type: "string", enum: ["healthy", "partial", "no-gpu-events", "cpu-only", "not-gpu", "damaged", "not-a-trace"] },
        format: string(),
        kernels: number(),
        launches: number(),
        unmatchedLaunches: number("launches without a kernel"),
        because: list(string()),
        causes: list(string(), "likely causes, each with the check that settles it"),
        top: list(string(), "the kernels that took most of the time"),
        details: string("the address of all that is known about it"),
      }),
    ),
  }),
  brief: ({ files }, { at }) => ({
    summary: `${counted(files.length, "file")}: ${[...new Set(files.map(({ verdict }) => verdict))].join(", ")}`,
    data: {
      files: files.map((each, index) => ({
        file: each.file,
        verdict: each.verdict,
        format: each.format,
        kernels: each.kernels,
        launches: each.launches,
        unmatchedLaunches: each.unmatchedLaunches,
        because: each.because,
        causes: each.causes.map(({ certainty, message, check }) => `${certainty}: ${message} To be sure: ${check}`),
        top: each.top.slice(0, 5).map(({ short, count, share }) => `${Math.round(share * 100)} % ${short} (${count} times)`),
        details: at(`/files/${index}`),
      })),
    },
  }),
};
