import { normalName } from "../lib/pep508.ts";
import { ngcSources } from "../knowledge/ngc.ts";
import { declaredFact, installedFact } from "../dependency-files/facts.ts";
import { isOwnBuild } from "../dependency-files/install.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";
import { lastingValue } from "../dependency-files/variables.ts";
import { frameworkOf } from "../dependency-files/words.ts";

export default defineDependencyFileRule({
  id: "image-build-replaced",
  title: "pip puts another build in the place of the image's own",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "what the image had before is gone once pip has replaced it" },
  page: {
    what: "An image of nvcr.io/nvidia has torch, tensorflow or jax in a build of NVIDIA's own, and a line asks pip for a release of PyPI.",
    why: "What else is in the image (torchvision, apex, Transformer Engine) was compiled for its own build, and does not load with another. The own build calls itself `2.4.0a0+…`, which comes before 2.4.0: a range such as `torch>=2.4` is enough to replace it. Since 25.03 the PyTorch images hold their packages with a file of constraints: there pip refuses.",
    how: "The tag, and pins of the framework in commands and in the lists that they name. A pin in the command itself is taken to be meant, and only unusual; so is an uninstallation before it. Ranges are judged where the version of the build is known.",
    fix: "Take the framework out of the list (`grep -v ^torch requirements.txt`), or begin with an image that has CUDA and no framework. Against the constraints: take its line out of /etc/pip/constraint.txt, or set PIP_CONSTRAINT to nothing for that command.",
    observed: "By NVIDIA's release notes and pip's rules for versions; not watched in the images.",
  },
  finds: ({ declaration, installation, image }) => {
    const { steps, file } = declaration;
    if (!image?.ngc) return [];
    const { constraint } = image.ngc;
    // Who sets the constraints aside, or takes the build out first, means it.
    const isFree =
      !constraint ||
      steps.some((step) => step.kind === "line" && /PIP_CONSTRAINT=|pip\/constraint/.test(step.text)) ||
      lastingValue(steps, "PIP_CONSTRAINT") !== undefined;
    return installation.named.flatMap(({ declared, step }): DependencyFileDraft[] => {
      const name = normalName(declared.name);
      const own = image.packages.find((each) => each.name === name);
      const framework = frameworkOf(name);
      if (!own || framework === undefined || step.manager !== "pip" || declared.specifier === "" || isOwnBuild(own, declared)) return [];
      if (steps.some((each) => each.kind === "uninstall" && each.names.includes(name))) return [];
      const isRefused = !isFree && name === "torch";
      const isMeant = declared.place.file === file && declared.specifier.startsWith("==");
      const version = own.ownVersion === undefined ? "" : ` (${own.ownVersion})`;
      return [
        {
          subject: declared.text,
          place: declared.place,
          ...(isRefused ? {} : { severity: isMeant ? "info" : "warning" }),
          certainty: "likely",
          ...words(isRefused, declared.text, image.name, name, version),
          because: [
            isRefused
              ? `${constraint!.file} in the image names its own build, and pip obeys it`
              : "what else the image has was compiled for its own build, and does not load with another",
            ...(own.ownVersion === undefined || declared.specifier.startsWith("==")
              ? []
              : [`${own.ownVersion} comes before the release of the same number: it is not within ${declared.specifier}`]),
          ],
          advice: isRefused
            ? [`take ${name} out of what is asked for, or its line out of ${constraint!.file} before that command`]
            : [`take ${name} out of what is asked for: the image has it; or begin with an image that has CUDA and no framework`],
          facts: { packages: [declaredFact(declared, "subject"), installedFact(own, "conflicts")] },
          ...(isRefused ? { breaks: [{ framework, activity: "import" }] } : { endangers: [{ framework, activity: "import" }] }),
          sources: image.ngc!.row ? ngcSources(image.ngc!.row) : constraint ? ngcSources(constraint) : [],
        },
      ];
    });
  },
});

const words = (isRefused: boolean, text: string, image: string, name: string, version: string) =>
  isRefused
    ? { short: `pip refuses ${text} in this image`, message: `pip refuses ${text}: ${image} holds its own build of ${name}${version}` }
    : {
        short: `${text} replaces the image's own ${name}`,
        message: `${text} takes the place of the ${name}${version} that ${image} was built with`,
      };
