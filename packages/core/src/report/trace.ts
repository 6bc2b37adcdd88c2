import type {
  TraceBreakdown,
  TraceComparison,
  TraceFile,
  TraceKernel,
  TraceMemory,
  TraceReport,
  TraceScope,
  TraceScopes,
  TraceVerdict,
} from "../model/trace.ts";
import { reporting } from "../lib/shown.ts";
import { recordingCheck } from "../lib/asked.ts";
import { commandLine } from "../lib/shell.ts";
import { size, time } from "../lib/units.ts";
import { columns, laidOut, plain, unbroken, type Style } from "./style.ts";

/** One screen for a file: was the GPU recorded, by which CUPTI, what was lost, why, and where the time went. Several get a table first. */
export const traceReport = reporting(
  ({ files, machine, conclusions = [], comparison, unmet = [] }: TraceReport, style: Style = plain): string => {
    const lines: string[] = [];
    // Beyond a few files the table is what one reads; of each file that is not well, why.
    if (1 < files.length) lines.push(...overview(files, style), "");
    for (const { message } of conclusions) lines.push(`${style.strong("→")} ${message}`, "");
    if (comparison) lines.push(...comparisonLines(comparison, style), "");
    for (const file of files) {
      if (files.length <= 2) lines.push(...whole(file, style), "");
      else if (file.verdict !== "healthy") lines.push(...verdict(file, style), "");
    }
    if (2 < files.length) lines.push(style.faint("`culprit trace FILE` shows where the time of one of them went."), "");
    const asking = nextLine(files);
    if (asking !== undefined && !machine) lines.push(asking, "");
    for (const words of unmet) lines.push(`${style.bad("✗")} not as expected: ${words}`);
    if (0 < unmet.length) lines.push("");
    if (machine) lines.push(...machineLines(machine, files, style), "");
    return laidOut(lines.slice(0, lines.findLastIndex((line) => line !== "") + 1), style);
  },
);

/** Whoever has no GPU in the profile is led to the machine: every answer names the command. */
export function nextLine(files: TraceFile[]): string | undefined {
  const missing = files.filter(({ verdict }) => verdict === "no-gpu-events" || verdict === "cpu-only");
  if (missing.length === 0) return undefined;
  const commands = [...new Set(missing.map(({ framework }) => `\`${recordingCheck(framework)}\``))];
  return `On the machine that recorded it, ${commands.join(" or ")} says whether a profiler would reach the GPU, and what to change; \`culprit trace FILE --with-machine\` joins both.`;
}

const mark: Record<TraceVerdict, string> = {
  healthy: "✓",
  partial: "!",
  "no-gpu-events": "✗",
  "cpu-only": "✗",
  "not-gpu": "–",
  damaged: "✗",
  "not-a-trace": "–",
};

/** A verdict as a sentence. */
export const meaning: Record<TraceVerdict, string> = {
  healthy: "the GPU was recorded",
  partial: "the GPU was recorded, but not all of it",
  "no-gpu-events": "there was a GPU, and nothing of it was recorded",
  "cpu-only": "there is no sign of a GPU",
  "not-gpu": "recorded on another device than a GPU",
  damaged: "the file is damaged",
  "not-a-trace": "this is not a profile",
};

function painted({ verdict: found }: TraceFile, style: Style): string {
  const text = mark[found];
  return found === "healthy" ? style.good(text) : found === "not-gpu" || found === "not-a-trace" ? text : style.bad(text);
}

const grouped = (value: number) => value.toLocaleString("en-US");
const percent = (part: number, all: number) => (0 < all ? `${((100 * part) / all).toFixed(1)} %` : "");

// Paths share their beginning; what differs is their end.
function shortFile(file: string): string {
  const parts = file.split("/");
  return parts.length <= 3 ? file : `…/${parts.slice(-2).join("/")}`;
}

function overview(files: TraceFile[], style: Style): string[] {
  const rows = [["", "", "rank", "kernels", "launches", "without kernel", "busy", "idle", "file"].map((title) => style.faint(title))];
  for (const file of files) {
    const { work } = file;
    rows.push([
      painted(file, style),
      file.verdict,
      file.rank === undefined ? "" : String(file.rank),
      grouped(file.kernels),
      grouped(file.launches),
      grouped(file.unmatchedLaunches),
      percent(work.kernels, work.span),
      percent(work.idle, work.span),
      shortFile(file.file),
    ]);
  }
  return columns(rows, "", style);
}

function verdict(file: TraceFile, style: Style): string[] {
  const isSnapshot = file.memory?.source === "snapshot";
  const found = isSnapshot
    ? `${style.strong("memory snapshot")}: who holds the memory of the GPU`
    : `${style.strong(file.verdict)}: ${meaning[file.verdict]}`;
  const lines = [`${painted(file, style)} ${found}`, `  ${style.faint(file.file)}`];
  for (const reason of file.because) lines.push(`  ${reason}`);
  const about = facts(file);
  if (about !== "") lines.push(`  ${about}`);
  if (0 < file.causes.length) {
    lines.push("", `  ${style.strong(file.causes.length === 1 ? "The cause" : "What it may be, most likely first")}`);
    for (const { message, certainty, check } of file.causes)
      lines.push(
        `  • ${message}${certainty === "possible" ? "" : style.faint(` (${certainty})`)}`,
        `    ${style.faint("to be sure:")} ${check.replaceAll(/`[^`]+`/g, unbroken)}`,
      );
  }
  return lines;
}

function facts({ versions, devices, framework, vendor, rank, worldSize, host }: TraceFile): string {
  const parts: string[] = [];
  if (framework !== undefined) parts.push(framework);
  if (versions.cupti)
    parts.push(`CUPTI ${versions.cupti.api}${versions.cupti.toolkit === undefined ? "" : ` (CUDA ${versions.cupti.toolkit})`}`);
  if (versions.compiledFor !== undefined) parts.push(`compiled for CUDA ${versions.compiledFor}`);
  if (versions.runtime !== undefined) parts.push(`runtime ${versions.runtime}`);
  if (versions.driver !== undefined) parts.push(`driver for CUDA ${versions.driver}`);
  if (versions.hip !== undefined) parts.push(`HIP ${versions.hip}`);
  if (versions.roctracer !== undefined) parts.push(`roctracer ${versions.roctracer}`);
  if (versions.nccl !== undefined) parts.push(`NCCL ${versions.nccl}`);
  if (versions.nsys !== undefined) parts.push(`Nsight Systems ${versions.nsys}`);
  const named = new Map<string, number>();
  for (const { name, kind, architecture } of devices) {
    const text = `${name ?? kind}${architecture === undefined ? "" : ` ${architecture}`}`;
    named.set(text, (named.get(text) ?? 0) + 1);
  }
  for (const [text, times] of named) parts.push(1 < times ? `${times} × ${text}` : text);
  if (vendor === "amd" && versions.hip === undefined) parts.push("AMD");
  if (rank !== undefined) parts.push(`rank ${rank}${worldSize === undefined ? "" : ` of ${worldSize}`}`);
  if (host !== undefined) parts.push(`host ${host}`);
  return parts.join(" · ");
}

function whole(file: TraceFile, style: Style): string[] {
  const lines = verdict(file, style);
  const { work, top, gaps, steps, devices, events, bytes, span } = file;
  if (0 < events) lines.push(`  ${style.faint(`${grouped(events)} events, ${size(bytes)}, ${time(span)} from first to last`)}`);
  if (0 < work.span) lines.push("", ...timeLines(file, style), ...conclusionLines(file, style));
  const busy = devices.filter(({ kernels, copies }) => 0 < kernels + copies);
  if (1 < busy.length) {
    const rows = busy.map(({ id, kind, kernels, copies, streams, busy: running, span: length }) => [
      `${kind} ${id}`,
      kernels === 1 ? "1 kernel" : `${grouped(kernels)} kernels`,
      copies === 1 ? "1 copy" : `${grouped(copies)} copies`,
      streams === 1 ? "1 stream" : `${streams} streams`,
      `busy ${percent(running, length)}`,
      time(length),
    ]);
    lines.push("", style.strong("Devices"), ...columns(rows, "  ", style));
  }
  if (0 < top.length) {
    const rows = byShortName(top)
      .slice(0, 12)
      .map(({ share, total, count, short, kind, variants }) => [
        `${(100 * share).toFixed(1)} %`.padStart(6),
        time(total).padStart(8),
        `× ${grouped(count)}`,
        `${cut(short, 78)}${1 < variants ? `  (${variants} variants)` : ""}${kind === "communication" ? "  (communication)" : ""}`,
      ]);
    lines.push("", style.strong("Kernels by total time"), ...columns(rows, "  ", style));
  }
  lines.push(...operatorLines(file, style), ...scopeLines("Modules", file.modules, style), ...scopeLines("Ranges", file.ranges, style));
  if (0 < gaps.length) {
    const rows = gaps
      .slice(0, 4)
      .map(({ duration, start, device, meanwhile }) => [
        time(duration).padStart(8),
        `at ${time(start)}${1 < busy.length ? ` on GPU ${device}` : ""}`,
        meanwhile.length === 0 ? style.faint("no long event of the host") : cut(meanwhile.map((name) => cut(name, 48)).join(" → "), 100),
      ]);
    lines.push("", style.strong("Longest gaps on the GPU, and what the host did"), ...columns(rows, "  ", style));
  }
  if (0 < steps.count)
    lines.push(
      "",
      `${style.strong("Steps")}  ${grouped(steps.count)}, median ${time(steps.median)}${steps.slowest ? `, slowest ${steps.slowest.name} ${time(steps.slowest.duration)}` : ""}`,
    );
  if (file.memory) lines.push("", ...memoryLines(file.memory, style));
  return lines;
}

/** Which operators the kernels were launched for. */
function operatorLines({ operators = [] }: TraceFile, style: Style): string[] {
  if (operators.length === 0) return [];
  const rows = operators
    .slice(0, 8)
    .map(({ name, kernels, total, share }) => [
      `${(100 * share).toFixed(1)} %`.padStart(6),
      time(total).padStart(8),
      kernels === 1 ? "1 kernel" : `${grouped(kernels)} kernels`,
      cut(name, 78),
    ]);
  return ["", style.strong("Operators by the time of their kernels"), ...columns(rows, "  ", style)];
}

/** Which parts of the program the kernels were launched in: each stands below what it lies in. */
function scopeLines(what: string, scopes: TraceScopes | undefined, style: Style): string[] {
  // What torch marks by itself (a step of an optimiser) is not worth a table where it is little.
  if (!scopes || scopes.share < 0.05) return [];
  const rows = tellingRows(scopes.rows).map(({ name, depth, instances, total, own, share, backward }) => [
    `${(100 * share).toFixed(1)} %`.padStart(6),
    time(total).padStart(8),
    0 < backward ? `${percent(backward, total)} backward` : "",
    0.0005 * total < total - own ? `${time(own)} its own` : "",
    `${"  ".repeat(depth)}${1 < instances ? `${grouped(instances)} × ` : ""}${cut(name, 60)}`,
  ]);
  return [
    "",
    style.strong(`${what} by the time of the kernels that were launched in them`),
    ...columns(rows, "  ", style),
    `  ${scopes.message}`,
  ];
}

const mostScopes = 14;

/** The largest ones, where they stand; what is less than a hundredth is nobody's concern. */
export function tellingRows(rows: TraceScope[]): TraceScope[] {
  const least = [...rows].sort((a, b) => b.total - a.total)[mostScopes]?.total ?? 0;
  return rows.filter(({ total, share }, at) => at === 0 || (0.01 <= share && least < total));
}

/** Whose memory it is, and how much of it nobody uses. */
function memoryLines(
  { source, reserved, allocated, peakAllocated, unused, largestUnused, segments, outOfMemory, holders }: TraceMemory,
  style: Style,
): string[] {
  const lines = [style.strong("Memory of the GPU")];
  if (source === "events") {
    lines.push(`  at most ${size(allocated)} allocated by tensors and ${size(reserved)} reserved from the driver, while it was recorded`);
    return lines;
  }
  lines.push(
    `  ${size(reserved)} reserved in ${segments === 1 ? "1 segment" : `${grouped(segments)} segments`}, ${size(allocated)} of it allocated by tensors${0 < peakAllocated ? ` (at most ${size(peakAllocated)})` : ""}`,
  );
  if (0 < unused)
    lines.push(
      `  ${size(unused)} (${percent(unused, reserved)}) is reserved and free; the largest piece of it is ${size(largestUnused)}: a larger tensor needs more from the driver`,
    );
  if (0 < outOfMemory)
    lines.push(`  ${outOfMemory === 1 ? "1 allocation" : `${grouped(outOfMemory)} allocations`} failed for lack of memory`);
  if (0 < holders.length)
    lines.push(
      `  ${style.strong("Who holds it")}`,
      ...columns(
        holders.map(({ where, bytes, blocks }) => [size(bytes).padStart(7), `× ${grouped(blocks)}`, cut(where, 100)]),
        "  ",
        style,
      ),
    );
  return lines;
}

// Kernels that differ only in what a short name leaves out are one line.
function byShortName(top: TraceKernel[]): (TraceKernel & { variants: number })[] {
  const found = new Map<string, TraceKernel & { variants: number }>();
  for (const kernel of top) {
    const same = found.get(kernel.short);
    if (!same) found.set(kernel.short, { ...kernel, variants: 1 });
    else {
      same.share += kernel.share;
      same.total += kernel.total;
      same.count += kernel.count;
      same.variants += 1;
    }
  }
  return [...found.values()].sort((a, b) => b.total - a.total);
}

function timeLines({ work }: TraceFile, style: Style): string[] {
  const bar = (part: number) => "█".repeat(Math.round((24 * part) / work.span));
  const row = (name: string, part: number, note = "") => [
    name,
    time(part).padStart(8),
    percent(part, work.span).padStart(7),
    `${bar(part)}${note === "" ? "" : `  ${note}`}`,
  ];
  const rows = [row("kernels", work.kernels)];
  if (0 < work.communication)
    rows.push(row("  of them communication", work.communication, `${time(work.exposedCommunication)} while no kernel computed`));
  if (0 < work.copies)
    rows.push(
      row(
        "copies",
        work.copies,
        work.copied
          .filter(({ bytes }) => 0 < bytes)
          .slice(0, 3)
          .map(({ kind, bytes }) => `${kind} ${size(bytes)}`)
          .join(", "),
      ),
    );
  rows.push(row("idle", work.idle, 0 < work.idleBetweenLaunches ? `${time(work.idleBetweenLaunches)} in gaps of at most 20 µs` : ""));
  const lines = [style.strong("Where the time of the GPU went"), ...columns(rows, "  ", style)];
  return lines;
}

/** Where each moment went, in one line, and what it means. */
function conclusionLines({ breakdown, conclusions, steps }: TraceFile, style: Style): string[] {
  if (!breakdown) return [];
  const parts = breakdownParts(breakdown).map(([name, part]) => `${name} ${percent(part, breakdown.span)}`);
  const lines = ["", `${style.strong(1 < steps.count ? "A step is" : "All of it is")}  ${parts.join(", ")}`];
  for (const { message, advice } of conclusions)
    lines.push(
      "",
      `${style.strong("→")} ${message.replaceAll(/`[^`]+`/g, unbroken)}`,
      ...(advice === undefined ? [] : [`  ${advice.replaceAll(/`[^`]+`/g, unbroken)}`]),
    );
  return lines;
}

/** What differs between two runs, the largest difference first. */
function comparisonLines({ before, after, perStep, time: whole, parts, kernels, recording }: TraceComparison, style: Style): string[] {
  const change = (from: number, to: number) => (0 < from ? `${from <= to ? "+" : "−"}${(100 * Math.abs(to / from - 1)).toFixed(1)} %` : "");
  const lines = [
    style.strong("Compared"),
    `  ${style.faint("before")}  ${before}`,
    `  ${style.faint("after")}   ${after}`,
    `  ${perStep ? "A step" : "All of it"} takes ${time(whole.after)} where it took ${time(whole.before)} (${change(whole.before, whole.after)}).`,
  ];
  const moved = parts
    .filter((part) => 0.02 < Math.abs(part.after - part.before))
    .map((part) => `${part.name} ${percent(part.before, 1)} → ${percent(part.after, 1)}`);
  if (0 < moved.length) lines.push(`  Shares of the time that differ: ${moved.join(", ")}.`);
  if (0 < kernels.length) {
    const rows = kernels.map(({ name, before: one, after: other, countBefore, countAfter }) => [
      (countBefore === 0 ? "new" : countAfter === 0 ? "gone" : change(one, other)).padStart(8),
      `${time(one)} → ${time(other)}`,
      `× ${rounded(countBefore)} → ${rounded(countAfter)}`,
      cut(name, 78),
    ]);
    lines.push(`  ${style.strong(`Kernels that differ most${perStep ? ", for a step" : ""}`)}`, ...columns(rows, "  ", style));
  }
  for (const words of recording) lines.push(`  ${style.faint("recorded otherwise:")} ${words}`);
  return lines;
}

const rounded = (count: number) => count.toLocaleString("en-US", { maximumFractionDigits: 1 });

/** The parts of a breakdown that are worth a word, in the order in which one asks. */
export function breakdownParts({
  span,
  compute,
  communication,
  copies,
  input,
  compilation,
  synchronisation,
  host,
}: TraceBreakdown): [string, number][] {
  const all: [string, number][] = [
    ["computation", compute],
    ["communication alone", communication],
    ["copies alone", copies],
    ["waiting for input", input],
    ["compilation", compilation],
    ["after synchronisation", synchronisation],
    ["other idle time", host],
  ];
  return all.filter(([, part]) => 0.0005 * span < part);
}

// The beginning tells the family, the end the variant.
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.ceil(most * 0.65))}…${text.slice(-Math.floor(most * 0.35) + 1)}`;
}

function machineLines({ findings, unknown, judged = [], readiness = [], place }: Machine, files: TraceFile[], style: Style): string[] {
  const recorded = new Set<string>(files.flatMap(({ framework }) => framework ?? []));
  const isMeant = (program: string) => recorded.size === 0 || recorded.has(program);
  const lines = [style.strong(place === undefined ? "This machine" : `The machine (${place})`)];
  const wrong = findings.filter(({ severity }) => severity !== "info");
  for (const { severity, message, advice } of wrong) {
    lines.push(`  ${severity === "error" ? style.bad("✗") : "!"} ${message}`);
    const [first] = advice;
    if (first) lines.push(`    ${style.strong("do")}  ${first.words}${first.command ? `: \`${commandLine(first.command)}\`` : ""}`);
  }
  const examined = judged.filter(({ program, activities }) => isMeant(program) && activities.includes("profile"));
  if (wrong.length === 0 && 0 < examined.length) {
    const names = examined.map(({ program, version }) => `${program}${version === undefined ? "" : ` ${version}`}`);
    lines.push(`  ${style.good("✓")} nothing was found that keeps the profiler of ${[...new Set(names)].join(", ")} from the GPU`);
    for (const { framework, message } of readiness) if (isMeant(framework)) lines.push(`    ${message}`);
    if (files.some(({ verdict }) => verdict === "no-gpu-events"))
      lines.push("    so the cause is in how it was recorded, or on another machine: the other causes above remain");
  }
  const there = place === undefined ? "here" : "there";
  for (const program of recorded)
    if (!judged.some((each) => each.program === program))
      lines.push(`  ? ${program} is not installed ${there}, so nothing was judged for it: ask the machine that recorded the profile`);
  if (examined.length === 0 && recorded.size === 0) lines.push(`  ? no framework was found ${there}: nothing was judged`);
  // What is not known of other packages has no part in this.
  const isAbout = (name: string) => recorded.has(name) || examined.some(({ program }) => program === name);
  const telling = unknown.filter(
    ({ subject, kind }) => !["package", "release", "file"].includes(kind ?? "") || isAbout(subject.split(" ")[0]!),
  );
  for (const { subject, reason } of telling.slice(0, 3)) lines.push(`  ${style.faint("unknown")}  \`${subject}\`: ${reason}`);
  return lines;
}

type Machine = NonNullable<TraceReport["machine"]>;
