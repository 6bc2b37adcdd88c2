import { packageFact } from "../diagnose/facts.ts";
import { pipAdvice } from "../diagnose/pip.ts";
import type { Run, Stop } from "../diagnose/stack.ts";
import { stopName } from "../diagnose/words.ts";
import { normalName } from "../lib/pep508.ts";
import type { Advice } from "../model/finding.ts";
import { frameworkNames } from "../model/framework-names.generated.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "import-fails",
  title: "A package imports a Python module, or a name of one, that is not there",
  cause: "package-conflict",
  severity: "error",
  absence: true,
  notOn: { "dependency-file": "what a package imports is seen when its files are there; before, its requirements are judged" },
  page: {
    what: "The Python code of a package imports a module that no installed package has, or takes a name that the installed release of another package does not have. Packages with GPU binaries are looked at, and those in Python alone that ask for a framework, or for one of these.",
    why: "It was installed without what it asks for (`--no-deps`), a later installation removed or replaced that, or its requirements let a release in that no longer has the module. The import ends with `No module named …`, `cannot import name …` or `module … has no attribute …`, whatever its libraries are like.",
    how: "From the package's `__init__.py` the imports at the left margin are followed, one leading to the next, within the package; and through packages that it imports and that lack something of what they ask for. What a `try` is around is told where its clauses cannot catch the error: pandas for NumPy 1 ends in a ValueError, which `except ImportError` lets through. A package that imports all modules of its own folder (`from . import *` behind a list of its files) is followed into each. What a file takes of modules of others at its margin (`x = jax.core.Primitive(…)`, bases of classes) must be there, too. A module is looked for in every folder of sys.path; a name in the text of its module, and only where nothing there makes names in another way (`__getattr__`, `globals()`); a star is followed into the text that it is of. An error that a file raises at its margin, or in a function that it calls there, for a release of another package (`if numpy_version > (1, 26): raise`, an `assert`, `require_version`) is told where that release is installed, and nothing but releases decides about it. A module that Cython compiled and that an import comes to is searched for the names by which code for NumPy 1 asks NumPy for its functions, where NumPy 2 is installed. Operators of one's own (`torch.library.custom_op`) with parameters of `list[int]` are refused by torch before 2.7, and that is known. Of modules that a package asks for in any case and that are not installed, compiled modules are searched, too: they hold the names of what they import. What functions that an import calls, and blocks at its margin, take of other modules behind conditions is told where releases alone decide; where anything else does, where code that runs before may change what can be imported (sys.path, sys.modules) and where a line of a .pth file may bring the module, it is no finding: the package is unknown, with the reason.",
    fix: "Install what is missing, or the release that has it.",
    observed:
      "With packages upon torch that were installed with `--no-deps` (cumm, spconv, tensordict, torchopt, torchrl), gpu4pyscf beside another CuPy and comfy-kitchen 0.2.40 on torch 2.5.1 and 2.6.0, each really imported. Of 388 packages in five environments it named 8; all 8 imports really fail, 7 of them at the very module that was named.",
  },
  blames(_stack, stop, run) {
    const { failure } = stop;
    if (!["no-module", "no-name", "refused"].includes(failure.reason)) return undefined;
    const by = run.programs.find(({ id }) => id === stop.program)?.package;
    return {
      specificity: 2,
      subject: failure.name,
      short: failure.reason === "no-module" ? `it imports ${failure.name}, which is not installed` : failure.message,
      message: `${stopName(run, stop)} would stop: ${failure.message}`,
      because: [becauseOf(run, stop)],
      evidence: [failure.message],
      advice: adviceFor(run, stop),
      facts: { packages: by ? [packageFact(run, by, "subject")] : [] },
    };
  },
});

function becauseOf({ environment }: Run, { failure }: Stop): string {
  if (failure.supposed) return `${failure.requestedBy} names it`;
  if (failure.reason !== "refused") return `${failure.requestedBy} imports it in any case`;
  const there = environment?.packages.find(({ name }) => name === failure.name);
  return `${failure.requestedBy} ends its own import: ${failure.name} ${there?.version ?? ""} is installed`;
}

function adviceFor(run: Run, stop: Stop): Advice[] {
  const { program, failure } = stop;
  const [top = ""] = failure.name.split(/[.:]/);
  const by = run.programs.find(({ id }) => id === program)?.package;
  if (failure.reason === "no-module") {
    const advice = installing(run, stop, top);
    if (advice) return [advice];
  }
  const asked = failure.reason === "refused" ? failure.wanted?.[0] : undefined;
  if (asked !== undefined)
    return [pipAdvice(run.environment, `install a release of ${top} that ${by?.name ?? program} takes`, "install", asked)];
  return [
    {
      words: `install the release of ${top} that ${by?.name ?? program} ${by?.version ?? ""} was made for, or a release of it for the one that is there`,
    },
  ];
}

/** What to install for a module that is nowhere. */
function installing(run: Run, { program, failure }: Stop, top: string): Advice | undefined {
  const { lacks: own = [], package: by } = run.programs.find(({ id }) => id === program) ?? {};
  // What misses it may be a package on the way, which asks for it.
  const { wanted = own, through } = failure;
  const asker = failure.wanted ? through?.program : by?.name;
  const exact = [...wanted, ...own].find((each) => nameIn(each) === normalName(top));
  if (exact !== undefined) return pipAdvice(run.environment, "install it", "install", exact);
  if (failure.supposed) return pipAdvice(run.environment, `install what ${by?.name} asks for`, "install", top.replaceAll("_", "-"));
  const known = frameworkNames.find(({ modules }) => modules.some((module) => `${failure.name}.`.startsWith(`${module}.`)));
  if (known) return pipAdvice(run.environment, `install it: ${by?.name ?? program} does not ask for it`, "install", known.packages[0]!);
  if (0 < wanted.length) return pipAdvice(run.environment, `install what ${asker} asks for and is missing`, "install", ...wanted);
  return failure.name === top ? { words: `install what brings the module ${top}; ${asker ?? program} does not ask for it` } : undefined;
}

const nameIn = (requirement: string) => normalName(/^[\w.-]+/.exec(requirement)?.[0] ?? "");
