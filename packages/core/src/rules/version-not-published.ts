import { isUponFrameworks, publishedDay, publishedPackage } from "../knowledge/published.ts";
import { comparePythonVersions, parsePythonVersion } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import { isIn } from "../builds/specifier.ts";
import { declaredFact } from "../dependency-files/facts.ts";
import { labelIn, variantsOf } from "../dependency-files/install.ts";
import type { InstallContext } from "../dependency-files/context.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";
import { frameworkOf } from "../dependency-files/words.ts";
import { isUnrelated } from "../knowledge/unrelated.ts";
import { frameworkNamed, indexOfLabel, isAmong, labelledFramework } from "../model/frameworks.ts";
import { needsOf } from "../builds/build.ts";
import { beginningOfLabel, emptyIndex, endOfLabel, isNeverBuilt, misspelledLabel, onlyIndex } from "../dependency-files/labels.ts";
import { releasesWithBuilds } from "../solve/search.ts";

/** What PyPI still has under this name is a text that says so, and that no longer builds. */
const withdrawn = (declared: DeclaredPackage): DependencyFileDraft => ({
  subject: declared.text,
  place: declared.place,
  certainty: "likely",
  short: `${declared.text} is an empty package`,
  message: `${declared.text} would be tensorflow-gpu 2.12.0, which holds nothing and cannot be installed`,
  because: [
    `tensorflow-gpu ends with 2.11; 2.12.0 is a placeholder that fails to build, and ${declared.specifier === "" ? "no version is asked for" : `\`${declared.specifier}\` lets it in`}`,
  ],
  advice: ["ask for tensorflow[and-cuda] (2.14 or newer), or for tensorflow, which is the same package since 2.1"],
  facts: { packages: [declaredFact(declared, "subject")] },
  breaks: [{ framework: "tensorflow", activity: "import" }],
  sources: ["pip with tensorflow-gpu 2.12.0 of PyPI, 2026-11-15"],
});

/** There was such a release once, and PyPI has none that old any more. */
const gone = (
  declared: DeclaredPackage,
  name: string,
  version: string,
  first: string,
  breaks: DependencyFileDraft["breaks"],
): DependencyFileDraft => ({
  subject: declared.text,
  place: declared.place,
  short: `PyPI has no ${name} as old as ${version}`,
  message: `${declared.text} cannot be installed: PyPI has no ${name} as old as ${version}`,
  because: [`the oldest release of ${name} on PyPI is ${first}`],
  advice: [`ask for ${name}==${first} or newer, with what fits it`],
  facts: { packages: [declaredFact(declared, "subject")] },
  breaks: breaks ?? [],
  sources: [`the files of ${name} on PyPI as of ${publishedDay()}`],
});

export default defineDependencyFileRule({
  id: "version-not-published",
  title: "A version that the index does not have",
  cause: "package-conflict",
  otherCauses: ["wrong-wheel-cuda-version"],
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed" },
  page: {
    what: "A pin names a release that PyPI does not have, or a build with a label (`+cu118`, `+cuda12.cudnn89`) that only PyTorch's index or the page of jax has, which the file does not name; or the only index that may have it no longer gets such releases, or did not yet; or an index of PyTorch is called by a name that none has (`cuda121`).",
    why: "Some releases were skipped or taken back (there is no tensorflow 2.16.0, and tensorflow-gpu is a placeholder since 2.12), and `pip freeze` writes labels down without the index that they came from.",
    how: "A release counts as never published when PyPI has a later one of the same minor and not this one, or when two later minors of a framework are out and its own minor ended before: a release that is newer than what is known here is not doubted. Labels need an index that has them, by option, variable or address; what `pip freeze` printed (a file that is called so, or a whole list in its order that is not called requirements) describes an installation and needs none.",
    fix: "Name a release that is there; or add `--extra-index-url https://download.pytorch.org/whl/cu118` with the label that is meant.",
    observed: "pip finds no matching distribution for the same pins.",
  },
  finds: (context) => [
    ...labelled(context),
    ...notWithLabel(context),
    ...notOnIndex(context),
    ...notOnItsOwnIndex(context),
    ...noSuchIndex(context),
    ...labelOfNobody(context),
    ...context.installation.named.flatMap(({ declared, step }): DependencyFileDraft[] => {
      const name = normalName(declared.name);
      if (name === "tensorflow-gpu" && step.manager === "pip" && !step.isLocked && isIn("2.12.0", declared.specifier))
        return [withdrawn(declared)];
      const pinned = /^==([^*,]+)$/.exec(declared.specifier)?.[1];
      if (step.manager !== "pip" || step.isLocked || pinned === undefined || declared.url !== undefined) return [];
      const [version, label] = pinned.split("+") as [string, string?];
      const framework = frameworkOf(name);
      const breaks = framework === undefined ? [] : [{ framework, activity: "import" }];
      const indexes = variantsOf(step, []);
      if (label !== undefined) return [];
      const releases = publishedPackage(name)?.releases.map((release) => release.version) ?? [];
      const parsed = parsePythonVersion(version);
      if (
        !parsed ||
        parsed.release.length < 2 ||
        !/^\d+(\.\d+)*$/.test(version) ||
        indexes === undefined ||
        indexes.onlyThese ||
        0 < step.links.length
      )
        return [];
      if (releases.some((known) => comparePythonVersions(known, version) === 0)) return [];
      const minor = `${parsed.release[0]}.${parsed.release[1]}.`;
      const later = releases.filter((known) => `${known}.`.startsWith(minor) && 0 < comparePythonVersions(known, version));
      const before = releases.some((known) => comparePythonVersions(known, version) < 0);
      if (!before && publishedPackage(name)?.whole) return [gone(declared, name, version, releases[0]!, breaks)];
      const own = releases.filter((known) => `${known}.`.startsWith(minor));
      const isOver = later.length === 0 && isClosed(name, parsed.release, own, releases);
      if ((later.length === 0 && !isOver) || !before) return [];
      const next = releases.find((known) => 0 < comparePythonVersions(known, version));
      return [
        {
          subject: declared.text,
          place: declared.place,
          short: `there is no ${name} ${version} on PyPI`,
          message: `There is no ${name} ${version} on PyPI`,
          because: [`of ${minor}x PyPI has ${own.join(", ")}${isOver ? `; the next release is ${next}` : ""}`],
          advice: [`ask for ${name}==${later[0] ?? own.at(-1)}`],
          facts: { packages: [declaredFact(declared, "subject")] },
          breaks,
          sources: [`the files of ${name} on PyPI as of ${publishedDay()}`],
        },
      ];
    }),
  ],
});

/**
 * Whether a minor got its last release: two later ones are out, of a framework or what comes with it. Others go on with older ones for
 * years, as NumPy and NVIDIA's libraries do.
 */
function isClosed(name: string, pinned: number[], own: string[], releases: string[]): boolean {
  const minorOf = (version: string) => version.split(".").slice(0, 2).join(".");
  const last = own.at(-1);
  if (last === undefined || pinned.length !== 3 || isUponFrameworks(name) || /^(?:nvidia-|numpy$|tensorrt|cuda-|cutensor-)/.test(name))
    return false;
  const after = releases.filter((known) => 0 < comparePythonVersions(known, last));
  return 2 <= new Set(after.map(minorOf)).size;
}

/** What is asked for is newer than the last that the only index has, or older than its first. */
function notWithLabel({ installation }: InstallContext): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] {
  return installation.clashes.flatMap((clash): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] => {
    const found = emptyIndex(clash);
    const declared = found && clash.asked.get(clash.requirements[0]!);
    if (!found || !declared) return [];
    const { name, labels } = found;
    const specifier = declared.specifier.replace(/\+[\w.]+/g, "");
    const nearest = labels.map((label) => nearestWith(name, label, specifier));
    const there = releasesWithBuilds(name).find(({ version, builds }) => 1 < builds().length && isIn(version, specifier));
    const others = there?.builds().map(({ variant }) => variant) ?? [];
    return [
      {
        subject: declared.text,
        place: declared.place,
        cause: "wrong-wheel-cuda-version",
        certainty: "likely",
        short: `the index for ${labels.join(" and ")} has no ${declared.text}`,
        message: `The index for ${labels.join(" and ")} has no ${declared.text}, and ${/\+/.test(declared.specifier) ? "no other has builds with that label" : "it is the only one that is asked"}`,
        because: [
          ...["newest", "oldest"].flatMap((which) => {
            const those = nearest.filter((each) => each.which === which).map(({ text }) => text);
            return those.length === 0 ? [] : [`the ${which} there is ${those.join(" and ")}`];
          }),
          ...(there ? [`${name} ${there.version} was built for ${others.join(", ")}`] : []),
        ],
        advice: [
          `ask for ${nearest[0]!.text}${there ? `, or ${askedWith(others[0]!, declared.specifier)} ${labelledFramework(name)!.labelled.index}/${others[0]}` : ""}`,
        ],
        facts: { packages: [declaredFact(declared, "subject")] },
        breaks: [{ framework: frameworkOf(name)!, activity: "import" }],
        sources: [`the builds of ${name} that are known`],
      },
    ];
  });
}

/** Whoever writes the label has to change it, too. */
const askedWith = (label: string, specifier: string): string =>
  specifier.includes("+") ? `for the label +${label} from its index:` : `name the index for ${label}:`;

/** The last release with a label where all that is asked for came later; else the first. */
function nearestWith(name: string, label: string, specifier: string): { which: "newest" | "oldest"; text: string } {
  const end = endOfLabel(name, label);
  const asked = releasesWithBuilds(name).filter(({ version }) => isIn(version, specifier));
  const isLater = end !== undefined && asked.every(({ version }) => comparePythonVersions(end, version) < 0);
  const version = isLater ? end : (beginningOfLabel(name, label) ?? end!);
  return { which: isLater ? "newest" : "oldest", text: `${name}==${version}+${label}` };
}

/** Of a release whose extras ask for a build with a label: `jax[cuda12_pip]==0.4.20`. */
function labelOfExtras({ name, specifier, extras }: DeclaredPackage): string | undefined {
  const pinned = /^==([^*,+]+)$/.exec(specifier)?.[1];
  const release = pinned === undefined ? undefined : publishedPackage(normalName(name))?.releases.find(({ version }) => version === pinned);
  if (!release || extras.length === 0) return undefined;
  return needsOf(normalName(name), release).flatMap((need) =>
    need.extra !== undefined && extras.includes(need.extra) ? (/\+([a-z][\w.]*)$/.exec(need.specifier)?.[1] ?? []) : [],
  )[0];
}

/** Where builds with such a label are; undefined where that is not known. */
function homeOf({ name, specifier }: DeclaredPackage, label: string): { option: string; whose: string } | undefined {
  const index = indexOfLabel(normalName(name), specifier);
  if (index !== undefined) return { option: `--extra-index-url ${index}`, whose: "PyTorch's own index" };
  const framework = frameworkNamed(normalName(name));
  return framework?.labelPage !== undefined && label.startsWith("cuda")
    ? { option: `--find-links ${framework.labelPage}`, whose: `a page of ${framework.id}` }
    : undefined;
}

/** A pin of a package that a project takes from one index alone (`[tool.uv.sources]`, Poetry's `source`), which never had that release. */
const notOnItsOwnIndex = ({
  installation: { named },
}: InstallContext): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] =>
  named.flatMap(({ declared, step }) => {
    const name = normalName(declared.name);
    const version = /^==([^*,+]+)$/.exec(declared.specifier)?.[1];
    const label = declared.index === undefined ? undefined : labelIn(declared.index);
    if (version === undefined || label === undefined || step.isLocked || !labelledFramework(name) || !isNeverBuilt(name, version, label))
      return [];
    const last = endOfLabel(name, label);
    return [
      {
        subject: declared.text,
        place: declared.place,
        cause: "wrong-wheel-cuda-version" as const,
        certainty: "likely" as const,
        short: `the index for ${label} has no ${name} ${version}`,
        message: `${declared.text} cannot be installed: it is taken from the index for ${label} alone, which has no such release`,
        because: [
          last === undefined
            ? `${name} ${version} was not built with the label ${label}`
            : `the last ${name} with the label ${label} is ${last}`,
        ],
        advice: [`take ${name} from the index of another CUDA${last === undefined ? "" : `, or ask for ${name}==${last}`}`],
        facts: { packages: [declaredFact(declared, "subject")] },
        breaks: [{ framework: frameworkOf(name) ?? name, activity: "import" }],
        sources: [`the builds of ${name} on PyTorch's indexes as of ${publishedDay()}`],
      },
    ];
  });

/** The index of a framework stands in the place of PyPI, and has little more than what the framework needs. */
function notOnIndex({ installation, image }: InstallContext): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] {
  // Images of nvcr.io/nvidia have an index more in their settings.
  if (image?.kind === "ngc") return [];
  const groups = new Map<Install, DeclaredPackage[]>();
  for (const { declared, step } of installation.named) {
    const only = step.manager === "pip" && !step.isLocked && !step.isThere ? onlyIndex(step) : undefined;
    const name = normalName(declared.name);
    if (!only || declared.url !== undefined || declared.index !== undefined || isAmong(name, [...only.holds, ...only.besides])) continue;
    // pip leaves what is there already and will do; and of names that are not on PyPI it cannot be told where they are.
    const there = installation.packages.get(name);
    if ((there !== undefined && there.asked !== declared) || (!isUnrelated(name) && !publishedPackage(name))) continue;
    groups.set(step, [...(groups.get(step) ?? []), declared]);
  }
  return [...groups].map(([step, all]) => {
    const [first] = all as [DeclaredPackage];
    const { url } = step.indexes.find(({ only }) => only)!;
    const texts = all.map(({ text }) => text);
    const named = `${texts.slice(0, 3).join(", ")}${texts.length <= 3 ? "" : ` and ${texts.length - 3} more`}`;
    return {
      subject: first.text,
      place: first.place,
      cause: "wrong-wheel-cuda-version",
      certainty: "likely",
      short: `${url} has no ${normalName(first.name)}`,
      message: `${named} ${all.length === 1 ? "is" : "are"} not on ${url}, and it is the only index that is asked`,
      because: ["--index-url takes the place of PyPI; that index has what the framework needs, and hardly more"],
      advice: [
        `name it with --extra-index-url, or install ${all.length === 1 ? "this" : "these"} in a command of ${all.length === 1 ? "its" : "their"} own`,
      ],
      facts: { packages: all.map((each) => declaredFact(each, "subject")) },
      sources: ["s3_management/manage_v2.py of pytorch/test-infra, which makes the index"],
    };
  });
}

/** PyPI takes no version with a label, whosever it is: a build from elsewhere, as `pip freeze` and `conda env export` write it down. */
function labelOfNobody({ installation, declaration }: InstallContext): DependencyFileDraft[] {
  return installation.named.flatMap(({ declared, step }): DependencyFileDraft[] => {
    const name = normalName(declared.name);
    const [, version, label] = /^==([^*,+]+)\+([\w.]+)$/.exec(declared.specifier) ?? [];
    if (label === undefined || step.manager !== "pip" || step.isLocked || step.isThere) return [];
    const isElsewhere = declared.url !== undefined || declared.index !== undefined || 0 < step.links.length;
    // Only of names that are known there is something to say; PyTorch's labels, and jax's, are told with their indexes.
    if (isElsewhere || !publishedPackage(name) || homeOf(declared, label) || !step.indexes.every(({ url }) => /pypi\.org/.test(url)))
      return [];
    const framework = frameworkOf(name);
    const affected = framework === undefined ? [] : [{ framework, activity: "import" }];
    const isAlone = declaration.format === "requirements";
    return [
      {
        subject: declared.text,
        place: declared.place,
        ...(isAlone ? { severity: "warning" as const } : {}),
        certainty: "likely",
        short: `${declared.text} is not on PyPI`,
        message: `${declared.text} is not on PyPI, and no index is named that has it`,
        because: [`PyPI takes no version with a label such as +${label}: it was built or taken from elsewhere`],
        advice: [
          `name the index that it came from, or ask for a release of ${name} without a label, such as ${name}==${plainOf(name, version!)}`,
        ],
        facts: { packages: [declaredFact(declared, "subject")] },
        ...(isAlone ? { endangers: affected } : { breaks: affected }),
      },
    ];
  });
}

/** The same release without its label, where PyPI has it; else the newest. */
function plainOf(name: string, version: string): string {
  const releases = publishedPackage(name)?.releases ?? [];
  return (releases.find((release) => release.version === version) ?? releases.at(-1))?.version ?? version;
}

/** PyTorch's indexes are called `cu121`: at another name there is nothing. */
function noSuchIndex({ installation }: InstallContext): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] {
  const told = new Set<string>();
  return installation.named.flatMap(({ declared, step }): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] => {
    const framework = labelledFramework(normalName(declared.name));
    const wrong = step.indexes.find(({ url }) => misspelledLabel(labelIn(url) ?? "") !== undefined);
    if (!framework || !wrong || declared.url !== undefined || told.has(wrong.url)) return [];
    told.add(wrong.url);
    const { url, only } = wrong;
    const meant = misspelledLabel(labelIn(url)!)!;
    return [
      {
        subject: declared.text,
        place: declared.place,
        cause: "wrong-wheel-cuda-version",
        certainty: "likely",
        ...(only ? {} : { severity: "warning" as const }),
        short: `there is no index ${url}`,
        message: only
          ? `There is no index ${url}, and it is the only one that is asked for ${declared.text}`
          : `There is no index ${url}: ${declared.text} comes from another one`,
        because: [`PyTorch calls its indexes cu121, cu128, cpu: for this CUDA it is ${meant}`],
        advice: [`write ${framework.labelled.index}/${meant}`],
        facts: { packages: [declaredFact(declared, "subject")] },
        sources: ["s3_management/manage_v2.py of pytorch/test-infra, which makes the index"],
      },
    ];
  });
}

/** Labels of PyTorch's indexes that a command names. */
const otherLabels = ({ indexes, links }: Install): string[] => [
  ...new Set([...indexes.map(({ url }) => url), ...links].flatMap((url) => /^(?:cu\d+|cpu)$/.exec(labelIn(url) ?? "")?.[0] ?? [])),
];

/** Whether an address may have builds with this label: one for another label has not. */
const mayHave = ({ indexes, links }: Install, label: string): boolean =>
  [...indexes.map(({ url }) => url), ...links].some((url) => {
    const own = labelIn(url);
    return own !== undefined && /^(?:cu\d+|cpu)$/.test(own) ? own === label : !/pypi\.org/.test(url);
  });

/** Builds with a label of one list are missed together: one index has them all. */
function labelled({ installation, declaration }: InstallContext): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version">[] {
  const groups = new Map<Install, { declared: DeclaredPackage; label: string }[]>();
  for (const { declared, step } of installation.named) {
    const label = /^==[^*,+]+\+([a-z][\w.]*)$/.exec(declared.specifier)?.[1] ?? labelOfExtras(declared);
    if (label === undefined || step.manager !== "pip" || step.isLocked || declared.url !== undefined || declared.index !== undefined)
      continue;
    if (homeOf(declared, label) === undefined) continue;
    if (variantsOf(step, []) === undefined || mayHave(step, label)) continue;
    const known = groups.get(step);
    if (known) known.push({ declared, label });
    else groups.set(step, [{ declared, label }]);
  }
  return [...groups].map(([step, all]): DependencyFileDraft<"warning" | "info", "wrong-wheel-cuda-version"> => {
    const [{ declared, label }] = all as [{ declared: DeclaredPackage; label: string }];
    const texts = all.map((each) => each.declared.text);
    const home = homeOf(declared, label)!;
    const strange = otherLabels(step);
    // Who installs from a list may give the index by hand, but where the list names one.
    const isAlone = declaration.format === "requirements" && strange.length === 0;
    const affected = [{ framework: frameworkOf(normalName(declared.name)) ?? normalName(declared.name), activity: "import" }];
    return {
      subject: declared.text,
      place: declared.place,
      cause: "wrong-wheel-cuda-version",
      ...(isAlone ? { severity: "warning" as const } : {}),
      certainty: "likely",
      short: `${texts[0]}${texts.length === 1 ? " is" : ` and ${texts.length - 1} more are`} not ${declared.specifier.includes("+") ? "" : "whole "}on PyPI`,
      message:
        texts.length === 1
          ? `${texts[0]} ${declared.specifier.includes("+") ? "is not on PyPI, and no index is named that has it" : `asks for a build with the label +${label}, and no index is named that has it`}`
          : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)} are not on PyPI, and no index is named that has them`,
      because: [
        `PyPI takes no builds with a label such as +${label}: they are on ${home.whose}`,
        ...strange.map((each) => `the index for ${each} that is named has builds with the label +${each} alone`),
      ],
      advice: [`add ${declaration.format === "requirements" ? "a line to the file:" : "the option"} ${home.option}`],
      facts: { packages: all.map((each) => declaredFact(each.declared, "subject")) },
      ...(isAlone ? { endangers: affected } : { breaks: affected }),
    };
  });
}
