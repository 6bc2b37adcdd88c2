import { activityOfPackage } from "../../diagnose/activity-of-package.ts";
import { needsOf } from "../../builds/build.ts";
import { publishedPackage } from "../../knowledge/published.ts";
import { packagesInPlaceOf } from "../../knowledge/packages.ts";
import { isIn } from "../../builds/specifier.ts";
import { installedFact } from "../../dependency-files/facts.ts";
import { condaNames, type Installed } from "../../dependency-files/install.ts";
import { dependencyFileSide, type DependencyFileDraft } from "../rule.ts";
import page from "./page.ts";
import { frameworkOf, fullName, writtenAt } from "../../dependency-files/words.ts";
import { hasNoGpuCode, inSameFolder } from "../../model/frameworks.ts";

export default dependencyFileSide(page, {
  finds: ({ installation: { packages }, before }) => {
    const all = [...packages.values()].filter(({ manager }) => manager === "pip" || manager === "image");
    const named = new Map<string, [index: number, each: Installed][]>();
    for (const [index, each] of all.entries()) named.set(each.name, [...(named.get(each.name) ?? []), [index, each]]);
    const wasThere = (one: Installed, other: Installed) => one.step === 0 && other.step === 0 && before !== undefined;
    const drafts: DependencyFileDraft[] = [];
    const libraries: [Installed, Installed][] = [];
    for (const [index, one] of all.entries())
      // Each pair once, in the order of the installation.
      for (const [at, other] of rivalNames(one.name)
        .flatMap((name) => named.get(name) ?? [])
        .sort(([a], [b]) => a - b)) {
        if (at <= index || !areRivals(one, other) || wasThere(one, other)) continue;
        if (one.name.startsWith("nvidia-")) libraries.push([one, other]);
        // Who puts another build over that of an image means it.
        else if (0 < one.step && 0 < other.step) drafts.push(builds(one, other));
      }
    for (const each of packages.values()) {
      const other = each.manager === "conda" ? packages.get(condaNames[each.name] ?? "") : undefined;
      if (other?.manager === "pip" && other.version !== undefined && each.asked && isReplaced(each, other))
        drafts.push(replaced(each, other));
    }
    const missed = libraries.filter((pair) => isMissed(pair, all));
    return missed[0] ? [...drafts, copies(missed[0], missed, all)] : drafts;
  },
});

/** pip has another release than conda was told to take; or a pin of another one than conda takes where it is left the choice. */
const isReplaced = (conda: Installed, pip: Installed): boolean =>
  !isIn(pip.version!, conda.asked!.specifier) ||
  (conda.version !== undefined && conda.version !== pip.version && pip.asked !== undefined && !pip.isAssumed);

const replaced = (conda: Installed, pip: Installed): DependencyFileDraft => ({
  subject: `${conda.name} of conda and ${pip.name} of pip`,
  place: pip.place,
  severity: "warning",
  certainty: "likely",
  short: `${pip.name} of pip takes the place of conda's`,
  message: `${fullName(pip)} of pip takes the place of ${conda.asked!.text} of conda: conda goes on to believe that its own is there`,
  because: [
    `${writtenAt(conda)}, ${writtenAt(pip)}`,
    "pip installs after conda, into the same folder; the libraries that conda brought for its own stay beside",
  ],
  advice: ["ask for it once: from conda, or from pip"],
  facts: { packages: [installedFact(conda, "conflicts"), installedFact(pip, "conflicts")] },
  endangers: [{ framework: frameworkOf(pip.name)!, activity: "import" }],
});

function builds(one: Installed, other: Installed): DependencyFileDraft {
  const [first, second] = [one, other].sort((a, b) => (a.name < b.name ? -1 : 1)) as [Installed, Installed];
  const later = one.step <= other.step ? other : one;
  const poor = [one, other].find(({ name }) => hasNoGpuCode(name));
  const affected = [{ framework: frameworkOf(one.name)!, activity: "device" }];
  return {
    subject: `${first.name} and ${second.name}`,
    place: later.place,
    ...(poor ? {} : { severity: "warning" as const }),
    certainty: "likely",
    short: `${first.name} and ${second.name} overwrite each other`,
    message: `${fullName(first)} and ${fullName(second)} fill the same folder: only what is unpacked last is there`,
    because: [`${writtenAt(first)}, ${writtenAt(second)}`, ...(poor ? [`if ${poor.name} comes last, the GPU is silently not used`] : [])],
    advice: [
      "ask for one of them only",
      {
        words: "where both are installed already, remove them, then install the one",
        command: ["pip", "uninstall", "-y", first.name, second.name],
        scope: "install",
      },
    ],
    facts: { packages: [installedFact(first, "conflicts"), installedFact(second, "conflicts")] },
    ...(poor ? { breaks: affected } : { endangers: affected }),
  };
}

const askersOf = (library: Installed, all: Installed[]) => all.filter((each) => needsOfInstalled(each).includes(library.name));

/** What it asks for by name; of what an image has, whichever of its extras does. */
function needsOfInstalled({ name, version, build, manager }: Installed): string[] {
  if (build) return build.needs().map((need) => need.name);
  const release = manager === "image" ? publishedPackage(name)?.releases.find((each) => each.version === version) : undefined;
  return release ? needsOf(name, release).map((need) => need.name) : [];
}

/** Of two that come one after the other the later one is whole: where nobody asks for the other any more, nothing is lost. */
function isMissed([one, other]: [Installed, Installed], all: Installed[]): boolean {
  if (one.step === other.step) return true;
  const early = one.step < other.step ? one : other;
  return early.asked !== undefined || 0 < askersOf(early, all).length;
}

function copies([one, other]: [Installed, Installed], pairs: [Installed, Installed][], all: Installed[]): DependencyFileDraft {
  const askers = (library: Installed) => (library.asked ? [] : askersOf(library, all).map((each) => writtenAt(each)));
  // Who asks for what is unpacked last gets it.
  const lost = one.step === other.step ? [one, other] : [one.step < other.step ? one : other];
  const frameworks = [...new Set(lost.flatMap((library) => askersOf(library, all).flatMap(({ name }) => frameworkOf(name) ?? [])))];
  const origin = (library: Installed) => {
    const [asker] = askers(library);
    return asker === undefined ? writtenAt(library) : `${fullName(library)} comes with ${asker}`;
  };
  const names = pairs.map(([a, b]) => `${a.name} and ${b.name}`);
  return {
    subject: names[0]!,
    place: (one.step <= other.step ? other : one).place,
    severity: "warning",
    certainty: "likely",
    short: `${one.name} and ${other.name} overwrite each other`,
    message: `${fullName(one)} and ${fullName(other)} fill the same folder${names.length === 1 ? "" : `, and so do ${names.slice(1).join(", ")}`}: only what is unpacked last is there`,
    because: [origin(one), origin(other), "both have files of the same names for two CUDAs; pip keeps no track of that"],
    facts: { packages: [...new Set(pairs.flat())].map((each) => installedFact(each, "conflicts")) },
    advice: ["ask for builds for one CUDA only, or give each framework an environment of its own"],
    endangers: frameworks.sort().map((framework) => ({ framework, activity: activityOfPackage(one.name) })),
  };
}

/** Of thousands of packages few have a rival: those are looked up by name. */
const rivalNames = (name: string): string[] => (name.startsWith("nvidia-") ? packagesInPlaceOf(name) : inSameFolder(name));

function areRivals(one: Installed, other: Installed): boolean {
  if (one.name === other.name) return false;
  // Builds of one framework under several names; whichever pip unpacks last is there.
  if (inSameFolder(one.name).includes(other.name)) {
    // tensorflow and tensorflow-gpu of one release are the same files.
    const isTwin = [one.name, other.name].sort().join() === "tensorflow,tensorflow-gpu";
    return !isTwin || (one.version !== undefined && other.version !== undefined && one.version !== other.version);
  }
  if (!one.name.startsWith("nvidia-") || !packagesInPlaceOf(one.name).includes(other.name)) return false;
  // cuDNN 8 and 9 have other names of files.
  const majors = [one, other].map(({ version }) => version?.split(".")[0]);
  return !one.name.includes("cudnn") || majors[0] === majors[1];
}
