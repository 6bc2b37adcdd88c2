import { defineDependencyFileRule } from "./rule.ts";

export default defineDependencyFileRule({
  id: "colab-magic-removed",
  title: "A line that Colab no longer understands",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "it is a line of a notebook" },
  page: {
    what: "A cell says `%tensorflow_version 1.x`. Colab has no TensorFlow 1 any more, and the line raises an error.",
    why: "Until August 2022 Colab had two TensorFlows, and this line chose. Notebooks of that time begin with it.",
    how: "Every line that asks for a TensorFlow 1, on Colab. `%tensorflow_version 2.x` only prints that it has no effect, and what stands in a `try` is caught.",
    fix: "Port the code to TensorFlow 2, whose `tensorflow.compat.v1` has most of the old names. TensorFlow 1.15 itself needs Python 3.7, which Colab no longer has.",
    observed: "From the text of the magic in googlecolab/colabtools and from users' reports; not run on Colab itself.",
  },
  finds: ({ declaration, baseName }) =>
    baseName === undefined
      ? []
      : declaration.steps.flatMap((step) => {
          if (step.kind !== "line" || !/^%tensorflow_version\s+["']?1/.test(step.text)) return [];
          return [
            {
              subject: step.text,
              place: step.place,
              short: `${step.text}: Colab has no TensorFlow 1 any more`,
              message: `\`${step.text}\` raises an error: Colab has no TensorFlow 1 any more`,
              because: [
                "it says: ValueError: Tensorflow 1 is unsupported in Colab",
                "Colab dropped it in August 2022; the last Python with TensorFlow 1.15 is 3.7",
              ],
              advice: ["take the line out and port the code to TensorFlow 2: https://www.tensorflow.org/guide/migrate"],
              breaks: [{ framework: "tensorflow", activity: "import" }],
              sources: [
                "https://github.com/googlecolab/colabtools: google/colab/_tensorflow_magics.py",
                "https://github.com/dvschultz/stylegan2-ada/issues/31 (2022-08-08)",
              ],
            },
          ];
        }),
});
