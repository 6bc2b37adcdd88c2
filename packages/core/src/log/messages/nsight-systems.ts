import { noise, notice, type Signature } from "../signature.ts";

/** Reports of Nsight Systems and of frameworks' profilers in which the GPU is absent, in their words and in those of people. */
export default [
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
    /\b(?:nvprof|ncu|nsys|Nsight|(?:GPU|CUDA|CUPTI) profil(?:er|ing|e))\b[^\n]{0,90}\b(?:permissions? (?:warning|error|issue)|requires? --privileged|insufficient privileges?|without (?:host )?root|needs? root)\b|\b(?:CUPTI|Cupti)[^\n]{0,60}insufficient privileges?|requires? --privileged[^\n]{0,40}\b(?:nvprof|ncu|nsys)\b/,
    "nvprof in the container prints a permissions warning",
    "CUPTI profiler session: insufficient privileges",
  ),
] satisfies Signature[];
