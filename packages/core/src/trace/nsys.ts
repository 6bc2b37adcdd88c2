// What Nsight Systems exports with `nsys export --type sqlite`: https://docs.nvidia.com/nsight-systems/UserGuide/index.html, "SQLite Schema
// Reference", and the `CREATE TABLE` statements of exports of 2022 to 2025, which say in comments what each column is.
import { copy, createAccount, kernel, memset, type Account } from "./account.ts";
import { emptyFacts, type TraceFacts, type TraceReader } from "./facts.ts";
import { callKind } from "./kineto.ts";
import { DatabaseError, eachRow, openDatabase, type Database, type Paging, type Row } from "./sqlite.ts";
import type { Timeline } from "./timeline.ts";

/** An SQLite file: read by its tables, so it is asked for page by page. */
export function nsysTrace(timeline?: Timeline): TraceReader {
  const account = createAccount(false, timeline);
  // Until its tables are seen.
  const facts = emptyFacts("sqlite", account);
  return {
    push() {},
    end() {},
    facts: () => facts,
    *pages(size) {
      try {
        const database = yield* openDatabase(size);
        const instead = whatInstead(database);
        if (instead !== undefined) {
          facts.notATrace = instead;
          return;
        }
        facts.format = "nsys";
        yield* readTables({ account, facts, database, strings: new Map() });
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        facts.damage = { offset: 0, reason: `the SQLite database is damaged: ${error.message}` };
      }
    },
  };
}

function whatInstead({ tables }: Database): string | undefined {
  const names = [...tables.keys()];
  if (
    tables.has("StringIds") &&
    names.some((name) => /^(?:CUPTI_ACTIVITY_KIND_|TARGET_INFO_|ANALYSIS_|NVTX_EVENTS|META_DATA_EXPORT)/.test(name))
  )
    return undefined;
  if (names.some((name) => name.startsWith("rocpd_")))
    return "it is a database of rocprofv3 (rocpd), which culprit does not read; `rocprofv3 --output-format json` writes what it reads";
  if (names.some((name) => name.startsWith("CUPTI_ACTIVITY_KIND_")))
    return "it is a database of nvprof, which culprit does not read; NVIDIA Visual Profiler does";
  return "it is an SQLite database, but not one that Nsight Systems exported";
}

interface Report {
  account: Account;
  facts: TraceFacts;
  database: Database;
  /** Number of the name by id of the text. */
  strings: Map<number, number>;
}

function* readTables(report: Report): Paging<void> {
  const { account, facts } = report;
  facts.vendor = "nvidia";
  yield* each(report, "StringIds", ["id", "value"], (row) => {
    report.strings.set(row.number(0), account.names.numberOf((row.text(1) ?? "").slice(0, 8192)));
  });
  yield* each(report, "META_DATA_EXPORT", ["name", "value"], (row) => {
    const value = row.text(1);
    if (row.text(0) === "EXPORT_PRODUCT_VERSION" && value !== undefined) facts.versions.nsys = value;
  });
  yield* each(report, "TARGET_INFO_GPU", ["id", "name", "cuDevice", "computeMajor", "computeMinor"], (row) => listGpu(facts, row));
  yield* each(report, "DIAGNOSTIC_EVENT", ["severity", "text"], (row) => diagnostic(facts, row.number(0), row.text(1) ?? ""));
  const call = ["start", "end", "globalTid", "correlationId", "nameId"];
  yield* each(report, "CUPTI_ACTIVITY_KIND_RUNTIME", call, (row) => {
    const name = report.strings.get(row.number(4)) ?? 0;
    const called = account.names.text(name);
    facts.calls += 1;
    if (/Launch|Memcpy|Memset/.test(called)) facts.starts = (facts.starts ?? 0) + 1;
    account.call(callKind(called), threadOf(row, 2), row.number(0) / 1e3, takes(row), name, numberedBy(row, 2, 3));
  });
  yield* readDevice(report);
  yield* each(report, "NVTX_EVENTS", ["start", "end", "globalTid", "textId", "text"], (row) => {
    // Marks have no end.
    if (Number.isNaN(row.number(1))) return;
    const text = row.text(4);
    const name = text === undefined ? (report.strings.get(row.number(3)) ?? 0) : account.names.numberOf(text.slice(0, 8192));
    account.hostEvent(threadOf(row, 2), row.number(0) / 1e3, takes(row), name);
  });
}

/** What the device did: kernels, copies, and whole graphs where they were not recorded node by node. */
function* readDevice(report: Report): Paging<void> {
  const { account, facts } = report;
  const common = ["start", "end", "deviceId", "streamId", "globalPid", "correlationId"];
  const count = (row: Row, kind: number, name: number) =>
    account.gpu(kind, row.number(2), row.number(3) || 0, row.number(0) / 1e3, takes(row), name, numberedBy(row, 4, 5));
  yield* each(report, "CUPTI_ACTIVITY_KIND_KERNEL", [...common, "demangledName", "shortName"], (row) =>
    count(row, kernel, report.strings.get(row.number(6)) ?? report.strings.get(row.number(7)) ?? 0),
  );
  const copied = account.names.numberOf("Memcpy");
  yield* each(report, "CUPTI_ACTIVITY_KIND_MEMCPY", [...common, "bytes", "copyKind", "srcKind", "dstKind"], (row) => {
    count(row, copy, copied);
    const kind = copyKinds[row.number(7)] ?? "other";
    account.copy(kind, row.number(6), takes(row));
    if (row.number(8) === pageable || row.number(9) === pageable) account.pageable.add(kind);
  });
  const filled = account.names.numberOf("Memset");
  yield* each(report, "CUPTI_ACTIVITY_KIND_MEMSET", [...common, "bytes"], (row) => {
    count(row, memset, filled);
    account.copy("memset", row.number(6), takes(row));
  });
  const graph = account.names.numberOf("(a whole CUDA graph)");
  const graphs = yield* each(report, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", common, (row) => count(row, kernel, graph));
  if (0 < graphs)
    facts.warnings.push("CUDA graphs were recorded as one event each; `nsys profile --cuda-graph-trace=node` records their kernels");
}

// ENUM_CUDA_MEM_KIND of the exports.
const pageable = 0;

// ENUM_CUDA_MEMCPY_OPER of the exports.
const copyKinds: { [kind: number]: string } = {
  1: "HtoD",
  2: "DtoH",
  3: "HtoA",
  4: "AtoH",
  8: "DtoD",
  9: "HtoH",
  10: "PtoP",
  11: "HtoD",
  12: "DtoH",
  13: "DtoD",
};

function* each({ database, facts }: Report, name: string, columns: string[], visit: (row: Row) => void): Paging<number> {
  const table = database.tables.get(name);
  if (!table) return 0;
  const rows = yield* eachRow(database, table, columns, visit);
  if (/^(?:CUPTI_ACTIVITY|NVTX_EVENTS)/.test(name)) facts.events += rows;
  return rows;
}

/** Nanoseconds from start to end, in microseconds. */
const takes = (row: Row) => (row.number(1) - row.number(0)) / 1e3;

/** The thread within a serialized id: its process is in the 24 bits before it. */
const threadOf = (row: Row, column: number) => row.low(column) & 0xff_ffff;

/** Calls are numbered in each process from one: process and number together are one. */
function numberedBy(row: Row, global: number, correlation: number): number {
  const process = ((row.high(global) & 0xffff) << 8) | (row.low(global) >>> 24);
  return process * 0x1000_0000 + row.number(correlation);
}

function listGpu(facts: TraceFacts, row: Row): void {
  const [id, own] = [row.number(0), row.number(2)];
  const name = row.text(1);
  const major = row.number(3);
  facts.listed.push({
    id: Number.isNaN(own) || own < 0 ? id : own,
    kind: "GPU",
    ...(name === undefined ? {} : { name }),
    ...(0 < major ? { architecture: `sm_${major}${row.number(4) || 0}` } : {}),
  });
}

// What nsys says about itself: 2 is a warning, 3 an error (ENUM_DIAGNOSTIC_SEVERITY_LEVEL).
function diagnostic(facts: TraceFacts, severity: number, text: string): void {
  const loaded = /^Loaded CUPTI library: (.+)$/.exec(text)?.[1];
  if (loaded !== undefined) facts.versions.cuptiFile = loaded.slice(0, 300);
  // That memory of its own kind cannot be traced is no fault of the recording.
  if (severity < 2 || 50 < facts.warnings.length + facts.errors.length) return;
  if (!/CUDA|CUPTI|driver|GPU|\bdropped\b|\bbuffers?\b/.test(text) || /Unified Memory|backtrace|GPU [Mm]etrics|context switch/.test(text))
    return;
  if (/events? (?:were|was) (?:lost|dropped)|[Nn]ot all (?:CUDA )?events/.test(text)) facts.dropped.reasons.push(text.slice(0, 300));
  else (severity === 2 ? facts.warnings : facts.errors).push(text.slice(0, 300));
}
