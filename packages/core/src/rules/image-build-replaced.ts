import { needsOf } from "../builds/build.ts";
import { ngcSources } from "../knowledge/ngc.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { normalName } from "../lib/pep508.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import { declaredFact, installedFact } from "../dependency-files/facts.ts";
import { isOwnBuild, type Installed } from "../dependency-files/install.ts";
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
    how: "The tag, and pins of the framework in commands and in the lists that they name; also pins of what is made for one release of it (torchvision, torchaudio). Who uninstalls the build first means it; who sets the constraints aside is told as a note. Ranges are judged where the version of the build is known.",
    fix: "Take the framework out of the list (`grep -v ^torch requirements.txt`), or begin with an image that has CUDA and no framework. Against the constraints: take its line out of /etc/pip/constraint.txt, or set PIP_CONSTRAINT to nothing for that command.",
    observed: "By NVIDIA's release notes and pip's rules for versions; not watched in the images.",
  },
  finds: ({ declaration, installation, image }) => {
    const { steps } = declaration;
    if (!image?.ngc) return [];
    const { constraint } = image.ngc;
    // Who sets the constraints aside, or takes the build out first, means it.
    const isFree =
      steps.some((step) => step.kind === "line" && /PIP_CONSTRAINT=|pip\/constraint/.test(step.text)) ||
      lastingValue(steps, "PIP_CONSTRAINT") !== undefined;
    return installation.named.flatMap(({ declared, step }): DependencyFileDraft[] => {
      const replaced = step.manager === "pip" ? replacedBy(declared, step, image.packages) : undefined;
      if (!replaced || steps.some((each) => each.kind === "uninstall" && each.names.includes(replaced.own.name))) return [];
      const { own, framework, forced } = replaced;
      const isRefused = constraint !== undefined && !isFree && own.name === "torch";
      const isMeant = constraint !== undefined && isFree;
      const version = own.ownVersion === undefined ? "" : ` (${own.ownVersion})`;
      const wanted = forced ?? declared.specifier;
      return [
        {
          subject: declared.text,
          place: declared.place,
          ...(isRefused ? {} : { severity: isMeant ? "info" : "warning" }),
          certainty: "likely",
          ...words(isRefused, declared.text, image.name, own.name, version, forced),
          because: [
            ...(forced === undefined ? [] : [`${declared.text} asks for ${own.name}${forced}`]),
            isRefused
              ? `${constraint.file} in the image names its own build, and pip obeys it`
              : "what else the image has was compiled for its own build, and does not load with another",
            ...(own.ownVersion === undefined || wanted.startsWith("==")
              ? []
              : [`${own.ownVersion} comes before the release of the same number: it is not within ${wanted}`]),
          ],
          advice: adviceFor(isRefused, own.name, declared.name, forced, constraint?.file),
          facts: { packages: [declaredFact(declared, "subject"), installedFact(own, "conflicts")] },
          ...(isRefused ? { breaks: [{ framework, activity: "import" }] } : { endangers: [{ framework, activity: "import" }] }),
          sources: image.ngc!.row ? ngcSources(image.ngc!.row) : constraint ? ngcSources(constraint) : [],
        },
      ];
    });
  },
});

/** The image's own build that pip would put another in the place of; `forced`: what a companion asks of it. */
function replacedBy(declared: DeclaredPackage, step: Install, own: Installed[]) {
  const name = normalName(declared.name);
  const forced = step.noDependencies ? undefined : forcedBy(name, declared, own);
  if (forced) return forced;
  const same = own.find((each) => each.name === name);
  const framework = frameworkOf(name);
  if (!same || framework === undefined || declared.specifier === "" || isOwnBuild(same, declared)) return undefined;
  return { own: same, framework, forced: undefined };
}

/** What is made for one release asks for that very one, and no build of an image is called so. */
function forcedBy(name: string, { specifier }: DeclaredPackage, own: Installed[]) {
  const version = /^==([^*,+]+)(?:\+[\w.]+)?$/.exec(specifier)?.[1];
  const release = version === undefined ? undefined : publishedPackage(name)?.releases.find((each) => each.version === version);
  for (const need of release ? needsOf(name, release) : []) {
    const asked = own.find((each) => each.name === need.name);
    const framework = asked && frameworkOf(asked.name);
    if (framework !== undefined && need.extra === undefined && need.specifier.startsWith("=="))
      return { own: asked!, framework, forced: need.specifier };
  }
  return undefined;
}

function adviceFor(isRefused: boolean, own: string, asked: string, forced: string | undefined, file: string | undefined): string[] {
  const out = `take ${forced === undefined ? own : asked} out of what is asked for`;
  if (isRefused) return [`${out}, or ${own}'s line out of ${file} before that command`];
  const why = forced === undefined ? "the image has it" : `wheels of PyPI are made for ${own}${forced} of PyPI`;
  return [`${out}: ${why}; or begin with an image that has CUDA and no framework`];
}

const words = (isRefused: boolean, text: string, image: string, name: string, version: string, forced: string | undefined) =>
  isRefused
    ? { short: `pip refuses ${text} in this image`, message: `pip refuses ${text}: ${image} holds its own build of ${name}${version}` }
    : {
        short: `${text} replaces the image's own ${name}`,
        message: `${text} ${forced === undefined ? "takes" : `brings ${name}${forced.replace("==", " ")}, which takes`} the place of the ${name}${version} that ${image} was built with`,
      };
