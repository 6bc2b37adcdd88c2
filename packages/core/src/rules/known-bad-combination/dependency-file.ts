import { knownBadCombinations, sourcesOfCombination } from "../../knowledge/known-bad.ts";
import { isWithin } from "../../lib/pep440.ts";
import type { KnownBadCombination } from "../../model/knowledge.ts";
import { gpuBuilds } from "../../dependency-files/builds.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { gpuFactOf } from "../../dependency-files/device.ts";
import { installedFact, lastWritten } from "../../dependency-files/facts.ts";
import type { Installed } from "../../dependency-files/install.ts";
import { isMostlySpared, sparedWords } from "../../dependency-files/by-python.ts";
import { installedNamed } from "../../dependency-files/install.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { dependencyFileSide } from "../rule.ts";
import { ofConda } from "./of-conda.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: (context) => [
    ...ofConda(context),
    ...knownBadCombinations().flatMap((combination) => {
      // What a new environment has by itself, no file says.
      if (combination.absent !== undefined) return [];
      const found = membersOf(context, combination);
      // What an image or Colab has by itself is not what this file says.
      const [first, ...rest] = found?.members ?? [];
      const last = first && lastWritten([first, ...rest]);
      if (!found || !last || last.step === 0) return [];
      if (mayBeHeld(context, found.members) || isMostlySpared(context.installation, found.members, combination)) return [];
      return [
        {
          subject: combination.id,
          place: last.place,
          severity: combination.severity,
          certainty: "likely" as const,
          short: `known defect: ${combination.says.split(/: |; |, and /)[0]}`,
          message: `known defect: ${combination.says}`,
          because: [
            ...found.members.map(writtenAt),
            ...sparedWords(context.installation, found.members, combination),
            "the defect is of the release, not of the installation",
          ],
          evidence: [...found.members.map(fullName), ...found.gpus.map(({ name }) => `GPU: ${name}`)],
          advice: [combination.advice],
          facts: { packages: found.members.map((each) => installedFact(each, "subject")), gpus: found.gpus.map(gpuFactOf) },
          endangers: found.frameworks.map((framework) => ({ framework, activity: combination.activity })),
          sources: sourcesOfCombination(combination),
        },
      ];
    }),
  ],
});

/** Colab and images of whole stacks have many packages that their tags do not tell: pip leaves those where any release will do. */
const mayBeHeld = ({ image, baseName }: InstallContext, members: Installed[]): boolean =>
  (baseName !== undefined || image?.kind === "ngc" || image?.kind === "other") &&
  members.some(({ step, isAssumed }) => 0 < step && isAssumed);

/** Which wheels a library comes with. */
const wheelsOf: { [library: string]: RegExp } = {
  cudnn: /^nvidia-cudnn-cu\d+$/,
  cublaslt: /^nvidia-cublas(?:-cu\d+)?$/,
  nccl: /^nvidia-nccl-cu\d+$/,
};

/** The packages that make it apply, and the frameworks that use them; undefined where it does not. */
function membersOf(
  { installation, gpus: asked }: InstallContext,
  { packages = {}, libraries = {}, gpus, architectures, suffers }: KnownBadCombination,
) {
  const isBad = (each: Installed, specifier: string, version = each.version) =>
    version !== undefined && each.manager !== "apt" && isWithin(version, specifier) === true;
  // A wheel counts once more behind the release of its library: 9.10.0.56.
  const releaseOf = ({ version }: Installed) => version?.split(".").slice(0, 3).join(".");
  const builds = gpuBuilds(installation).filter(({ installed }) => installed.manager === "pip");
  const members: Installed[] = [];
  for (const [name, specifier] of Object.entries(packages)) {
    const found = installedNamed(installation, name);
    if (!found || !isBad(found, specifier)) return undefined;
    members.push(found);
  }
  // A wheel that a framework asks for is what it loads; others may lie there unused.
  const needed = new Set(builds.flatMap(({ build }) => build.needs().map(({ name }) => name)));
  for (const [library, specifier] of Object.entries(libraries)) {
    const found = [...installation.packages.values()].find(
      (each) => wheelsOf[library]?.test(each.name) && needed.has(each.name) && isBad(each, specifier, releaseOf(each)),
    );
    if (!found) return undefined;
    members.push(found);
  }
  const there = asked.filter(({ sm }) => architectures === undefined || architectures.includes(sm));
  if ((gpus !== undefined || architectures !== undefined) && there.length < (gpus ?? 1)) return undefined;
  const names = new Set(members.map(({ name }) => name));
  if (suffers !== undefined) return { members, frameworks: [suffers], gpus: [] };
  const users = builds.filter(({ installed, build }) => names.has(installed.name) || build.needs().some(({ name }) => names.has(name)));
  const frameworks = [...new Set(users.map(({ framework }) => framework))];
  return frameworks.length === 0
    ? undefined
    : { members, frameworks, gpus: gpus === undefined && architectures === undefined ? [] : there };
}
