import { pipAdvice } from "../diagnose/pip.ts";
import { packagesInPlaceOf } from "../knowledge/packages.ts";
import { libraryOf } from "../knowledge/libraries.ts";
import { nameOf } from "../lib/path.ts";
import type { Draft } from "../model/finding.ts";
import { defineMachineRule } from "./rule.ts";
import { variableFact } from "../diagnose/facts.ts";
import type { Stack } from "../diagnose/stack.ts";
import { pythonPathAdvice, variableWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "wheel-files-missing",
  absence: true,
  title: "A package is installed, but its files are gone",
  cause: "library-missing",
  severity: "error",
  notOn: { "dependency-file": "whether a file is whole is seen on the disk only" },
  page: {
    what: "The metadata of a package says that libraries were installed, and they are not there. `pip list` and `pip check` see nothing wrong.",
    why: "Two packages that own the same paths (the cu12 and cu13 wheels of cuDNN do): removing one takes the other's files with it. Slimmed images and cleaned caches do the same.",
    how: "Every line of the package's RECORD that names a library is compared with the disk.",
    fix: "Install that very version of the package again: `pip install --force-reinstall --no-deps NAME==VERSION`.",
    observed: "On an H200 with the cuDNN wheel's folder moved away; with real wheels from PyPI, one of two that overlap removed.",
  },
  blames(stack, stop, run) {
    const { failure } = stop;
    const failed = failure.underlying ?? failure;
    const wanted = failure.refusal && "library" in failure.refusal ? failure.refusal.library : undefined;
    const prefix = run.environment?.prefix;
    for (const missing of stack.inventory.missing.filter(({ environment }) => environment === prefix)) {
      const isIt = missing.files.some(
        (file) => nameOf(file) === nameOf(failed.name) || (wanted !== undefined && libraryOf(file)?.id === wanted),
      );
      if (isIt) return { ...draftOf(stack, missing), specificity: 4 };
    }
    return undefined;
  },
  finds: (stack) => stack.inventory.missing.map((missing) => ({ ...draftOf(stack, missing), severity: "warning" as const })),
});

function draftOf(stack: Stack, missing: Stack["inventory"]["missing"][number]): Draft {
  const { package: name, version, environment, pythonPath, files } = missing;
  const own = stack.environments.find(({ prefix }) => prefix === environment);
  // One file alone was not taken along by another package.
  const siblings = 1 < files.length ? packagesInPlaceOf(name) : [];
  return {
    subject: `${name} in ${pythonPath ?? environment}`,
    short: `files of ${name} ${version} are gone`,
    message: `${name} ${version} is installed in ${pythonPath ?? environment}, but ${files.length === 1 ? "a library" : `${files.length} libraries`} of it ${files.length === 1 ? "is" : "are"} gone`,
    because: [
      "its RECORD lists files that are not on the disk; pip does not notice",
      ...(pythonPath === undefined ? [] : [variableWords(stack, "PYTHONPATH")]),
      ...(siblings.length === 0
        ? []
        : [
            `${siblings.join(" and ")} ${siblings.length === 1 ? "fills" : "fill"} the same folder: whoever uninstalls one of them takes these files along`,
          ]),
    ],
    evidence: [...files.slice(0, 4), ...(4 < files.length ? [`and ${files.length - 4} more`] : [])],
    advice:
      pythonPath === undefined
        ? [pipAdvice(own, `install ${name} again`, "install", "--force-reinstall", "--no-deps", `${name}==${version}`)]
        : pythonPathAdvice(stack, [pythonPath]),
    facts: {
      packages: [{ role: pythonPath === undefined ? "reinstall" : "subject", name, version, environment, files }],
      ...(pythonPath === undefined ? {} : { variables: [variableFact(stack, "PYTHONPATH", [pythonPath])] }),
    },
  };
}
