import type { TraceDevice, TraceFile, TraceGap, TraceKernel, TraceMemory, TraceOperator, TraceSteps, TraceWork } from "../model/trace.ts";
import { onHost, type Account, type DeviceAccount, type Step } from "./account.ts";
import { breakdownOf, exposedBy, type Broken, type DeviceTimes } from "./breakdown.ts";
import { reasonsFor } from "./causes.ts";
import { conclusionsOf } from "./conclusions.ts";
import type { Matches } from "./correlation.ts";
import type { TraceFacts } from "./facts.ts";
import { launchGap, total, union } from "./intervals.ts";
import type { OperatorSums } from "./operators.ts";
import { scopesOf } from "./scopes-told.ts";
import { isCommunication, shortName } from "./kernel-names.ts";
import { countsOf, verdictOf } from "./verdict.ts";

const mostTop = 50;
/** Fewer launches than these say nothing about how launching goes. */
const fewestLaunches = 8;
const mostGaps = 5;

/** Judges and sums up one file. */
export function summarize(file: string, bytes: number, facts: TraceFacts): TraceFile {
  const { account } = facts;
  const counts = countsOf(facts);
  const matches = account.correlation.settled();
  if (facts.format === "xplane" || facts.format === "chrome") explainGraphs(matches);
  const verdict = verdictOf(facts, counts, matches);
  const { because, causes } = reasonsFor(verdict, facts, counts, matches);
  const settled = [...account.devices.values()].sort((a, b) => a.id - b.id).map(settle);
  const summary: TraceFile = {
    file,
    format: facts.format,
    verdict,
    because,
    causes,
    events: facts.events,
    bytes,
    kernels: counts.kernels,
    copies: counts.copies,
    launches: account.launches,
    unmatchedLaunches: matches.unmatched,
    graphLaunches: matches.graphLaunches,
    unmatchedGraphLaunches: matches.unmatchedGraphs,
    capturedLaunches: matches.captured,
    launchedBefore: matches.launchedBefore,
    lostCalls: matches.callLost,
    devices: devicesOf(facts, settled),
    versions: facts.versions,
    dropped: facts.dropped,
    clock: { kernelsBeforeLaunch: matches.beforeLaunch, withoutTime: account.withoutTime },
    errors: facts.errors,
    warnings: facts.warnings,
    span: account.first <= account.last ? account.last - account.first : 0,
    top: topOf(account),
    work: workOf(account, matches, settled),
    gaps: gapsOf(account, settled),
    steps: stepsOf(account),
    conclusions: [],
  };
  if (facts.framework !== undefined) summary.framework = facts.framework;
  if (facts.vendor !== undefined) summary.vendor = facts.vendor;
  if (facts.host !== undefined) summary.host = facts.host;
  if (facts.rank !== undefined) summary.rank = facts.rank;
  if (facts.worldSize !== undefined) summary.worldSize = facts.worldSize;
  if (facts.damage) summary.damage = facts.damage;
  const broken = breakdownOf(
    account,
    settled.filter(({ device }) => 0 < device.kernels),
    windowOf(account, settled),
  );
  if (broken) {
    summary.breakdown = broken.parts;
    summary.conclusions = conclusionsOf(summary, broken, account, duringLongest(account, broken));
  }
  Object.assign(summary, partsOf(account));
  const memory = facts.snapshot ?? memoryOf(facts);
  if (memory) summary.memory = memory;
  return summary;
}

/** The most memory that events speak of, of the device that had most. */
function memoryOf({ memory }: TraceFacts): TraceMemory | undefined {
  const [most] = [...memory.values()].sort((a, b) => b.allocated - a.allocated);
  if (!most) return undefined;
  return {
    source: "events",
    reserved: most.reserved,
    allocated: most.allocated,
    peakAllocated: most.allocated,
    unused: 0,
    largestUnused: 0,
    segments: 0,
    outOfMemory: 0,
    holders: [],
  };
}

// XLA records no begin and end of a capture: where graphs are at work, launches without a kernel may have gone into one.
function explainGraphs(matches: Matches): void {
  if (matches.graphLaunches === 0) return;
  matches.captured += matches.unmatched;
  matches.unmatched = 0;
}

interface Settled extends DeviceTimes {
  device: DeviceAccount;
  span: number;
}

function settle(device: DeviceAccount): Settled {
  const compute = device.compute.settled();
  const communication = device.communication.settled();
  const copying = device.copying.settled();
  const kernels = communication.length === 0 ? compute : union(compute, communication);
  const all = copying.length === 0 ? kernels : union(kernels, copying);
  const computing = total(compute);
  const running = kernels === compute ? computing : total(kernels);
  const sums = { compute: computing, kernels: running, all: all === kernels ? running : total(all) };
  return { device, compute, communication, copying, kernels, all, sums, span: 0 < all.length ? all.at(-1)! - all[0]! : 0 };
}

function devicesOf(facts: TraceFacts, settled: Settled[]): TraceDevice[] {
  const devices: TraceDevice[] = facts.listed.map((listed) => ({
    ...listed,
    kernels: 0,
    copies: 0,
    events: 0,
    streams: 0,
    busy: 0,
    span: 0,
  }));
  for (const { device, sums, span } of settled) {
    let found = devices.find(({ id, kind }) => id === device.id && kind === "GPU") ?? nameless(devices, device.id, settled);
    if (!found) {
      if (device.events === 0) continue;
      found = { id: device.id, kind: "GPU", kernels: 0, copies: 0, events: 0, streams: 0, busy: 0, span: 0 };
      devices.push(found);
    }
    found.kernels = device.kernels;
    found.copies = device.copies;
    found.events = device.events;
    found.streams = device.streams.size;
    found.busy = sums.kernels;
    found.span = span;
  }
  return devices;
}

/**
 * On ROCm the events number the devices otherwise than the list does, processors first (TraceLens' recordings of MI300X: listed as 0, at work
 * as 2). One that is listed and did nothing is the one that is at work and not listed, where there is just one, or where all have one name.
 */
function nameless(devices: TraceDevice[], id: number, settled: Settled[]): TraceDevice | undefined {
  const still = devices.filter(({ kind, id: listed }) => kind === "GPU" && !settled.some(({ device }) => device.id === listed));
  const [first] = still;
  if (!first || still.some(({ name }) => name !== first.name)) return undefined;
  if (1 < still.length && first.name === undefined) return undefined;
  first.id = id;
  return first;
}

function topOf({ sums, names }: Account): TraceKernel[] {
  const used: number[] = [];
  let all = 0;
  for (let name = 0; name < sums.counts.length; name += 1) {
    if (sums.counts[name] === 0) continue;
    used.push(name);
    all += sums.totals[name]!;
  }
  used.sort((a, b) => sums.totals[b]! - sums.totals[a]! || a - b);
  return used.slice(0, mostTop).map((name) => {
    const text = names.text(name);
    return {
      name: text,
      short: shortName(text),
      count: sums.counts[name]!,
      total: sums.totals[name]!,
      longest: sums.longest[name]!,
      share: 0 < all ? sums.totals[name]! / all : 0,
      ...(0 < sums.measured[name]! ? { occupancy: Math.round((10 * sums.occupied[name]!) / sums.measured[name]!) / 10 } : {}),
      kind: isCommunication(text) ? "communication" : "compute",
    };
  });
}

/** Whose kernels they are: operators, modules and ranges, as far as the file says. */
function partsOf(account: Account): Pick<TraceFile, "operators" | "modules" | "ranges"> {
  const all = account.sums.totals.reduce((sum, total) => sum + total, 0);
  const operators = account.operators.settled();
  return {
    ...(0 < operators.size ? { operators: operatorsOf(operators, account, all) } : {}),
    ...scopesOf(account, operators, all),
  };
}

function operatorsOf(operators: Map<number, OperatorSums>, { names }: Account, all: number): TraceOperator[] {
  return [...operators]
    .sort(([a, one], [b, other]) => other.total - one.total || a - b)
    .slice(0, mostTop)
    .map(([name, { kernels, total }]) => ({ name: names.text(name), kernels, total, share: 0 < all ? total / all : 0 }));
}

function workOf(account: Account, matches: Matches, settled: Settled[]): TraceWork {
  const work: TraceWork = {
    span: 0,
    kernels: 0,
    communication: 0,
    exposedCommunication: 0,
    collectives: [],
    copies: 0,
    idle: 0,
    idleBetweenLaunches: 0,
    copied: [...account.copied].map(([kind, sums]) => ({ kind, ...sums })).sort((a, b) => b.total - a.total),
  };
  const collectives = new Map<string, TraceWork["collectives"][number]>();
  for (const { device, compute, communication, copying, all, sums, span } of settled) {
    addCollectives(collectives, device, compute);
    work.span += span;
    work.kernels += sums.kernels;
    work.communication += total(communication);
    work.exposedCommunication += sums.kernels - sums.compute;
    work.copies += total(copying);
    work.idle += span - sums.all;
    if (all === compute) work.idleBetweenLaunches += device.compute.hidden;
    for (let at = 2; at < all.length; at += 2) {
      const gap = all[at]! - all[at - 1]!;
      if (gap <= launchGap) work.idleBetweenLaunches += gap;
    }
  }
  const exchanged = total(account.held.exchanging.settled());
  if (0 < exchanged) work.hostCommunication = exchanged;
  work.collectives = [...collectives.values()].sort((a, b) => b.exposed - a.exposed || b.total - a.total);
  const promptShare = matches.delays === 0 ? 0 : matches.promptStarts / matches.delays;
  const medianKernel = account.durations.median();
  // The device takes up each kernel as soon as it is launched, stands still in between, and kernels are short: it waits for the host.
  if (fewestLaunches <= matches.delays && 0.5 <= promptShare && medianKernel < 100 && 0.3 * work.span < work.idle)
    work.launchBound = { promptShare, medianKernel };
  return work;
}

function addCollectives(sums: Map<string, TraceWork["collectives"][number]>, device: DeviceAccount, compute: Float64Array): void {
  const times = new Map([...device.collectives].map(([name, found]) => [name, found.times.settled()] as const));
  for (const { name, exposed } of exposedBy(times, compute)) {
    const found = sums.get(name) ?? { name, count: 0, total: 0, exposed: 0 };
    const own = device.collectives.get(name)!;
    found.count += own.count;
    found.total += own.total;
    found.exposed += exposed;
    sums.set(name, found);
  }
}

function gapsOf(account: Account, settled: Settled[]): TraceGap[] {
  const found: TraceGap[] = [];
  for (const { device, all, span } of settled) {
    const least = Math.max(100, span / 200);
    for (let at = 2; at < all.length; at += 2) {
      const duration = all[at]! - all[at - 1]!;
      if (least <= duration) found.push({ device: device.id, start: all[at - 1]! - account.first, duration, meanwhile: [] });
    }
  }
  found.sort((a, b) => b.duration - a.duration || a.start - b.start);
  const gaps = found.slice(0, mostGaps);
  for (const gap of gaps) gap.meanwhile = meanwhile(account, gap.start + account.first, gap.duration);
  return gaps;
}

/** What the host was at during most of this time: of the thread that says it most exactly, the innermost events, outermost first. */
function meanwhile({ host, names }: Account, start: number, duration: number): string[] {
  const threads = new Map<number, { name: number; duration: number }[]>();
  for (let at = 0; at < host.count; at += 1) {
    const from = host.starts[at]!;
    const shared = Math.min(from + host.durations[at]!, start + duration) - Math.max(from, start);
    if (shared < duration / 2) continue;
    const thread = host.threads[at]!;
    const covering = threads.get(thread);
    if (covering) covering.push({ name: host.names[at]!, duration: host.durations[at]! });
    else threads.set(thread, [{ name: host.names[at]!, duration: host.durations[at]! }]);
  }
  let best: { name: number; duration: number }[] | undefined;
  for (const covering of threads.values()) {
    covering.sort((a, b) => b.duration - a.duration);
    if (!best || covering.at(-1)!.duration < best.at(-1)!.duration) best = covering;
  }
  const told = (best ?? []).map(({ name }) => names.text(name).slice(0, 200));
  return told.filter((name, at) => name !== told[at - 1]).slice(-3);
}

/** What the host was at in the longest gap that nothing else explains; a step is no answer to that. */
function duringLongest(account: Account, { longest }: Broken): string | undefined {
  const steps = new Set(chosenSteps(account.steps).map(({ name }) => account.names.text(name)));
  return meanwhile(account, longest.start, longest.duration).findLast((name) => !steps.has(name));
}

/** The time that is looked at: from the first to the last step where there are any that the device worked in, else all that the devices did. */
function windowOf({ steps }: Account, settled: Settled[]): { from: number; to: number } {
  let [from, to] = [Infinity, -Infinity];
  for (const { all } of settled) {
    from = Math.min(from, all[0] ?? Infinity);
    to = Math.max(to, all.at(-1) ?? -Infinity);
  }
  const chosen = chosenSteps(steps);
  const first = chosen.reduce((least, { start }) => Math.min(least, start), Infinity);
  const last = chosen.reduce((most, { start, duration }) => Math.max(most, start + duration), -Infinity);
  // Steps that the host marks may be over before the device has begun; what it did then counts as well.
  return 1 < chosen.length && first < to && from < last ? { from: first, to: Math.max(last, to) } : { from, to };
}

/** Steps once: those that the host marked, or else those of the device that has most. A profile of eight GPUs has each of them eight times. */
export function chosenSteps(steps: Step[]): Step[] {
  const byDevice = new Map<number, Step[]>();
  for (const step of steps) {
    const found = byDevice.get(step.device);
    if (found) found.push(step);
    else byDevice.set(step.device, [step]);
  }
  const ofHost = byDevice.get(onHost);
  if (ofHost) return ofHost;
  return [...byDevice.values()].reduce((most, each) => (most.length < each.length ? each : most), []);
}

function stepsOf({ steps, names }: Account): TraceSteps {
  const chosen = chosenSteps(steps);
  if (chosen.length === 0) return { count: 0, median: 0 };
  const sorted = [...chosen].sort((a, b) => a.duration - b.duration);
  const slowest = sorted.at(-1)!;
  return {
    count: chosen.length,
    median: sorted[sorted.length >> 1]!.duration,
    slowest: { name: names.text(slowest.name), duration: slowest.duration },
  };
}
