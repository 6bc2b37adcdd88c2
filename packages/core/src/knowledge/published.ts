import type { PublishedPackage, RequiredPackage } from "../model/knowledge.ts";
import { memo, once } from "../lib/memo.ts";
import { comparePythonVersions, isWithin } from "../lib/pep440.ts";
import { normalName, parseRequirement } from "../lib/pep508.ts";
import { isAmong, labelledFramework } from "../model/frameworks.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { compareDotted } from "./dotted.ts";
import { numpyTwo } from "./texts/numpy-two.generated.ts";
import { packages } from "./texts/packages.generated.ts";
import { published } from "./texts/published.generated.ts";
import { required } from "./texts/required.generated.ts";
import { wheels } from "./texts/wheels.generated.ts";

const byName = once(() => new Map<string, PublishedPackage>(published().packages.map((row) => [row.name, row])));

const upon = once(() => new Map<string, RequiredPackage>(required().packages.map((row) => [row.name, row])));

// More than the packages of knowledge/.
const mostPackages = 2000;

const spelledOut = memo(mostPackages, (name: string): PublishedPackage | undefined => {
  const row = upon().get(name);
  return row && { ...row, releases: row.releases.flatMap(({ versions, ...rest }) => versions.map((version) => ({ version, ...rest }))) };
});

/** Whether it is a framework, or a library of one; NumPy is neither. */
export const isOfFramework = (name: string): boolean => byName().has(name) && name !== "numpy" && name !== "ml-dtypes";

/** Whether it is known only for what it requires: no framework, and no library of one. */
export const isUponFrameworks = (name: string): boolean => !byName().has(name) && upon().has(name);

/** What PyPI has of a package, oldest release first: of frameworks and their libraries, and of packages upon them. */
export const publishedPackage = (name: string): PublishedPackage | undefined => byName().get(name) ?? spelledOut(name);

/** Whether a release of it was made for some releases of a framework, or of a library, and no others. */
export const holdsFrameworks = memo(1000, (name: string): boolean =>
  (publishedPackage(name)?.releases ?? []).some(({ requires = [] }) =>
    requires.some((text) => {
      const read = parseRequirement(text);
      return !("problem" in read) && /==|~=|</.test(read.specifier) && isOfFramework(normalName(read.name));
    }),
  ),
);

const isFrameworkItself = (name: string) => frameworkNames.some((names) => isAmong(name, names.packages));

/** The release that a pre-release led to: what it asks for is taken to be the same. Of frameworks themselves that goes for candidates alone. */
export function finalOf(name: string, version: string): string | undefined {
  const [, base] = /^(\d+(?:\.\d+)*)\.?(?:a|b|rc|dev|alpha|beta|pre)\.?\d*(?:\.dev\d+)?$/.exec(version) ?? [];
  const isEarly = labelledFramework(name) !== undefined || (isFrameworkItself(name) && !/rc\.?\d*$/.test(version));
  const releases = base === undefined || isEarly ? [] : (publishedPackage(name)?.releases ?? []);
  if (releases.some((each) => each.version === version)) return undefined;
  return releases.find((each) => comparePythonVersions(each.version, base!) === 0)?.version;
}

const publicPart = (version: string) => version.split("+")[0]!;

/** What a release asks for, as PEP 508 writes it; undefined where nobody has looked. Of a build with a label, what all builds share is known. */
export function requiresOf(name: string, version: string): string[] | undefined {
  if (version.includes("+") && labelledFramework(name)) return undefined;
  return publishedPackage(name)?.releases.find((release) => release.version === publicPart(version))?.requires;
}

/** The newest release of a package that was built for what is there of another one, in the same build where one index holds both. */
export function releaseFitting(
  name: string,
  there: { name: string; version: string },
  python: string,
  counts: (name: string, specifier: string) => boolean = () => true,
): string | undefined {
  const fits = (text: string) => {
    const read = parseRequirement(text);
    if ("problem" in read || normalName(read.name) !== there.name || read.specifier === "") return false;
    return counts(there.name, read.specifier) && isWithin(publicPart(there.version), read.specifier) === true;
  };
  const found = publishedPackage(name)?.releases.findLast(
    ({ pythons, requires = [] }) => (pythons?.includes(python) ?? true) && requires.some(fits),
  )?.version;
  const label = /\+(?:cu\d+|cpu)$/.exec(there.version)?.[0] ?? "";
  const sharesIndex = frameworkNames.some(({ labelled }) => isAmong(name, labelled?.holds) && isAmong(there.name, labelled?.holds));
  return found === undefined ? undefined : `${found}${sharesIndex ? label : ""}`;
}

/** The newest version that is known to be there and that a specifier allows; else the one that it names itself. */
export function versionWithin(name: string, specifier: string): string | undefined {
  const published = publishedPackage(name)?.releases.map(({ version }) => version) ?? [];
  const harvested = wheels().wheels.flatMap((wheel) => (wheel.package === name ? [wheel.version] : []));
  const fitting = (versions: string[]) =>
    versions.filter((version) => isWithin(version, specifier) === true).sort((a, b) => comparePythonVersions(b, a))[0];
  const named = [...specifier.matchAll(/(?:===?|>=|<=|~=)\s*([\w.+!-]+?)(?:\.\*)?(?=\s*(?:,|$))/g)].map(([, version]) => version!);
  return fitting([...published, ...harvested]) ?? fitting(named);
}

/** When PyPI was last looked at. */
export const publishedDay = () => published().packages.reduce((newest, { checked }) => (newest < checked ? checked : newest), "");

/** Releases that hold nothing, though they sort above real ones. */
export const placeholdersOf = (name: string): string[] =>
  packages().packages.find((row) => row.ecosystem === "pypi" && row.name === name)?.placeholders ?? [];

/** Whether a version is one that was given out: `2.2.2`, `2.2.2+cu121`; not `2.2.0a0+81ea7a4`, which somebody built. */
export const isPublicRelease = (version: string): boolean => /^\d+(?:\.\d+)*(?:\+(?:cu\d+|cpu))?$/.test(version);

/** The first release that was built for NumPy 2, where this one was not; `isEnd`: its import ends beside that. */
export function needsNumpyOne(name: string, version: string): { first: string; isEnd: boolean; source: string } | undefined {
  const { packages: rows, sources } = numpyTwo();
  const row = rows.find((each) => each.name === name);
  const plain = version.replace(/\.?[^\d.].*$/, "");
  if (!row || compareDotted(row.first, plain) <= 0) return undefined;
  const isEnd = row.ends !== undefined && compareDotted(row.ends, plain) <= 0;
  return { first: row.first, isEnd, source: [row.source].flat().map((key) => sources[key]!)[0]! };
}

/** The first NumPy without a name that it once had: `row_stack`, 2.5. */
export const numpyWithout = (name: string): string | undefined => numpyTwo().removed.findLast(({ names }) => names.includes(name))?.first;
