import { declaredFact } from "../dependency-files/facts.ts";
import { labelIn } from "../dependency-files/install.ts";
import { frameworkOf } from "../dependency-files/words.ts";
import { noSuchPackage, noSuchPackageSources } from "../knowledge/no-such-packages.ts";
import { normalName } from "../lib/pep508.ts";
import type { Install } from "../model/dependency-file.ts";
import type { NoSuchPackage } from "../model/knowledge.ts";
import { defineDependencyFileRule, type DependencyFileDraft } from "./rule.ts";

export default defineDependencyFileRule({
  id: "no-such-package",
  title: "A name that PyPI does not have",
  cause: "package-conflict",
  severity: "error",
  notOn: { machines: "it is refused, so it is never installed" },
  page: {
    what: "pip is asked for a package that PyPI does not have, or has only as a note that it is the wrong one: `python`, `cudatoolkit`, `cudnn`, `pytorch-cuda`, `pytorch`.",
    why: "Lists for pip are often made from an environment of conda, which calls packages by other names, and has some that pip has no counterpart of. pip stops at the first of them, and installs nothing of the list.",
    how: "The names of packages in what pip or uv are told to install, where no index is named but PyPI and PyTorch's own. Each name was asked for on PyPI.",
    fix: "Take the line out, or ask for what PyPI has in its place: `torch` for `pytorch`, `nvidia-cudnn-cu12` for `cudnn`. What torch and others need of CUDA they bring along.",
    observed: "pip and uv say that there is no such package; of `pytorch` the setup raises an error.",
  },
  finds: ({ installation: { named } }) => {
    const told = new Set<string>();
    return named.flatMap(({ declared, step }): DependencyFileDraft[] => {
      const name = normalName(declared.name);
      const row = noSuchPackage(name);
      if (!row || declared.url !== undefined || declared.index !== undefined || !isOfPypi(step) || told.has(name)) return [];
      told.add(name);
      const framework = frameworkOf(row.instead ?? name);
      return [
        {
          subject: name,
          place: declared.place,
          certainty: "likely",
          short: row.isStub ? `${name} of PyPI only says that it is the wrong name` : `PyPI has no package ${name}`,
          message: row.isStub
            ? `${declared.text} cannot be installed: ${name} of PyPI is no package, and only says that it is called ${row.instead}`
            : `${declared.text} cannot be installed: PyPI has no package ${name}`,
          because: ["pip stops there, and installs nothing of what is asked for with it", ...whose(row)],
          advice: [instead(row)],
          facts: { packages: [declaredFact(declared, "subject")] },
          breaks: framework === undefined ? [] : [{ framework, activity: "import" }],
          sources: noSuchPackageSources(row),
        },
      ];
    });
  },
});

/** What is taken from PyPI, a mirror of it, or from PyTorch's own index; another may have a package of that name. */
const isOfPypi = ({ manager, isLocked, isThere, indexes, links }: Install): boolean =>
  manager === "pip" &&
  !isLocked &&
  !isThere &&
  [...indexes.map(({ url }) => url), ...links].every(
    (url) => labelIn(url) !== undefined || /pypi\.org|pypi\.python\.org|mirrors?\.|tuna|aliyun|douban/.test(url),
  );

const whose = ({ why }: NoSuchPackage): string[] => (why === undefined ? ["conda has packages under names that pip does not know"] : []);

function instead({ name, instead: other, why }: NoSuchPackage): string {
  if (other !== undefined) return `ask for ${other} in the place of ${name}, or take the line out where another package brings it`;
  return `take ${name} out: ${why ?? "what pip installs brings its own CUDA"}`;
}
