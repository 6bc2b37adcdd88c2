import { nameOf } from "../../lib/path.ts";
import { fileFact, loadFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
import type { Run } from "../../diagnose/stack.ts";
import type { Advice } from "../../model/finding.ts";
import type { Load } from "../../model/loads.ts";
import { ruleWords, stopName, unsetAdvice, variableWords } from "../../diagnose/words.ts";

export default machineSide(page, {
  blames(stack, stop, run) {
    if (stop.failure.refusal?.kind !== "stub-driver") return undefined;
    const { name, file = name } = stop.failure;
    const load = run.loads.loads.find((each) => each.file === file);
    const isManagement = name.startsWith("libnvidia-ml");
    return {
      specificity: 5,
      subject: file,
      short: "libcuda would be a stub, no driver",
      message: `${load ? nameOf(load.name) : name} would be ${file}, a stub without code: there is no driver behind it`,
      because: load ? [ruleWords(load), ...(load.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : [])] : [],
      evidence: isManagement ? [] : [`${stopName(run, stop)} gets error 34, “CUDA driver is a stub library”`],
      facts: load ? { loads: [loadFact(load)] } : { copies: [fileFact(stack, file, "other")] },
      advice: load && 0 < unsetAdvice(stack, [load]).length ? unsetAdvice(stack, [load]) : withoutStubs(run, file, load),
    };
  },
});

/** Stubs are for the linker (`-L`); an RPATH to them gets into a program by a copied flag, or where CMake is given the file itself. */
function withoutStubs(run: Run, file: string, load: Load | undefined): (Advice | string)[] {
  const holder = load?.via === "rpath" ? (load.from ?? load.requestedBy) : load?.via === "runpath" ? load.requestedBy : undefined;
  const paths = holder === undefined ? undefined : run.searchPaths?.[holder];
  if (holder === undefined || !paths) return [`take ${file} out of the search path`];
  const kind = load!.via === "rpath" ? "RPATH" : "RUNPATH";
  const rest = (paths.runpath ?? paths.rpath ?? "")
    .split(":")
    .filter((folder) => !/\/stubs\/?$/.test(folder))
    .join(":");
  return [
    `link ${nameOf(holder)} with -L to the stubs and without -rpath to them; in CMake, link CUDA::cuda_driver`,
    {
      words: `or take them out of the ${kind} of ${nameOf(holder)} as it is`,
      command:
        rest === ""
          ? ["patchelf", "--remove-rpath", holder]
          : ["patchelf", ...(kind === "RPATH" ? ["--force-rpath"] : []), "--set-rpath", rest, holder],
      scope: "file",
    },
  ];
}
