import fs from "node:fs";
import path from "node:path";
import { shown } from "@culprit/core/lib/shown";
import { checkTarget, loadTraces, quietTraces, type TraceDrawing, type TraceFile, type TraceReport } from "@culprit/core";
import { membersOf } from "@culprit/machine/target/members";
import { answerPages, firstBytes, isPacked, takePages, takePieces, type Taker } from "@culprit/machine/target/pieces";
import { Refusal } from "@culprit/machine/target/tar";
import { peek } from "@culprit/machine/target/unpack";
import { amount, progress } from "./progress.ts";
import { print, printJson } from "./print.ts";
import { reasonOf } from "@culprit/core/lib/reason";
import { terminalStyle } from "./style.ts";
import { flag, text, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

type Traces = Awaited<ReturnType<typeof loadTraces>>;

/** More than a page or a viewer shows well; the longest events are kept. */
const mostDrawn = 1_000_000;

export async function run(input: Input): Promise<number> {
  const [page, lean, expected] = [text(input, "html"), text(input, "perfetto"), text(input, "expect")];
  refuseStrange(input);
  const traces = await loadTraces();
  const paths = [...new Set(input.words.flatMap((word) => filesAt(word, traces.chooseTraces)))];
  const drawn = page === undefined && lean === undefined ? 0 : Math.ceil(mostDrawn / paths.length);
  const files: TraceFile[] = [];
  const drawings: { label: string; drawing: TraceDrawing }[] = [];
  for (const file of paths)
    for await (const { summary, drawing } of readTraces(file, traces, drawn)) {
      files.push(summary);
      if (drawing && 0 < drawing.events)
        drawings.push({ label: summary.rank === undefined ? path.basename(summary.file) : `rank ${summary.rank}`, drawing });
    }
  const report: TraceReport = { schema: "culprit/trace@1", files };
  if (flag(input, "with-machine")) {
    const judged = await checkTarget(await openWhere(input), { programs: [], activities: ["profile"], python: [] });
    if ("problem" in judged) throw new UsageError(judged.problem);
    const { findings, unknown } = judged.check;
    report.machine = { findings, unknown };
    report.files = files.map((file) => traces.joinMachine(file, findings));
  }
  const drawing = traces.joinDrawings(drawings);
  if (page !== undefined) await writePage(page, report, drawing, traces);
  if (lean !== undefined) {
    if (!drawing) throw new UsageError("there is nothing to write with `--perfetto`: no event could be read");
    await writeWhole(lean, traces.perfettoTrace(drawing), "the trace");
  }
  if (flag(input, "json")) printJson(report, 1);
  else if (flag(input, "quiet")) print(quietTraces(report));
  else print(`${traces.traceReport(report, terminalStyle())}${writtenWords(page, lean)}`);
  return expected === "gpu" && !recorded(report.files) ? 1 : 0;
}

function refuseStrange(input: Input): void {
  if (input.words.length === 0) throw new UsageError("`culprit trace` needs a profile: a file, or the folder that the profiler wrote to");
  const [page, lean, expected] = [text(input, "html"), text(input, "perfetto"), text(input, "expect")];
  if (expected !== undefined && expected !== "gpu") throw new UsageError(`\`--expect ${expected}\` is not known; \`--expect gpu\` is`);
  if (page !== undefined) refuseUnwritable(page, "the page");
  if (lean !== undefined) refuseUnwritable(lean, "the trace");
}

function writtenWords(page: string | undefined, lean: string | undefined): string {
  const lines = [
    ...(page === undefined ? [] : [`The page is \`${shown(page)}\`.`]),
    ...(lean === undefined ? [] : [`The lean trace is \`${shown(lean)}\`: ui.perfetto.dev opens it.`]),
  ];
  return lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
}

// Each recording must have kernels; what is no recording at all does not count, unless there is nothing else.
function recorded(files: TraceFile[]): boolean {
  const recordings = files.filter(({ verdict }) => verdict !== "not-a-trace");
  return 0 < recordings.length && recordings.every(({ kernels }) => 0 < kernels);
}

interface Read {
  summary: TraceFile;
  drawing: TraceDrawing | undefined;
}

/** A file is one profile; an archive may hold several. */
async function* readTraces(file: string, traces: Traces, drawn: number): AsyncGenerator<Read> {
  try {
    const members = await membersOf(file, traces.isTraceName);
    if (!members) {
      yield await readTrace(file, traces, drawn);
      return;
    }
    let found = 0;
    for await (const { name, body } of members) {
      found += 1;
      yield await readMember(`${file}/${name}`, body(), traces, drawn);
    }
    if (found === 0) yield await readTrace(file, traces, drawn);
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(`\`${file}\` cannot be read: ${error.message}`, { cause: error });
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new UsageError(`\`${file}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

async function readTrace(file: string, { openTrace, sniffedBytes }: Traces, drawn: number): Promise<Read> {
  const reading = openTrace(await firstBytes(file, sniffedBytes), file, { drawn, isCompressed: isPacked(file) });
  if (reading.pages) return { summary: reading.finish(file, await takePages(file, reading.pages)), drawing: reading.drawing() };
  let taken: Awaited<ReturnType<typeof takePieces>>;
  do {
    taken = await takePieces(file, watched(reading, file));
    reading.end();
  } while (reading.again);
  const broken = taken.broken === undefined ? undefined : { offset: taken.bytes, reason: taken.broken };
  return { summary: reading.finish(file, taken.bytes, broken), drawing: reading.drawing() };
}

/** A profile that goes by once, within an archive. */
async function readMember(
  name: string,
  body: AsyncIterable<Uint8Array>,
  { openTrace, sniffedBytes }: Traces,
  drawn: number,
): Promise<Read> {
  const { start, pieces } = await peek(body, sniffedBytes);
  const reading = openTrace(start, name, { drawn, isCompressed: true });
  let bytes = 0;
  const whole: Uint8Array[] = [];
  for await (const piece of pieces) {
    progress(`reading ${path.basename(name)}  ${amount((bytes += piece.length), undefined)}`);
    if (1 << 29 < bytes && reading.pages) throw new Refusal("a database of more than 512 MB is in it: unpack it first");
    if (reading.pages) whole.push(piece);
    else reading.push(piece);
  }
  if (reading.pages) answerPages(reading.pages, Buffer.concat(whole));
  reading.end();
  // What would have to go by twice is read as far as it could be held.
  if (reading.again) throw new Refusal("a profile in it is too large to be read within an archive: unpack it first");
  return { summary: reading.finish(name, bytes), drawing: reading.drawing() };
}

/** The same taker, and how far it is. */
function watched(taker: Taker, file: string): Taker {
  const size = isPacked(file) ? undefined : fs.statSync(file).size;
  let done = 0;
  const tell = (count: number) => progress(`reading ${path.basename(file)}  ${amount((done += count), size)}`);
  return {
    push(piece) {
      tell(piece.length);
      taker.push(piece);
    },
    get skip() {
      return taker.skip ?? 0;
    },
    skipped(count) {
      tell(count);
      taker.skipped?.(count);
    },
  };
}

async function writePage(output: string, report: TraceReport, drawing: TraceDrawing | undefined, traces: Traces): Promise<void> {
  const { gzipSync } = await import("node:zlib");
  const packed = drawing ? gzipSync(traces.packDrawing(drawing)).toString("base64") : "";
  await writeWhole(output, [traces.tracePage(report, drawing, packed)], "the page");
}

const mostFiles = 100_000;

function filesAt(word: string, choose: Traces["chooseTraces"]): string[] {
  const found: { path: string; size: number }[] = [];
  try {
    const stat = fs.statSync(word);
    if (stat.isFile()) return [word];
    if (!stat.isDirectory()) throw new UsageError(`\`${word}\` is neither a file nor a folder`);
    walk(word, found);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new UsageError(
      error.code === "ENOENT" ? `there is no file or folder \`${word}\`` : `\`${word}\` cannot be read: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
  const chosen = choose(found);
  if (0 < chosen.length) return chosen;
  throw new UsageError(
    `there is no profile in \`${word}\`: neither \`*.xplane.pb\` nor \`*.trace.json.gz\` nor \`*.pt.trace.json\` (looked at ${found.length} files). \`culprit check --for tensorflow --do profile\` (or torch, jax) says whether a profiler reaches the GPU of this machine`,
  );
}

function walk(folder: string, found: { path: string; size: number }[]): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (mostFiles <= found.length) return;
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) walk(at, found);
    else if (entry.isFile()) found.push({ path: at, size: fs.statSync(at).size });
  }
}
