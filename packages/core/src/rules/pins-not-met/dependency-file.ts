import { comparePythonVersions, parsePythonVersion } from "../../lib/pep440.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import type { Installed } from "../../dependency-files/install.ts";
import { compiledApart, compiledBefore } from "../../dependency-files/compiled-before.ts";
import { unmetRequirements, type Unmet } from "../../dependency-files/unmet.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { publishedPackage } from "../../knowledge/published.ts";
import { parseRequirement } from "../../lib/pep508.ts";
import type { PublishedRelease } from "../../model/knowledge.ts";
import { pythonsOf } from "../../builds/build.ts";
import { isIn, plainly } from "../../builds/specifier.ts";
import type { Declaration } from "../../model/dependency-file.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";
import { allNames, frameworkNamed, isAmong } from "../../model/frameworks.ts";

export default dependencyFileSide(page, {
  finds: (context) => {
    const { declaration, installation, before } = context;
    const isThere = declaration.steps.some((step) => step.kind === "install" && step.isThere);
    const already = new Set(before ? unmetRequirements(before.packages, before.python).map(keyOf) : []);
    // What an image had, and a notebook never imports, may break quietly.
    const isUsed = ({ by, isUnseen }: Unmet) =>
      (0 < by.step && (!isUnseen || by.asked !== undefined)) ||
      declaration.format !== "notebook" ||
      declaration.steps.some((step) => step.kind === "import" && step.module === frameworkOf(by.name));
    const alone = new Set(declaration.steps.flatMap((step) => (step.kind === "install" && step.noDependencies ? step.packages : [])));
    const isAlone = ({ asked }: Installed) => asked !== undefined && alone.has(asked);
    return [...unmetRequirements(installation.packages, installation.python), ...compiledBefore(context), ...compiledApart(context)]
      .filter(
        (unmet) =>
          // What is installed brings what it needs; a later installation may take it away again.
          (isThere || unmet.isUnseen || unmet.by.step < unmet.needs.step || isAlone(unmet.by)) &&
          isUsed(unmet) &&
          !installation.failed.has(unmet.by.step) &&
          !installation.failed.has(unmet.needs.step) &&
          !already.has(keyOf(unmet)) &&
          (unmet.madeFor !== undefined || isGrave(unmet.needs.name, unmet.needs.version!, unmet.specifier)),
      )
      .map((unmet) => draftOf(context, unmet, isThere));
  },
});

function draftOf({ declaration, installation, baseName }: InstallContext, unmet: Unmet, isThere: boolean): DependencyFileDraft {
  const { by, needs, specifier, source, isRefused } = unmet;
  const framework = unmet.user ?? frameworkOf(by.name);
  // Who is built for another one in the same list is the line to change.
  const later = by.step < needs.step || (by.step === needs.step && unmet.cure === undefined) ? needs : by;
  const origin = (each: Installed) =>
    each.step === 0
      ? `${fullName(each)} is in ${baseName ?? "the base image"}`
      : each.asked
        ? writtenAt(each)
        : `${fullName(each)} comes with the installation at line ${each.place.line}`;
  const asks = `${needs.name}${plainly(specifier)}`;
  const activity = framework === undefined ? undefined : activityOf(framework, needs, specifier);
  return {
    subject: `${needs.name} for ${by.name}`,
    place: later.step === 0 ? by.place : later.place,
    ...(isRefused ? {} : { severity: "warning" as const }),
    short: `${by.name} needs ${asks}, not ${needs.version}`,
    message: isRefused
      ? `${fullName(by)} refuses ${fullName(needs)} when it is ${unmet.user === undefined ? "imported" : "loaded"}: it ${unmet.madeFor === undefined ? "is newer" : `asks for ${needs.name}${plainly(specifier)}`}`
      : `${fullName(by)} needs ${asks}, and ${fullName(needs)} ${isThere ? "is" : "would be"} there`,
    because: [origin(by), origin(needs), ...(isThere ? [] : [whyNotSeen(unmet)])],
    advice: adviceFor(declaration, installation.python, unmet),
    facts: { packages: [{ ...installedFact(needs, "install"), wants: specifier }, installedFact(by, "asks")] },
    ...(framework === undefined || activity === undefined
      ? {}
      : isRefused
        ? { breaks: [{ framework, activity: "import" }] }
        : {
            endangers: [
              { framework, activity: isAmong(needs.name, frameworkNamed(framework)?.parts) && unmet.isUnseen ? "device" : activity },
            ],
          }),
    sources: [source],
  };
}

const whyNotSeen = ({ by, needs, isUnseen, isRefused, madeFor }: Unmet): string => {
  if (madeFor !== undefined) return `${madeFor}; pip compares nothing here`;
  return isRefused
    ? `the metadata of ${fullName(by)} does not say so, and pip leaves ${needs.name} as it is`
    : isUnseen
      ? `extras of ${by.name} ask for it; who names ${needs.name} alone is not told by pip`
      : "pip installs one after the other, warns and goes on";
};

function adviceFor(declaration: Declaration, python: string | undefined, unmet: Unmet): DependencyFileDraft["advice"] {
  const { by, needs, specifier, isRefused, extras = [] } = unmet;
  if (unmet.cure !== undefined) return [unmet.cure];
  if (unmet.madeFor !== undefined) return [otherWay(unmet, python)];
  const releases = publishedPackage(needs.name)?.releases ?? [];
  const fitting = releases.findLast(
    (release) => isIn(release.version, specifier) && (python === undefined || pythonsOf(release).includes(python)),
  );
  if (isRefused && !fitting && 0 < releases.length)
    return [
      `ask for a newer ${by.name}: no ${needs.name} that ${by.version} takes ${python === undefined ? "is known" : `has a wheel for Python ${python}`}`,
    ];
  const wanted = isRefused && fitting ? `==${fitting.version}` : plainly(specifier);
  // jax-cuda12-plugin is what the extra cuda12 brings.
  const extra = extras.find((each) => needs.name.split("-").includes(each));
  const whole = extra === undefined ? undefined : `${by.name}[${extra}]==${by.version}`;
  if (declaration.format === "notebook")
    return [{ words: "this cell fixes it", command: ["%pip", "install", whole ?? `${needs.name}${wanted}`], scope: "install" }];
  if (isRefused) return [`ask for ${needs.name}${wanted}, or for a newer ${by.name}`];
  if (whole !== undefined) return [`ask for ${needs.name}${wanted}, or in its place for ${whole}, which brings it`];
  return needs.asked && needs.asked.specifier !== ""
    ? [`ask for ${needs.name}${wanted}, or leave ${needs.asked.text} out: ${by.name} brings what it needs`]
    : [`install both at once, so that pip chooses what fits; or ask for ${needs.name}${wanted}`];
}

/** Another release of what is there, or of what was made for one. */
function otherWay({ by, needs, specifier }: Unmet, python: string | undefined): string {
  const framework = frameworkNamed(needs.name);
  const made = framework?.madeFor?.find((each) => each.package === by.name);
  const serves = (release: PublishedRelease) => python === undefined || pythonsOf(release).includes(python);
  const fits = ({ requires = [] }: PublishedRelease) =>
    requires.some((text) => {
      const read = parseRequirement(text);
      return (
        !("problem" in read) &&
        framework?.packages.includes(read.name) === true &&
        text.includes(`extra == "${made?.extra}"`) &&
        isIn(needs.version!, read.specifier)
      );
    });
  const other = publishedPackage(by.name)?.releases.findLast((release) => serves(release) && fits(release));
  const change = `ask for ${needs.name}${plainly(specifier)}`;
  return other ? `ask for ${by.name}==${other.version}, which is made for ${needs.name} ${needs.version}; or ${change}` : change;
}

const majorIn = (text: string) => parsePythonVersion(text)?.release[0];

/** torch is linked against libcudnn.so.MAJOR, the others open it when it is needed; a cuDNN of its own major is found by that name. */
function activityOf(framework: string, { name, version = "" }: Installed, specifier: string): string {
  if (!name.includes("cudnn")) return "import";
  const wanted = /[=>]=?\s*(\d[\w.]*)/.exec(specifier)?.[1];
  return framework === "torch" && wanted !== undefined && majorIn(wanted) !== majorIn(version) ? "import" : "convolution";
}

const keyOf = ({ by, needs }: { by: { name: string; version?: string }; needs: { name: string; version?: string } }) =>
  `${by.name} ${by.version} ${needs.name} ${needs.version}`;

/** Older, of another major, or of a package that fits one release only; a little newer does no harm. */
function isGrave(name: string, version: string, specifier: string): boolean {
  if (isAmong(name, allNames("exact"))) return true;
  if (!/^(nvidia-|numpy$)/.test(name)) return false;
  const bounds = [...specifier.matchAll(/(==|~=|>=|>|<=|<)([^,]+?)(?:\.\*)?(?=,|$)/g)];
  const major = (text: string) => parsePythonVersion(text)?.release[0];
  return bounds.some(([, operator, bound]) =>
    operator!.startsWith("<")
      ? major(bound!)! < major(version)!
      : comparePythonVersions(version, bound!) < 0 || major(bound!) !== major(version),
  );
}
