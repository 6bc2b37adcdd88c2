import { isAmong, labelledFramework, solveName } from "../model/frameworks.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { isIn } from "../builds/specifier.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { gpuBuilds } from "../dependency-files/builds.ts";
import { installedFact } from "../dependency-files/facts.ts";
import { variantsOf, type Installed } from "../dependency-files/install.ts";
import { endOfLabel, isEnded } from "../dependency-files/labels.ts";
import { normalName } from "../lib/pep508.ts";
import { writtenAt } from "../dependency-files/words.ts";
import type { Advice } from "../model/finding.ts";
import type { Install } from "../model/dependency-file.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "another-index-wins",
  title: "PyPI has a newer release than the index that was named",
  cause: "wrong-wheel-cuda-version",
  severity: "warning",
  notOn: { machines: "what is installed says which build it is, not which one was meant" },
  page: {
    what: "A file names an index of builds for one CUDA (`--extra-index-url …/cu121`) and leaves the release open. pip compares the releases of all indexes, and PyPI has a newer one, for another CUDA.",
    why: "`--extra-index-url` and `--find-links` add an index, they do not prefer it. A label such as `+cu121` decides only between builds of one release, and PyTorch stops building for a CUDA after a while.",
    how: "The newest release that the named index has is compared with the one that pip would take. Nothing is said of an index that newer releases, not known here, may be on; nor of uv, which takes a package from the first index that has it.",
    fix: "Pin the release with its label, or name the index with `--index-url` in a command that installs nothing else.",
    observed:
      "pip and uv were given two local indexes that stand for PyPI and for PyTorch's: pip takes the newer release, uv that of the extra index.",
  },
  finds: ({ installation }) => {
    const builds = gpuBuilds(installation);
    const steps = [...new Set(installation.named.map(({ step }) => step))];
    return steps.flatMap((step): DependencyFileDraft<"info">[] => {
      const given = step.manager === "pip" && !step.isLocked ? variantsOf(step, []) : undefined;
      if (!given || given.onlyThese || given.variants.length === 0) return [];
      const own = builds.filter(({ installed }) => installed.manager === "pip" && isBroughtBy(step, installed));
      return own.flatMap(({ installed, framework, build }) => {
        const { version, variant, asked } = installed;
        if (version === undefined || !labelledFramework(installed.name) || asked?.index !== undefined) return [];
        // A build with a label says itself which one is meant.
        if (variant === undefined || given.variants.includes(variant) || /\+/.test(asked?.specifier ?? "")) return [];
        const ends = given.variants.flatMap((label) => {
          const name = solveName(framework);
          return isEnded(name, version, label) ? [{ label, end: endOfLabel(name, label)! }] : [];
        });
        const [first] = ends;
        if (!first || ends.length < given.variants.length) return [];
        const cuda = build.cuda === undefined ? "" : ` (for CUDA ${build.cuda.version})`;
        const labels = given.variants.join(" and ");
        return [
          {
            subject: `${installed.name} of ${labels}`,
            place: installed.place,
            certainty: "likely",
            short: `${installed.name} ${version} of PyPI wins over the index for ${labels}`,
            message: `pip takes ${installed.name} ${version} of PyPI${cuda}, not a build of the index for ${labels} that is named`,
            because: [
              ends.map(({ label, end }) => `the newest ${installed.name} of the index for ${label} is ${end}`).join("; "),
              `${writtenAt(installed)}: pip compares the releases of all indexes, and takes the newest`,
            ],
            advice: adviceFor(step, installed, ends),
            facts: { packages: [installedFact(installed, "subject")] },
            endangers: [{ framework, activity: "device" }],
            sources: [build.cuda?.source ?? ""].filter((source) => source !== ""),
          },
        ];
      });
    });
  },
});

const isBroughtBy = (step: Install, { asked, place }: Installed): boolean =>
  asked === undefined ? place === step.place : step.packages.includes(asked);

function adviceFor(step: Install, { name, asked }: Installed, ends: { label: string; end: string }[]): (Advice | string)[] {
  const { holds, index } = labelledFramework(name)!.labelled;
  const isAlone = step.packages.every((each) => isAmong(normalName(each.name), holds));
  return ends.flatMap(({ label, end }) => {
    const built = releasesWithBuilds(name).filter(
      ({ version, builds }) => comparePythonVersions(version, end) <= 0 && builds().some(({ variant }) => variant === label),
    );
    const fitting = built.find(({ version }) => isIn(version, asked?.specifier ?? ""));
    if (!fitting) return [`leave that index out, or ask for ${name}==${end}+${label}: nothing newer was built for ${label}`];
    return [
      `to have the build for ${label}, ask for ${name}==${fitting.version}+${label}`,
      ...(isAlone ? [`or name its index alone: --index-url ${index}/${label}`] : []),
    ];
  });
}
