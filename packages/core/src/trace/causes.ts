import { recordingCheck } from "../lib/asked.ts";
import type { TraceCause, TraceVerdict } from "../model/trace.ts";
import type { Matches } from "./correlation.ts";
import type { TraceFacts } from "./facts.ts";
import type { Counts } from "./verdict.ts";

/** Why the verdict is what it is, in sentences, and what may have caused it. */
export interface Reasons {
  because: string[];
  causes: TraceCause[];
}

const many = (count: number, one: string, several = `${one}s`) => `${count.toLocaleString("en-US")} ${count === 1 ? one : several}`;

export function reasonsFor(verdict: TraceVerdict, facts: TraceFacts, counts: Counts, matches: Matches): Reasons {
  const because = [...evidence(verdict, facts, counts, matches)];
  const causes: TraceCause[] = [];
  const add = (cause: string, certainty: TraceCause["certainty"], message: string, check: string) =>
    causes.push({ cause, certainty, message, check });
  if (verdict === "partial") partialCauses(facts, matches, add);
  else if (verdict === "no-gpu-events") missingCauses(facts, matches, add);
  else if (verdict === "cpu-only") cpuCauses(facts, add);
  else if (verdict === "damaged") damagedCauses(facts, add);
  const weight = { certain: 0, likely: 1, possible: 2 };
  causes.sort((a, b) => weight[a.certainty] - weight[b.certainty]);
  return { because, causes };
}

function* evidence(verdict: TraceVerdict, facts: TraceFacts, counts: Counts, matches: Matches): Generator<string> {
  const { account, damage } = facts;
  if (facts.notATrace !== undefined) {
    yield facts.notATrace;
    return;
  }
  if (damage) {
    yield `at byte ${damage.offset.toLocaleString("en-US")}: ${damage.reason}`;
    if (0 < facts.events) yield `readable before and around it: ${many(facts.events, "event")}, ${many(counts.kernels, "kernel")}`;
  }
  const gpus = facts.listed.filter(({ kind }) => kind === "GPU").length;
  if (verdict === "not-gpu") {
    const kinds = [...facts.otherDevices.keys()];
    yield `the devices are ${kinds.length === 0 ? "not GPUs" : kinds.join(", ")}: CUPTI has no part in this`;
    return;
  }
  if (0 < counts.kernels) {
    yield `${many(counts.kernels, "kernel")} ${counts.kernels === 1 ? "was" : "were"} recorded`;
    if (0 < account.launches && matches.unmatched === 0) {
      const captured = 0 < matches.captured ? `, but for ${many(matches.captured, "launch", "launches")} that a graph captured` : "";
      yield `every launch that was recorded (${account.launches.toLocaleString("en-US")}) has its kernel${captured}`;
    }
    if (0 < matches.launchedBefore)
      yield `${many(matches.launchedBefore, "kernel")} ${matches.launchedBefore === 1 ? "was" : "were"} launched before the recording began`;
    if (0 < matches.callLost) yield `${many(matches.callLost, "kernel")} lack the call that launched them`;
  } else if (verdict === "healthy") yield `copies were recorded (${counts.copies.toLocaleString("en-US")}), and no kernel was launched`;
  else if (verdict === "no-gpu-events") {
    if (0 < gpus) yield `${many(gpus, "GPU")} ${gpus === 1 ? "is" : "are"} listed, and not one kernel was recorded`;
    else yield "there is no GPU in the file, although the program used one";
    if (0 < account.launches)
      yield `${many(account.launches, "launch of a kernel was", "launches of kernels were")} recorded, and no kernel`;
    else if (0 < facts.calls)
      yield `${many(facts.calls, "call")} of the GPU's interface ${facts.calls === 1 ? "was" : "were"} recorded, and no kernel`;
    else if (0 < facts.gpuSigns.length)
      yield `the host's own events show that a GPU was in use: ${facts.gpuSigns
        .slice(0, 3)
        .map((sign) => `\`${sign}\``)
        .join(", ")}`;
    if (0 < facts.profilerRanges) yield `${many(facts.profilerRanges, "range")} of the CUPTI range profiler stand where kernels would`;
  } else if (verdict === "cpu-only") yield "there is no GPU in the file, no call of its interface, and no kernel";
  if (0 < matches.unmatched && 0 < counts.kernels) {
    const share = ((100 * matches.unmatched) / Math.max(1, matches.launches)).toFixed(1);
    const where =
      matches.unmatchedAtEnd === matches.unmatched
        ? ", all after the last one that has"
        : matches.unmatchedAtStart === matches.unmatched
          ? ", all before the first one that has"
          : "";
    yield `${many(matches.unmatched, "launch", "launches")} of ${matches.launches.toLocaleString("en-US")} (${share} %) have no kernel${where}`;
  }
  if (0 < matches.unmatchedGraphs) yield `${many(matches.unmatchedGraphs, "launch", "launches")} of graphs have no kernel`;
  yield* losses(facts, matches);
}

/** What was lost, said or cannot be trusted, whatever the verdict. */
function* losses({ account, dropped, errors, switchedOff, capped }: TraceFacts, matches: Matches): Generator<string> {
  if (0 < dropped.events) yield `the profiler dropped ${many(dropped.events, "event")}`;
  for (const reason of dropped.reasons.slice(0, 3)) yield reason;
  for (const error of errors.slice(0, 3)) yield `the file says: ${error}`;
  if (switchedOff !== undefined) yield switchedOff;
  if (0 < matches.beforeLaunch)
    yield `${many(matches.beforeLaunch, "kernel")} seem to start before they were launched: the clocks of host and device do not agree, gaps and delays are not to be trusted`;
  if (0 < account.withoutTime) yield `${many(account.withoutTime, "event")} of the GPU have no time`;
  if (capped !== undefined)
    yield `the writer of this file stops at ${capped.toLocaleString("en-US")} events: the \`.xplane.pb\` beside it holds all`;
}

/** How a program of each framework waits until the GPU has run what it was given. */
const awaited: { [framework: string]: string } = {
  torch: "call `torch.cuda.synchronize()` before the profiler stops",
  jax: "wait for the results (`jax.block_until_ready`) before the profiler stops",
  tensorflow: "read a result (`.numpy()`) before the profiler stops: that waits for the GPU",
};

type Add = (cause: string, certainty: TraceCause["certainty"], message: string, check: string) => void;

const checkFor = (facts: TraceFacts, activity: string) => `\`${recordingCheck(facts.framework, activity)}\``;

function partialCauses(facts: TraceFacts, matches: Matches, add: Add): void {
  const torch = facts.framework === "torch";
  if (0 < facts.dropped.events || 0 < facts.dropped.reasons.length)
    add(
      "records-dropped",
      "certain",
      "the profiler's own buffers were full",
      torch
        ? "record fewer steps (`schedule(active=…)`), or raise ACTIVITIES_MAX_GPU_BUFFER_SIZE_MB in KINETO_CONFIG"
        : "record a shorter time, or raise `gpu_max_activity_api_events` and `gpu_max_callback_api_events` in `ProfileOptions.advanced_configuration`",
    );
  if (matches.unmatched === 0 && matches.unmatchedGraphs === 0) return;
  if (0 < matches.unmatched && matches.unmatchedAtEnd === matches.unmatched)
    add(
      "stopped-before-the-gpu",
      "likely",
      "the recording was stopped before the GPU had run what was launched",
      awaited[facts.framework ?? ""] ?? "wait for the results before the profiler stops",
    );
  else if (0 < matches.unmatched && matches.unmatchedAtStart === matches.unmatched)
    add(
      "upstream-bug",
      "likely",
      "records of the first launches of a session were lost (known of CUPTI after a long pause: pytorch#192021)",
      "use `schedule(warmup=1)`, or run one step under the profiler before those that count",
    );
  else if (0 < matches.unmatched)
    add(
      "records-dropped",
      "likely",
      "CUPTI lost records: its buffers were full, or no memory was left on the device for them",
      torch ? "KINETO_LOG_LEVEL=0 prints `Dropped … activity records`" : "TF_CPP_VMODULE=cupti_tracer=1 prints what was dropped",
    );
  if (0 < matches.unmatchedGraphs)
    add(
      "graph-not-recorded",
      "possible",
      "graphs were launched whose kernels this CUPTI does not report one by one",
      "`culprit trace` of a recording without CUDA graphs shows whether the rest is whole",
    );
}

function missingCauses(facts: TraceFacts, matches: Matches, add: Add): void {
  const check = checkFor(facts, "profile");
  const torch = facts.framework === "torch";
  if (0 < facts.profilerRanges) {
    add(
      "range-profiler",
      "certain",
      "the recording was made with CUPTI's range profiler (metrics per range), which takes the place of kernels",
      "record again without `profiler_metrics` in the experimental configuration",
    );
    return;
  }
  if (facts.switchedOff !== undefined) {
    add("activity-not-asked-for", "certain", facts.switchedOff, "record again with `device_tracer_level` 1");
    return;
  }
  const said = facts.errors.join("\n");
  if (/privilege|CUPTI_ERROR_INSUFFICIENT_PRIVILEGES|root (?:access|permission)/i.test(said))
    add("profiler-permission", "certain", "the driver did not let this user profile", check);
  else if (/Failed to load libcupti/i.test(said))
    add("library-missing", "likely", "libcupti was not found or did not start; this text stands for any first failure of CUPTI", check);
  else if (/No GPU detected/i.test(said)) add("driver-not-exposed", "likely", "the process saw no GPU", checkFor(facts, "device"));
  else if (/MULTIPLE_SUBSCRIBERS/.test(said)) add("profiler-conflict", "certain", "another tool had CUPTI already", check);
  if (facts.vendor === "amd") {
    add("library-missing", "possible", "roctracer or rocprofiler could not be loaded", check);
    if (facts.framework === "torch")
      add(
        "activity-not-asked-for",
        "possible",
        "the profiler was asked for the CPU alone: `activities` lacks `ProfilerActivity.CUDA`, which stands for AMD's GPUs, too",
        "record with `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`",
      );
    return;
  }
  if (facts.format === "nsys") {
    nsysCauses(facts, add);
    return;
  }
  if (0 < facts.account.launches) {
    launchedCauses(facts, matches, add);
    return;
  }
  if (said !== "") return;
  if (torch) torchCauses(facts, add);
  else xlaCauses(facts, add);
}

/** Nsight Systems recorded nothing of the device. */
function nsysCauses(facts: TraceFacts, add: Add): void {
  const check = checkFor(facts, "profile");
  if (facts.calls === 0) {
    add(
      "activity-not-asked-for",
      "likely",
      "calls of CUDA were not traced, or the program made none",
      "record with `nsys profile -t cuda,nvtx`",
    );
    add("profiler-conflict", "possible", "the program has a profiler of its own (torch.profiler, CUPTI) that kept nsys out", check);
    return;
  }
  if (facts.starts === undefined) {
    add(
      "not-a-mismatch",
      "likely",
      "calls of CUDA were traced, and none of them launches a kernel or copies: the program ended, or was stopped, before it gave the GPU anything to do",
      "look at what the program printed and how it ended, and at the errors that its calls of CUDA returned",
    );
    return;
  }
  add(
    "records-dropped",
    "possible",
    "the program ended without giving CUPTI time to write (a crash, `os._exit`, a kill)",
    "let it end by itself, after `cudaDeviceSynchronize()`",
  );
  add(
    "library-wrong-version",
    "possible",
    `the CUPTI of Nsight Systems${facts.versions.cuptiFile === undefined ? "" : ` (\`${facts.versions.cuptiFile}\`)`} does not go with the driver or is older than the GPU`,
    `record with the newest Nsight Systems; ${check}`,
  );
  add("profiler-conflict", "possible", "another tool (torch.profiler, ncu, compute-sanitizer) owned the device side of CUPTI", check);
  add("profiler-platform-unsupported", "possible", "WSL2, vGPU, MIG or confidential computing: CUPTI is refused there", check);
}

/** Launches, and no kernel. */
function launchedCauses(facts: TraceFacts, matches: Matches, add: Add): void {
  const check = checkFor(facts, "profile");
  // Calls come from the host side of CUPTI, kernels from its device side: the library was there.
  if (facts.framework === "torch")
    add(
      "activity-not-asked-for",
      "likely",
      "the profiler was asked for the CPU alone: `activities` lacks `ProfilerActivity.CUDA`, but calls of CUDA are written all the same",
      "record with `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`",
    );
  add(
    "profiler-conflict",
    "possible",
    "another tool (ncu, nsys, compute-sanitizer, a second profiler in the process) owned the device side of CUPTI",
    `${check}; is CUDA_INJECTION64_PATH set?`,
  );
  const { cupti, driver } = facts.versions;
  const [ours, theirs] = [lastVersion(cupti?.toolkit), lastVersion(driver)];
  if (ours !== undefined && theirs !== undefined && ours !== theirs)
    add(
      ours < theirs ? "cupti-too-old-for-driver" : "library-wrong-version",
      "possible",
      `CUPTI is of CUDA ${cupti!.toolkit}, the driver of CUDA ${driver}: records are refused, or all of them lie outside the recorded time`,
      check,
    );
  if (0 < matches.captured && matches.unmatched === 0)
    add(
      "graph-captured",
      "likely",
      "all launches were captured into a graph, and the graph was not launched while recording",
      "record the replay of the graph",
    );
}

/** Nothing of the GPU is in a profile of torch, and no launch either. */
function torchCauses(facts: TraceFacts, add: Add): void {
  const check = checkFor(facts, "profile");
  const listed = facts.listed.some(({ kind }) => kind === "GPU");
  const asked = "record with `activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]`";
  if (0 < facts.calls) {
    add(
      "not-a-mismatch",
      "likely",
      "CUPTI delivered calls of CUDA, and none of them launches a kernel: nothing ran on the GPU while it was recorded",
      `print \`next(model.parameters()).device\`; then ${check}`,
    );
    add("activity-not-asked-for", "possible", "the file was filtered afterwards, or `ProfilerActivity.CUDA` was not asked for", asked);
    add("profiler-conflict", "possible", "another tool subscribed to CUPTI first (nsys, ncu, a second framework's profiler)", check);
    return;
  }
  const noCupti = facts.versions.cupti === undefined && facts.versions.runtime === undefined;
  add(
    "library-missing",
    noCupti ? "likely" : "possible",
    noCupti
      ? `CUPTI did not start: neither its version nor one call of CUDA is in the file${listed ? " (the list of GPUs comes from CUDA itself)" : ""}`
      : "CUPTI answered for its version, but did not deliver: its first call failed",
    check,
  );
  add("profiler-conflict", "possible", "another tool subscribed to CUPTI first (nsys, ncu, a second framework's profiler)", check);
  add("driver-too-old", "possible", "libcupti is newer than the driver allows (CUPTI_ERROR_NOT_INITIALIZED)", check);
  add("profiler-platform-unsupported", "possible", "WSL2, vGPU, MIG or confidential computing: CUPTI is refused there", check);
  add(
    "activity-not-asked-for",
    listed ? "possible" : "likely",
    "`ProfilerActivity.CUDA` was not asked for, or the file was filtered afterwards",
    asked,
  );
  // Signs of a GPU are there because something ran on it.
  if (facts.gpuSigns.length === 0)
    add("not-a-mismatch", "possible", "nothing ran on the GPU while it was recorded", checkFor(facts, "device"));
}

/** Nothing of the GPU is in a profile of TensorFlow or JAX, and no launch either. */
function xlaCauses(facts: TraceFacts, add: Add): void {
  const check = checkFor(facts, "profile");
  const planes = facts.listed.some(({ kind }) => kind === "GPU");
  add(
    "library-missing",
    "likely",
    planes
      ? "CUPTI failed when it was started (XLA before 2025-09 writes the empty planes all the same)"
      : "CUPTI failed when it was started; since 2025-09 XLA then writes no plane and no error",
    `${check}; or record with \`ProfileOptions.raise_error_on_start_failure = True\`, which makes it speak`,
  );
  add("profiler-conflict", "possible", "another tool subscribed to CUPTI first (nsys, ncu, a second framework's profiler)", check);
  add("driver-too-old", "possible", "libcupti is newer than the driver allows (CUPTI_ERROR_NOT_INITIALIZED)", check);
  add("profiler-platform-unsupported", "possible", "WSL2, vGPU, MIG or confidential computing: CUPTI is refused there", check);
  add(
    "activity-not-asked-for",
    "possible",
    "the recording was asked for the host alone (`device_tracer_level` 0)",
    "record again with `device_tracer_level` 1",
  );
  if (planes)
    add(
      "not-a-mismatch",
      "possible",
      "TF_GPU_CUPTI_USE_STUB_INTERFACE is set, or nothing ran on the GPU while it was recorded",
      "look at the environment of the program",
    );
}

/** "11.8 to 12.1" ends with 12.1: as a number that can be compared. */
function lastVersion(text: string | undefined): number | undefined {
  const found = /(?<!\d)(\d+)\.(\d+)$/.exec(text ?? "");
  return found ? Number(found[1]) * 100 + Number(found[2]) : undefined;
}

function cpuCauses(facts: TraceFacts, add: Add): void {
  const check = checkFor(facts, "device");
  if (facts.framework === undefined) return;
  add("wrong-wheel-cpu-only", "possible", `a build of ${facts.framework} without GPU`, check);
  add("driver-not-exposed", "possible", "no driver reached the process, or CUDA_VISIBLE_DEVICES hid the device", check);
  if (facts.framework !== "torch")
    add(
      "library-missing",
      "possible",
      "the program used a GPU and CUPTI failed to start: XLA since 2025-09 then writes neither plane nor error",
      checkFor(facts, "profile"),
    );
  else
    add(
      "activity-not-asked-for",
      "possible",
      "the model was on the CPU, or nothing ran on the GPU while it was recorded",
      "print `next(model.parameters()).device`",
    );
}

function damagedCauses(facts: TraceFacts, add: Add): void {
  const reason = facts.damage?.reason ?? "";
  if (/copied as text/.test(reason)) {
    add("copied-as-text", "certain", "a copy in text mode, an editor or a web form replaced bytes", "copy the original again, as binary");
    return;
  }
  if (/ends|cut|unexpected end/.test(reason))
    add(
      "cut-off",
      "likely",
      "the program was killed while writing, the disk was full, or the copy was broken off",
      "compare the size with the original",
    );
}
