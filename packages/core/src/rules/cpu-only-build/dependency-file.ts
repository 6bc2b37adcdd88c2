import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";
import type { Installation } from "../../dependency-files/install.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: ({ installation: { packages }, image }) => {
    const all = [...packages.values()];
    const ofConda = besideItsChooser(packages);
    // Packages for a GPU beside it may be there for other machines: only the image tells.
    if (image?.kind !== "cuda" && image?.kind !== "pytorch" && image?.kind !== "ngc") return ofConda;
    const wish = `the base image is ${image.name}`;
    const ofPip = all
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
        severity: "warning" as const,
        certainty: "likely" as const,
        short: `${fullName(installed)} is a build without CUDA`,
        message: `${fullName(installed)} is a build without CUDA, where a GPU seems to be meant`,
        because: [`${writtenAt(installed)} is taken from an index or a package without CUDA`, wish],
        advice: [
          installed.name === "torch"
            ? "leave the cpu index out: on Linux PyPI has the build with CUDA"
            : "ask for tensorflow[and-cuda] (2.14 or newer)",
        ],
        facts: { packages: [installedFact(installed, "subject")] },
        endangers: [{ framework: frameworkOf(installed.name)!, activity: "device" }],
      }));
    return [...ofPip, ...ofConda];
  },
});

/** The build without CUDA beside a package that is there only to choose one with: conda took it, and said nothing. */
function besideItsChooser(packages: Installation["packages"]): DependencyFileDraft[] {
  const pytorch = packages.get("conda:pytorch");
  const chooser = packages.get("conda:pytorch-cuda") ?? packages.get("conda:pytorch-gpu");
  if (!pytorch?.asked?.build || !chooser || !/(?:^|_)cpu(?:_|$)/.test(pytorch.asked.build)) return [];
  return [
    {
      subject: pytorch.name,
      place: pytorch.place,
      certainty: "likely",
      short: `${fullName(pytorch)} is the build without CUDA`,
      message: `${fullName(pytorch)} is the build without CUDA, though ${chooser.asked?.text ?? chooser.name} asks for one with CUDA`,
      because: [
        `its build is ${pytorch.asked.build}; ${writtenAt(chooser)}`,
        "conda takes such a build where none for that CUDA fits the rest, or where another channel comes first",
      ],
      advice: ["ask for the channel too, as in pytorch::pytorch or conda-forge::pytorch-gpu, and let conda solve anew"],
      facts: { packages: [installedFact(pytorch, "subject"), installedFact(chooser, "asks")] },
      breaks: [{ framework: "torch", activity: "device" }],
    },
  ];
}
