import { fileFact, packageFact } from "../diagnose/facts.ts";
import { pipAdvice } from "../diagnose/pip.ts";
import { builtForWords, isOfPython, isOfStandardLibrary, uponOf } from "../diagnose/built-for.ts";
import type { Run, Stack } from "../diagnose/stack.ts";
import { stopName } from "../diagnose/words.ts";
import { madeForTorch, torchMeantBy } from "../knowledge/built-for-torch.ts";
import { releaseFitting } from "../knowledge/published.ts";
import { demangled } from "../lib/demangle.ts";
import { nameOf } from "../lib/path.ts";
import { isWithin } from "../lib/pep440.ts";
import type { PythonPackage } from "../model/environment.ts";
import type { Advice } from "../model/finding.ts";
import type { Failure } from "../model/loads.ts";
import { indexOfLabel, isBuiltFor } from "../model/frameworks.ts";
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
    how: "Every undefined symbol of the module is looked for in all that the process has loaded by then, as the loader would, and the one is named at which it stops. Where all are there, the numbers are compared that both releases of torch have for the keys by which operators are registered: with other ones they land at another device.",
    fix: "Install the release of the package that was built for the installed framework; where it has no wheel for it, build it again.",
    observed:
      "Seen with torchaudio 2.3.1 and 2.6.0, torchvision 0.21.0 and vLLM 0.8.5 on torch 2.5.1: the same symbol as the real loader's; those built for 2.5.1 load. torchvision 0.19.1, xformers 0.0.27.post2 and torchcodec 0.0.3, which are for 2.4, load, too, and what they have for CUDA is registered for the CPU, what they have for the CPU for nobody (`torch._C._dispatch_dump`).",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    const by = stop.owner ?? run.programs.find(({ id }) => id === stop.program)?.package;
    const upon = uponOf(run, stop);
    const isRefused = stop.failure.refusal?.kind === "built-for";
    const isLacking = failed.reason === "undefined-symbol" && failed.file === undefined;
    if (!by || (!isRefused && (!isLacking || !failed.requestedBy.startsWith(`${by.folder}/`)))) return undefined;
    const object = isRefused ? stop.failure.file! : failed.requestedBy;
    const { name, words } = builtUpon(run, upon, failed);
    const what = isRefused ? `it does not fit ${words}` : `${words} ${demangled(failed.name)}`;
    const meant = torchMeantBy(by.name, by.version);
    const fitting = upon && fittingOf(run, by, upon);
    return {
      specificity: 3,
      subject: object,
      short: `it was built for another ${name}`,
      message: `${stopName(run, stop)}: ${nameOf(object)} was built for another ${name}: ${what}`,
      because: [
        ...(meant === undefined ? [] : [`${by.name} ${by.version} was made for torch ${meant}`]),
        ...(upon && isRefused ? builtForWords(stop, upon) : [failed.message, `every object that is loaded by then was asked for it`]),
      ],
      evidence: isRefused ? [failed.message] : [],
      facts: {
        copies: [fileFact(stack, object, "other")],
        packages: fitting === undefined ? [] : [{ ...packageFact(run, by, "install"), wants: `==${fitting}` }],
      },
      advice: [upon ? adviceFor(stack, run, by, upon, fitting) : adviceWithout(run, by, failed)],
    };
  },
});

/** What it was built for another release of, by its name, and that this lacks something; continues with what. */
function builtUpon(
  { environment }: Run,
  upon: PythonPackage | undefined,
  { name: symbol, linkedWith }: Failure,
): { name: string; words: string } {
  const other = upon ?? (isOfStandardLibrary(symbol) || isOfPython(symbol) ? undefined : linkedWith);
  if (other) return { name: other.name, words: `${other.name} ${other.version} has no` };
  if (isOfStandardLibrary(symbol)) return { name: "libstdc++", words: "the libstdc++ that is loaded has no" };
  return isOfPython(symbol)
    ? { name: "Python", words: `Python ${environment?.version} has no` }
    : { name: "library", words: "nothing that is loaded has" };
}

function fittingOf({ environment }: Run, { name, version }: PythonPackage, upon: PythonPackage): string | undefined {
  const made = upon.name === "torch" ? madeForTorch(name, upon.version) : undefined;
  const found = made ?? releaseFitting(name, upon, environment?.version ?? "", isBuiltFor);
  // What asks for `torch>=2.3` says nothing of the one that it was built for; and this very one does not fit.
  return found?.split("+")[0] === version.split("+")[0] ? undefined : found;
}

function adviceWithout({ environment }: Run, { name, version }: PythonPackage, { name: symbol, linkedWith }: Failure): Advice {
  if (isOfStandardLibrary(symbol))
    return {
      words: `install a newer libstdc++ (a newer distribution or image, or conda's libstdcxx-ng in a conda environment), or a release of ${name} that was built with an older compiler`,
    };
  if (isOfPython(symbol)) return { words: `install a build of ${name} for this Python` };
  if (!linkedWith) return { words: `install ${name} again, with all that it asks for` };
  const { name: other, version: there, asked } = linkedWith;
  return asked !== undefined && isWithin(there, asked) === false
    ? pipAdvice(environment, `install the ${other} that ${name} ${version} asks for`, "install", `${other}${asked}`)
    : { words: `install releases of ${name} and ${other} that were made together` };
}

function adviceFor(
  { requirements }: Stack,
  { environment }: Run,
  by: PythonPackage,
  upon: PythonPackage,
  fitting: string | undefined,
): Advice {
  const index = indexOfLabel(upon.name, upon.version);
  if (fitting !== undefined)
    return pipAdvice(
      environment,
      `install the ${by.name} that was built for ${upon.name} ${upon.version}`,
      "install",
      ...(index === undefined ? [] : ["--extra-index-url", index]),
      `${by.name}==${fitting}`,
      `${upon.name}==${upon.version}`,
    );
  // Where the metadata of its releases says for which one each was built, pip finds the one that fits.
  const isPinned = ({ by: asker, needs, specifier }: Stack["requirements"][number]) =>
    asker.name === by.name && needs.name === upon.name && isBuiltFor(upon.name, specifier) && isWithin(upon.version, specifier) === false;
  if (requirements.some(isPinned))
    return pipAdvice(
      environment,
      `install both together, ${by.name} without a version: the newest that was built for ${upon.name} ${upon.version} is chosen`,
      "install",
      ...(index === undefined ? [] : ["--extra-index-url", index]),
      `${upon.name}==${upon.version}`,
      by.name,
    );
  return {
    words: `install the release of ${by.name} that was built for ${upon.name} ${upon.version}, or the ${upon.name} that ${by.name} ${by.version} was built for (its release notes say which); what has no such wheel is built again, with --no-build-isolation`,
  };
}
