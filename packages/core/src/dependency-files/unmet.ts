import { publishedPackage } from "../knowledge/published.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import type { Need } from "../builds/build.ts";
import { releasesWithBuilds } from "../solve/search.ts";
import { isIn } from "../builds/specifier.ts";
import { isAmong, labelledFramework, solveName } from "../model/frameworks.ts";
import type { Installed } from "./install.ts";

/** Requirements of what is installed that what is installed does not meet. */
export function unmetRequirements(
  packages: Map<string, Installed>,
  python: string | undefined,
): { by: Installed; needs: Installed; specifier: string; source: string }[] {
  const unmet: { by: Installed; needs: Installed; specifier: string; source: string }[] = [];
  for (const by of packages.values()) {
    if (by.version === undefined || by.manager === "apt" || by.manager === "conda") continue;
    const all = by.build?.needs() ?? torchNeeds(by) ?? publishedNeeds(by);
    for (const { name, specifier, extra, marker, source } of all) {
      if (extra !== undefined && !by.extras.includes(extra)) continue;
      if (marker && (python === undefined || !marker(python))) continue;
      const needs = packages.get(name);
      if (needs?.version === undefined || needs.manager === "conda") continue;
      if (!isIn(needs.version, specifier.replace(/\+[\w.]+/g, ""))) unmet.push({ by, needs, specifier, source });
    }
  }
  return unmet;
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
