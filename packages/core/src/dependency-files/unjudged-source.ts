// What is built from a repository or an archive: which release it is, and what it asks for, stands in no index.
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { lightlyAsked } from "../knowledge/light-packages.ts";
import { isOfFramework, publishedPackage } from "../knowledge/published.ts";
import { isUnrelated } from "../knowledge/unrelated.ts";
import { isIn } from "../builds/specifier.ts";
import { frameworkBuilds } from "../frameworks/builds.generated.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import { isAmong } from "../model/frameworks.ts";
import type { Check } from "../model/check.ts";
import type { Finding, Place } from "../model/finding.ts";
import type { Install } from "../model/dependency-file.ts";
import type { InstallContext } from "./context.ts";
import { compilesWithCuda } from "./image-compiler.ts";
import type { Installation } from "./install.ts";
import { isForNone } from "./install.ts";
import { compiledFrom, isSource, sourceNames } from "./source.ts";
import { frameworkOf } from "./words.ts";

type Unjudged = Check["unknown"][number];

interface Source {
  /** As the file declares it; absent: only its address tells. */
  name?: string;
  url: string;
  place: Place;
  step: Install;
  isFolder?: true;
}

/** Sources that may decide something, each with its line; and the names of those of which nothing is known, where no framework is. */
export function unjudgedSources(context: InstallContext, findings: Finding[]): { open: Unjudged[]; plain: string[] } {
  const open: Unjudged[] = [];
  const plain: string[] = [];
  const hasFramework = holdsFramework(context);
  for (const source of sourcesIn(context)) {
    const { name, url, place, isFolder } = source;
    if (findings.some((found) => found.rule === "compiler-missing" && isAt(found, place))) continue;
    const row = isFolder ? undefined : compiledFrom(url);
    const names = name === undefined ? sourceNames(url) : [name];
    const shown = isFolder ? `\`${url}\`` : (row?.name ?? names[0] ?? url);
    if (
      row ? compilesWithCuda(row, source.step, context.declaration.steps, context.image) : !isFolder && isHarmless(source, names, context)
    )
      continue;
    if (!row && !hasFramework && !names.some(hintsAtGpu)) plain.push(shown);
    else
      open.push({
        subject: `${shown} at ${placeWords(place)}`,
        kind: "package",
        reason: row ? compiledHere : isFolder ? inFolder : builtHere,
      });
  }
  return { open, plain };
}

const builtHere = "it is built from its source: which release that is, what it asks for and what it compiles is not known here";
const inFolder = "it lies in a folder that is not seen here: what it asks for and what it compiles is not known";
const compiledHere =
  "it is compiled from its source where it is installed: whether that comes with CUDA, and for which torch, is not known here";

const isAt = ({ place }: Finding, { file, line, cell }: Place) => place?.file === file && place.line === line && place.cell === cell;

function sourcesIn({ declaration: { steps }, installation }: InstallContext): Source[] {
  const named = installation.named.flatMap(({ declared: { name, url, place }, step }): Source[] =>
    step.manager !== "pip" || step.isLocked || step.isThere || url === undefined || !isAddress(url) || isFramework(normalName(name))
      ? []
      : [{ name: normalName(name), url, place, step }],
  );
  const nameless = steps.flatMap((step): Source[] => {
    if (step.kind !== "install" || step.manager !== "pip" || step.isCopied) return [];
    return (step.built ?? []).flatMap(({ url, place, marker, isFolder }) =>
      (isFolder || isSource(url)) && (marker === undefined || !isForNone(marker, installation))
        ? [{ url, place, step, ...(isFolder ? { isFolder } : {}) }]
        : [],
    );
  });
  return [...named, ...nameless];
}

/** An address or a repository; a wheel is no source. */
export const isAddress = (url: string): boolean => /^[a-z]+\+|:\/\//i.test(url) && !/\.whl$/i.test(url.replace(/[?#].*$/, ""));

/** Of these it is told that a release from an address of its own is not known. */
export const isFramework = (name: string): boolean => frameworkBuilds.some(({ distributions }) => isAmong(name, distributions));

const holdsFramework = ({ image, installation: { packages } }: InstallContext): boolean =>
  0 < (image?.packages.length ?? 0) ||
  [...packages.values()].some(({ name, conda }) => conda !== undefined || isOfFramework(name) || frameworkOf(name) !== undefined);

/** Known to ask for nothing that is not there, and to come without binaries of its own. A repository may be called like another package. */
function isHarmless({ name }: Source, names: string[], { installation }: InstallContext): boolean {
  if (name === undefined && names.some(hintsAtGpu)) return false;
  return names.every((each) => isUnrelated(each) || lightlyAsked(each) !== undefined || isMet(each, installation));
}

/** One wheel of its newest release serves every Python, and all that it always asks for of frameworks is there already. */
function isMet(name: string, { packages }: Installation): boolean {
  const newest = publishedPackage(name)?.releases.at(-1);
  if (!newest?.requires || newest.pythons || newest.sdist || isOfFramework(name) || frameworkOf(name) !== undefined || hintsAtGpu(name))
    return false;
  return newest.requires.every((text) => {
    const read = parseRequirement(text);
    if ("problem" in read) return false;
    const asked = normalName(read.name);
    if (!isOfFramework(asked) || /\bextra\b/.test(read.marker ?? "")) return true;
    const there = [...packages.values()].find((each) => each.name === asked);
    return there?.version !== undefined && (read.specifier === "" || isIn(there.version, read.specifier));
  });
}
