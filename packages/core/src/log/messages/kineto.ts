import { ownMatter } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** libkineto, and torch/autograd/profiler.py that asks it. */
export default [
  notice(
    "cupti-init-failed",
    "cupti initialization failed",
    /CUPTI initialization failed/,
    "WARNING:2024-01-01 00:00:00 100:100 init.cpp:156] CUPTI initialization failed - CUDA profiler activities will be missing",
  ),
  noise(
    "Kineto says in which stage its profiler is",
    "activityprofilercontroller",
    /STAGE:[\d:\- ]{10,40}ActivityProfilerController\.cpp:\d{1,5}\] Completed Stage/,
    "STAGE:2023-05-05 10:10:10 1000:1000 ActivityProfilerController.cpp:311] Completed Stage: Warm Up",
  ),
  noise(
    "Kineto was asked to step before it was set up; it goes on",
    "profiler is not initialized: skipping",
    /Profiler is not initialized: skipping profiling metadata|Profiler is not initialized: skipping step\(\) invocation/,
    "[W kineto_shim.cpp:372] Profiler is not initialized: skipping step() invocation",
  ),
  noise(
    "the profiler began after some memory was taken, and says so",
    "memory block of unknown size",
    /Memory block of unknown size was allocated before the profiling started/,
    "[W CPUAllocator.cpp:235] Memory block of unknown size was allocated before the profiling started, profiler results will not include the deallocation event",
  ),
  noise(
    "the profiler forgets the events of one cycle when the next begins, and says so once; `acc_events=True` keeps them",
    "profiler clears events at the end",
    /Profiler clears events at the end of each cycle/,
    "UserWarning: Warning: Profiler clears events at the end of each cycle.Only events from the current cycle will be reported.",
  ),
  noise(
    "Kineto was set up from another thread; it goes on",
    "external init callback must run",
    /External init callback must run in same thread as registerClient/,
    "External init callback must run in same thread as registerClient (1234 != 5678)",
  ),
  notice(
    "kineto-missing",
    "kineto is not available",
    /Kineto profiling but Kineto is not available/,
    "Warning: Requested Kineto profiling but Kineto is not available, make sure PyTorch is built with USE_KINETO=1",
  ),
  notice(
    "cupti-tracing-missing",
    "tracing is not available",
    /CUPTI tracing is not available, falling back to legacy CUDA profiling|CUPTI tracing is not available/,
    "UserWarning: CUPTI tracing is not available, falling back to legacy CUDA profiling",
  ),
  notice(
    "cupti-tracing-missing",
    "cuda is not available, disabling cuda profiling",
    /CUDA is not available, disabling CUDA profiling/,
    "UserWarning: CUDA is not available, disabling CUDA profiling",
  ),
  notice(
    // CuptiActivityApi.cpp: the callbacks by which it would start and end.
    "cupti-init-failed",
    ["failed to initcallbackapi", "failed to reenablecallbacks", "cupti callback failed to"],
    /Failed to (?:initCallbackApi|reenableCallbacks)|CUPTI Callback failed to (?:init|enable)/,
    "WARNING:2024-01-01 00:00:00 100:100 CuptiActivityApi.cpp:54] Re-enable previous CUPTI callbacks - Failed to initCallbackApi",
    "CUPTI Callback failed to init, skipping teardown",
  ),
  notice(
    // GenericActivityProfiler.cpp, CuptiActivityProfiler.cpp before 2026.
    "trace-without-gpu",
    "gpu trace is empty",
    /\bGPU trace is empty\b/,
    "WARNING:2024-01-01 00:00:00 100:100 CuptiActivityProfiler.cpp:241] GPU trace is empty!",
  ),
  {
    ...notice(
      "kineto-buffer-full",
      ["collecttrace stopped by", "activity records", "exceeded max gpu buffer count"],
      /CollectTrace stopped by (?:GPU|CUPTI) ?(?:profiler)?\. \(Buffer size configured|\] Dropped \d{1,9} activity records|Exceeded max GPU buffer count/,
      "State: CollectTrace stopped by CUPTI. (Buffer size configured is 128MB)",
      "WARNING:2024-01-01 00:00:00 100:100 CuptiActivityApi.cpp:326] Dropped 1200 activity records",
    ),
    means: ownMatter(
      "the profile",
      "the profile is cut: more happened on the GPU than Kineto keeps, and the rest was dropped",
      "profile fewer steps (`schedule(wait=…, warmup=…, active=…)`), or give it more room: write `ACTIVITIES_MAX_GPU_BUFFER_SIZE_MB=512` into a file and name it in KINETO_CONFIG",
    ),
  },
  notice(
    // CuptiPMSamplingApi.cpp
    "profiler-unsupported-gpu",
    "pm sampling requires a gpu",
    /CUPTI PM sampling requires a GPU that supports/,
    "CUPTI PM sampling requires a GPU that supports PM sampling",
  ),
  notice(
    "profiling-refused",
    "cupti pm sampling",
    /(?:Failed to (?:prepare|start)|failed to prepare CUDA device|worker failed)[^\n]{0,20}CUPTI PM sampling|CUPTI PM sampling (?:worker failed|failed to prepare|is busy)/,
    "Failed to prepare CUPTI PM sampling",
    "CUPTI PM sampling is busy",
  ),
  notice("cpu-activity-only", "profileractivity.cpu", /\{<ProfilerActivity\.CPU: 0>\}/, "{<ProfilerActivity.CPU: 0>}"),
] satisfies Signature[];
