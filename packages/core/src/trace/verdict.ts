import type { TraceVerdict } from "../model/trace.ts";
import type { TraceFacts } from "./facts.ts";
import type { Matches } from "./correlation.ts";

/** What was counted on GPUs. */
export interface Counts {
  kernels: number;
  copies: number;
}

export function countsOf({ account }: TraceFacts): Counts {
  let kernels = 0;
  let copies = 0;
  for (const device of account.devices.values()) {
    kernels += device.kernels;
    copies += device.copies;
  }
  return { kernels, copies };
}

/**
 * Kernels that were really recorded decide; a plane, a list of devices or a version prove nothing, since profilers write them before the
 * first event, and when there is none.
 */
export function verdictOf(facts: TraceFacts, counts: Counts, matches: Matches): TraceVerdict {
  const { listed, account, dropped } = facts;
  if (facts.notATrace !== undefined) return "not-a-trace";
  if (facts.damage) return "damaged";
  const otherDevice = 0 < facts.otherDevices.size || (facts.vendor === "other" && 0 < counts.kernels);
  if (0 < counts.kernels && facts.vendor !== "other") {
    const lost = 0 < matches.unmatched || 0 < matches.unmatchedGraphs || 0 < dropped.events || 0 < dropped.reasons.length;
    return lost ? "partial" : "healthy";
  }
  if (otherDevice) return "not-gpu";
  // Copies and no launch: the GPU was recorded, there was no kernel to record.
  if (0 < counts.copies && account.launches === 0) return "healthy";
  const gpus = listed.filter(({ kind }) => kind === "GPU").length;
  if (0 < gpus || 0 < account.launches || 0 < matches.graphLaunches || 0 < facts.profilerRanges || 0 < facts.calls) return "no-gpu-events";
  if (listed.some(({ kind }) => kind !== "GPU" && kind !== "CPU")) return "not-gpu";
  if (0 < facts.gpuSigns.length || 0 < facts.errors.length) return "no-gpu-events";
  return "cpu-only";
}
