import { compareDotted } from "../knowledge/dotted.ts";
import { cuptiWords, profileOf, profilers, recordingFacts, recordings, toolkitWords } from "../diagnose/cupti.ts";
import type { Advice, Draft } from "../model/finding.ts";
import { defineMachineRule } from "./rule.ts";
import type { Stack } from "../diagnose/stack.ts";
import { programName } from "../diagnose/words.ts";

/** Since this release CUPTI records timelines for everybody; counters stay closed. */
const openSince = "10.2";

export default defineMachineRule({
  id: "profiler-permission",
  title: "Only administrators may read the GPU's performance counters",
  cause: "profiler-permission",
  severity: "warning",
  notOn: { "dependency-file": "the kernel is the host's", image: "the kernel is the host's" },
  page: {
    what: "The driver lets only administrators use the GPU's performance counters (RmProfilingAdminOnly is 1, the default), and this user is none.",
    why: "A defence against side channels, since driver 418.43. Counters (Nsight Compute, PM sampling, CUPTI's profiling API) are refused with ERR_NVGPUCTRPERM or CUPTI_ERROR_INSUFFICIENT_PRIVILEGES. Timelines of kernels, which is what TensorFlow, JAX and torch record, are not: CUPTI gives them to everybody since CUDA 10.2. The CUPTI of 10.1 and older refuses those, too.",
    how: "/proc/driver/nvidia/params, and the capabilities CAP_SYS_ADMIN and CAP_PERFMON of the process; then the toolkit of the libcupti that would record. With a CUPTI of 10.2 or newer this is a remark only.",
    fix: "For timelines: use a CUPTI of CUDA 10.2 or newer, and change nothing else. For counters: `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a file of /etc/modprobe.d and a restart, or run the one command with CAP_SYS_ADMIN (`docker run --cap-add=SYS_ADMIN`).",
    observed:
      "We could not observe it: the H200 machine opens its counters to all. NVIDIA's table for CUPTI 10.2 is the source; that older ones refuse everything is in its notes and in reports of TensorFlow 2.1 to 2.3 with libcupti.so.10.1.",
  },
  finds(stack) {
    const { profilingAdminOnly, mayProfile } = stack.inventory.driver;
    if (profilingAdminOnly !== true || mayProfile !== false || profilers(stack).length === 0) return [];
    const closed = recordings(stack).filter(({ toolkit }) => toolkit && compareDotted(toolkit.newest.cuda, openSince) < 0);
    return closed.length === 0 ? [counters(stack)] : closed.map((recording) => timelines(stack, recording));
  },
});

const evidence = ["/proc/driver/nvidia/params: RmProfilingAdminOnly: 1", "/proc/self/status: neither CAP_SYS_ADMIN nor CAP_PERFMON"];
const sources = ["https://developer.nvidia.com/CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "https://developer.nvidia.com/ERR_NVGPUCTRPERM"];
const opening = (stack: Stack, before: string): Advice =>
  stack.inventory.driver.container
    ? { words: `${before}start the container with --cap-add=SYS_ADMIN and work as root in it, or open the counters on the host` }
    : {
        words: `${before}open them to everybody, then restart`,
        command: [
          "sudo",
          "sh",
          "-c",
          'echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvidia-profiling.conf',
        ],
        scope: "file",
      };

function counters(stack: Stack): Draft<"info"> {
  return {
    subject: "RmProfilingAdminOnly",
    severity: "info",
    short: "performance counters are closed to this user",
    message: "the GPU's performance counters are closed to this user; timelines of kernels are recorded all the same",
    because: ["the driver restricts counters to administrators, and CUPTI since CUDA 10.2 does not need them for a timeline"],
    evidence,
    advice: [opening(stack, "only if you need counters (Nsight Compute, PM sampling): ")],
    sources,
  };
}

function timelines(stack: Stack, recording: ReturnType<typeof recordings>[number]): Draft<"info"> {
  const { run, program, toolkit } = recording;
  return {
    subject: "RmProfilingAdminOnly",
    certainty: "likely",
    short: "this user may not profile",
    message: `${programName(run, program.id)} would be refused a profile of the GPU (CUPTI_ERROR_INSUFFICIENT_PRIVILEGES): this user may not profile, and CUPTI of ${toolkitWords(toolkit!)} asks for that right even for a timeline`,
    because: ["the driver restricts profiling to administrators; CUPTI gives timelines to everybody since CUDA 10.2"],
    evidence: [...evidence, cuptiWords(stack, recording)],
    advice: ["record with a CUPTI of CUDA 10.2 or newer", opening(stack, "or ")],
    facts: recordingFacts(recording),
    endangers: [profileOf(program)],
    sources,
  };
}
