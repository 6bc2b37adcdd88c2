import fs from "node:fs";
import path from "node:path";
import { examine, loadTraces, type TraceFile, type TraceReport } from "../index.ts";
import { firstBytes, takePieces } from "../target/index.ts";
import { print } from "./print.ts";
import { terminalStyle } from "./style.ts";
import { flag, text, UsageError, type Input } from "./usage.ts";
import { chooseTarget } from "./where.ts";

export async function run(input: Input): Promise<number> {
  if (input.words.length === 0) throw new UsageError("`culprit trace` needs a profile: a file, or the folder that the profiler wrote to");
  const expected = text(input, "expect");
  if (expected !== undefined && expected !== "gpu") throw new UsageError(`\`--expect ${expected}\` is not known; \`--expect gpu\` is`);
  const traces = await loadTraces();
  const files: TraceFile[] = [];
  for (const file of input.words.flatMap((word) => filesAt(word, traces.chooseTraces))) files.push(await readTrace(file, traces));
  const report: TraceReport = { schema: "culprit/trace@1", files };
  if (flag(input, "with-machine")) {
    const { findings, unknown } = await examine(await chooseTarget(input));
    report.machine = { findings, unknown };
    report.files = files.map((file) => traces.joinMachine(file, findings));
  }
  print(flag(input, "json") ? `${JSON.stringify(report, null, 1)}\n` : traces.traceReport(report, terminalStyle()));
  return expected === "gpu" && !recorded(report.files) ? 1 : 0;
}

// Each recording must have kernels; what is no recording at all does not count, unless there is nothing else.
function recorded(files: TraceFile[]): boolean {
  const recordings = files.filter(({ verdict }) => verdict !== "not-a-trace");
  return 0 < recordings.length && recordings.every(({ kernels }) => 0 < kernels);
}

type Traces = Awaited<ReturnType<typeof loadTraces>>;

async function readTrace(file: string, { openTrace, sniffedBytes }: Traces): Promise<TraceFile> {
  try {
    const reading = openTrace(await firstBytes(file, sniffedBytes), file);
    let taken = { bytes: 0 } as Awaited<ReturnType<typeof takePieces>>;
    do {
      taken = await takePieces(file, reading);
      reading.end();
    } while (reading.again);
    return reading.finish(file, taken.bytes, taken.broken === undefined ? undefined : { offset: taken.bytes, reason: taken.broken });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === undefined) throw error;
    throw new UsageError(`\`${file}\` cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const mostFiles = 100_000;

function filesAt(word: string, choose: Traces["chooseTraces"]): string[] {
  let stat: fs.Stats;
  try {
    stat = fs.statSync(word);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new UsageError(missing ? `there is no file or folder \`${word}\`` : `\`${word}\` cannot be read: ${String(error)}`, {
      cause: error,
    });
  }
  if (stat.isFile()) return [word];
  if (!stat.isDirectory()) throw new UsageError(`\`${word}\` is neither a file nor a folder`);
  const found: { path: string; size: number }[] = [];
  walk(word, found);
  const chosen = choose(found);
  if (chosen.length === 0)
    throw new UsageError(
      `there is no profile in \`${word}\`: neither \`*.xplane.pb\` nor \`*.trace.json.gz\` nor \`*.pt.trace.json\` (looked at ${found.length} files)`,
    );
  return chosen;
}

function walk(folder: string, found: { path: string; size: number }[]): void {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (mostFiles <= found.length) return;
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) walk(at, found);
    else if (entry.isFile()) found.push({ path: at, size: fs.statSync(at).size });
  }
}
