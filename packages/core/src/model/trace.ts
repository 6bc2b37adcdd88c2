import type { JudgedProgram, Readiness } from "./check.ts";
import type { Finding } from "./finding.ts";

/** What the profiler's file says about whether the GPU was recorded. */
export type TraceVerdict = "healthy" | "partial" | "no-gpu-events" | "cpu-only" | "not-gpu" | "damaged" | "not-a-trace";

export interface TraceReport {
  schema: "culprit/trace@1";
  files: TraceFile[];
  /** About several of them together: the rank that the others wait for. */
  conclusions?: TraceConclusion[];
  /** Of two runs: what differs. */
  comparison?: TraceComparison;
  /** With `--expect`: what was not kept. */
  unmet?: string[];
  /** With `--with-machine`: what `check` found that concerns recording a profile here. */
  machine?: {
    findings: Finding[];
    unknown: { subject: string; kind?: string; reason: string }[];
    /** What was examined, so that nobody has to believe silence. */
    judged?: JudgedProgram[];
    /** Where a profiler would reach the GPU: by which file. */
    readiness?: Readiness[];
    /** Where it is, if elsewhere: `inside /mnt/disk`. */
    place?: string;
  };
}

/** One file. Times are microseconds. */
export interface TraceFile {
  file: string;
  /** xplane, kineto, chrome (trace viewer of TensorFlow and JAX, and others), legacy-tf, riegeli, or what it is instead. */
  format: string;
  verdict: TraceVerdict;
  /** Who wrote it, as far as it tells. */
  framework?: "torch" | "tensorflow" | "jax";
  vendor?: "nvidia" | "amd" | "intel" | "other";
  because: string[];
  /** Rules of the findings about the machine that it was joined with. */
  joinedWith?: string[];
  /** The likely causes of a verdict that is not healthy, most likely first, each with the check that settles it. */
  causes: TraceCause[];
  events: number;
  bytes: number;
  kernels: number;
  copies: number;
  launches: number;
  unmatchedLaunches: number;
  /** Launches of whole graphs, those that started nothing, and launches that were only captured into a graph. */
  graphLaunches: number;
  unmatchedGraphLaunches: number;
  capturedLaunches: number;
  /** Kernels that were launched before the recording began, and those whose call is missing within it. */
  launchedBefore: number;
  lostCalls: number;
  devices: TraceDevice[];
  versions: TraceVersions;
  dropped: { events: number; reasons: string[] };
  clock: { kernelsBeforeLaunch: number; withoutTime: number };
  errors: string[];
  warnings: string[];
  host?: string;
  rank?: number;
  worldSize?: number;
  /** From the first to the last event. */
  span: number;
  damage?: { offset: number; reason: string };
  top: TraceKernel[];
  /** Operators by the time of their kernels, where the file says which those are. */
  operators?: TraceOperator[];
  /** Modules of the program (`nn.Module`, scopes of JAX and TensorFlow) and its ranges (`record_function`) by the time of their kernels. */
  modules?: TraceScopes;
  ranges?: TraceScopes;
  work: TraceWork;
  gaps: TraceGap[];
  steps: TraceSteps;
  breakdown?: TraceBreakdown;
  conclusions: TraceConclusion[];
  memory?: TraceMemory;
}

/** What is known of a GPU's memory, in bytes. */
export interface TraceMemory {
  /** From events of a profile (`profile_memory`), or from a memory snapshot of torch. */
  source: "events" | "snapshot";
  /** By torch's allocator: what it took from the driver, and what of it tensors have; of a profile, the most of both. */
  reserved: number;
  allocated: number;
  /** The most that was allocated at a time, where its history was recorded; else 0. */
  peakAllocated: number;
  /** Of a snapshot: what is reserved and free, the largest piece of it, and how many segments there are. */
  unused: number;
  largestUnused: number;
  segments: number;
  outOfMemory: number;
  /** Who holds most, by line of code. */
  holders: { where: string; bytes: number; blocks: number }[];
}

export interface TraceCause {
  cause: string;
  certainty: "certain" | "likely" | "possible";
  message: string;
  check: string;
}

export interface TraceDevice {
  /** As the file numbers it: 0 for `/device:GPU:0`. */
  id: number;
  kind: string;
  name?: string;
  architecture?: string;
  kernels: number;
  copies: number;
  events: number;
  streams: number;
  /** Time with at least one kernel, of the time between the first and the last. */
  busy: number;
  span: number;
}

export interface TraceVersions {
  /** CUPTI's API number, and the toolkit that brings it. */
  cupti?: { api: number; toolkit?: string };
  runtime?: string;
  driver?: string;
  compiledFor?: string;
  hip?: string;
  roctracer?: string;
  nccl?: string;
  nsys?: string;
  /** The libcupti that the recorder loaded, where it says so. */
  cuptiFile?: string;
}

export interface TraceKernel {
  name: string;
  /** Without what nobody reads: template arguments, return types, parameters. */
  short: string;
  count: number;
  total: number;
  longest: number;
  /** Of the time of all kernels. */
  share: number;
  /** How full the multiprocessors were, in percent, as the profiler estimated it. */
  occupancy?: number;
  kind: "compute" | "communication" | "copy";
}

/** An operator of the framework (`aten::mm`), or of XLA (`fusion.3 of jit_step`). */
export interface TraceOperator {
  name: string;
  kernels: number;
  total: number;
  /** Of the time of all kernels. */
  share: number;
}

/** Which parts of the program the kernels were launched in. */
export interface TraceScopes {
  /** Where most of the time went, in words. */
  message: string;
  /** Of the time of all kernels: what was launched in any of them. */
  share: number;
  /** Each is followed by what lies in it, largest first. */
  rows: TraceScope[];
}

/** A kind of module within another, or a range within another. */
export interface TraceScope {
  name: string;
  /** How many lie around it. */
  depth: number;
  /** How many modules of this kind are there. */
  instances: number;
  kernels: number;
  /** With what lies in it, and without. */
  total: number;
  own: number;
  /** Of the total: what the backward pass launched for it. */
  backward: number;
  /** Of the time of all kernels. */
  share: number;
}

/** Where the time of the devices went, summed over them. */
export interface TraceWork {
  /** From the first to the last device event, on each device. */
  span: number;
  kernels: number;
  communication: number;
  /** Communication while nothing else ran. */
  exposedCommunication: number;
  /** By collective: how often, for how long, and how much of it while no kernel computed. */
  collectives: { name: string; count: number; total: number; exposed: number }[];
  /** Communication by the host itself (gloo), where there was any. */
  hostCommunication?: number;
  copies: number;
  idle: number;
  /** Idle in gaps so short that a faster launch would close them. */
  idleBetweenLaunches: number;
  /** Whether the device waits for the host to launch. */
  launchBound?: { promptShare: number; medianKernel: number };
  copied: { kind: string; count: number; bytes: number; total: number }[];
}

/** Where the time went, moment by moment; the parts add up to `span`, which is the time of the steps (or of all events) on each device. */
export interface TraceBreakdown {
  span: number;
  /** Kernels that compute. */
  compute: number;
  /** Communication while no kernel computed, and copies while no kernel ran. */
  communication: number;
  copies: number;
  /** Nothing ran: while the host compiled, waited for its next batch, was done waiting for the GPU, or was at anything else. */
  compilation: number;
  input: number;
  synchronisation: number;
  host: number;
}

/** A sentence about where the time went, and what to do; largest share first. */
export interface TraceConclusion {
  kind:
    | "input-bound"
    | "compilation"
    | "communication"
    | "host-communication"
    | "copies"
    | "synchronisation"
    | "launch-bound"
    | "one-long-wait"
    | "host-bound"
    | "no-tensor-cores"
    | "recording-overhead"
    | "straggler"
    | "no-profile";
  /** Of the time that the breakdown is about. */
  share: number;
  message: string;
  advice?: string;
}

/** Two runs of a program; times are for a step where both have steps, else for all of it. */
export interface TraceComparison {
  before: string;
  after: string;
  perStep: boolean;
  time: { before: number; after: number };
  /** Shares of the time. */
  parts: { name: string; before: number; after: number }[];
  /** Those that differ most: time and number, 0 where it was not there. */
  kernels: { name: string; before: number; after: number; countBefore: number; countAfter: number }[];
  /** What was recorded otherwise. */
  recording: string[];
}

export interface TraceGap {
  device: number;
  start: number;
  duration: number;
  /** What the host did meanwhile, outermost first. */
  meanwhile: string[];
}

export interface TraceSteps {
  count: number;
  median: number;
  slowest?: { name: string; duration: number };
}

/** What is drawn: rows of events that do not overlap, and what they are called. Times are microseconds from the first of them. */
export interface TraceDrawing {
  names: string[];
  /** What else events say of themselves: grid, block, bytes, shapes. */
  details: string[];
  tracks: TraceDrawnTrack[];
  span: number;
  events: number;
  /** Where there were too many: events shorter than this are left out. */
  left: number;
  /** From calls to what they started on a device: pairs of events, each by its place among all of the tracks. */
  arrows: Uint32Array;
  counters: TraceCounter[];
}

/** A value over time: it holds until the next one. */
export interface TraceCounter {
  label: string;
  times: Float64Array;
  values: Float64Array;
}

export interface TraceDrawnTrack {
  label: string;
  kind: "gpu" | "host";
  /** One for each depth at which events lie in each other; `details` count from 1 on, 0 is nothing. */
  rows: { starts: Float64Array; durations: Float64Array; names: Int32Array; details: Int32Array }[];
}
