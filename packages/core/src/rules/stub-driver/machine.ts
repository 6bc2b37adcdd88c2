import { nameOf } from "../../lib/path.ts";
import { fileFact, loadFact } from "../../diagnose/facts.ts";
import { machineSide } from "../rule.ts";
import page from "./page.ts";
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
      advice: load && 0 < unsetAdvice(stack, [load]).length ? unsetAdvice(stack, [load]) : [`take ${file} out of the search path`],
    };
  },
});
