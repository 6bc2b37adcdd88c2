import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

/** What XProf and TensorBoard's profile page say of a profile that they can read (xprof/convert/op_stats_to_overview_page.cc). */
export default [
  notice(
    // frontend/app/components/kernel_stats
    "trace-without-gpu",
    "there is no gpu data to display",
    /There is no GPU data to display because there were no kernels in the capture duration/,
    "There is no GPU data to display because there were no kernels in the capture duration.",
  ),
  notice(
    // What people see of the page, where TensorBoard itself says nothing.
    "tb-no-profile-data",
    [
      "profile tab",
      "profiler tab",
      "profile page",
      "profile dashboard",
      "profiler dashboard",
      "profiler is blank",
      "profiler is empty",
      "no profil",
      "shows nothing",
      "showing nothing",
      "show nothing",
    ],
    /\bprofiler? (?:tab|page|dashboard)\b[^\n.;]{0,40}\b(?:empty|missing|blank|inactive|not (?:there|shown|showing|visible|available|appear\w{0,3})|does(?: not|n['\u2019]?t) (?:show|appear|work|load))|\b(?:no|do(?: not|n['\u2019]?t) see (?:the|any|a)|can(?:not|['\u2019]?t) (?:see|find) (?:the|any|a)|missing|blank|empty) profiler? (?:tab|page|dashboard)\b|\bprofiler is (?:blank|empty)\b|\btensorboard\b[^\n.;]{0,60}\bshow(?:s|ing)? (?:no profil(?:e|es|ing)\b|nothing\b[^\n.;]{0,30}\bprofil)/i,
    "Profile tab in tensorboard is empty",
    "TensorBoard shows nothing in the profile tab",
    "TensorBoard shows no profile",
    "I don't see the Profile tab on the page",
  ),
  notice(
    // Somebody has found out that the plugin does not go with the rest.
    "tb-no-profile-data",
    ["plugin-profile", "plugin_profile", "plugin versions"],
    /tensorboard[-_]plugin[-_]profile\b[^\n.;]{0,80}\b(?:incompatible|no longer works?|does(?: not|n['\u2019]t) work|is broken|conflicts?)\b|\bplugin versions? (?:is|are) incompatible\b/i,
    "tensorboard-plugin-profile no longer works with this TensorBoard",
  ),
  {
    ...notice(
      "xprof-no-steps",
      "no step marker observed",
      /No step marker observed and hence the step time is unknown|No step marker observed/,
      "No step marker observed and hence the step time is unknown. This may happen if (1) training steps are not instrumented",
    ),
    means: {
      symptom: "the profile has no marks of steps",
      name: "the profile",
      unless: (facts) => 0 < facts.notices("trace-without-gpu").length,
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "the loop marks no steps, or the profile is shorter than one: only the step times are missing, the rest of the profile is true",
          fixes: [
            fix("in a loop of TensorFlow: `with tf.profiler.experimental.Trace('train', step_num=step, _r=1):` around each step"),
            fix("in JAX: `with jax.profiler.StepTraceAnnotation('train', step_num=step):`"),
            fix("with Keras: profile several steps after the first, `TensorBoard(log_dir, profile_batch=(10, 20))`"),
          ],
        },
        {
          cause: "upstream-bug",
          message: "or Keras no longer marks its steps in this release: so it was told for TensorFlow 2.11 and later",
          fixes: [],
        },
        {
          cause: "profiler-plugin-version",
          name: "tensorboard-plugin-profile",
          message: "or the plugin is of another line than the framework, and does not know its marks",
          fixes: [fix("install the plugin of the framework's line", "pip install -U tensorboard-plugin-profile")],
        },
      ],
    },
  },
  {
    // Kernels that XLA starts as one command buffer are told apart by no operation of the program.
    ...notice(
      "ops-not-told-apart",
      ["op profile", "op stats", "hlo stats", "roofline"],
      /\b(?:HLO |framework )?Op (?:Profile|Stats)\b[^\n]{0,120}\b(?:empty|blank|missing|no (?:useful |operation-level |op-level )?(?:data|ops|operations)|(?:contain|show|display)s? (?:nothing|no\b))|\b(?:empty|blank|no) (?:HLO )?op[_ ](?:profile|stats)\b/i,
      "HLO Op Profile and HLO Op Stats contain no useful operation-level data",
    ),
    means: {
      weight: weights.failed,
      symptom: "the pages by operation are empty",
      name: "the profile",
      unless: (facts) => 0 < facts.notices("trace-without-gpu").length,
      may: [
        {
          cause: "not-a-mismatch",
          certainty: "likely",
          message:
            "XLA started the kernels as command buffers, which the profile does not tell apart by operation: the kernels themselves are there",
          fixes: [
            fix("for the profile alone: start the program without command buffers", "export XLA_FLAGS=--xla_gpu_enable_command_buffer="),
          ],
        },
        {
          cause: "profiler-plugin-version",
          name: "xprof",
          message: "or the plugin is older than the framework, and does not know its marks",
          fixes: [fix("take the newest plugin", "pip install -U xprof")],
        },
      ],
    },
  },
  {
    ...notice(
      "xplane-only",
      "xplane.pb",
      /\bonly (?:an? |the |one )?(?:generates?|writes?|produces?|creates?|outputs?|contains?|has|have|get|see|find)?(?: an?| the| one)? ?[`'"*.\w-]{0,40}xplane\.pb\b|\bxplane\.pb\b[^\n.;]{0,30}\b(?:only|is all|and nothing)\b/i,
      "Profiler only generates xplane.pb",
      "the folder has only the .xplane.pb file",
    ),
    means: {
      symptom: "the profiler wrote one file, `.xplane.pb`",
      name: "the profile",
      may: [
        {
          cause: "benign-warning",
          certainty: "likely",
          message: "that is all that newer releases write: the plugin makes every page from it when it is looked at",
          fixes: [fix("look at it with the plugin", "pip install -U tensorboard-plugin-profile", "tensorboard --logdir .")],
        },
        {
          cause: "profiler-plugin-version",
          name: "tensorboard-plugin-profile",
          message: "and where no page appears, the plugin is older than the framework",
          fixes: [],
        },
      ],
    },
  },
] satisfies Signature[];
