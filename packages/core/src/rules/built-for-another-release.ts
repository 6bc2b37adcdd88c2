import { pipAdvice } from "../diagnose/pip.ts";
import { packageFact } from "../diagnose/facts.ts";
import type { Run } from "../diagnose/stack.ts";
import { builtForWords, lacksSymbolOf } from "../diagnose/built-for.ts";
import { madeForTorch, torchMeantBy } from "../knowledge/built-for-torch.ts";
import { publishedPackage, releaseFitting } from "../knowledge/published.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import type { Advice } from "../model/finding.ts";
import { indexOfLabel } from "../model/frameworks.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "built-for-another-release",
  title: "A package was built for another release of what it stands upon",
  cause: "package-conflict",
  severity: "error",
  notOn: { "dependency-file": "for which release a package was built is in its files, where its metadata do not say so" },
  page: {
    what: "A package with compiled code for torch (or another framework) does not work with the release that is installed beside it.",
    why: "C++ has no stable interface between releases of torch: functions get other names, and the keys by which operators are registered other numbers. A wheel fits the release that it was built for, and what was built here fits what was installed on that day. Nothing in its metadata says so, and pip cannot know.",
    how: "Its libraries are opened on paper behind the framework's own, and every symbol is looked for. Where all are there, the numbers of the keys in both releases are compared.",
    fix: "Install the release that was made for this torch, or build it again.",
    observed:
      "With torch 2.5.1: torchcodec 0.2.1 and 0.9.1 lack symbols, torchcodec 0.0.3 is loaded and its operators are registered for nobody. flash-attn has no wheels on PyPI; its layout was built in small.",
  },
  blames(_stack, stop, run) {
    const upon = lacksSymbolOf(run, stop);
    const asker = run.programs.find(({ id }) => id === stop.program)?.package;
    if (!upon || !asker) return undefined;
    const meant = torchMeantBy(asker.name, asker.version);
    const fitting = fittingOf(run, asker, upon.package);
    return {
      specificity: 3,
      subject: `${asker.name} in ${run.environment?.prefix ?? ""}`,
      short: `${asker.name} ${asker.version} was built for another ${upon.package.name} than ${upon.package.version}`,
      message: `${asker.name} ${asker.version} does not fit ${upon.package.name} ${upon.package.version}: ${nameOf(upon.object)} was built for another release`,
      because: [...(meant === undefined ? [] : [`it was made for ${upon.package.name} ${meant}`]), ...builtForWords(stop, upon)],
      evidence: [upon.failure.message],
      advice: [fitting === undefined ? again(run, asker, upon.package) : install(run, asker, fitting, upon.package)],
      facts: {
        packages: [
          packageFact(run, upon.package, "asks"),
          ...(fitting === undefined ? [] : [{ ...packageFact(run, asker, "install"), wants: `==${fitting}` }]),
        ],
      },
    };
  },
});

function fittingOf({ environment }: Run, { name }: PythonPackage, upon: PythonPackage): string | undefined {
  return releaseFitting(name, upon, environment?.version ?? "") ?? (upon.name === "torch" ? madeForTorch(name, upon.version) : undefined);
}

function install({ environment }: Run, { name }: PythonPackage, version: string, upon: PythonPackage): Advice {
  const index = indexOfLabel(upon.name, upon.version);
  const from = index === undefined ? [] : ["--extra-index-url", index];
  return pipAdvice(
    environment,
    `install the ${name} that was made for ${upon.name} ${upon.version}`,
    "install",
    ...from,
    `${name}==${version}`,
  );
}

/** What has no wheels is compiled when it is installed, for what is there then. */
const again = ({ environment }: Run, { name, version }: PythonPackage, upon: PythonPackage): Advice =>
  publishedPackage(name)
    ? { words: `install the ${name} that was made for ${upon.name} ${upon.version}` }
    : pipAdvice(
        environment,
        `build it again for ${upon.name} ${upon.version}, or take a release that was made for it`,
        "install",
        "--force-reinstall",
        "--no-deps",
        "--no-cache-dir",
        "--no-build-isolation",
        `${name}==${version.replace(/\+.*/, "")}`,
      );
