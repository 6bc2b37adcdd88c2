// Several profiles beside each other: the ranks of one job, or two runs of one program.
import { size, time } from "../lib/units.ts";
import type { TraceComparison, TraceConclusion, TraceFile, TraceKernel } from "../model/trace.ts";

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

/** Less of the time than this is no difference between ranks. */
const least = 0.1;

/** The rank that the others wait for, of files that are ranks of one job. */
export function stragglerAmong(files: TraceFile[]): TraceConclusion | undefined {
  const ranks = ranksOf(files);
  if (ranks.length < 2) return undefined;
  const waits = ranks.map(waitOf);
  // Who comes last to a collective finds all others there: its own are the shortest.
  const last = ranks.reduce((shortest, each) => (waitOf(each) < waitOf(shortest) ? each : shortest));
  const usual = median(ranks.filter((each) => each !== last).map(waitOf));
  const { span } = last.breakdown!;
  const share = (usual - waitOf(last)) / span;
  if (Math.max(...waits) === 0 || share < least) return undefined;
  const others = ranks.filter((each) => each !== last);
  const own = last.breakdown!;
  const more = (["compute", "copies", "input", "compilation", "synchronisation", "host"] as const)
    .map((part) => ({ part, by: own[part] - median(others.map(({ breakdown }) => breakdown![part])) }))
    .sort((a, b) => b.by - a.by)[0]!;
  const why = 0.02 * span < more.by ? ` It spends ${time(more.by)} more than they do on ${partWords[more.part]}.` : "";
  return {
    kind: "straggler",
    share,
    message: `Rank ${last.rank} is the one that the others wait for: it communicates for ${time(waitOf(last))}, the others for ${time(usual)} in the same time (${percent(share)} of it is waiting).${why}`,
  };
}

/** In collectives, on the GPU or on the host. */
const waitOf = ({ work }: TraceFile) => work.communication + (work.hostCommunication ?? 0);

const partWords = {
  compute: "computation",
  copies: "copies",
  input: "waiting for input",
  compilation: "compilation",
  synchronisation: "synchronisation",
  host: "the host",
};

/** Files of one job, each of another rank. */
function ranksOf(files: TraceFile[]): TraceFile[] {
  const ranks = files.filter(({ rank, breakdown }) => rank !== undefined && breakdown !== undefined);
  const apart = new Set(ranks.map(({ rank }) => rank)).size === ranks.length;
  return apart && new Set(ranks.map(({ worldSize }) => worldSize)).size <= 1 ? ranks : [];
}

/** A kernel is told about when this much of the first run's time of kernels went into its difference. */
const worthTelling = 0.01;
const mostKernels = 8;

/** What differs between two runs; undefined where they are not two that can be compared. */
export function compareTraces(files: TraceFile[]): TraceComparison | undefined {
  const [before, after] = files;
  if (files.length !== 2 || !before?.breakdown || !after?.breakdown || 1 < ranksOf(files).length) return undefined;
  const perStep = 1 < before.steps.count && 1 < after.steps.count;
  const unit = (file: TraceFile) => (perStep ? file.steps.count : 1);
  const changes = kernelChanges(before, after, unit(before), unit(after));
  const share = (file: TraceFile, part: keyof NonNullable<TraceFile["breakdown"]>) => file.breakdown![part] / file.breakdown!.span;
  return {
    before: before.file,
    after: after.file,
    perStep,
    time: { before: perStep ? before.steps.median : before.work.span, after: perStep ? after.steps.median : after.work.span },
    parts: (["compute", "communication", "copies", "input", "compilation", "synchronisation", "host"] as const)
      .map((name) => ({ name, before: share(before, name), after: share(after, name) }))
      .filter(({ before: one, after: other }) => 0.005 < Math.max(one, other)),
    kernels: changes.slice(0, mostKernels),
    recording: recordingDifferences(before, after),
  };
}

function kernelChanges(before: TraceFile, after: TraceFile, stepsBefore: number, stepsAfter: number): TraceComparison["kernels"] {
  const sums = new Map<string, { before: number; after: number; countBefore: number; countAfter: number }>();
  const add = (kernels: TraceKernel[], steps: number, key: "before" | "after", counts: "countBefore" | "countAfter") => {
    for (const { short, total, count } of kernels) {
      const known = sums.get(short) ?? { before: 0, after: 0, countBefore: 0, countAfter: 0 };
      known[key] += total / steps;
      known[counts] += count / steps;
      sums.set(short, known);
    }
  };
  add(before.top, stepsBefore, "before", "countBefore");
  add(after.top, stepsAfter, "after", "countAfter");
  const all = before.top.reduce((sum, { total }) => sum + total, 0) / stepsBefore;
  return [...sums]
    .map(([name, found]) => ({ name, ...found }))
    .filter((change) => worthTelling * all <= Math.abs(change.after - change.before))
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/** What makes two recordings hard to compare. */
function recordingDifferences(before: TraceFile, after: TraceFile): string[] {
  const found: string[] = [];
  const differs = (what: string, one: string | undefined, other: string | undefined) => {
    if (one !== other) found.push(`${what}: ${one ?? "not told"} before, ${other ?? "not told"} after`);
  };
  const devices = (file: TraceFile) =>
    [...new Set(file.devices.filter(({ kernels }) => 0 < kernels).map(({ name, kind }) => name ?? kind))].join(", ");
  differs("verdict", before.verdict, after.verdict);
  differs("GPU", devices(before), devices(after));
  differs("format", before.format, after.format);
  differs("CUPTI", before.versions.cupti?.toolkit, after.versions.cupti?.toolkit);
  differs("CUDA of the runtime", before.versions.runtime, after.versions.runtime);
  differs("driver for CUDA", before.versions.driver, after.versions.driver);
  differs("NCCL", before.versions.nccl, after.versions.nccl);
  differs("ranks", before.worldSize?.toString(), after.worldSize?.toString());
  const slowed = ({ conclusions }: TraceFile) =>
    conclusions.some(({ kind }) => kind === "recording-overhead") ? "recorded" : "not recorded";
  differs("Python's stack", slowed(before), slowed(after));
  const memory = (file: TraceFile) => (file.memory ? `at most ${size(file.memory.allocated)}` : undefined);
  if (before.memory && after.memory) differs("memory", memory(before), memory(after));
  return found;
}
