import { fileFact } from "../diagnose/facts.ts";
import { pipAdvice } from "../diagnose/pip.ts";
import type { Run, Stack, Stop } from "../diagnose/stack.ts";
import { stopName } from "../diagnose/words.ts";
import { releaseFitting } from "../knowledge/published.ts";
import { demangled } from "../lib/demangle.ts";
import { nameOf } from "../lib/path.ts";
import type { PythonPackage } from "../model/environment.ts";
import type { Advice } from "../model/finding.ts";
import { namesOf } from "../model/frameworks.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "built-for-another-release",
  title: "A package was built for another release of what it is linked with",
  cause: "library-wrong-version",
  severity: "error",
  notOn: { "dependency-file": "which symbols a file asks for is seen when it is there; before, its pins are judged" },
  page: {
    what: "An extension module asks a framework's own libraries (libtorch, libc10, libtensorflow_framework) or the interpreter for a symbol that the installed release does not have.",
    why: "C++ interfaces change with every release: torchvision, torchaudio, vLLM, xformers or flash-attn are built for one torch. pip can put another one beside it: with `--no-deps`, one after the other, or for a wheel that names no release. The loader refuses the module with `undefined symbol`.",
    how: "Every undefined symbol of the module is looked for in all that the process has loaded by then, as the loader would, and the one is named at which it stops.",
    fix: "Install the release of the package that was built for the installed framework; where it has no wheel for it, build it again.",
    observed:
      "Seen with torchaudio 2.3.1 and 2.6.0, torchvision 0.21.0 and vLLM 0.8.5 on torch 2.5.1: the same symbol as the real loader's; those built for 2.5.1, and torchvision 0.19.1, load.",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    const by = run.programs.find(({ id }) => id === stop.program)?.package;
    if (failed.reason !== "undefined-symbol" || failed.file !== undefined || !by || !failed.requestedBy.startsWith(`${by.folder}/`))
      return undefined;
    const file = nameOf(failed.requestedBy);
    const symbol = demangled(failed.name);
    const isOfPython = /^_?Py[A-Z_]/.test(failed.name);
    const upon = isOfPython ? undefined : providerIn(run, stop);
    const [name, version] = upon
      ? [upon.name, ` ${upon.version}`]
      : isOfPython
        ? ["Python", ` ${run.environment?.version}`]
        : ["library", ""];
    return {
      specificity: 3,
      subject: failed.requestedBy,
      short: `it was built for another ${name}`,
      message: `${stopName(run, stop)}: ${file} was built for another ${name}: ${upon || isOfPython ? `${name}${version}` : "nothing that is loaded"} has no ${symbol}`,
      because: [failed.message, `every object that is loaded by then was asked for it`],
      evidence: [],
      facts: { copies: [fileFact(stack, failed.requestedBy, "other")] },
      advice: adviceFor(stack, run, by, upon),
    };
  },
});

/** The framework that it stands upon, as it is installed. */
function providerIn({ programs, environment }: Run, { program }: Stop): PythonPackage | undefined {
  const ids = programs.find(({ id }) => id === program)?.upon ?? [];
  const linked = ids.filter((id) => namesOf(id)?.provides);
  return environment?.packages.find(({ name }) => (0 < linked.length ? linked : ids).some((id) => namesOf(id)?.packages.includes(name)));
}

function adviceFor({ requirements }: Stack, { environment }: Run, by: PythonPackage, upon: PythonPackage | undefined): Advice[] {
  if (!upon) return [{ words: `install a build of ${by.name} for this Python` }];
  const fitting = environment && releaseFitting(by.name, upon, environment.version);
  if (fitting !== undefined)
    return [
      pipAdvice(
        environment,
        `install the ${by.name} that was built for ${upon.name} ${upon.version}`,
        "install",
        `${by.name}==${fitting}`,
        `${upon.name}==${upon.version}`,
      ),
    ];
  // Its own metadata says for which one each of its releases was built.
  if (environment && requirements.some((each) => each.by.name === by.name && each.needs.name === upon.name))
    return [
      pipAdvice(
        environment,
        `install both together, ${by.name} without a version: the newest that was built for ${upon.name} ${upon.version} is chosen`,
        "install",
        `${upon.name}==${upon.version}`,
        by.name,
      ),
    ];
  return [
    {
      words: `install the release of ${by.name} that was built for ${upon.name} ${upon.version}, or the ${upon.name} that ${by.name} ${by.version} was built for; its release notes say which`,
    },
  ];
}
