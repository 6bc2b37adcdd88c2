import { fix } from "../fixes.ts";
import { weights } from "../cause.ts";
import { noise, type Signature } from "../signature.ts";

/** What programs that use a GPU say of themselves, of their data, their machine or their neighbours; no release of CUDA changes it. */
const own: [what: string, how: string, literals: string[], pattern: RegExp, ...examples: string[]][] = [
  [
    "the program changes a value in place that its gradients still need",
    "give the operation a result of its own (`x = x + y` for `x += y`); `torch.autograd.set_detect_anomaly(True)` names the line",
    ["modified by an inplace operation", "backward through the graph a second time", "does not require grad"],
    /has been modified by an inplace operation|Trying to backward through the graph a second time|does not require grad and does not have a grad_fn/,
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: [torch.cuda.FloatTensor [32, 10]]",
  ],
  [
    "tensors of two types of numbers meet",
    "bring both to one type (`.float()`, `.to(dtype)`)",
    ["of scalar type", "expected scalar type", "but expected float", "expected dtype"],
    /Expected object of scalar type \w{3,12} but got|expected scalar type \w{3,12} but found \w{3,12}|Found dtype \w{3,12} but expected \w{3,12}|expected m1 and m2 to have the same dtype/i,
    "RuntimeError: expected scalar type Half but found Float",
  ],
  [
    "a process that loads data was killed: memory, or shared memory, ran out",
    "use fewer workers or smaller batches; in a container start it with more shared memory (`--shm-size=8g`)",
    ["dataloader worker (pid"],
    /DataLoader worker \(pid(?:\(s\))? [\d, ]{1,60}\) (?:is killed by signal: (?!Bus error)|exited unexpectedly)/,
    "RuntimeError: DataLoader worker (pid 1234) is killed by signal: Killed.",
  ],
  [
    "another process listens on the port that this one wants",
    "choose another port (`--master_port`), or end the process that holds it",
    ["address already in use", "eaddrinuse"],
    /\bAddress already in use\b|\bEADDRINUSE\b/,
    "RuntimeError: The server socket has failed to listen on any local network address. (errno: 98 - Address already in use)",
  ],
  [
    "one of the processes failed first: its own lines, further up, say why",
    "read the first traceback, and not the last",
    ["childfailederror"],
    /\bChildFailedError\b/,
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: train.py FAILED",
  ],
  [
    "the job was ended by its scheduler: its time or its memory ran out",
    "ask for more (`--time`, `--mem`), or use less",
    ["due to time limit", "oom-kill event", "cgroup out-of-memory handler", "exceeded memory limit"],
    /CANCELLED AT \S{3,40} DUE TO TIME LIMIT|Detected \d{1,4} oom[-_]kill event|cgroup out-of-memory handler|Exceeded (?:job|step) memory limit/,
    "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=123.batch.",
  ],
  [
    "Windows has no room left for another process: its paging file is full",
    "start fewer worker processes, or let the paging file grow (System, Advanced, Performance, Virtual memory)",
    ["winerror 1455", "paging file is too small"],
    /WinError 1455|paging file is too small/,
    "OSError: [WinError 1455] The paging file is too small for this operation to complete.",
  ],
  [
    "a file of weights or data is cut off, or is only the pointer that Git LFS leaves in its place",
    "fetch it again (`git lfs pull`, or the download anew), and compare its size with that of its page",
    [
      "deserializing header",
      "headertoolarge",
      "invalid load key",
      "pytorchstreamreader failed",
      "unpicklingerror",
      "file is not a zip file",
    ],
    /Error while deserializing header|\bHeaderTooLarge\b|invalid load key, '|PytorchStreamReader failed (?:reading zip archive|reading file|locating file)|\bUnpicklingError: (?:pickle data was truncated|invalid load key)/,
    "SafetensorError: Error while deserializing header: HeaderTooLarge",
    "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
  ],
  [
    "Numba cannot compile this function: its types or calls are not among those that it knows",
    "read which call it names, and write it with what Numba supports",
    ["failed in nopython mode pipeline", "failed in cuda mode pipeline"],
    /Failed in (?:nopython|cuda) mode pipeline/,
    "numba.core.errors.TypingError: Failed in nopython mode pipeline (step: nopython frontend)",
  ],
];

/** What PyTorch, Numba and the kernel say by the way. */
export default [
  ...own.map(([what, how, literals, pattern, ...examples], index): Signature => ({
    literals,
    pattern,
    examples,
    notice: "program-own",
    facts: () => ({ kind: "notice", id: "program-own", found: what, required: how }),
    // One row says what they mean: each says it with its own words.
    ...(index === 0
      ? {
          means: {
            weight: weights.other + 1,
            name: "the program",
            may: [
              {
                cause: "not-a-mismatch" as const,
                certainty: "likely" as const,
                required: "",
                found: "",
                message: (_facts, _context, [fact]) => `${fact!.found}; no release of CUDA or of a driver changes it`,
                fixes: (_facts, _context, [fact]) => [fix(fact!.required!)],
              },
            ],
          },
        }
      : {}),
  })),
  noise(
    "PyTorch tries ways to compute a convolution and passes over those that cuDNN does not offer",
    "plan failed with a cudnnexception",
    /UserWarning: Plan failed with a (?:cudnnException|CuDNNError)/i,
    "UserWarning: Plan failed with a cudnnException: CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: cudnnFinalizeDescriptor Failed cudnn_status: CUDNN_STATUS_NOT_SUPPORTED",
  ),
  noise(
    "PyTorch goes round a fault of cuDNN by itself",
    "applied workaround for cudnn issue",
    /Applied workaround for CuDNN issue, install nvrtc\.so/,
    "UserWarning: Applied workaround for CuDNN issue, install nvrtc.so",
  ),
  noise(
    "a call is named that a later release will drop",
    ["futurewarning: `torch.cuda", "futurewarning: torch.cuda", "numbadeprecationwarning"],
    /FutureWarning: `?torch\.cuda\.|NumbaDeprecationWarning/,
    "FutureWarning: `torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead.",
  ),
  noise(
    "Numba says where a kernel leaves most of the GPU unused, or copies arrays to it for each call",
    "numbaperformancewarning",
    /NumbaPerformanceWarning/,
    "NumbaPerformanceWarning: Grid size 1 will likely result in GPU under-utilization due to low occupancy.",
  ),
  noise(
    "processes that start together ask until the first one answers",
    "the client socket has failed to connect",
    /\[W socket\.cpp:\d{1,5}\] \[c10d\] The client socket has failed to connect/,
    "[W socket.cpp:663] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 99 - Cannot assign requested address).",
  ),
  noise(
    "the kernel loads NVIDIA's module, and notes that it is not its own",
    "tainting kernel",
    /nvidia: module verification failed: signature and\/or required key missing - tainting kernel|nvidia: loading out-of-tree module taints kernel/,
    "nvidia: module verification failed: signature and/or required key missing - tainting kernel",
  ),
] satisfies Signature[];
