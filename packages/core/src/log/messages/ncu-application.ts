import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { ownMatter } from "../meaning.ts";
import { notice, type Signature } from "../signature.ts";

// Other lines of ncu that say more.
const saidMore = ["nvgpuctrperm", "ncu-driver", "profiler-busy", "profiler-unsupported-gpu", "ncu-unknown"];

/** Nsight Compute about the program under it: how it ended, what of its kernels could not be replayed, and its own files. */
export default [
  {
    ...notice(
      "ncu-application-ended",
      "the application returned an error code",
      /==ERROR== ?The application returned an error code \((?<found>\d{1,3})\)/i,
      "==ERROR== The application returned an error code (11).",
    ),
    means: {
      weight: weights.hint + 1,
      symptom: "the program ends under Nsight Compute",
      name: "Nsight Compute",
      unless: (facts) => facts.notices(...saidMore, "ncu-replay").length > 0,
      about: (_facts, _context, [fact]) => ({ found: `error code ${fact!.found}${fact!.found === "11" ? " (SIGSEGV)" : ""}` }),
      next: ["ncu --version; nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          when: (facts) => facts.notices("works-unprofiled").length === 0,
          message: "the program itself fails: run it without the profiler, and see first why it ends",
          fixes: [fix("profile children, too, where the program starts others (`ncu --target-processes all`)")],
        },
        {
          cause: "upstream-bug",
          message: (facts) =>
            0 < facts.notices("works-unprofiled").length
              ? "the program works without the profiler, so this release of Nsight Compute breaks it: newer ones mend such crashes"
              : "or, where it works without the profiler, this release of Nsight Compute breaks it: newer ones mend such crashes",
          fixes: [fix("install the newest Nsight Compute that this driver runs; it is apart from the CUDA toolkit")],
        },
        {
          cause: "profiler-platform-unsupported",
          message: "or it is older than this GPU or driver",
          next: ["ncu --list-chips"],
          fixes: [],
        },
        {
          cause: "profiler-conflict",
          name: "libcupti.so",
          library: "cupti",
          message: "or the program uses CUPTI itself",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "ncu-replay",
      ["launchfailed", "failed to prepare kernel for profiling", "an error occurred while trying to profile"],
      /==ERROR== ?(?:Error: )?(?:LaunchFailed|Failed to prepare kernel for profiling|Failed to profile ["'][^\n]{0,200}|An error occurred while trying to profile)/i,
      "==ERROR== LaunchFailed",
      "==ERROR== Failed to prepare kernel for profiling",
      "==ERROR== An error occurred while trying to profile.",
    ),
    means: {
      weight: weights.failed,
      symptom: "Nsight Compute cannot run a kernel again",
      name: "Nsight Compute",
      unless: (facts) => 0 < facts.notices(...saidMore).length,
      next: ["compute-sanitizer ./program", "ncu --version; nvidia-smi"],
      may: [
        {
          cause: "not-a-mismatch",
          message: "the kernel itself fails, or depends on others that run at the same time: each is run alone, and several times",
          fixes: [
            fix("look for errors of the kernel", "compute-sanitizer ./program"),
            fix("or let the program be run again as a whole: `ncu --replay-mode application`"),
          ],
        },
        {
          cause: "profiler-platform-unsupported",
          message: "or the release is older than this GPU or driver",
          fixes: [fix("take the Nsight Compute of the CUDA that nvidia-smi shows")],
        },
        { cause: "profiler-permission", message: "or the user may not read the GPU's counters", fixes: [] },
        { cause: "upstream-bug", message: "or it is a defect of this release", fixes: [] },
      ],
    },
  },
  {
    // A sticky folder for all: whoever comes second may not open the first one's file.
    ...notice(
      "ncu-lock",
      "nsight-compute-lock",
      /(?:[Ff]ailed|[Uu]nable|[Cc]ould not|[Cc]annot|[Ee]rror|[Dd]enied)[^\n]{0,80}nsight-compute-lock|nsight-compute-lock[^\n]{0,120}\b(?:[Pp]ermission|denied|write permissions|failed)/,
      "==ERROR== Failed to open/create lock file /tmp/nsight-compute-lock. Please check that the process has write permissions on the file.",
    ),
    means: {
      weight: weights.said,
      name: "/tmp/nsight-compute-lock",
      next: ["ls -l /tmp/nsight-compute-lock"],
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message: "another user, or root, ran Nsight Compute before and left its lock file, which this user may not open",
          fixes: [
            fix("give it a folder of your own", "mkdir -p /tmp/ncu-$USER", "export TMPDIR=/tmp/ncu-$USER"),
            fix("or remove the file, where nobody profiles", "sudo rm -f /tmp/nsight-compute-lock"),
          ],
        },
        { cause: "profiler-permission", message: "or Nsight Compute is run with and without `sudo` by turns", fixes: [] },
      ],
    },
  },
  {
    ...notice(
      "ncu-metrics",
      ["no metrics to collect found in sections", "failed to find metric", "unable to access the following"],
      /No metrics to collect found in sections|==ERROR== ?Failed to find metric (?<subject>[\w.]{3,80})|Unable to access the following \d{1,4} metrics/,
      "==ERROR== No metrics to collect found in sections.",
      "==ERROR== Failed to find metric smsp__inst_executed.sum",
    ),
    means: {
      weight: weights.failed,
      symptom: "Nsight Compute does not know a metric",
      name: "Nsight Compute",
      next: ["ncu --query-metrics", "ncu --list-sections"],
      may: [
        {
          cause: "profiler-platform-unsupported",
          message: "this GPU does not have that metric, or this release does not know the GPU",
          fixes: [fix("ask for a metric that this GPU has; this lists them:", "ncu --query-metrics")],
        },
        {
          cause: "not-a-mismatch",
          message: "or its section files are not found: another release's files lie in Documents/NVIDIA Nsight Compute",
          fixes: [],
        },
      ],
    },
  },
  {
    ...notice(
      "ncu-children",
      "requires the --target-processes all option",
      /Profiling kernels launched by child processes requires the --target-processes all option/,
      "==WARNING== Profiling kernels launched by child processes requires the --target-processes all option.",
    ),
    means: ownMatter(
      "the profile",
      "the kernels run in a process that the program starts",
      "profile children, too: `ncu --target-processes all`",
    ),
  },
] satisfies Signature[];
