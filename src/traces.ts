/** Everything about profilers' traces: loaded when asked for (`src/lazy.ts`). */
export { openTrace, sniffedBytes, type TraceReading } from "./trace/trace.ts";
export { chooseTraces } from "./trace/choose.ts";
export { joinDrawings } from "./trace/timeline.ts";
export { joinMachine } from "./trace/machine.ts";
export { traceReport } from "./report/trace.ts";
export { packDrawing, tracePage } from "./report/trace-page.ts";
export { perfettoTrace } from "./report/trace-perfetto.ts";
