import { describeRule } from "../rule.ts";

export default describeRule({
  id: "known-bad-combination",
  title: "A release, or two together, with a documented defect",
  cause: "upstream-bug",
  severity: "error",
  page: {
    what: "What would be loaded is known to be defective, by itself or together: the table is `knowledge/known-bad.json`, with a source for each.",
    why: "Releases go out with faults that show only in some places: on several GPUs, on one architecture, with one neighbour.",
    how: "The versions of the packages and of the libraries that a run would load are compared with the table, and the GPUs that are there, where they matter. Of a dependency file: the wheels that a framework asks for there, and builds of conda that let in what they do not work with (`knowledge/conda.json`, `defects`).",
    fix: "Install the release that put it right; it is named with each.",
    observed:
      "That TensorFlow 2.21.0 does not find cuSOLVER was watched with its wheels. The others are known from their projects' trackers and sources only.",
  },
});
