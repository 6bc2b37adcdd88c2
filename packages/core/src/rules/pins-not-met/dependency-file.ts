import { comparePythonVersions, parsePythonVersion } from "../../lib/pep440.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import type { Installed } from "../../dependency-files/install.ts";
import { unmetRequirements } from "../../dependency-files/unmet.ts";
import { dependencyFileSide } from "../rule.ts";
import page from "./page.ts";
import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";
import { allNames, isAmong } from "../../model/frameworks.ts";

export default dependencyFileSide(page, {
  finds: ({ declaration, installation, before, baseName }) => {
    const isThere = declaration.steps.some((step) => step.kind === "install" && step.isThere);
    const already = new Set(before ? unmetRequirements(before.packages, before.python).map(keyOf) : []);
    // What an image had, and a notebook never imports, may break quietly.
    const isUsed = (by: Installed) =>
      0 < by.step ||
      declaration.format !== "notebook" ||
      declaration.steps.some((step) => step.kind === "import" && step.module === frameworkOf(by.name));
    const alone = new Set(declaration.steps.flatMap((step) => (step.kind === "install" && step.noDependencies ? step.packages : [])));
    const isAlone = ({ asked }: Installed) => asked !== undefined && alone.has(asked);
    return unmetRequirements(installation.packages, installation.python)
      .filter(
        (unmet) =>
          // What is installed brings what it needs; a later installation may take it away again.
          (isThere || unmet.by.step < unmet.needs.step || isAlone(unmet.by)) &&
          isUsed(unmet.by) &&
          !installation.failed.has(unmet.by.step) &&
          !installation.failed.has(unmet.needs.step) &&
          !already.has(keyOf(unmet)) &&
          isGrave(unmet.needs.name, unmet.needs.version!, unmet.specifier),
      )
      .map(({ by, needs, specifier, source }) => {
        const framework = frameworkOf(by.name);
        const later = by.step <= needs.step ? needs : by;
        const origin = (each: typeof by) =>
          each.step === 0
            ? `${fullName(each)} is in ${baseName ?? "the base image"}`
            : each.asked
              ? writtenAt(each)
              : `${fullName(each)} comes with the installation at line ${each.place.line}`;
        return {
          subject: `${needs.name} for ${by.name}`,
          place: later.place,
          severity: "warning" as const,
          short: `${by.name} needs ${needs.name}${specifier}, not ${needs.version}`,
          message: `${fullName(by)} needs ${needs.name}${specifier}, and ${fullName(needs)} ${isThere ? "is" : "would be"} there`,
          because: [origin(by), origin(needs), ...(isThere ? [] : ["pip installs one after the other, warns and goes on"])],
          advice: [
            declaration.format === "notebook"
              ? { words: "this cell fixes it", command: ["%pip", "install", `${needs.name}${specifier}`], scope: "install" as const }
              : needs.asked && needs.asked.specifier !== ""
                ? `ask for ${needs.name}${specifier}, or leave ${needs.asked.text} out: ${by.name} brings what it needs`
                : `install both at once, so that pip chooses what fits; or ask for ${needs.name}${specifier}`,
          ],
          facts: { packages: [{ ...installedFact(needs, "install"), wants: specifier }, installedFact(by, "asks")] },
          endangers: framework === undefined ? [] : [{ framework, activity: activityOf(framework, needs, specifier) }],
          sources: [source],
        };
      });
  },
});

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
