import type { Context } from "../context.ts";
import { weights } from "../cause.ts";
import type { Fact } from "../fact.ts";
import { fix } from "../fixes.ts";
import { notice, type Signature } from "../signature.ts";

const pluginOf = (all: Fact<"notice">[]) =>
  all.some(({ subject }) => subject === "pytorch_profiler") ? "torch-tb-profiler" : "tensorboard-plugin-profile";

const installedHere = ({ packages }: Context, all: Fact<"notice">[]) =>
  0 < packages(new RegExp(`^${pluginOf(all)}$`)).length && all.every(({ subject }) => subject !== undefined);

const ownTensorboard = fix(
  "start TensorBoard with the very Python that has the plugin, in the folder of the logs",
  "python -m tensorboard.main --logdir .",
);

/** TensorBoard, tensorboard-plugin-profile and its successor xprof. */
export default [
  {
    // The viewer of TensorBoard 1.x, in a browser that has learnt web components since.
    ...notice(
      "tb-polymer",
      "polymer already present",
      /Cannot proceed\. Polymer already present/,
      "Uncaught Error: Cannot proceed. Polymer already present.",
    ),
    means: {
      weight: weights.refused,
      name: "tensorboard",
      required: "a TensorBoard, and its profile plugin, as new as the browser",
      next: ["pip list | grep -i tensorboard"],
      may: [
        {
          cause: "profiler-plugin-version",
          certainty: "likely",
          message:
            "the page of this TensorBoard loads a library that its trace viewer, or the browser, already brings: both are of other years",
          fixes: [
            fix("install a newer TensorBoard with the profile plugin of its line", "pip install -U tensorboard tensorboard-plugin-profile"),
          ],
        },
        { cause: "upstream-bug", message: "or this release of TensorBoard is broken in that browser", fixes: [] },
      ],
    },
  },
  notice(
    "tb-plugin-failed",
    "profile plugin has moved",
    /The profile plugin has moved/,
    "The profile plugin has moved. Please install the new version of the profile plugin from PyPI by running the following command",
  ),
  notice(
    // tensorboard/default.py: what a plugin raises as it is imported ends TensorBoard itself.
    "tb-plugin-failed",
    "in get_dynamic_plugins",
    /tensorboard[\\/]default\.py", line \d{1,5}, in get_dynamic_plugins/,
    '  File "/v/site-packages/tensorboard/default.py", line 110, in get_dynamic_plugins',
  ),
  notice(
    "tb-plugin-failed",
    "failed to load plugin",
    /Failed to load plugin ProfilePluginLoader\.load|Failed to load plugin \w{0,20}[Pp]rofile\w{0,20}/,
    "Failed to load plugin ProfilePluginLoader.load; ignoring it.",
  ),
  notice(
    "tb-plugin-module",
    "no module named",
    /No module named ['"]?(?<subject>tensorboard\.plugins\.profile|tensorboard_plugin_profile|tensorflow\.python\.profiler\.internal|xprof)[\w.]{0,60}/,
    "ModuleNotFoundError: No module named 'tensorboard.plugins.profile'",
  ),
  notice(
    // Python before 3.7 does not say from where.
    "tb-plugin-import",
    "cannot import name",
    /cannot import name ['"]?(?<subject>profiler_client|profiler_analysis_pb2|profile_plugin)['"]?(?! from)/,
    "ImportError: cannot import name 'profiler_client'",
  ),
  notice(
    "tb-plugin-import",
    "cannot import name",
    /cannot import name '(?<subject>profiler|_pywrap_profiler_plugin|_pywrap_profiler|profile_plugin|profiler_analysis\w{0,30}|trace_events\w{0,20}|\w{0,30}_pb2)' from '(?<found>tensor(?:board|flow)[\w.]{0,80}|xprof[\w.]{0,60})'/,
    "ImportError: cannot import name '_pywrap_profiler_plugin' from 'tensorflow.python.profiler.internal' (C:\\venv\\tensorflow\\__init__.py)",
  ),
  notice(
    "tb-plugin-attribute",
    ["_pywrap_profiler", "python.profiler"],
    /module '[\w.]{3,80}(?:_pywrap_profiler\w{0,20}|\.python\.profiler[\w.]{0,40})' has no attribute(?: '(?<subject>\w{2,60})'|\.{2,3}|…)?/,
    "AttributeError: module 'tensorflow.python.profiler.internal._pywrap_profiler' has no attribute 'xspace_to_tools_data'",
  ),
  {
    literals: ["tensorboard_plugin_profile", "xprof/", "xprof\\"],
    pattern: /(?:site|dist)-packages[\\/](?<name>tensorboard_plugin_profile|xprof)[\\/](?<file>[\w\\/]{1,100}\.py)/,
    examples: ['File "/opt/venv/lib/python3.9/site-packages/tensorboard_plugin_profile/protobuf/diagnostics_pb2.py", line 36, in <module>'],
    facts: ({ name, file }) => ({ kind: "traceback", package: name!, path: file! }),
  },
  notice(
    "protobuf-generated",
    "must be regenerated with protoc",
    /must be regenerated with (?<required>protoc >= [\d.]{3,8}\d)/,
    "If this call came from a _pb2.py file, your generated code is out of date and must be regenerated with protoc >= 3.19.0.",
  ),
  notice(
    "protobuf-generated",
    ["descriptors cannot", "descriptors should not"],
    /Descriptors (?:cannot (?:not )?|should not )be created directly/,
    "TypeError: Descriptors cannot not be created directly.",
  ),
  notice(
    "protobuf-builder",
    "protobuf",
    /cannot import name 'builder' from 'google\.protobuf\.internal'|cannot import name 'runtime_version' from 'google\.protobuf'|google\.protobuf\.runtime_version\.VersionError|'GetPrototype'|'MessageFactory' object has no attribute/,
    "ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/opt/venv/google/protobuf/internal/__init__.py)",
  ),
  notice("tb-no-profile-data", "no profile data was found", /No profile data was found/i, "No profile data was found."),
  {
    // TensorBoard's page, where a link names a plugin that it did not load; and people, who miss the tab (grammar/profile-tab.ts).
    ...notice(
      "tb-no-profile-tab",
      ["no dashboard by the name"],
      /There[’']s no dashboard by the name of [“"'`]?(?<subject>profile|pytorch_profiler)/,
      "There’s no dashboard by the name of “profile.”",
    ),
    means: {
      weight: weights.failed,
      symptom: "TensorBoard does not show profiles",
      unless: (facts) => 0 < facts.notices("tb-no-profile-data", "tb-plugin-failed", "tb-plugin-module", "tb-plugin-import").length,
      about: (_facts, { packages }, all) => {
        const plugin = pluginOf(all);
        const [board] = packages(/^(?:tensorboard|tb-nightly)$/);
        return {
          name: plugin,
          required: `${plugin} of TensorBoard's own line`,
          ...(board ? { found: `TensorBoard ${board.version}` } : {}),
        };
      },
      next: [
        "pip list | grep -i 'tensorboard\\|tb-\\|torch-tb\\|tensorflow\\|xprof'",
        "find . -name '*.xplane.pb' -o -name '*.pt.trace.json*'",
      ],
      may: [
        {
          cause: "profiler-plugin-version",
          certainty: "likely",
          message: (_facts, context, all) =>
            installedHere(context, all)
              ? `\`${pluginOf(all)}\` is installed, and not in the Python of the TensorBoard that runs: \`tensorboard\` on PATH is another one's`
              : `the plugin that shows profiles (\`${pluginOf(all)}\`) is not installed beside this TensorBoard, or does not fit it: since 2.2 it is a package of its own`,
          fixes: (_facts, context, all) => {
            const install = fix(
              "install both in the Python that runs TensorBoard, and start it again",
              `pip install -U tensorboard ${pluginOf(all)}`,
            );
            return installedHere(context, all) ? [ownTensorboard, { ...install, fix: `or ${install.fix}` }] : [install];
          },
        },
        {
          cause: "not-a-mismatch",
          name: "logdir",
          message:
            "or no profile was written into the log folder: it is written when the profiler is stopped, and `tf.summary.trace_on` alone writes a graph",
          fixes: [
            fix("let the program profile some steps (`tf.profiler.experimental.start` and `stop`, or `profile_batch` of the callback)"),
          ],
        },
        {
          cause: "library-missing",
          when: (_facts, { packages }) => packages(/^(?:torch-tb-profiler|tensorboard-plugin-profile)$/).length === 0,
          message: "or TensorBoard runs in another Python than the one with the plugin",
        },
      ],
    },
  },
  {
    ...notice(
      "tb-dashboards",
      "no dashboards are active",
      /No dashboards are active for the current data set/,
      "No dashboards are active for the current data set.",
    ),
    means: {
      symptom: "TensorBoard finds nothing to show",
      unless: (facts) => 0 < facts.notices("tb-no-profile-data", "tb-plugin-failed", "tb-plugin-module", "tb-plugin-import").length,
      next: ["find . -name 'events.out.tfevents*' -o -name '*.xplane.pb'"],
      may: [
        {
          cause: "profiler-plugin-version",
          certainty: "likely",
          when: (facts) => 0 < facts.notices("torch-trace-written").length,
          name: "torch-tb-profiler",
          required: "torch-tb-profiler, which shows PyTorch's traces",
          message: "PyTorch's profiler wrote a trace, and nothing that shows it is installed in the Python of this TensorBoard",
          fixes: [
            fix("install the plugin where TensorBoard runs, and start it anew", "pip install torch-tb-profiler"),
            fix("or open the trace itself in Perfetto (ui.perfetto.dev), which needs no plugin"),
          ],
        },
        {
          cause: "not-a-mismatch",
          name: "logdir",
          message: "the log folder (`--logdir`) is another than the one the program writes to, or nothing was written yet",
          fixes: [
            fix("give TensorBoard the folder above the files that are found; a profile is written only when the profiler is stopped"),
          ],
        },
        {
          cause: "profiler-plugin-version",
          name: "tensorboard-plugin-profile",
          message: "or only a profile is there, and the plugin that shows it is not installed or of another line",
          fixes: [fix("install the plugin", "pip install -U tensorboard tensorboard-plugin-profile")],
        },
      ],
    },
  },
  notice(
    "torch-trace-written",
    [".pt.trace.json", "tensorboard_trace_handler"],
    /\.pt\.trace\.json\b|\btensorboard_trace_handler\b/,
    "torch.profiler wrote *.pt.trace.json into ./log",
  ),
] satisfies Signature[];
