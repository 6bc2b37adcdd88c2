/** Everything about profilers' traces: loaded when asked for (`packages/core/src/lazy.ts`). */
export { openTrace, sniffedBytes, type TraceReading } from "./trace.ts";
export { chooseTraces, isTraceName, leftOut } from "./choose.ts";
export { noProfileWords } from "./no-profile.ts";
export { joinDrawings } from "./timeline.ts";
export { compareTraces, stragglerAmong } from "./compare.ts";
export { readBudgets, unmetBudgets } from "./budget.ts";
export { joinMachine } from "./machine.ts";
export { traceReport } from "../report/trace.ts";
export { drawingData, packDrawing, tracePage, tracePieces } from "../report/trace-page.ts";
export { perfettoTrace } from "../report/trace-perfetto.ts";
