import { explainConflict } from "../solve/conflict.ts";
import type { Preferences } from "../solve/search.ts";
import { defineDependencyFileRule } from "./rule.ts";
import { placeWords } from "../lib/place.ts";
import { condaNames, type Installation } from "../dependency-files/install.ts";
import { emptyIndex } from "../dependency-files/labels.ts";
import { frameworkOf } from "../dependency-files/words.ts";

// The few that are left are quick to explain.
const withoutBudget = ({ budget: _budget, ...rest }: Preferences): Preferences => rest;

export default defineDependencyFileRule({
  id: "requirements-clash",
  title: "Requirements that cannot be met together",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed; what was installed one after the other has pins-not-met" },
  page: {
    what: "A file asks for versions of packages that exclude each other: no choice of the others makes them fit.",
    why: "Each line was right when it was written. A framework pins the libraries of NVIDIA that it was built with, often to the last digit; a line that pins one of them to another release, or a second framework that needs another, leaves nothing to choose.",
    how: "What PyPI says that each release requires is solved as pip would, for Linux on x86-64. When there is no answer, requirements are left out one by one until none can be spared: those are named, each with what it says and where it is written. A requirement that lets in releases which are older than those known here is never blamed.",
    fix: "Change one of the lines that are named; what would be possible without each of them is said. Or give each framework an environment of its own.",
    observed: "Of 204 random sets of pins, `uv pip compile` refused all but one of those that are refused here.",
  },
  finds: ({ installation }) =>
    installation.clashes.flatMap((clash) => {
      const packages = clash.requirements.filter(({ wish }) => wish.kind !== "python");
      const python = clash.requirements.find(({ wish }) => wish.kind === "python");
      // One package that has no wheel for the Python has a rule of its own; so has one that its index does not have.
      if (packages.length === 0 || (packages.length === 1 && python) || emptyIndex(clash)) return [];
      const { python: given } = installation;
      const preferences = { ...withoutBudget(clash.preferences), ...(given === undefined ? {} : { python: given }) };
      const conflict = explainConflict(clash.requirements, preferences, {
        always: python ? [] : clash.pythons,
        others: [...clash.asked.keys()],
      });
      const blamed = clash.requirements.map((requirement) => ({ requirement, declared: clash.asked.get(requirement) }));
      const last = blamed.findLast(({ declared, requirement }) => declared && requirement.wish.kind !== "python");
      const where = (text: string) => {
        const found = blamed.find(({ requirement }) => requirement.text === text)?.declared;
        return found ? ` (${placeWords(found.place)})` : "";
      };
      const texts = packages.map(({ text }) => text);
      const frameworks = [...new Set(packages.flatMap(({ wish }) => ("name" in wish ? (frameworkOf(wish.name) ?? []) : [])))];
      return [
        {
          subject: texts.join(" and "),
          place: last?.declared?.place ?? clash.place,
          // Metadata of conda's own builds ask for less than those of PyPI: pip may go on, and replace what they need.
          certainty: conflict.certainty === "certain" && hasCondaFramework(installation) ? "likely" : conflict.certainty,
          message:
            texts.length === 1
              ? `${texts[0]} cannot be installed`
              : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)} cannot go together${python ? ` on ${python.text}` : ""}`,
          because: conflict.requirements.map(({ requirement, says }) => `${requirement}${where(requirement)}: ${says}`),
          advice: conflict.ways.map(({ without, possible }) => `drop or change ${without}; this fits then: ${possible}`),
          facts: {
            packages: packages.flatMap(({ wish }) => ("name" in wish ? [{ role: "conflicts" as const, name: wish.name }] : [])),
          },
          breaks: frameworks.map((framework) => ({ framework, activity: "import" })),
          sources: [...new Set(conflict.requirements.flatMap(({ sources }) => sources))],
        },
      ];
    }),
});

/** Whether conda has a framework there, which pip takes as it is. */
const hasCondaFramework = ({ packages }: Installation): boolean =>
  [...packages.values()].some(({ manager, name }) => manager === "conda" && Object.hasOwn(condaNames, name));
