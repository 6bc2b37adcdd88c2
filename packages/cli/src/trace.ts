import fs from "node:fs";
import path from "node:path";
import { adviceAt, placeWords } from "@culprit/core/lib/asked";
import { shown } from "@culprit/core/lib/shown";
import { checkTarget, loadTraces, quietTraces, type TraceDrawing, type TraceFile, type TraceReport } from "@culprit/core";
import { membersOf } from "@culprit/machine/target/members";
import { answerPages, firstBytes, isPacked, takePages, takePieces, type Taker } from "@culprit/machine/target/pieces";
import { Refusal } from "@culprit/machine/target/tar";
import { peek } from "@culprit/machine/target/unpack";
import { askedBy } from "./asked.ts";
import { amount, progress } from "./progress.ts";
import { note, print, printJson } from "./print.ts";
import { reasonOf } from "@culprit/core/lib/reason";
import { terminalStyle } from "./style.ts";
import { flag, text, UsageError, type Input } from "./usage.ts";
import { openWhere } from "./where.ts";
import { refuseUnwritable, writeWhole } from "./write-whole.ts";

type Traces = Awaited<ReturnType<typeof loadTraces>>;
type Budgets = Parameters<Traces["unmetBudgets"]>[0];

interface Labelled {
  label: string;
  drawing: TraceDrawing;
}

/** More than a page or a viewer shows well; the longest events are kept. */
const mostDrawn = 1_000_000;

export async function run(input: Input): Promise<number> {
  const [page, lean, expected] = [text(input, "html"), text(input, "perfetto"), text(input, "expect")];
  refuseStrange(input);
  const traces = await loadTraces();
  const budgets = expected === undefined ? [] : traces.readBudgets(expected);
  if ("problem" in budgets) throw new UsageError(budgets.problem);
  // Whoever has no profile and asks about the machine is answered about the machine.
  const asksMachine = flag(input, "with-machine");
  const { paths, lacking } = pathsOf(input.words, traces, asksMachine);
  const isToBeDrawn = page !== undefined || lean !== undefined;
  if (0 < lacking.length && (!asksMachine || (paths.length === 0 && isToBeDrawn))) throw new UsageError(lacking[0]!);
  const drawn = isToBeDrawn ? Math.ceil(mostDrawn / paths.length) : 0;
  const { files, drawings } = await readAll(paths, traces, drawn);
  const report: TraceReport = { schema: "culprit/trace@1", files };
  if (asksMachine) await joinMachine(report, input, traces);
  judgeTogether(report, traces, budgets);
  if (0 < lacking.length)
    report.conclusions = [...lacking.map((message) => ({ kind: "no-profile" as const, share: 0, message })), ...(report.conclusions ?? [])];
  const drawing = traces.joinDrawings(drawings);
  if (page !== undefined) await writePage(page, report, drawing, traces);
  if (lean !== undefined) {
    if (!drawing) throw new UsageError("there is nothing to write with `--perfetto`: no event could be read");
    await writeWhole(lean, traces.perfettoTrace(drawing), "the trace");
  }
  if (flag(input, "json")) printJson(report, 1);
  else if (flag(input, "quiet")) print(quietTraces(report));
  else print(`${traces.traceReport(report, terminalStyle())}${writtenWords(page, lean)}`);
  if (0 < lacking.length) return 2;
  return 0 < (report.unmet ?? []).length ? 1 : 0;
}

async function readAll(paths: string[], traces: Traces, drawn: number): Promise<{ files: TraceFile[]; drawings: Labelled[] }> {
  const files: TraceFile[] = [];
  const drawings: Labelled[] = [];
  for (const [index, file] of paths.entries())
    for await (const { summary, drawing } of readTraces(
      file,
      traces,
      drawn,
      paths.length === 1 ? "" : `${index + 1} of ${paths.length}: `,
    )) {
      files.push(summary);
      if (drawing && 0 < drawing.events)
        drawings.push({ label: summary.rank === undefined ? path.basename(summary.file) : `rank ${summary.rank}`, drawing });
    }
  return { files, drawings };
}

async function joinMachine(report: TraceReport, input: Input, traces: Traces): Promise<void> {
  const judged = await checkTarget(await openWhere(input), { programs: [], activities: ["profile"], python: [] });
  if ("problem" in judged) throw new UsageError(judged.problem);
  const { findings, unknown, judged: programs, readiness = [] } = judged.check;
  const asked = askedBy(input);
  report.machine = {
    findings: findings.map((finding) => ({ ...finding, advice: finding.advice.map((each) => adviceAt(each, asked)) })),
    unknown,
    judged: programs,
    readiness,
    ...(asked.place ? { place: placeWords(asked.place) } : {}),
  };
  report.files = report.files.map((file) => traces.joinMachine(file, findings, asked));
}

/** The files that are meant, and for each folder without any why that may be. */
function pathsOf(words: string[], traces: Traces, asksMachine: boolean): { paths: string[]; lacking: string[] } {
  const lacking: string[] = [];
  const paths = words.flatMap((word) => {
    const found = filesAt(word);
    if (typeof found === "string") return [found];
    const chosen = traces.chooseTraces(found);
    if (chosen.length === 0) lacking.push(traces.noProfileWords(word, found, asksMachine));
    else noteLeftOut(traces.leftOut(found, chosen));
    return chosen;
  });
  return { paths: [...new Set(paths)], lacking };
}

const mostNamed = 3;

/** A folder is read by the names of its files: of others that may be profiles it is said that they were not. */
function noteLeftOut(files: string[]): void {
  if (files.length === 0) return;
  const named = files.slice(0, mostNamed).map((file) => `\`${path.basename(file)}\``);
  const more = files.length - named.length;
  note(`not read: ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}; name a file to have it read`);
}

function refuseStrange(input: Input): void {
  if (input.words.length === 0) throw new UsageError("`culprit trace` needs a profile: a file, or the folder that the profiler wrote to");
  const [page, lean] = [text(input, "html"), text(input, "perfetto")];
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

/** What several files say together, and what was expected of them. */
function judgeTogether(report: TraceReport, traces: Traces, budgets: Budgets): void {
  const straggler = traces.stragglerAmong(report.files);
  if (straggler) report.conclusions = [straggler];
  const comparison = traces.compareTraces(report.files);
  if (comparison) report.comparison = comparison;
  if (0 < budgets.length) report.unmet = traces.unmetBudgets(budgets, report.files);
}

interface Read {
  summary: TraceFile;
  drawing: TraceDrawing | undefined;
}

/** A file is one profile; an archive may hold several. `place`: which of many it is, for whoever waits. */
async function* readTraces(file: string, traces: Traces, drawn: number, place: string): AsyncGenerator<Read> {
  try {
    const members = await membersOf(file, traces.isTraceName);
    if (!members) {
      yield await readTrace(file, traces, drawn, place);
      return;
    }
    let found = 0;
    for await (const { name, body } of members) {
      found += 1;
      yield await readMember(`${file}/${name}`, body(), traces, drawn, place);
    }
    if (found === 0) yield await readTrace(file, traces, drawn, place);
  } catch (error) {
    if (error instanceof Refusal) throw new UsageError(`\`${file}\` cannot be read: ${error.message}`, { cause: error });
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new UsageError(`\`${file}\` cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

async function readTrace(file: string, { openTrace, sniffedBytes }: Traces, drawn: number, place: string): Promise<Read> {
  const reading = openTrace(await firstBytes(file, sniffedBytes), file, { drawn, isCompressed: isPacked(file) });
  if (reading.pages) return { summary: reading.finish(file, await takePages(file, reading.pages)), drawing: reading.drawing() };
  let taken: Awaited<ReturnType<typeof takePieces>>;
  do {
    taken = await takePieces(file, watched(reading, file, place));
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
  place: string,
): Promise<Read> {
  const { start, pieces } = await peek(body, sniffedBytes);
  const reading = openTrace(start, name, { drawn, isCompressed: true });
  let bytes = 0;
  const whole: Uint8Array[] = [];
  for await (const piece of pieces) {
    progress(`reading ${place}${path.basename(name)}  ${amount((bytes += piece.length), undefined)}`);
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
function watched(taker: Taker, file: string, place: string): Taker {
  const size = isPacked(file) ? undefined : fs.statSync(file).size;
  let done = 0;
  const tell = (count: number) => progress(`reading ${place}${path.basename(file)}  ${amount((done += count), size)}`);
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

/** A file, or all files of a folder. */
function filesAt(word: string): string | { path: string; size: number }[] {
  const found: { path: string; size: number }[] = [];
  try {
    const stat = fs.statSync(word);
    if (stat.isFile()) return word;
    if (!stat.isDirectory()) throw new UsageError(`\`${word}\` is neither a file nor a folder`);
    walk(word, found);
    return found;
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    throw new UsageError(
      error.code === "ENOENT" ? `there is no file or folder \`${word}\`` : `\`${word}\` cannot be read: ${reasonOf(error)}`,
      {
        cause: error,
      },
    );
  }
}

function walk(folder: string, found: { path: string; size: number }[]): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (mostFiles <= found.length) return;
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) walk(at, found);
    else if (entry.isFile()) found.push({ path: at, size: fs.statSync(at).size });
  }
}
