import { normalName } from "../lib/pep508.ts";
import type { DeclaredPackage } from "../model/dependency-file.ts";
import type { Place } from "../model/finding.ts";
import { isIn } from "../builds/specifier.ts";
import { placeWords } from "../lib/place.ts";
import { declaredFact } from "../dependency-files/facts.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";
import { frameworkOf } from "../dependency-files/words.ts";
import { allNames } from "../model/frameworks.ts";

export default defineDependencyFileRule({
  id: "restart-needed",
  title: "A package is installed after it was imported",
  cause: "package-conflict",
  severity: "warning",
  notOn: { machines: "only a notebook shows what is imported before what is installed" },
  page: {
    what: "A notebook imports a framework, and a later cell installs another release of it, without a restart in between.",
    why: "A running Python keeps the code and the libraries that it has. The new files lie on the disk and the old ones in memory: what is imported later may be of the new release, and the two do not fit.",
    how: "The cells in their order: an import of torch, tensorflow, jax, cupy or onnxruntime, then an installation of the same package that would change it, then no restart that code does.",
    fix: "Install in the first cell, or restart the runtime after the installation: Runtime, Restart session on Colab.",
    observed: "By how CPython imports modules; not watched on Colab itself.",
  },
  finds: ({ declaration, installation, before }) => {
    if (declaration.format !== "notebook") return [];
    const imported = new Map<string, Place>();
    const drafts: DependencyFileDraft<"info">[] = [];
    for (const step of declaration.steps) {
      if (step.kind === "restart") imported.clear();
      else if (step.kind === "import" && !imported.has(step.module)) imported.set(step.module, step.place);
      else if (step.kind === "install" && step.manager === "pip" && ![...installation.failed.values()].includes(step))
        for (const declared of step.packages) {
          const name = normalName(declared.name);
          const framework = frameworkOf(name);
          const module = framework === undefined || allNames("companions").includes(name) ? undefined : framework;
          const at = module === undefined ? undefined : imported.get(module);
          if (!at || !changes(declared, before?.packages.get(name)?.version, step.upgrades)) continue;
          drafts.push({
            subject: name,
            place: declared.place,
            certainty: "likely",
            short: `${declared.text} comes after the import of ${module}`,
            message: `${declared.text} is installed after ${module} was imported at ${placeWords(at)}: the running Python keeps the old one`,
            because: ["modules and libraries that are loaded stay as they are until Python starts again"],
            advice: [
              "install it before the first import, or restart the runtime after it; this cell does: `import os; os.kill(os.getpid(), 9)`",
            ],
            facts: { packages: [declaredFact(declared, "subject")] },
            endangers: [{ framework: framework!, activity: "import" }],
          });
        }
    }
    return drafts;
  },
});

// What is asked for without a version is there, or the import would have failed.
const changes = ({ specifier, url }: DeclaredPackage, there: string | undefined, upgrades = false) =>
  url !== undefined ||
  upgrades ||
  (/^==[^*,]+$/.test(specifier) && (there === undefined || !isIn(there, specifier.replace(/\+[\w.]+/g, ""))));
