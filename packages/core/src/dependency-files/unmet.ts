import { torchMeantBy, torchMeantSources, torchName } from "../knowledge/built-for-torch.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import { allPythons, pythonsOf, type Need } from "../builds/build.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { isIn, plainly } from "../builds/specifier.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { frameworkNamed, isAmong, labelledFramework, solveName } from "../model/frameworks.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import type { Installed } from "./install.ts";
import { olderJitLink } from "./jit-link.ts";
import { isForeign } from "./labels.ts";

export interface Unmet {
  by: Installed;
  needs: Installed;
  specifier: string;
  source: string;
  /** pip does not see to it, even where both are installed at once: no metadata says so, or only that of an extra which nobody asked for. */
  isUnseen?: true;
  /** Extras of `by` that would bring the right one. */
  extras?: string[];
  /** `by` refuses it when it is imported. */
  isRefused?: true;
  /** `by` was made for some releases of it, and why that matters. */
  madeFor?: string;
  /** The framework that uses `by`, where `by` is a library. */
  user?: string;
  /** What helps, where it is not another release of one of the two. */
  cure?: string;
}

/** Requirements of what is installed that what is installed does not meet. */
export function unmetRequirements(packages: Map<string, Installed>, python: string | undefined): Unmet[] {
  const all = [...packages.values()].flatMap((by) => {
    if (by.version === undefined || by.manager === "apt" || by.manager === "conda") return [];
    const refused = newerParts(by, packages);
    const compared = comparedWith(by, packages, python).filter(({ needs }) => !refused.some((each) => each.needs === needs));
    const stated = compared.filter(({ isUnseen, isMet }) => !isUnseen && !isMet);
    // Extras may differ: what one of them would bring is right.
    const unseen = compared.filter(({ isUnseen, needs }) => isUnseen && !compared.some((each) => each.needs === needs && each.isMet));
    const parts = [...new Set(unseen.map(({ needs }) => needs))].filter((part) => !stated.some(({ needs }) => needs === part));
    const byExtras = parts.map((part): Unmet => {
      const all = unseen.filter(({ needs }) => needs === part);
      const { specifier, source } = all[0]!;
      return { by, needs: part, specifier, source, isUnseen: true, extras: all.flatMap(({ extra }) => extra ?? []) };
    });
    return [
      ...refused,
      ...madeForOthers(by, packages),
      ...builtForOther(by, packages),
      ...compiledForOther(by, packages),
      ...stated.map(({ needs, specifier, source }): Unmet => ({ by, needs, specifier, source })),
      ...byExtras,
    ];
  });
  return [...all, ...olderJitLink(packages)];
}

interface Compared {
  needs: Installed;
  specifier: string;
  source: string;
  extra?: string;
  isUnseen: boolean;
  isMet: boolean;
}

/** What a package asks for, beside what is there of it. */
function comparedWith(by: Installed, packages: Map<string, Installed>, python: string | undefined): Compared[] {
  const all = by.build?.needs() ?? torchNeeds(by) ?? publishedNeeds(by);
  return all.flatMap(({ name, specifier, extra, marker, source }): Compared[] => {
    const isUnseen = extra !== undefined && !by.extras.includes(extra);
    if (isUnseen && !isBroughtByExtras(by, name)) return [];
    const needs = packages.get(name);
    if (needs?.version === undefined || needs.manager === "conda") return [];
    if (marker && !pythonsOfBoth(by, needs, python).every(marker)) return [];
    const isMet = isIn(needs.version, specifier.replace(/\+[\w.]+/g, ""));
    return [{ needs, specifier, source, isUnseen, isMet, ...(extra === undefined ? {} : { extra }) }];
  });
}

/** The Pythons that both may be installed for: where nobody tells it, all that both have wheels for. */
function pythonsOfBoth(by: Installed, needs: Installed, python: string | undefined): string[] {
  if (python !== undefined) return [python];
  const releases = [by, needs].map(({ name, version }) => publishedPackage(name)?.releases.find((each) => each.version === version));
  const both = allPythons.filter((each) => releases.every((release) => !release || pythonsOf(release).includes(each)));
  return 0 < both.length ? both : allPythons;
}

/** A part of it that only extras bring: where it is there, whoever asked for it, it has to be one that they would bring. */
const isBroughtByExtras = ({ name }: Installed, part: string): boolean => {
  const framework = frameworkNamed(name);
  return isAmong(part, framework?.parts) && !isAmong(part, framework?.refusesNewer?.parts);
};

/** Older releases ask pip for none of their parts, and compare them when they are imported. */
function newerParts(by: Installed, packages: Map<string, Installed>): Unmet[] {
  const framework = frameworkNamed(by.name);
  const { parts, source } = framework?.refusesNewer ?? { parts: [], source: "" };
  if (!framework?.packages.includes(by.name)) return [];
  return parts.flatMap((part): Unmet[] => {
    const needs = packages.get(part);
    if (needs?.version === undefined || needs.manager === "conda" || comparePythonVersions(needs.version, by.version!) <= 0) return [];
    return [{ by, needs, specifier: `<=${by.version}`, source, isUnseen: true, isRefused: true }];
  });
}

/** What is made for other releases of a framework than the one that is there, by an extra that nobody has to ask for. */
function madeForOthers(by: Installed, packages: Map<string, Installed>): Unmet[] {
  return frameworkNames.flatMap(({ madeFor = [], packages: distributions }): Unmet[] => {
    const made = madeFor.find((each) => each.package === by.name);
    if (!made) return [];
    const needs = distributions.flatMap((name) => packages.get(name) ?? []).find(({ version }) => version !== undefined);
    const asked = publishedNeeds(by).find(({ name, extra }) => extra === made.extra && distributions.includes(name));
    if (!needs || !asked || needs.manager === "conda" || by.extras.includes(made.extra) || isIn(needs.version!, asked.specifier)) return [];
    const { specifier } = asked;
    const source = `${asked.source}; ${made.source}`;
    return [{ by, needs, specifier, source, isUnseen: true, madeFor: made.because, ...(made.refused ? { isRefused: true as const } : {}) }];
  });
}

/** The label of a wheel may tell the release that it was compiled for: `2.7.3+cu12torch2.6cxx11abiTRUE`, `2.1.2+pt25cu124`. */
function builtForOther(by: Installed, packages: Map<string, Installed>): Unmet[] {
  const label = by.asked?.specifier.split("+")[1];
  if (label === undefined || labelledFramework(by.name)) return [];
  return frameworkNames.flatMap(({ id, labelled }): Unmet[] => {
    const [, dotted, major, rest] = (labelled && new RegExp(labelled.compiledFor).exec(label)) ?? [];
    const built = dotted ?? (major === undefined ? undefined : `${major}.${rest}`);
    const needs = packages.get(id);
    if (built === undefined || needs?.version === undefined || needs.manager === "conda" || isIn(needs.version, `==${built}.*`)) return [];
    const madeFor = `its name says that it was compiled for ${id} ${built}, and what is compiled for one minor release lacks symbols of another`;
    return [{ by, needs, specifier: `==${built}.*`, source: `the name ${by.asked!.text.slice(0, 200)}`, isUnseen: true, madeFor }];
  });
}

/** It was compiled for some releases of torch, and its metadata do not say so: torchcodec. */
function compiledForOther(by: Installed, packages: Map<string, Installed>): Unmet[] {
  const specifier = torchMeantBy(by.name, by.version!);
  const needs = packages.get(torchName);
  // Which release of it another index has is not known: only a pin is sure.
  if (specifier === undefined || by.asked?.specifier.startsWith("==") !== true) return [];
  if (needs?.version === undefined || needs.manager === "conda" || isIn(needs.version, specifier)) return [];
  const madeFor = `it was compiled for ${torchName} ${plainly(specifier)}, and its metadata ask for none`;
  return [{ by, needs, specifier, source: torchMeantSources(by.name).join("; "), isUnseen: true, madeFor }];
}

/** Another build of torch asks for other libraries; where it is not sure which, nothing is said. */
function torchNeeds({ name, version, variant }: Installed): Need[] | undefined {
  const builder = variant === undefined ? undefined : labelledFramework(name);
  if (!builder) return undefined;
  const release = releasesWithBuilds(solveName(builder.id)).find((each) => each.version === version);
  const build = release?.builds().find((each) => each.variant === variant);
  return build?.doubts.some((doubt) => doubt.startsWith("what ")) ? [] : build?.needs();
}

function publishedNeeds({
  name,
  version,
  variant,
}: Installed): { name: string; specifier: string; extra?: string; marker?: (python: string) => boolean; source: string }[] {
  // Another build of torch asks for other libraries.
  const isOther = variant !== undefined;
  if (isForeign(variant)) return [];
  const release = publishedPackage(name)?.releases.find((each) => each.version === version);
  return (release?.requires ?? []).flatMap((text) => {
    const read = parseRequirement(text);
    if ("problem" in read || (isOther && isAmong(read.name, labelledFramework(name)?.labelled.varies))) return [];
    const extra = /\bextra == "([^"]+)"/.exec(text)?.[1];
    if (/python_version/.test(read.marker ?? "")) return [];
    return [
      {
        name: read.name,
        specifier: read.specifier,
        ...(extra === undefined ? {} : { extra: normalName(extra) }),
        source: `the metadata of ${name} ${version} on PyPI`,
      },
    ];
  });
}
