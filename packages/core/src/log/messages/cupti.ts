import { errorNumbered } from "../../knowledge/error-codes.ts";
import type { Draft } from "../fact.ts";
import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { noise, notice, type Groups, type Signature } from "../signature.ts";

// XLA asks for what makes tracing cheaper, and tells the code with which it does not get it.
const onlyCheaper = /per-thread activity buffer|activity HW trace/;

function numbered({ code }: Groups, { input }: RegExpExecArray): Draft | undefined {
  if (onlyCheaper.test(input)) return undefined;
  const row = errorNumbered("CUptiResult", Number(code));
  return row === undefined || row.code === 0 ? undefined : { kind: "cupti-error", name: row.name.replace("CUPTI_ERROR_", "") };
}

/** CUPTI's results, by name and by number, in the words of TensorFlow, XLA, Kineto, Paddle and Nsight. */
export default [
  {
    // Kineto gives a hint with this name after any other failure: that is no failure.
    literals: ["cupti_error_"],
    pattern: /(?<!If you see )CUPTI_ERROR_(?<name>[A-Z_]{4,60})/,
    examples: [
      "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1415] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
      "WARNING:2024-01-01 00:00:00 100:100 init.cpp:155] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)",
    ],
    facts: ({ name }) => ({ kind: "cupti-error", name: name! }),
  },
  {
    literals: ["cupti"],
    pattern:
      /(?:cupti[A-Z]\w{2,50}\)?(?:\([^\n]{0,160}\))?|CUPTI(?: call| error)?|cupti_interface_->\w{2,40}\([^\n]{0,160}\))[^\n\w]{0,4}(?: ?failed with| ?returned)?(?: with)?:? ?(?:error|status|code|result)(?: code)?:? {0,2}[(=]?(?<code>\d{1,3})\b/i,
    examples: [
      "cuptiGetTimestamp: error 999:",
      "cuptiSubscribe failed with error code 39",
      "CUPTI error: 35",
      "Error: function (*cuptiProfilerBeginSessionPtr)(&beginSessionParams) failed with error 35.",
    ],
    facts: numbered,
  },
  {
    literals: ["initialize cupti"],
    pattern: /[Ff]ailed to initialize CUPTI: (?<code>\d{1,3})\b/,
    examples: ['C++ exception with description "Failed to initialize CUPTI: 39" thrown in the test body.'],
    facts: numbered,
  },
  {
    literals: ["cuptigettimestamp", "ignored due to a previous error"],
    pattern: /cuptiGetTimestamp: error|cupti[A-Z]\w{3,40}: ignored due to a previous error/,
    examples: ["cuptiGetTimestamp: ignored due to a previous error.", "cuptiSubscribe: ignored due to a previous error."],
    facts: () => ({ kind: "notice", id: "cupti-timestamp" }),
  },
  notice(
    "libcupti-not-loaded",
    "failed to load libcupti",
    /Failed to load libcupti \(is it installed and accessible\?\)/,
    "Failed to load libcupti (is it installed and accessible?)",
  ),
  notice(
    // cupti_tracer.cc, where CUPTI gives no name for its error: no libcupti was opened, or (with cupti_error_manager.cc) it was given up before.
    "cupti-not-opened",
    "cupti could not be loaded",
    /CUPTI could not be loaded or symbol could not be found/,
    "CUPTI could not be loaded or symbol could not be found.",
  ),
  notice(
    "cupti-privilege",
    "insufficient privilege to run libcupti",
    /Insufficient privilege to run libcupti/,
    "Insufficient privilege to run libcupti (you need root permission).",
  ),
  notice(
    // The status that XLA's tracer makes of it, which is often all that a server hands on.
    "cupti-privilege",
    "root access",
    /CUPTI needs? root access/i,
    "PERMISSION_DENIED: CUPTI needs root access",
    "Permission denied: CUPTI need root access!",
  ),
  notice(
    // device_tracer_cuda.cc, after whatever kept it from starting.
    "cupti-not-started",
    "cannot collect, profiler failed to start",
    /Cannot collect, profiler failed to start/,
    "E external/xla/xla/backends/profiler/gpu/device_tracer_cuda.cc:188] Cannot collect, profiler failed to start",
  ),
  noise(
    "XLA's tracer asks CUPTI for what makes it cheaper, and goes on where it does not get it",
    ["per-thread activity buffer", "activity hw trace", "cupti activity thread id type"],
    /Fail to use per-thread activity buffer|Fail to set global per-thread activity buffer|CUPTI activity HW trace (?:not enabled|already enabled|successfully)|Failed to set CUPTI activity thread id type/,
    "W external/xla/xla/backends/profiler/gpu/cupti_tracer.cc:1678] Fail to use per-thread activity buffer, cupti trace overhead may be big. CUPTI ERROR CODE:1",
    "CUPTI activity HW trace not enabled due to not supported on this platform!",
  ),
  {
    // Told by people: a crash within CUPTI itself, with which the program that asks it has nothing to do.
    ...notice(
      "crash-in-cupti",
      ["cupti"],
      /\b(?:segfault(?:s|ed|ing)?|segmentation fault|SIGSEGV|crash(?:es|ed|ing)?|abort(?:s|ed)?|deadlock(?:s|ed)?|hang(?:s|ing)?|hung)\b[^\n.;]{0,40}\b(?:in|within|inside|at|from)\b[^\n.;]{0,12}[`'"]?(?<subject>cupti[A-Z]\w{3,40}|libcupti(?:\.so[\d.]{0,10})?)|\b(?<found>cupti[A-Z]\w{3,40})[`'"()]{0,4} (?:segfaults?|crash(?:es|ed)?|hangs?|deadlocks?|aborts?)\b/,
      "`jax.profiler.stop_trace()` segfaults in `cuptiFinalize`",
      "cuptiFinalize() hangs at the end of the second profile",
    ),
    means: {
      weight: weights.failed,
      name: "libcupti.so",
      library: "cupti",
      about: (_facts, { toolkits }, [fact]) => ({
        evidence: [fact!],
        ...(toolkits[0] ? { found: `CUPTI of CUDA ${toolkits[0].version}` } : {}),
      }),
      required: "a CUPTI that ends a profile on this driver and GPU",
      next: ["pip list | grep -i 'cupti\\|jax\\|torch'", "nvidia-smi"],
      may: [
        {
          cause: "upstream-bug",
          certainty: "likely",
          message: (_facts, _context, [fact]) =>
            `the crash is in CUPTI itself (\`${fact!.subject ?? fact!.found}\`): a defect of its release, or of how the framework's profiler ends it`,
          fixes: [
            fix(
              "take the newest CUPTI of the same major of CUDA: it serves older programs of its major",
              "pip install -U nvidia-cuda-cupti-cu12",
            ),
            fix("or trace with Nsight Systems, which has a CUPTI of its own; and profile fewer GPUs of one process at a time"),
          ],
        },
        { cause: "profiler-conflict", message: "or a second profiler is loaded in the same process", fixes: [] },
        { cause: "cupti-too-old-for-driver", message: "or this CUPTI is much older than the driver", fixes: [] },
      ],
    },
  },
] satisfies Signature[];
