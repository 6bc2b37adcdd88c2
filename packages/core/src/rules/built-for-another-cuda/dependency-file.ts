import { gpuBuilds } from "../../dependency-files/builds.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { fullName, writtenAt } from "../../dependency-files/words.ts";
import { labelIn, type Installation, type Installed } from "../../dependency-files/install.ts";
import { onlyIndex } from "../../dependency-files/labels.ts";
import { dependencyFileSide } from "../rule.ts";
import { companions, labelWords, misfit } from "./labels.ts";
import page from "./page.ts";

export default dependencyFileSide(page, {
  finds: ({ installation }) => {
    const torch = installation.packages.get("torch");
    const build = gpuBuilds(installation).find(({ installed }) => installed === torch)?.build;
    const own = torch?.variant ?? build?.variant;
    if (torch?.manager !== "pip" || own === undefined || !/^(cpu|cu\d+)$/.test(own)) return [];
    return companions.flatMap((name) => {
      const found = installation.packages.get(name);
      const label = /\+(\w+)$/.exec(found?.asked?.specifier ?? "")?.[1] ?? labelOfIndex(found, installation);
      const wrong = found?.manager === "pip" ? misfit(label, own) : undefined;
      if (!found || !wrong) return [];
      return [
        {
          subject: `${name} for torch`,
          place: found.place,
          ...(wrong.isHarmless ? { severity: "info" as const } : {}),
          short: `${name} is built ${labelWords(label!)}, torch ${labelWords(own)}`,
          message: `${name} ${found.version}+${label} is built ${labelWords(label!)}, and ${fullName(torch)} ${labelWords(own)}`,
          because: [wrong.because(name), writtenAt(found), writtenAt(torch)],
          advice: [`ask for both with the label +${own}, from one index`],
          facts: { packages: [installedFact(found, "subject"), installedFact(torch, "asks")] },
          endangers: wrong.isHarmless ? [] : [{ framework: "torch", activity: "device" }],
        },
      ];
    });
  },
});

/** The label that the one index of its command has builds with; a command that no other index serves takes one of those. */
function labelOfIndex(found: Installed | undefined, { named }: Installation): string | undefined {
  const step = found?.asked && found.version !== undefined ? named.find(({ declared }) => declared === found.asked)?.step : undefined;
  const labels = new Set(step && onlyIndex(step) ? step.indexes.map(({ url }) => labelIn(url)) : []);
  return labels.size === 1 ? [...labels][0] : undefined;
}
