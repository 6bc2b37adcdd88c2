import { isIn } from "../../builds/specifier.ts";
import type { InstallContext } from "../../dependency-files/context.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { condaNames, type Installed } from "../../dependency-files/install.ts";
import { frameworkOf, writtenAt } from "../../dependency-files/words.ts";
import { condaDefects, condaSources } from "../../knowledge/conda.ts";
import type { Install } from "../../model/dependency-file.ts";
import { isAmong } from "../../model/frameworks.ts";
import type { CondaDefect } from "../../model/knowledge.ts";
import type { DependencyFileDraft } from "../rule.ts";

/** Builds of conda that let in a release of another package with which they do not work. */
export const ofConda = ({ installation, declaration }: InstallContext): DependencyFileDraft[] =>
  condaDefects().flatMap((defect): DependencyFileDraft[] => {
    // What is made for another system gets other builds.
    if (/(?:^|[/_.-])(?:mac|macos|osx|darwin|win|windows)[_.-]/i.test(declaration.file)) return [];
    const { packages, named } = installation;
    const own = packages.get(`conda:${defect.package}`);
    const step = named.find(({ declared }) => declared.place === own?.place && declared.name === (own?.asked?.name ?? declared.name))?.step;
    const distribution = condaNames[defect.package]!;
    if (!own || !step || !isOpen(own, step, defect) || packages.get(distribution)?.manager === "pip") return [];
    if (named.some(({ declared }) => isAmong(declared.name, defect.unless))) return [];
    return [
      {
        subject: defect.id,
        place: own.place,
        severity: "warning",
        certainty: "likely",
        short: `${defect.package} ${own.version} of the channel ${defect.channel} lets in an MKL that it does not work with`,
        message: `known defect: ${defect.says}`,
        because: [writtenAt(own), `the newest that ${defect.brought} has is taken, as nothing here holds it back`],
        advice: [defect.advice],
        facts: { packages: [installedFact(own, "subject")] },
        endangers: [{ framework: frameworkOf(distribution)!, activity: defect.activity }],
        sources: condaSources(defect),
      },
    ];
  });

/** Whether conda chooses the build and what goes with it, and prefers the channel that has the newest. */
function isOpen({ conda, version, asked }: Installed, { isLocked, channels = [] }: Install, defect: CondaDefect): boolean {
  const isExact = asked?.build !== undefined && !asked.build.includes("*");
  if (isLocked || isExact || conda?.channel !== defect.channel || version === undefined || !isIn(version, defect.versions)) return false;
  const [first, usual] = [channels.indexOf(defect.brought), channels.indexOf("defaults")];
  return 0 <= first && (usual < 0 || first < usual);
}
