import { frameworkOf, fullName, writtenAt } from "../words.ts";
import { defineDeclaredRule } from "../rule.ts";

export default defineDeclaredRule({
  id: "cpu-only-build",
  finds: ({ installation: { packages }, image }) => {
    const all = [...packages.values()];
    // Packages for a GPU beside it may be there for other machines: only the image tells.
    if (image?.kind !== "cuda" && image?.kind !== "pytorch" && image?.kind !== "ngc") return [];
    const wish = `the base image is ${image.name}`;
    return all
      .filter(
        ({ name, variant, asked }) =>
          asked &&
          // An image with another framework may have this one for small things.
          (image.kind !== "ngc" || image.packages.some((own) => own.name === name)) &&
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
