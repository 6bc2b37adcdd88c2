import type { Advice, Place } from "../model/finding.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { pythonsOf } from "../builds/build.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { normalName } from "../lib/pep508.ts";
import { spanOf } from "../solve/fit.ts";
import { isIn } from "../builds/specifier.ts";
import { placeWords } from "../lib/place.ts";
import { declaredFact } from "../dependency-files/facts.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";
import { frameworkOf } from "../dependency-files/words.ts";
import type { InstallContext } from "../dependency-files/context.ts";
import type { Clash } from "../dependency-files/install.ts";

export default defineDependencyFileRule({
  id: "no-wheel-for-python",
  title: "There is no wheel for this Python",
  cause: "wrong-wheel-platform",
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed" },
  page: {
    what: "A release is asked for that was never built for the Python that it would be installed into.",
    why: "Frameworks are built for the Pythons of their day. A base image, a runtime such as Colab or a `requires-python` moves on, and the pin stays: pip then says “No matching distribution found”, or “is not a supported wheel on this platform” for an address.",
    how: "The Pythons of every release are those of its wheels on PyPI. Packages that pip can compile itself are left out. Of a range (`requires-python`, Poetry's `python`) it is an error where no Python that it lets in has a wheel; where uv or Poetry install, a note where the release itself refuses some of them, because both lock for all.",
    fix: "Ask for a release that has wheels for this Python, or for another Python.",
    observed:
      "From the lists of files on PyPI; a few were tried with `pip download --python-version`, which refuses them, and ranges with `uv lock`.",
  },
  finds: (context) => {
    const { python, range, clashes } = context.installation;
    if (python === undefined && !range) return [];
    return [...clashes.flatMap((clash) => refused(context, clash)), ...otherWheels(context), ...lockedForAll(context)];
  },
});

/** `Python 3.13`, `Python >=3.13`. */
const pythonWords = ({ installation: { python, range } }: InstallContext): string => `Python ${python ?? range!.text}`;

const pythonsIn = ({ installation: { python, range } }: InstallContext): string[] => (python === undefined ? range!.pythons : [python]);

/** One package alone that no Python which may be there has a wheel for. */
function refused(context: InstallContext, { requirements, asked, place }: Clash): DependencyFileDraft[] {
  const [only, ...others] = requirements.filter(({ wish }) => wish.kind !== "python");
  if (!only || 0 < others.length || only.wish.kind !== "package" || !requirements.some(({ wish }) => wish.kind === "python")) return [];
  const { name, specifier } = only.wish;
  const words = pythonWords(context);
  const wanted = publishedPackage(name)!.releases.filter(({ version }) => isIn(version, specifier));
  const pythons = [...new Set(wanted.flatMap((release) => pythonsOf(release)))];
  const isServed = pythonsIn(context).some((python) => pythons.includes(python));
  const declared = asked.get(only);
  const written = [...asked].find(([{ wish }]) => wish.kind === "python")?.[1];
  const framework = frameworkOf(name);
  return [
    {
      subject: `${only.text} on ${words}`,
      place: declared?.place ?? place,
      short: isServed ? `what ${only.text} needs has no wheel for ${words}` : `${only.text} has no wheel for ${words}`,
      message: isServed
        ? `${only.text} cannot be installed on ${words}: what it needs has no wheel there`
        : `${only.text} has no wheel for ${words}`,
      because: [
        `${name} ${spanOfReleases(wanted)} has wheels for Python ${spanOf(pythons)}`,
        ...(written
          ? [`${words} is chosen at ${placeWords(written.place)}`]
          : context.baseName === undefined
            ? []
            : [`${context.baseName} has ${words}`]),
      ],
      // Wheels of its own tell nothing where those of others are missing.
      advice: isServed ? [otherRelease(name, pythonsIn(context))] : adviceFor(context, name, pythons, place),
      facts: { packages: [{ role: "subject", name, ...(specifier === "" ? {} : { wants: specifier }) }] },
      breaks: framework === undefined ? [] : [{ framework, activity: "import" }],
      sources: [`the files of ${name} on PyPI`],
    },
  ];
}

const otherRelease = (name: string, pythons: string[]): Advice => ({
  words: "see which releases can be installed there",
  command: ["culprit", "solve", name, "--python-version", pythons[0]!],
});

const spanOfReleases = (releases: { version: string }[]): string =>
  releases.length === 1 ? releases[0]!.version : `${releases[0]!.version} to ${releases.at(-1)!.version}`;

/** Other releases for this Python, or the Pythons that have wheels of this one. */
function adviceFor(context: InstallContext, name: string, pythons: string[], at: Place): DependencyFileDraft["advice"] {
  const { declaration, installation } = context;
  const there = pythonsIn(context);
  const served = publishedPackage(name)!.releases.filter((release) => pythonsOf(release).some((python) => there.includes(python)));
  const newest = pythons.toSorted(comparePythonVersions).at(-1);
  const isNotebook = declaration.format === "notebook";
  if (served.length === 0) {
    const none = `no release of ${name} has wheels for ${pythonWords(context)}`;
    return newest === undefined || isNotebook ? [] : [`take Python ${newest}: ${none}`];
  }
  // Of packages that belong together, the oldest that has wheels of each would not fit the others.
  const together = new Set(
    installation.clashes
      .filter(({ place }) => place === at)
      .flatMap(({ requirements }) => requirements.flatMap(({ wish }) => ("name" in wish ? wish.name : []))),
  );
  const other =
    newest === undefined || isNotebook
      ? ""
      : installation.python === undefined
        ? `; or let Python ${newest} in`
        : `; or take Python ${newest}`;
  const first = `ask for ${name} ${spanOfReleases(served)}, which ${served.length === 1 ? "has" : "have"} wheels for ${pythonWords(context)}${other}`;
  if (1 < together.size) {
    const python = there.findLast((each) => served.some((release) => pythonsOf(release).includes(each)))!;
    return [first, { words: "which go together", command: ["culprit", "solve", ...together, "--python-version", python] }];
  }
  if (!isNotebook) return [first];
  const command = ["%pip", "install", `${name}==${served[0]!.version}`];
  return [first, { words: `if the code takes a newer ${name}, this cell fixes it`, command, scope: "install" }];
}

/** A wheel that is named by its address, for another Python. */
function otherWheels({ installation: { python, named } }: InstallContext): DependencyFileDraft[] {
  if (python === undefined) return [];
  return named.flatMap(({ declared }): DependencyFileDraft[] => {
    const framework = frameworkOf(declared.name);
    if (declared.python === undefined || declared.python === python || framework === undefined) return [];
    return [
      {
        subject: `${declared.name} on Python ${python}`,
        place: declared.place,
        short: `the wheel is for Python ${declared.python}, not ${python}`,
        message: `The wheel of ${declared.name} at ${placeWords(declared.place)} is for Python ${declared.python}, and Python ${python} would install it`,
        because: [`the name of the wheel says so: ${declared.url ?? declared.text}`],
        advice: [`name the wheel for Python ${python}, or use Python ${declared.python}`],
        facts: { packages: [declaredFact(declared, "subject")] },
        breaks: [{ framework, activity: "import" }],
      },
    ];
  });
}

/** uv and Poetry choose for every Python that the project lets in; pip for the one that is there. */
function lockedForAll({ installation: { range, named } }: InstallContext): DependencyFileDraft<"info">[] {
  if (!range) return [];
  const lowest = range.pythons.at(-1)!;
  return named.flatMap(({ declared, step }): DependencyFileDraft<"info">[] => {
    const tool = step.by === "uv" ? "uv lock" : step.by === "poetry" ? "Poetry" : undefined;
    const name = normalName(declared.name);
    const pinned = /^==([^*,+]+)$/.exec(declared.specifier)?.[1];
    const release = pinned === undefined ? undefined : publishedPackage(name)?.releases.find(({ version }) => version === pinned);
    if (tool === undefined || step.isLocked || declared.marker !== undefined || release?.python === undefined) return [];
    // Only what it says itself counts: that a wheel is missing is found out when it is installed.
    if (isIn(`${lowest}.99`, release.python) || !range.pythons.some((python) => isIn(`${python}.99`, release.python!))) return [];
    return [
      {
        subject: `${declared.text} on Python ${lowest}`,
        place: declared.place,
        severity: "info",
        short: `${declared.text} does not take Python ${lowest}`,
        message: `${declared.text} does not take Python ${lowest}, which the project lets in: ${tool} refuses it`,
        because: [
          `${name} ${release.version} requires Python ${release.python}`,
          `Python ${range.text} is written at ${placeWords(range.place)}`,
        ],
        advice: [`raise the lower bound of the project's Python to what ${name} takes`],
        facts: { packages: [declaredFact(declared, "subject")] },
        sources: [`the metadata of ${name} ${release.version} on PyPI`],
      },
    ];
  });
}
