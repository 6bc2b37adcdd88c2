// What a file asks for that is not judged: packages that nothing is known of, and releases that are not.
import { hintsAtGpu } from "../knowledge/gpu-hints.ts";
import { finalOf, holdsFrameworks, isUponFrameworks, publishedDay, publishedPackage } from "../knowledge/published.ts";
import { lightlyAsked } from "../knowledge/light-packages.ts";
import { isUnrelated } from "../knowledge/unrelated.ts";
import { torchName } from "../knowledge/built-for-torch.ts";
import { isIn } from "../builds/specifier.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import { placeWords } from "../lib/place.ts";
import type { Check } from "../model/check.ts";
import type { Finding } from "../model/finding.ts";
import type { PublishedRelease } from "../model/knowledge.ts";
import { ofPython } from "./by-python.ts";
import { ofCompiled } from "./compiled-with.ts";
import { cudaUntold } from "./cuda-told.ts";
import { isLabelledForCuda } from "./builds.ts";
import { isForCuda, isForeign, isNeverBuilt, onlyIndex } from "./labels.ts";
import type { DeclaredPackage, Install } from "../model/dependency-file.ts";
import type { InstallContext } from "./context.ts";
import { isAmong, labelledFramework } from "../model/frameworks.ts";
import { isPartOfCuda, isPlainInConda } from "./conda.ts";
import { condaNames, isKnownPackage, keyOf, labelIn, type Installation } from "./install.ts";
import { isLeftToCompat } from "./image-cuda.ts";
import type { BaseImage } from "./images.ts";
import { frameworkOf } from "./words.ts";
import { ofModulePaths } from "./module-paths.ts";
import { otherSystem } from "./other-platform.ts";
import { isAddress, isFramework, unjudgedSources } from "./unjudged-source.ts";
import { openBuilds } from "./conda-judged.ts";

type Unjudged = Check["unknown"][number];

export function unjudgedIn(context: InstallContext, judged: Check["judged"], findings: Finding[]): Unjudged[] {
  const { installation } = context;
  // A release that never was is told as such.
  const absent = new Set(
    findings.flatMap(({ rule, facts }) =>
      rule === "version-not-published" || rule === "no-such-package" ? (facts.packages ?? []).map(({ name }) => name) : [],
    ),
  );
  const found = new Map<string, Unjudged>();
  const unfamiliar = new Set<string>();
  for (const { declared, step } of installation.named) {
    if (step.manager === "conda" && !step.isLocked) {
      const open = ofConda(declared, installation);
      if (open) found.set(open.subject, open);
    }
    if (step.manager !== "pip") continue;
    const name = normalName(declared.name);
    if (absent.has(name) || isToldElsewhere(name, declared, step, judged)) continue;
    const open = ofIndex(name, declared) ?? unresolved(name, declared, step, installation) ?? perhapsOnIndex(name, declared, step);
    if (open) found.set(open.subject, open);
    else if (!isKnownPackage(name) && !isWithoutBinaries(name)) {
      // A build without a GPU says so behind its plus sign.
      if (hintsAtGpu(name) && !/(?:\+|%2B)cpu\b/i.test(declared.url ?? ""))
        found.set(name, { subject: name, kind: "package", reason: untilItIsThere });
      else unfamiliar.add(name);
    }
  }
  const sources = unjudgedSources(context, findings);
  for (const name of sources.plain) unfamiliar.add(name);
  for (const open of [
    ...sources.open,
    ...ofImage(installation),
    ...buildsOf(installation, judged, findings),
    ...openBuilds(context),
    ...ofDriver(context),
    ...ofTag(context),
    ...ofJetsons(context),
    ...ofModules(context),
    ...ofModulePaths(context),
    ...ofPython(context),
    ...ofCompiled(context),
    ...ofOtherSystem(context),
  ])
    found.set(open.subject, open);
  return [...found.values(), ...(unfamiliar.size === 0 ? [] : [aside([...unfamiliar])])];
}

/** What was judged, and what is built from its source: that is told in one place for all, but of frameworks. */
function isToldElsewhere(name: string, { url }: DeclaredPackage, step: Install, judged: Check["judged"]): boolean {
  if (judged.some(({ program }) => program === name) && !publishedPackage(name)) return true;
  return url !== undefined && !step.isLocked && !step.isThere && isAddress(url) && !isFramework(name);
}

/** A package of conda that hints at a GPU and of which no build is known; libraries and tools of CUDA are no programs. */
function ofConda({ name, build }: DeclaredPackage, { packages }: Installation): Unjudged | undefined {
  if (packages.get(keyOf("conda", name))?.conda || Object.hasOwn(condaNames, name)) return undefined;
  // `dgl-cuda11.3` beside a framework for the same CUDA.
  const cuda = /-cuda(\d+\.\d+)$/.exec(name)?.[1];
  if (cuda !== undefined && [...packages.values()].some(({ conda }) => conda?.cuda.join() === cuda)) return undefined;
  // Their recipes (pyg-team/pytorch_scatter, conda/) ask for the pytorch and the CUDA that each build was made for: conda takes one that fits.
  const isBound = /^pytorch-(?:scatter|sparse|cluster|spline-conv)$/.test(name);
  if (isBound && packages.get(keyOf("conda", torchInConda))?.conda) return undefined;
  const isSeen = build !== undefined && !build.includes("*");
  if (
    isSeen ||
    isWithoutBinaries(normalName(name)) ||
    isKnownPackage(normalName(name)) ||
    isPartOfCuda(name) ||
    isPlainInConda(name) ||
    !hintsAtGpu(name)
  )
    return undefined;
  return { subject: name, kind: "package", reason: "which build of it conda would take, and what that asks for, is not known here" };
}

const torchInConda = Object.keys(condaNames).find((name) => condaNames[name] === torchName) ?? torchName;

/** What it asks for is known, and no library of a GPU is among it. */
const isWithoutBinaries = (name: string): boolean => isUnrelated(name) || lightlyAsked(name) !== undefined;

/** What a cluster has under a name: of no matter to a script that installs nothing. */
const ofModules = ({ declaration: { steps }, installation: { named } }: InstallContext): Unjudged[] =>
  steps.flatMap((step) =>
    step.kind === "unseen" && step.open !== undefined && 0 < named.length
      ? [
          {
            subject: `${placeWords(step.place)}${step.place.column === undefined ? "" : `:${step.place.column}`}`,
            kind: "file" as const,
            reason: step.open,
          },
        ]
      : [],
  );

/** A tag of pytorch/pytorch for a CUDA that its PyTorch was never built for. */
function withoutSuchBuild({ name, kind, cuda, packages: [own] }: BaseImage): Unjudged | undefined {
  if (kind !== "pytorch" || own?.variant === undefined || !isNeverBuilt(own.name, own.version!, own.variant)) return undefined;
  return {
    subject: name,
    kind: "package",
    reason: `there is hardly such an image: ${own.name} ${own.version} was not built for CUDA ${cuda}`,
  };
}

/** What the tag of an image of a framework leaves open. */
function ofTag(context: InstallContext): Unjudged[] {
  const {
    image,
    installation: { named },
    isAsked,
    driver,
  } = context;
  if (!image) return [];
  if (isLeftToCompat(context))
    return [{ subject: image.name, kind: "driver", reason: `whether its compat libraries do on driver ${driver} is not known here` }];
  if (image.ngc && !image.ngc.row && isAsked)
    return [{ subject: image.name, kind: "package", reason: "which CUDA this release of the image has is not known here" }];
  const { name, kind, isNewest } = image;
  const without = withoutSuchBuild(image);
  if (without) return [without];
  if (kind === "other" && /^(?:tensorflow\/tensorflow|pytorch\/pytorch)(?::|$)/.test(name))
    return [{ subject: name, kind: "package", reason: "its tag does not tell which release is in it" }];
  if (kind === "other" && 0 < named.length && /(?:^|[/:_-])rocm/.test(name))
    return [{ subject: name, kind: "package", reason: "it is for the GPUs of AMD: nothing of CUDA is in it", aside: true }];
  if (
    kind === "other" &&
    !image.withoutGpu &&
    image.packages.length === 0 &&
    (isAsked || 0 < named.length || isRun(context)) &&
    hintsAtContents(name)
  )
    return [{ subject: name, kind: "package", reason: "what this image brings is not known here" }];
  if (isNewest === undefined) return [];
  return [{ subject: name, kind: "package", reason: `its tag moves on: judged as ${isNewest}, the newest that is known`, aside: true }];
}

/** What a service starts is all that it has; where it asks for a GPU, that is told with its place. A pod without a GPU has none. */
const isRun = ({ declaration: { format, steps } }: InstallContext): boolean =>
  format === "compose" && !steps.some(({ kind }) => kind === "gpu");

// Images for drawing, and tools of clusters, have no framework.
const withoutFrameworks = /^(?:nvcr\.io\/)?nvidia\/(?:opengl|vulkan|k8s\/)/;

/** An image with CUDA or a framework in its name: what is installed upon it would be judged as if nothing were there. */
const hintsAtContents = (name: string): boolean =>
  !withoutFrameworks.test(name) &&
  hintsAtGpu(
    name
      .toLowerCase()
      .replace(/^[^/.]*\.[^/]*\//, "")
      .replace(/[^a-z0-9*]+/g, "-"),
  );

/** What an image has of itself, and keeps. */
const ofImage = ({ packages }: Installation): Unjudged[] =>
  [...packages.values()].flatMap(({ name, version, manager }) =>
    manager !== "image" || version === undefined ? [] : (unknownRelease(name, `==${version}`) ?? []),
  );

/** A framework of which it is not known which release would be there: from an address, or an index that may have anything. */
function unresolved(
  name: string,
  { url, index }: DeclaredPackage,
  step: Install,
  { packages, failed, unknown }: Installation,
): Unjudged | undefined {
  // Where pip would refuse, nothing is installed; and what takes too long to find out is told as such.
  if (!isFramework(name) || 0 < failed.size || 0 < unknown.length || packages.get(name)?.version !== undefined) return undefined;
  if (packages.get(name)?.manager === "image" || !packages.has(name)) return undefined;
  const vendor = otherVendor([...step.indexes.map((each) => each.url), ...step.links, ...(index === undefined ? [] : [index])]);
  if (vendor !== undefined && url === undefined)
    return { subject: name, kind: "package", reason: `it comes for the GPUs of ${vendor}: nothing of CUDA is in it`, aside: true };
  const reason =
    url === undefined
      ? "which release its index has is not known here"
      : "it comes from an address of its own, and which release that is is not known here";
  return { subject: name, kind: "package", reason };
}

/** Whose GPUs the builds of an index are for, where those are not NVIDIA's. */
function otherVendor(urls: string[]): string | undefined {
  const labels = urls.flatMap((url) => labelIn(url) ?? []);
  if (labels.some((label) => /^rocm\d/.test(label))) return "AMD";
  return labels.includes("xpu") ? "Intel" : undefined;
}

/** A framework that is asked for with CUDA, of which no build with CUDA is known: it is not as if none were asked for. */
function buildsOf({ packages }: InstallContext["installation"], judged: Check["judged"], findings: Finding[]): Unjudged[] {
  return [...packages.values()].flatMap(({ name, version, extras, variant, manager }): Unjudged[] => {
    const isMeant =
      extras.some((extra) => extra.includes("cuda")) ||
      (manager === "pip" && isForCuda(variant) && labelledFramework(name) !== undefined) ||
      (manager === "pip" && isLabelledForCuda(name, packages.values()));
    const framework = isMeant ? frameworkOf(name) : undefined;
    if (framework === undefined || version === undefined || judged.some(({ program, cpuOnly }) => program === framework && !cpuOnly))
      return [];
    // That it has none is told.
    if (findings.some(({ rule, subject }) => rule === "cpu-only-build" && subject === name)) return [];
    const reason = isForCuda(variant)
      ? `nothing is known of a build with the label +${variant}`
      : "what its build with CUDA needs is not known here";
    return [{ subject: `${name} ${version}`, kind: "package", reason }];
  });
}

const ofJetsons = ({ jetsons = [], image, installation: { named } }: InstallContext): Unjudged[] =>
  0 < named.length || image !== undefined ? jetsons.map((name) => ({ subject: name, kind: "package", reason: jetsonWords })) : [];

/** Who asks about a driver is not told that all is well with a package whose CUDA nobody knows. */
const ofDriver = ({ driver, isAsked, installation }: InstallContext): Unjudged[] =>
  driver === undefined || !isAsked
    ? []
    : cudaUntold(installation).map(({ name, version }) => ({
        subject: `${name} ${version}`,
        kind: "package",
        reason: `which CUDA it would use is not known here, and so not whether driver ${driver} runs it`,
      }));

const jetsonWords =
  "a Jetson has an arm64 processor, and takes the wheels and containers that NVIDIA makes for its JetPack; known here are packages for x86-64";

const ofOtherSystem = ({ declaration: { steps } }: InstallContext): Unjudged[] =>
  steps.flatMap((step) => {
    const reason = step.kind === "install" && step.manager === "conda" ? otherSystem(step.packages) : undefined;
    return reason === undefined ? [] : [{ subject: step.place.file, kind: "file" as const, reason }];
  });

const untilItIsThere = "what it brings and asks for is not known here; once it is installed, `culprit check` reads its files";

/** Of packages that nothing hints at it is only said that nobody has looked at them. */
const aside = (names: string[]): Unjudged => ({
  subject: names.length === 1 ? names[0]! : `${names.length} packages`,
  kind: "package",
  reason: `not known here, and nothing hints that ${names.length === 1 ? "it matters" : `they matter: ${names.join(", ")}`}`,
  aside: true,
});

/** The only index belongs to a framework, and has some releases of this package: which ones is not known here. */
function perhapsOnIndex(name: string, { url, index, text }: DeclaredPackage, step: Install): Unjudged | undefined {
  const only = step.isLocked || step.isThere || url !== undefined || index !== undefined ? undefined : onlyIndex(step);
  if (!only || !isAmong(name, only.besides) || isAmong(name, [...only.holds, ...only.marks, ...only.varies])) return undefined;
  if (!isUponFrameworks(name) || frameworkOf(name) !== undefined) return undefined;
  return {
    subject: text,
    kind: "package",
    reason: `which releases of it ${only.index} has is not known here, and no other index is asked`,
  };
}

/** `==24.8.*` of a package whose first known release is 24.12, `>=1.0` of one whose newest is 0.1.1. */
function outsideOfKnown(name: string, specifier: string, releases: PublishedRelease[]): Unjudged | undefined {
  const bounds = specifier.replace(/\s/g, "");
  // What is below an upper bound alone may be older than all that is known, and is told where it is pinned.
  if (!/^(?:==[\d.]+\*|(?:>=?|~=)\d[\d.]*)/.test(bounds) || releases.some(({ version }) => isIn(version, specifier))) return undefined;
  const newest = releases.at(-1)!.version;
  const wanted = /\d+(?:\.\d+)*/.exec(bounds)![0];
  const aside = isUponFrameworks(name) && !holdsFrameworks(name) ? { aside: true as const } : {};
  // Nothing that is known can be installed for it: whatever the package decides, this may not be green.
  if (0 < comparePythonVersions(wanted, newest))
    return { subject: `${name}${specifier}`, kind: "release", reason: tooNew(name, newest), newerThan: newest };
  const reason = `nothing is known of such a release; known are ${releases[0]!.version} to ${newest}`;
  return { subject: `${name}${specifier}`, kind: "package", reason, ...aside };
}

const tooNew = (name: string, newest: string): string =>
  `it is newer than what is known here: ${name} up to ${newest}, seen on ${publishedDay()}`;

/** Of what an index has: a build, or a release, that nobody has looked at. */
const ofIndex = (name: string, declared: DeclaredPackage): Unjudged | undefined =>
  declared.url === undefined ? (foreignBuild(name, declared) ?? unknownRelease(name, declared.specifier)) : undefined;

/** A build of a framework, or of what comes with it, that somebody made for himself. */
function foreignBuild(name: string, { specifier }: DeclaredPackage): Unjudged | undefined {
  const [, version, label] = /^===?\s*([^*,+\s]+)\+([\w.]+)$/.exec(specifier) ?? [];
  if (!isForeign(label) || version === undefined || frameworkOf(name) === undefined || finalOf(name, version) !== undefined)
    return undefined;
  const reason = `it is a build of somebody's own: what one with the label +${label} brings and asks for is not known here`;
  return { subject: `${name} ${version}+${label}`, kind: "package", reason };
}

/** A release of a package that is known, which nobody has looked at: one to come, one before the first, one that is no release. */
function unknownRelease(name: string, specifier: string): Unjudged | undefined {
  const releases = publishedPackage(name)?.releases ?? [];
  const newest = releases.at(-1)?.version;
  const pinned = /^===?\s*([^*,\s]+)$/.exec(specifier)?.[1];
  if (newest === undefined) return undefined;
  if (pinned === undefined) return outsideOfKnown(name, specifier, releases);
  const version = pinned.split("+")[0]!;
  const subject = `${name} ${pinned}`;
  const final = finalOf(name, version);
  if (final !== undefined) return { subject, kind: "release", reason: `it is a pre-release of ${final}, and judged as that`, aside: true };
  // Of a package that takes any newer framework, a release that nobody has looked at decides nothing.
  const aside = isUponFrameworks(name) && !holdsFrameworks(name) ? { aside: true as const } : {};
  if (0 < comparePythonVersions(version, newest))
    return {
      subject,
      kind: "release",
      reason: tooNew(name, newest),
      newerThan: newest,
      ...aside,
    };
  if (releases.some((each) => isIn(each.version, `==${version}`))) return undefined;
  return { subject, kind: "package", reason: `nothing is known of this release; known are ${releases[0]!.version} to ${newest}`, ...aside };
}
