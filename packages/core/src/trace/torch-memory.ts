// Memory snapshots of torch (`torch.cuda.memory._dump_snapshot`, torch/cuda/memory.py): segments of its allocator with their blocks, and,
// where `_record_memory_history` was on, what was allocated and freed.
import type { TraceMemory } from "../model/trace.ts";
import { createAccount } from "./account.ts";
import { emptyFacts, type TraceReader } from "./facts.ts";
import { PickleError, readPickle, type Pickled } from "./pickle.ts";

/** A snapshot is held whole while it is read; more than this is none that can be. */
const mostBytes = 512 << 20;
const mostHolders = 8;

export function memorySnapshot(): TraceReader {
  const facts = emptyFacts("torch-memory-snapshot", createAccount(false));
  const pieces: Uint8Array[] = [];
  let size = 0;
  return {
    push(chunk) {
      size += chunk.length;
      if (size <= mostBytes) pieces.push(chunk.slice());
      else pieces.length = 0;
    },
    end() {
      facts.notATrace = "it is a Python pickle, but no memory snapshot of torch";
      if (mostBytes < size) {
        facts.notATrace =
          "it is a Python pickle of more than 512 MB, which culprit does not hold in memory; record fewer entries (`max_entries`)";
        return;
      }
      const whole = new Uint8Array(size);
      let at = 0;
      for (const piece of pieces) {
        whole.set(piece, at);
        at += piece.length;
      }
      pieces.length = 0;
      try {
        const snapshot = snapshotOf(readPickle(whole));
        if (!snapshot) return;
        facts.framework = "torch";
        facts.snapshot = snapshot;
        facts.notATrace = "it is a memory snapshot of torch: what the allocator holds, no events of a GPU";
      } catch (error) {
        if (!(error instanceof PickleError)) throw error;
        facts.notATrace = `it is a Python pickle that is no memory snapshot of torch: ${error.message}`;
      }
    },
    facts: () => facts,
  };
}

const field = (value: Pickled | undefined, key: string): Pickled | undefined => (value instanceof Map ? value.get(key) : undefined);
const list = (value: Pickled | undefined): Pickled[] => (Array.isArray(value) ? value : []);
const amount = (value: Pickled | undefined): number => (typeof value === "number" || typeof value === "bigint" ? Number(value) : 0);
const words = (value: Pickled | undefined): string => (typeof value === "string" ? value : "");

function snapshotOf(root: Pickled): TraceMemory | undefined {
  if (!Array.isArray(field(root, "segments"))) return undefined;
  const found: TraceMemory = {
    source: "snapshot",
    reserved: 0,
    allocated: 0,
    unused: 0,
    largestUnused: 0,
    segments: 0,
    peakAllocated: 0,
    outOfMemory: 0,
    holders: [],
  };
  const holders = new Map<string, { where: string; bytes: number; blocks: number }>();
  for (const segment of list(field(root, "segments"))) {
    found.segments += 1;
    found.reserved += amount(field(segment, "total_size"));
    for (const block of list(field(segment, "blocks"))) {
      const bytes = amount(field(block, "size"));
      if (words(field(block, "state")) === "inactive") {
        found.unused += bytes;
        found.largestUnused = Math.max(found.largestUnused, bytes);
      } else {
        // What is freed and waits for a stream is held as well, but not allocated.
        if (words(field(block, "state")) === "active_allocated") found.allocated += bytes;
        hold(holders, whereOf(block), bytes);
      }
    }
  }
  found.holders = [...holders.values()].sort((a, b) => b.bytes - a.bytes).slice(0, mostHolders);
  readHistory(found, list(field(root, "device_traces")));
  return found;
}

function hold(holders: Map<string, { where: string; bytes: number; blocks: number }>, where: string, bytes: number): void {
  const known = holders.get(where);
  if (known) {
    known.bytes += bytes;
    known.blocks += 1;
  } else if (holders.size < 100_000) holders.set(where, { where, bytes, blocks: 1 });
}

/** The line of the user's that allocated a block: the innermost that is neither torch's nor C++'s. */
function whereOf(block: Pickled): string {
  const frames = list(field(block, "frames") ?? field(list(field(block, "history"))[0], "frames"));
  const python = frames.filter(
    (frame) => words(field(frame, "filename")).endsWith(".py") || words(field(frame, "filename")).startsWith("<"),
  );
  const own = python.find((frame) => !/\/(?:torch|site-packages|dist-packages)\//.test(words(field(frame, "filename")))) ?? python[0];
  if (!own) return frames.length === 0 ? "(not recorded)" : "(C++ alone)";
  return `${words(field(own, "filename"))}:${amount(field(own, "line"))} ${words(field(own, "name"))}`;
}

/** The most that was allocated at a time. The history ends with what is allocated now; so it is gone through backwards. */
function readHistory(found: TraceMemory, devices: Pickled[]): void {
  let recorded = false;
  let peak = 0;
  for (const [index, entries] of devices.entries()) {
    const history = list(entries);
    if (0 < history.length) recorded = true;
    // Several devices share one sum: each has its own peak, and the largest is told.
    let now = devices.length === 1 ? found.allocated : allocatedBy(history);
    let most = now;
    for (let at = history.length - 1; 0 <= at; at -= 1) {
      const action = words(field(history[at], "action"));
      const size = amount(field(history[at], "size"));
      if (action === "oom") found.outOfMemory += 1;
      if (action === "alloc") now -= size;
      else if (action === "free_completed") now += size;
      most = Math.max(most, now);
    }
    if (peak < most) peak = most;
    if (index === 1023) break;
  }
  found.peakAllocated = recorded ? Math.max(peak, found.allocated) : 0;
}

/** What the entries themselves leave allocated. */
function allocatedBy(history: Pickled[]): number {
  let now = 0;
  for (const entry of history) {
    const action = words(field(entry, "action"));
    if (action === "alloc") now += amount(field(entry, "size"));
    else if (action === "free_completed") now -= amount(field(entry, "size"));
  }
  return Math.max(0, now);
}
