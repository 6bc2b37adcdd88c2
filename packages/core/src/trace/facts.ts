import type { TraceMemory, TraceVersions } from "../model/trace.ts";
import type { Account } from "./account.ts";
import type { Paging } from "./sqlite.ts";

/** What a reader found in one file, before it is judged. */
export interface TraceFacts {
  format: string;
  account: Account;
  events: number;
  framework?: "torch" | "tensorflow" | "jax";
  vendor?: "nvidia" | "amd" | "intel" | "other";
  /** Devices that the file names, whether anything ran on them or not. */
  listed: { id: number; kind: string; name?: string; architecture?: string }[];
  versions: TraceVersions;
  errors: string[];
  warnings: string[];
  dropped: { events: number; reasons: string[] };
  host?: string;
  rank?: number;
  worldSize?: number;
  damage?: { offset: number; reason: string };
  /** Why this is not a profile at all. */
  notATrace?: string;
  /** Events of devices that are not GPUs: TPU, MTIA, HPU and others, by kind. */
  otherDevices: Map<string, number>;
  /** Signs on the host that a GPU was in use, though nothing of it was recorded. */
  gpuSigns: string[];
  /** By device: the most memory of a GPU that was allocated and reserved at a time, where that was recorded. */
  memory: Map<number, { events: number; allocated: number; reserved: number }>;
  /** What a memory snapshot says. */
  snapshot?: TraceMemory;
  /** What the recording was told to leave out: "device" when the device tracer was switched off. */
  switchedOff?: string;
  /** Ranges of the CUPTI range profiler, which take the place of kernels. */
  profilerRanges: number;
  /** Calls of the GPU's interface that are no launches. */
  calls: number;
  /** Of the calls, those that give the device something to do, where that was counted. */
  starts?: number;
  /** The writer stops at this many events. */
  capped?: number;
}

export function emptyFacts(format: string, account: Account): TraceFacts {
  return {
    format,
    account,
    events: 0,
    listed: [],
    versions: {},
    errors: [],
    warnings: [],
    dropped: { events: 0, reasons: [] },
    otherDevices: new Map(),
    gpuSigns: [],
    memory: new Map(),
    profilerRanges: 0,
    calls: 0,
  };
}

/** What every reader of a format is: bytes go in, facts come out. */
export interface TraceReader {
  push(chunk: Uint8Array): void;
  end(): void;
  facts(): TraceFacts;
  /** After `end`: the bytes are wanted once more, from the beginning. */
  readonly again?: boolean;
  /** How many of the next bytes are of no interest: who can jump over them says so with `skipped` instead of pushing them. */
  readonly skip?: number;
  skipped?(count: number): void;
  /** Instead of bytes from the beginning to the end: the ranges that are wanted of a file of this size. */
  pages?(size: number): Paging<void>;
}
