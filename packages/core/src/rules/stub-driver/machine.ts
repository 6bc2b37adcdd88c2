import { nameOf } from "../../lib/path.ts";
import { fileFact, loadFact } from "../../diagnose/facts.ts";
import { defineRule } from "../../diagnose/rule.ts";
import { ruleWords, stopName, unsetAdvice, variableWords } from "../../diagnose/words.ts";

export default defineRule({
  id: "stub-driver",
  title: "The stub of libcuda is loaded instead of the driver",
  cause: "stub-library",
  severity: "error",
  page: {
    what: "`libcuda.so.1`, or `libnvidia-ml.so.1` where a framework cannot do without it, leads to the stub of a toolkit: a file with names and no code, made to link against where there is no driver.",
    why: "`lib64/stubs` got into LD_LIBRARY_PATH, an RPATH or ld.so.conf, often from a Dockerfile that needed it to build.",
    how: "The copy that would be loaded lies in a folder `stubs`, or is far too small to be a driver.",
    mend: "Take the stubs folder out of the search. It belongs on the linker's command line (`-L`), never in a run-time path.",
    observed:
      "On an H200: torch, jax and cupy with the stub first; error 34, and jax falls back to the CPU with exit code 0. With the stub of libnvidia-ml torch and cupy work, jax finds no GPU.",
  },
  blames(stack, stop, run) {
    if (stop.failure.refusal?.kind !== "stub-driver") return undefined;
    const { name, file = name } = stop.failure;
    const load = run.loads.loads.find((each) => each.file === file);
    const isManagement = name.startsWith("libnvidia-ml");
    return {
      specificity: 5,
      subject: file,
      message: `${load ? nameOf(load.name) : name} would be ${file}, a stub without code: there is no driver behind it`,
      because: load ? [ruleWords(load), ...(load.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : [])] : [],
      evidence: isManagement ? [] : [`${stopName(run, stop)} gets error 34, “CUDA driver is a stub library”`],
      facts: load ? { loads: [loadFact(load)] } : { copies: [fileFact(stack, file, "other")] },
      advice: load && 0 < unsetAdvice(stack, [load]).length ? unsetAdvice(stack, [load]) : [`take ${file} out of the search path`],
    };
  },
});
