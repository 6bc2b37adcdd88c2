// What the times mean, in sentences with numbers. Each rests on what the file itself shows, and advice that the file refutes is not given.
import type { Broken } from "./breakdown.ts";
import type { TraceBreakdown, TraceConclusion, TraceFile } from "../model/trace.ts";
import type { Account } from "./account.ts";
import { compileHost, exchangeHost, inputHost, waitHost } from "./host-kinds.ts";
import { isConvolution, isWithoutTensorCores, shortName } from "./kernel-names.ts";
import { size, time } from "../lib/units.ts";

/** Less of the time than this is not worth a sentence. */
const least = 0.1;

interface Case {
  file: TraceFile;
  parts: TraceBreakdown;
  broken: Broken;
  account: Account;
  /** What the host was at in the longest gap that nothing else explains. */
  meanwhile: string | undefined;
  share: (part: number) => number;
}

/** Sentences about one file, largest share first. */
export function conclusionsOf(file: TraceFile, broken: Broken, account: Account, meanwhile: string | undefined): TraceConclusion[] {
  const { parts } = broken;
  const about: Case = { file, parts, broken, account, meanwhile, share: (part) => part / parts.span };
  // Clocks that do not agree say nothing about who waited for whom.
  if (0 < file.clock.kernelsBeforeLaunch) return [];
  const found = [
    inputBound,
    compilation,
    communication,
    hostCommunication,
    copies,
    synchronisation,
    launchBound,
    hostBound,
    tensorCores,
  ].flatMap((judge) => judge(about) ?? []);
  if (found.length === 0) found.push(...untold(about));
  found.sort((a, b) => b.share - a.share);
  // Only where the host is blamed does it matter that it was slowed down.
  const blamesHost = found.some(({ kind }) => kind === "launch-bound" || kind === "host-bound" || kind === "synchronisation");
  return blamesHost ? [...found, ...recordingOverhead(about)] : found;
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
const many = (count: number, one: string, several = `${one}s`) => `${count.toLocaleString("en-US")} ${count === 1 ? one : several}`;
const perStep = (count: number, { count: steps }: TraceFile["steps"]) =>
  1 < steps ? `, ${(count / steps).toLocaleString("en-US", { maximumFractionDigits: 1 })} a step` : "";

/** The events of a kind that took longest, by name. */
function longestOf({ account }: Case, kind: number): { name: string; count: number; total: number }[] {
  const found = [...account.heldBy].filter(([, held]) => held.kind === kind);
  return found
    .sort(([, a], [, b]) => b.total - a.total)
    .map(([name, { count, total }]) => ({ name: account.names.text(name), count, total }));
}

function inputBound(about: Case): TraceConclusion | undefined {
  const share = about.share(about.parts.input);
  const [longest] = longestOf(about, inputHost);
  if (share < least || !longest) return undefined;
  const alone = longest.name.includes("_SingleProcessDataLoaderIter");
  return {
    kind: "input-bound",
    share,
    message: `The GPU waits for input: it is idle for ${percent(share)} of the time (${time(about.parts.input)}) while the host is in \`${longest.name}\` (${many(longest.count, "call")}, ${time(longest.total)}).`,
    advice: alone
      ? "The batches are made in the training process itself: give the DataLoader `num_workers` above 0, and `pin_memory=True`."
      : longest.name.includes("DataLoader")
        ? "The workers are slower than the GPU: more of them (`num_workers`), less work for each sample, or `prefetch_factor`."
        : "Let the input run ahead (`prefetch`), in parallel (`num_parallel_calls`), or do less for each sample.",
  };
}

function compilation(about: Case): TraceConclusion | undefined {
  const share = about.share(about.parts.compilation);
  const [longest] = longestOf(about, compileHost);
  if (share < least || !longest) return undefined;
  const steps = about.file.steps.count;
  const torch = about.file.framework === "torch";
  return {
    kind: "compilation",
    share,
    message: `Code is compiled while it is recorded: the GPU is idle for ${percent(share)} of the time (${time(about.parts.compilation)}) while the host compiles (\`${longest.name}\`: ${many(longest.count, "time")}${perStep(longest.count, about.file.steps)}).`,
    advice:
      1 < steps && steps <= longest.count
        ? torch
          ? "It happens in every step: something changes that the code was compiled for, mostly a shape. `TORCH_LOGS=recompiles` names it; `torch.compile(dynamic=True)` or fixed shapes end it."
          : "It happens in every step: something changes that the code was compiled for (a shape, a static argument), or a new function is given to `jit` each time. `JAX_LOG_COMPILES=1` names it."
        : "Run a few steps before the recording begins, so that all is compiled by then.",
  };
}

function communication(about: Case): TraceConclusion | undefined {
  const { work, steps } = about.file;
  const share = about.share(about.parts.communication);
  const [most] = work.collectives;
  if (share < least || !most) return undefined;
  const overlapped = 0 < work.communication ? 1 - work.exposedCommunication / work.communication : 0;
  return {
    kind: "communication",
    share,
    message: `Communication is not hidden: for ${percent(share)} of the time (${time(about.parts.communication)}) the GPU does nothing but communicate, mostly ${most.name} (${many(most.count, "kernel")}${perStep(most.count, steps)}); ${percent(overlapped)} of the communication runs beside computation.`,
    advice:
      "A collective also lasts while it waits for the slowest rank: compare the ranks (`culprit trace RANK0 RANK1 …`) first. Then fewer, larger messages (buckets, gradient accumulation) and overlap with the backward pass.",
  };
}

/** Collectives that the host runs itself while the GPU stands still. */
function hostCommunication(about: Case): TraceConclusion | undefined {
  const share = about.share(about.broken.inExchange);
  const [most] = longestOf(about, exchangeHost);
  if (share < least || !most) return undefined;
  return {
    kind: "host-communication",
    share,
    message: `The host itself communicates while the GPU is idle: ${percent(share)} of the time (${time(about.broken.inExchange)}), mostly \`${most.name}\` (${many(most.count, "call")}${perStep(most.count, about.file.steps)}).`,
    advice: `A collective also lasts while it waits for the slowest rank: compare the ranks (\`culprit trace RANK0 RANK1 …\`) first. Where these are tensors of the GPU, the backend \`nccl\` exchanges them without the host.`,
  };
}

/** How memory is pinned. */
const pinnedBy: { [framework: string]: string } = { torch: "`pin_memory=True`, `non_blocking=True`" };

function copies(about: Case): TraceConclusion | undefined {
  const share = about.share(about.parts.copies);
  const most = about.file.work.copied.find(({ kind }) => kind !== "memset");
  if (share < least || !most) return undefined;
  const speed = 0 < most.total && 0 < most.bytes ? ` at ${(most.bytes / most.total / 1e3).toFixed(1)} GB/s` : "";
  const isAll = about.file.work.copied.every(({ kind }) => kind === most.kind || kind === "memset");
  const pageable = [...about.account.pageable].some((kind) => kind === most.kind);
  return {
    kind: "copies",
    share,
    message: `Copies take ${percent(share)} of the time (${time(about.parts.copies)}) while no kernel runs: ${isAll ? "" : "mostly "}${many(most.count, "copy", "copies")} ${most.kind}, ${size(most.bytes)}${speed}.`,
    advice: pageable
      ? `The memory of the host is not pinned, so the driver copies it once more, and no kernel runs beside it: pinned memory (${pinnedBy[about.file.framework ?? ""] ?? "`cudaHostAlloc`"}) is faster and can overlap.`
      : "Keep what does not change on the GPU, and copy on a stream of its own beside the kernels.",
  };
}

function synchronisation(about: Case): TraceConclusion | undefined {
  const share = about.share(about.parts.synchronisation);
  const [most] = longestOf(about, waitHost);
  if (share < least || !most) return undefined;
  const torch = about.file.framework === "torch";
  return {
    kind: "synchronisation",
    share,
    message: `The host waits for the GPU again and again, and the GPU then waits for the host: ${percent(share)} of the time (${time(about.parts.synchronisation)}) is idle right after \`${most.name}\` (${many(most.count, "call")}${perStep(most.count, about.file.steps)}).`,
    advice: torch
      ? "Each `.item()`, `.cpu()`, `print` of a tensor or `if` on one is such a wait: keep results on the GPU, and read them once every many steps."
      : "Keep results on the GPU, and read them once every many steps.",
  };
}

/** Products and convolutions in float32 on a GPU whose tensor cores would take them. */
function tensorCores(about: Case): TraceConclusion | undefined {
  const { file, account } = about;
  const { sums, names } = account;
  const busy = file.devices.filter(({ kernels }) => 0 < kernels);
  const architectures = busy.map(({ architecture }) => Number(/^sm_(\d+)/.exec(architecture ?? "")?.[1] ?? 0));
  // Before Volta there are none; before Ampere they do not take float32.
  const oldest = Math.min(...architectures);
  if (!(70 <= oldest)) return undefined;
  const found = Array.from(sums.counts.keys()).filter((name) => 0 < sums.counts[name]! && isWithoutTensorCores(names.text(name)));
  const total = found.reduce((sum, name) => sum + sums.totals[name]!, 0);
  const share = Math.min(1, about.share(total));
  if (share < least) return undefined;
  const most = found.reduce((a, b) => (sums.totals[a]! < sums.totals[b]! ? b : a));
  const convolves = isConvolution(names.text(most));
  const what = convolves ? "Convolutions" : "Matrix products";
  return {
    kind: "no-tensor-cores",
    share,
    message: `${what} in float32 run without tensor cores for ${percent(share)} of the time (${time(total)}), mostly \`${beginning(shortName(names.text(most)))}\`.`,
    advice: precisionAdvice(file.framework, 80 <= oldest, convolves),
  };
}

const beginning = (name: string) => (name.length <= 50 ? name : `${name.slice(0, 49)}…`);

/** How a program lets tensor cores compute, which makes results a little less exact. */
function precisionAdvice(framework: TraceFile["framework"], hasTf32: boolean, convolves: boolean): string {
  const half = hasTf32 ? "bfloat16" : "float16";
  const tf32 =
    framework === "torch"
      ? convolves
        ? "`torch.backends.cudnn.allow_tf32 = True`"
        : '`torch.set_float32_matmul_precision("high")`'
      : framework === "jax"
        ? '`jax.config.update("jax_default_matmul_precision", "tensorfloat32")`'
        : framework === "tensorflow"
          ? "`tf.config.experimental.enable_tensor_float_32_execution(True)`"
          : "TF32";
  const less =
    framework === "torch"
      ? `\`torch.autocast("cuda", dtype=torch.${half})\``
      : framework === "tensorflow"
        ? `\`tf.keras.mixed_precision.set_global_policy("mixed_${half}")\``
        : half;
  return hasTf32
    ? `Where about three digits are enough, ${tf32} lets tensor cores take them; ${less} is faster still.`
    : `Where about three digits are enough, ${less} lets tensor cores take them.`;
}

/** Short gaps, and kernels that begin as soon as they are launched: the host launches too slowly. */
function launchBound(about: Case): TraceConclusion | undefined {
  const { file, parts, broken, account } = about;
  const idle = parts.host - broken.inLongGaps;
  const share = about.share(idle);
  const found = file.work.launchBound;
  if (share < least || !found) return undefined;
  return {
    kind: "launch-bound",
    share,
    message: `The GPU waits for the host to launch: for ${percent(share)} of the time (${time(idle)}) it is idle in gaps of at most a millisecond, ${percent(found.promptShare)} of the kernels begin as soon as they are launched, and half of them take at most ${time(found.medianKernel)}.`,
    advice: launchAdvice(file, account),
  };
}

/** What makes the host say what it is at. */
const telling: { [framework: string]: string } = {
  torch: "`with_stack=True` or `record_function`",
  jax: "`jax.profiler.TraceAnnotation`",
  tensorflow: "`tf.profiler.experimental.Trace`",
};

/** Long gaps that nothing else explains: the host is at something else. */
function hostBound({ file, parts, broken, meanwhile, share: shareOf }: Case): TraceConclusion | undefined {
  const { inLongGaps, inExchange, longest } = broken;
  const share = shareOf(inLongGaps);
  // Most of it is told as communication.
  if (share < least || inLongGaps < 2 * inExchange) return undefined;
  if (0.9 * parts.host < longest.duration)
    return {
      kind: "one-long-wait",
      share: shareOf(longest.duration),
      message: `One gap is nearly all of the idle time: for ${time(longest.duration)} the GPU does nothing${meanwhile === undefined ? "" : `, while the host is in \`${meanwhile}\``}.`,
    };
  return {
    kind: "host-bound",
    share,
    message: `The GPU is idle for ${percent(share)} of the time (${time(inLongGaps)}) in gaps of more than a millisecond, ${hostWords(file, meanwhile, longest.duration)}.`,
    ...(isHandingOver(file, longest.duration)
      ? {
          advice:
            "The host is handing data over to the GPU, and has to rearrange it first: keep on the GPU what does not change, and prepare the next batch while this one is computed.",
        }
      : {}),
  };
}

// JAX's, and of torch with stacks: the host does nothing but wait until results are there.
const isWait = /block_until_ready|try_to_block|BlockHostUntil|BlockUntilReady|\bAwait\b/;

/** What the host was at in long gaps, as far as it was recorded. */
function hostWords({ framework }: TraceFile, meanwhile: string | undefined, longest: number): string {
  if (meanwhile === undefined)
    return `while the host is at something else; no event of the host says at what (${telling[framework ?? ""] ?? "NVTX ranges"} would)`;
  if (isWait.test(meanwhile))
    return `while the program waits for its result; in the longest of them (${time(longest)}) it is in \`${meanwhile}\`, and no other thread says what keeps the GPU from it`;
  return `while the host is at something else; in the longest of them (${time(longest)}) it is in \`${meanwhile}\``;
}

/** XLA's thread that takes arrays over from the host. */
const isHandingOver = ({ gaps }: TraceFile, longest: number) =>
  gaps.some(({ duration, meanwhile }) => 0.9 * longest <= duration && meanwhile.some((name) => /^H2D Dispatch|BufferFromHost/.test(name)));

/** Idle time that nothing above explains is named all the same. */
function untold({ file, parts, share: shareOf }: Case): TraceConclusion[] {
  const share = shareOf(parts.host);
  // What was lost may explain it.
  if (share < 0.5 || file.verdict !== "healthy") return [];
  const few = file.kernels < 50 ? `; ${many(file.kernels, "kernel")} are too few to say more: record more steps` : "";
  return [
    {
      kind: "host-bound",
      share,
      message: `The GPU is idle for ${percent(share)} of the time (${time(parts.host)}), in gaps that nothing recorded explains${few}.`,
    },
  ];
}

/** What makes launches fewer, but for what is done already. */
function launchAdvice({ framework, graphLaunches, work }: TraceFile, account: Account): string {
  const ways = [];
  if (work.communication < 0.2 * work.kernels) ways.push("larger batches");
  if (framework === "torch" && !account.compiled) ways.push("fused kernels (`torch.compile`)");
  if (framework === "tensorflow") ways.push("fused kernels (`tf.function(jit_compile=True)`)");
  if (graphLaunches === 0 && framework === "torch")
    ways.push(account.compiled ? 'CUDA graphs (`torch.compile(mode="reduce-overhead")`)' : "CUDA graphs");
  if (ways.length === 0) return "Fewer and longer kernels would help; what this file shows is compiled or in graphs already.";
  return `${ways
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1")
    .replace(/^./, (letter) => letter.toUpperCase())} make launches fewer${account.compiled ? " (the code is compiled already)" : ""}.`;
}

/** Recording Python's stack makes the host slower than it is without. */
function recordingOverhead({ file, account }: Case): TraceConclusion[] {
  if (account.pythonEvents < Math.max(1000, 5 * file.launches)) return [];
  return [
    {
      kind: "recording-overhead",
      share: 0,
      message: `${many(account.pythonEvents, "call")} of Python's were recorded (\`with_stack\`), which itself takes the host's time: idle time is less without it.`,
    },
  ];
}
