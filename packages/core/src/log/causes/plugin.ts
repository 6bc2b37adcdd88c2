import { pluginLineFor } from "../../knowledge/profiler-plugins.ts";
import { weights, type Problem, type Suspect } from "../cause.ts";
import type { Context } from "../context.ts";
import type { Fact, Facts } from "../fact.ts";
import { fix } from "../fixes.ts";

/** Somebody sees no profile, or less of it than he should. */
const complaints = ["trace-without-gpu", "tb-no-profile-tab", "tb-no-profile-data"];

const ofOtherLine = (base: Partial<Suspect>, apart: Fact<"package">[], facts: Facts): Problem => ({
  // Said by two releases, where other steps only know what a profile may lack.
  weight: weights.failed,
  suspects: [
    {
      ...base,
      cause: "profiler-plugin-version",
      certainty: "likely",
      found: apart.map(({ name, version }) => `${name} ${version}`).join(", "),
      message: "the profile plugin is of another line than TensorBoard or TensorFlow: each line reads what its own framework writes",
      evidence: [...facts.notices(...complaints).slice(0, 2), ...apart],
    },
  ],
});

const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");

/** The plugin and TensorBoard, where they are of different lines and a profile lacks something. */
function linesApart(facts: Facts, context: Context): Fact<"package">[] {
  const [plugin_] = context.packages(/^tensorboard-plugin-profile$/);
  const [board] = context.packages(/^(?:tensorboard|tensorflow(?:-gpu)?)$/);
  if (!plugin_ || !board || facts.notices(...complaints).length === 0) return [];
  const [ours, theirs] = [minorOf(plugin_.version), minorOf(board.version)];
  return ours === theirs || pluginLineFor(theirs) === ours ? [] : [plugin_, board];
}

/** TensorBoard's profile plugin: it, TensorBoard, protobuf and the framework must be of one line. */
export default function plugin(facts: Facts, context: Context): Problem[] {
  const failed = facts.notices("tb-plugin-failed", "tb-plugin-module", "tb-plugin-import", "tb-plugin-attribute");
  const protobuf = facts.notices("protobuf-generated", "protobuf-builder");
  const generated = protobuf.find(({ required }) => required !== undefined)?.required;
  const within = facts.all("traceback").filter(({ package: name }) => /tensorboard_plugin_profile|^xprof$|tensorboard/.test(name));
  const noData = facts.notices("tb-no-profile-data");
  const tensorflow = context.framework("tensorflow");
  const installed = context.packages(/^(?:tensorboard-plugin-profile|xprof|tensorboard|protobuf)$/);
  const minor = tensorflow.version?.split(".").slice(0, 2).join(".");
  const base = {
    name: "tensorboard-plugin-profile",
    required:
      minor === undefined ? "plugin, TensorBoard, protobuf and framework of one line" : `plugin and TensorBoard of the ${minor} line`,
    ...(installed[0] ? { found: installed.map(({ name, version }) => `${name} ${version}`).join(", ") } : {}),
  };
  const next = ["pip list | grep -i 'tensorboard\\|xprof\\|tensorflow\\|protobuf'"];
  const install =
    minor === undefined
      ? fix("install plugin and TensorBoard that fit the framework, in one step", "pip install -U tensorboard tensorboard-plugin-profile")
      : fix(
          `install the plugin ${pluginLineFor(minor) === minor ? "of" : "that is nearest to"} the framework's line`,
          `pip install "tensorboard==${minor}.*" "tensorboard-plugin-profile==${pluginLineFor(minor)}.*"`,
        );
  // TensorBoard's own generated code is no part of the plugin: many programs import it and never show a profile.
  const ofPlugin =
    within.some(({ package: name }) => name !== "tensorboard") || installed.some(({ name }) => /plugin-profile|^xprof$/.test(name));
  if (0 < failed.length || (0 < protobuf.length && ofPlugin)) {
    const moved = failed.some(({ subject }) => subject === "tensorboard.plugins.profile");
    return [
      {
        weight: weights.refused,
        suspects: [
          {
            ...base,
            ...(generated === undefined ? {} : { required: `code generated with ${generated}` }),
            cause: "profiler-plugin-version",
            certainty: "likely",
            message: moved
              ? "the profile plugin left TensorBoard with release 2.2: `tensorboard.plugins.profile` is no module any more, and no program needs to import it"
              : 0 < protobuf.length
                ? "the profile plugin was generated for another protobuf than the one that is installed"
                : "the profile plugin does not fit the TensorBoard or TensorFlow that is installed",
            evidence: [...failed, ...protobuf, ...within.slice(-1)],
            next,
            fixes: [
              install,
              ...(0 < protobuf.length || within.some(({ path, at }) => /_pb2\b|[/_]proto(?:buf)?[/_.]/.test(`${path} ${at.text}`))
                ? [fix("or keep protobuf below 4 beside an old plugin", `pip install "protobuf<3.21"`)]
                : []),
              ...(moved ? [fix("take traces with `tf.profiler.experimental.start(logdir)` and `stop()`; remove the import")] : []),
            ],
          },
        ],
      },
    ];
  }
  if (0 < protobuf.length)
    return [
      {
        weight: weights.failed,
        suspects: [
          {
            ...base,
            name: "protobuf",
            cause: "package-conflict",
            certainty: "likely",
            message: "generated code in a package does not fit the protobuf that is installed",
            evidence: protobuf,
            next: ["pip list | grep protobuf"],
            fixes: [fix("take a release of the package for this protobuf, or an older protobuf", `pip install "protobuf<3.21"`)],
          },
          {
            ...base,
            cause: "profiler-plugin-version",
            certainty: "possible",
            message: "where the code belongs to TensorBoard's profile plugin, it is older than the protobuf",
            evidence: protobuf,
            next,
            fixes: [install],
          },
        ],
      },
    ];
  // Something broke within the plugin, and the words are not known: still it is the plugin.
  const broken = within.filter(({ package: name }) => name !== "tensorboard");
  if (0 < broken.length && noData.length === 0)
    return [
      {
        weight: weights.hint,
        suspects: [
          {
            ...base,
            cause: "profiler-plugin-version",
            certainty: "possible",
            message: "the profile plugin broke: it may not fit the TensorBoard, protobuf or framework that is installed",
            evidence: broken.slice(-2),
            next,
            fixes: [install],
          },
        ],
      },
    ];
  return withoutData(noData, { ...base, next, fixes: [install] }, facts, context);
}

/** Nothing broke, and a profile lacks something all the same. */
function withoutData(
  evidence: Fact[],
  base: Omit<Suspect, "cause" | "message" | "certainty" | "evidence">,
  facts: Facts,
  context: Context,
): Problem[] {
  const apart = linesApart(facts, context);
  if (0 < apart.length) return [ofOtherLine(base, apart, facts)];
  if (evidence.length === 0) return [];
  const { next = [], fixes = [], ...bare } = base;
  const cupti = { ...bare, name: "libcupti.so", library: "cupti", certainty: "possible" as const, evidence, fixes: [] };
  const suspects: Suspect[] = [
    {
      ...bare,
      cause: "profiler-plugin-version",
      certainty: "possible",
      message: "the plugin, TensorBoard and the framework are of different lines",
      evidence,
      next: [...next, "find . -name '*.xplane.pb'"],
      fixes,
    },
    {
      ...cupti,
      cause: "library-not-on-path",
      message: "or the profile was taken without CUPTI, which was not found",
      next: ["culprit trace ."],
    },
    { ...cupti, cause: "library-missing", message: "or CUPTI is not installed" },
    {
      ...bare,
      name: "CUPTI",
      cause: "profiler-permission",
      certainty: "possible",
      message: "or the counters were closed to the program that was profiled",
      evidence,
      fixes: [],
    },
    {
      ...bare,
      name: "profile",
      cause: "not-a-mismatch",
      certainty: "possible",
      message: "or nothing was profiled: below its logdir TensorBoard looks for `plugins/profile/*/*.xplane.pb`",
      evidence,
      next: ["find . -name '*.xplane.pb'"],
      fixes: [],
    },
  ];
  return [{ weight: weights.hint, symptom: "TensorBoard shows no profile", suspects }];
}
