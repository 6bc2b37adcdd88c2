import { describeRule } from "../rule.ts";

export default describeRule({
  id: "profiler-plugin-versions",
  title: "TensorBoard and what shows profiles in it do not fit together",
  cause: "profiler-plugin-version",
  severity: "warning",
  page: {
    what: "A profile would be written, and cannot be shown: TensorBoard does not start, or leaves its profile plugin out, because two of tensorboard, tensorboard-plugin-profile, xprof, protobuf, setuptools and numpy do not fit together.",
    why: "Their requirements are too wide, so that pip sees nothing wrong: tensorboard before 2.21 needs pkg_resources, which setuptools 82 no longer has; generated messages of older plugins do not work with protobuf 4, and those of xprof 2.20.6 to 2.22 need protobuf 6.31; an old tensorboard-plugin-profile and xprof both register a plugin called profile.",
    how: "The versions of these packages in the environment are compared with combinations that are known not to work (knowledge/profiler-plugins.json); of a dependency file those that are pinned there, or locked.",
    fix: "Change the one package that the finding names.",
    observed:
      "Each combination was installed from PyPI in an environment of its own, and TensorBoard's backend started with all its plugins; so were its healthy neighbours.",
  },
});
