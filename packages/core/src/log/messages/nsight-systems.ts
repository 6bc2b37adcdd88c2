import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { noise, notice, type Signature } from "../signature.ts";

/** Reports of Nsight Systems and of frameworks' profilers in which the GPU is absent, in their words and in those of people. */
export default [
  noise(
    "page faults of unified memory are not recorded on these GPUs; all else is",
    "unified memory cannot be traced",
    /Unified Memory cannot be traced on devices that don't support peer-to-peer/,
    "Unified Memory cannot be traced on devices that don't support peer-to-peer transfers. Please verify that SLI/NVLink is functioning properly.",
  ),
  notice(
    "trace-without-gpu",
    ["cuda trace data", "cuda kernel data", "no reports were generated", "collect cuda events", "only the cpu timeline"],
    /does not contain CUDA (?:trace|kernel) data|No reports were generated|failed to collect CUDA events|only the CPU timeline/i,
    "SKIPPED: /home/u/report1.sqlite does not contain CUDA trace data.",
    "nsys profiler failed to collect CUDA events",
  ),
  notice(
    "trace-without-gpu",
    ["record cuda times", "cuda times are", "cuda time is", "no cuda kernels", "no gpu trace", "without gpu timeline", "no gpu timeline"],
    /(?:not|doesn['\u2019]t) record CUDA times?|CUDA times? (?:is|are) (?:always |all )?(?:0|zero)|[Nn]o CUDA kernels? (?:in|are in|appear in) the (?:trace|report|profile|timeline)|[Nn]o GPU (?:trace|timeline)|without GPU timeline/,
    "Profiler does not record CUDA times.",
    "No CUDA kernels in the report",
  ),
  notice(
    // What nsys says at the end, where CUPTI gave it nothing.
    "trace-without-gpu",
    ["cuda profiling might have not been started", "no cuda events collected"],
    /CUDA profiling might have not been started correctly|No CUDA events collected\b/,
    "CUDA profiling might have not been started correctly.",
    "No CUDA events collected. Does the process use CUDA?",
  ),
  notice(
    "profiler-busy",
    ["already under profiling", "in use by another", "by another tool", "by another profiler"],
    /\bAlready under profiling\b|\b(?:profil(?:er|ing)|counters?|performance monitors?|PM sampling)\b[^\n]{0,60}\b(?:in use|used|held|occupied|locked|reserved) by another\b/i,
    "Some GPUs are not supported: 0: Already under profiling",
    "The profiling resources are in use by another tool",
  ),
  notice(
    // `nsys profile --gpu-metrics-devices=help`
    "profiler-unsupported-gpu",
    ["none of the installed gpus are supported", "gpu metrics"],
    /None of the installed GPUs are supported|GPU [Mm]etrics[^\n]{0,60}\b(?:not supported|[Uu]nsupported (?:GPU|chip|device))/,
    "None of the installed GPUs are supported",
  ),
  {
    ...notice(
      "nsys-older-than-driver",
      "is not supported by this build of nsight systems",
      /Installed CUDA driver version \(?(?<found>[\d.]{2,12})\)? is not supported by this build of Nsight Systems(?:\. CUDA trace will be collected using libraries for driver version \(?(?<required>[\d.]{2,12}\d)\)?)?/,
      "Installed CUDA driver version (12.4) is not supported by this build of Nsight Systems. CUDA trace will be collected using libraries for driver version 12.3",
    ),
    means: {
      weight: weights.warned,
      name: "nsys",
      about: (_facts, _context, [fact]) => ({
        required: `an Nsight Systems that knows CUDA ${fact!.found}`,
        found: fact!.required === undefined ? "an older one" : `one that knows CUDA ${fact!.required}`,
      }),
      may: [
        {
          cause: "cupti-too-old-for-driver",
          certainty: "likely",
          message: "this Nsight Systems is older than the driver: it traces with an older CUPTI, and may miss what the driver does",
          next: ["nsys --version; nvidia-smi"],
          fixes: [fix("install the newest Nsight Systems, which is apart from the CUDA toolkit and serves older drivers too")],
        },
        { cause: "benign-warning", message: "where the report holds the kernels, nothing is lost", fixes: [] },
      ],
    },
  },
  noise(
    "Nsight Systems may not sample the processor here (kernel.perf_event_paranoid above 2, or a container without the right); the GPU is traced all the same",
    ["backtrace sampling", "context switch tracing"],
    /CPU (?:IP\/backtrace )?(?:backtrace )?sampling (?:is )?not supported|CPU context switch tracing (?:is )?not supported/,
    "WARNING: CPU IP/backtrace sampling not supported, disabling.",
    "WARNING: CPU context switch tracing not supported, disabling.",
  ),
  notice(
    "nsys-sampling",
    ["sampling trigger event available", "sampling environment"],
    /Sampling (?:trigger event available|Environment): Fail/,
    "Sampling trigger event available: Fail",
  ),
  notice(
    "profiling-rights-said",
    ["permission", "privilege", "root"],
    /\b[Pp]rofiling permission (?:was |is )?(?:not granted|denied|missing)|\b(?:nvprof|ncu|nsys|Nsight|(?:GPU|CUDA|CUPTI) profil(?:er|ing|e))\b[^\n]{0,90}\b(?:permissions? (?:warning|error|issue)|requires? --privileged|insufficient privileges?|without (?:host )?root|needs? root)\b|\b(?:CUPTI|Cupti)[^\n]{0,60}insufficient privileges?|requires? --privileged[^\n]{0,40}\b(?:nvprof|ncu|nsys)\b/,
    "nvprof in the container prints a permissions warning",
    "CUPTI profiler session: insufficient privileges",
  ),
] satisfies Signature[];
