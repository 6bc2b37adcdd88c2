import { frameworkOf, fullName, writtenAt } from "../words.ts";
import { defineDeclaredRule } from "../rule.ts";

export default defineDeclaredRule({
  id: "cpu-only-build",
  finds: ({ installation: { packages }, image }) => {
    const all = [...packages.values()];
    // What nobody would ask for without a GPU.
    const gpu = all.find(
      ({ name, extras, asked, manager }) =>
        manager === "pip" &&
        asked &&
        (/^(onnxruntime-gpu|cupy-cuda\d+x|tensorflow-gpu)$/.test(name) || extras.some((extra) => /^(and-cuda|cuda1\d)/.test(extra))),
    );
    const wish =
      image?.kind === "cuda" || image?.kind === "pytorch"
        ? `the base image is ${image.name}`
        : gpu
          ? `${writtenAt(gpu)} is for a GPU`
          : undefined;
    if (wish === undefined) return [];
    return all
      .filter(
        ({ name, variant, asked }) =>
          asked &&
          ((name === "torch" && variant === "cpu") || (name === "tensorflow-cpu" && !all.some((other) => other.name === "tensorflow"))),
      )
      .map((installed) => ({
        subject: installed.name,
        place: installed.place,
        cause: "wrong-wheel-cpu-only" as const,
        severity: "warning" as const,
        certainty: "likely" as const,
        message: `${fullName(installed)} is a build without CUDA, where a GPU seems to be meant`,
        because: [`${writtenAt(installed)} is taken from an index or a package without CUDA`, wish],
        advice: [
          installed.name === "torch"
            ? "leave the cpu index out: on Linux PyPI has the build with CUDA"
            : "ask for tensorflow[and-cuda] (2.14 or newer)",
        ],
        endangers: [{ framework: frameworkOf(installed.name)!, activity: "device" }],
      }));
  },
});
