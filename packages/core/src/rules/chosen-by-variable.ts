import { variableFact } from "../diagnose/facts.ts";
import { stopName, triedWords, variableWords, withoutVariables } from "../diagnose/words.ts";
import { nameOf } from "../lib/path.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "chosen-by-variable",
  title: "A variable makes a program load what cannot be loaded",
  cause: "library-wrong-version",
  severity: "error",
  notOn: { "dependency-file": "which file a variable chooses, and whether it can be loaded, is decided on the machine" },
  page: {
    what: "A variable such as BNB_CUDA_VERSION or NUMBA_CUDA_DRIVER names the very file, or the release of CUDA, that a program loads; that file is not there, or cannot be loaded here.",
    why: "It was set once for another machine or another release, and stays in a start-up file. The program does not look for anything else, so what it would have found by itself is not tried.",
    how: "The loads of the program are predicted with the variable; where the load that it chose is the one that fails, it is named, with the line that sets it. `culprit fix` predicts them without it.",
    fix: "Unset it: `unset BNB_CUDA_VERSION`, and take it out where it is set. The program then chooses by itself.",
    observed:
      "What these variables do is known from the sources of the programs; that the file they name is loaded was watched with bitsandbytes 0.50.",
  },
  blames(stack, stop, run) {
    const name = stop.failure.steeredBy;
    if (name === undefined) return undefined;
    const failed = stop.failure.underlying ?? stop.failure;
    return {
      specificity: 5,
      subject: name,
      short: `${name}=${stack.variables[name] ?? ""} chooses a library that ${failed.reason === "not-found" ? "is missing" : "does not fit"}`,
      message: `${name}=${stack.variables[name] ?? ""} makes ${stopName(run, stop)} load what cannot be loaded here: ${nameOf(failed.name)} ${failed.reason === "not-found" ? "is not found" : "does not fit"}`,
      because: [variableWords(stack, name), "without it the program chooses by itself"],
      evidence: [failed.message, ...triedWords(failed)],
      advice: [{ words: "in this shell", command: ["unset", name], scope: "shell" }, withoutVariables([name])],
      facts: { variables: [variableFact(stack, name)] },
    };
  },
});
