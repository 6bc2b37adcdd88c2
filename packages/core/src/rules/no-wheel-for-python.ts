import type { Place } from "../model/finding.ts";
import { publishedPackage } from "../knowledge/published.ts";
import { pythonsOf } from "../builds/build.ts";
import { comparePythonVersions } from "../lib/pep440.ts";
import { spanOf } from "../solve/fit.ts";
import { isIn } from "../builds/specifier.ts";
import { placeWords } from "../lib/place.ts";
import { declaredFact } from "../dependency-files/facts.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";
import { frameworkOf } from "../dependency-files/words.ts";

export default defineDependencyFileRule({
  id: "no-wheel-for-python",
  title: "There is no wheel for this Python",
  cause: "wrong-wheel-platform",
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed" },
  page: {
    what: "A release is asked for that was never built for the Python that it would be installed into.",
    why: "Frameworks are built for the Pythons of their day. A base image, a runtime such as Colab or a `requires-python` moves on, and the pin stays: pip then says “No matching distribution found”, or “is not a supported wheel on this platform” for an address.",
    how: "The Pythons of every release are those of its wheels on PyPI. Packages that pip can compile itself are left out.",
    fix: "Ask for a release that has wheels for this Python, or for another Python.",
    observed: "From the lists of files on PyPI; a few were tried with `pip download --python-version`, which refuses them.",
  },
  finds: ({ declaration, installation, baseName }) => {
    const { python, clashes, named } = installation;
    if (python === undefined) return [];
    const drafts: DependencyFileDraft[] = [];
    // Of packages that belong together, the oldest that has wheels of each would not fit the others.
    const together = (at: Place) => [
      ...new Set(
        clashes
          .filter(({ place }) => place === at)
          .flatMap(({ requirements }) => requirements.flatMap(({ wish }) => ("name" in wish ? wish.name : []))),
      ),
    ];
    for (const { requirements, asked, place } of clashes) {
      const [only, ...others] = requirements.filter(({ wish }) => wish.kind !== "python");
      if (!only || 0 < others.length || only.wish.kind !== "package" || !requirements.some(({ wish }) => wish.kind === "python")) continue;
      const { name, specifier } = only.wish;
      const releases = publishedPackage(name)!.releases;
      const wanted = releases.filter(({ version }) => isIn(version, specifier));
      const pythons = [...new Set(wanted.flatMap((release) => pythonsOf(release)))];
      const served = releases.filter((release) => pythonsOf(release).includes(python));
      const declared = asked.get(only);
      const written = [...asked].find(([{ wish }]) => wish.kind === "python")?.[1];
      const framework = frameworkOf(name);
      drafts.push({
        subject: `${only.text} on Python ${python}`,
        place: declared?.place ?? place,
        short: `${only.text} has no wheel for Python ${python}`,
        message: pythons.includes(python)
          ? `${only.text} cannot be installed on Python ${python}: what it needs has no wheel there`
          : `${only.text} has no wheel for Python ${python}`,
        because: [
          `${name} ${wanted.length === 1 ? wanted[0]!.version : `${wanted[0]!.version} to ${wanted.at(-1)!.version}`} has wheels for Python ${spanOf(pythons)}`,
          ...(written
            ? [`Python ${python} is chosen at ${placeWords(written.place)}`]
            : baseName === undefined
              ? []
              : [`${baseName} has Python ${python}`]),
        ],
        advice:
          served.length === 0
            ? []
            : [
                `ask for ${name} ${served.length === 1 ? served[0]!.version : `${served[0]!.version} to ${served.at(-1)!.version}`}, which ${served.length === 1 ? "has" : "have"} wheels for Python ${python}${0 < pythons.length && !pythons.includes(python) && declaration.format !== "notebook" ? `; or take Python ${pythons.toSorted(comparePythonVersions).at(-1)}` : ""}`,
                ...(1 < together(place).length
                  ? [{ words: "which go together", command: ["culprit", "solve", ...together(place), "--python-version", python] }]
                  : declaration.format === "notebook"
                    ? [
                        {
                          words: `if the code takes a newer ${name}, this cell fixes it`,
                          command: ["%pip", "install", `${name}==${served[0]!.version}`],
                          scope: "install" as const,
                        },
                      ]
                    : []),
              ],
        facts: { packages: [{ role: "subject", name, ...(specifier === "" ? {} : { wants: specifier }) }] },
        breaks: framework === undefined ? [] : [{ framework, activity: "import" }],
        sources: [`the files of ${name} on PyPI`],
      });
    }
    for (const { declared } of named)
      if (declared.python !== undefined && declared.python !== python && frameworkOf(declared.name) !== undefined)
        drafts.push({
          subject: `${declared.name} on Python ${python}`,
          place: declared.place,
          short: `the wheel is for Python ${declared.python}, not ${python}`,
          message: `The wheel of ${declared.name} at ${placeWords(declared.place)} is for Python ${declared.python}, and Python ${python} would install it`,
          because: [`the name of the wheel says so: ${declared.url ?? declared.text}`],
          advice: [`name the wheel for Python ${python}, or use Python ${declared.python}`],
          facts: { packages: [declaredFact(declared, "subject")] },
          breaks: [{ framework: frameworkOf(declared.name)!, activity: "import" }],
        });
    return drafts;
  },
});
