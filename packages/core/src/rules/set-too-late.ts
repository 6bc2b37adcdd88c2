import { stepFact } from "../dependency-files/facts.ts";
import { defineDependencyFileRule } from "./rule.ts";
import { frameworkOf } from "../dependency-files/words.ts";

export default defineDependencyFileRule({
  id: "set-too-late",
  title: "A variable is set after the loader has read it",
  cause: "library-not-on-path",
  severity: "warning",
  notOn: { machines: "the code of programs is not read" },
  page: {
    what: "Python code sets LD_LIBRARY_PATH for itself: `os.environ[…] = …`, `%env`, or `!export` in a cell.",
    why: "The loader reads it once, when a process begins. Afterwards the running Python does not see it; only programs that it starts do. `!export` is gone with the shell of that line.",
    how: "Assignments in the cells of a notebook that imports a framework itself and starts no program after it, for which the variable would count.",
    fix: "Set it before Python starts (a Dockerfile's ENV, the kernel's `env` in kernel.json), or load the library by its path: `ctypes.CDLL(path, ctypes.RTLD_GLOBAL)` before the framework is imported.",
    observed:
      "With CPython on Linux: a library that only such a path names is not found by the process that set it, and is found by its children.",
  },
  finds: ({ declaration: { steps } }) => {
    // Only a framework in the notebook's own Python misses it; programs that are started later have it.
    const isUsed = steps.some((step) => step.kind === "import" && frameworkOf(step.module) !== undefined);
    if (!isUsed) return [];
    return steps.flatMap((step, index) => {
      if (step.kind !== "variable" || !step.isLate || step.name !== "LD_LIBRARY_PATH") return [];
      if (steps.slice(index).some(({ kind }) => kind === "program" || kind === "restart")) return [];
      return [
        {
          subject: step.name,
          place: step.place,
          short: `${step.name} is set too late: Python runs already`,
          message: `${step.name} is set here for a Python that runs already: its loader does not look again`,
          because: ["the loader reads the variable once, when a process begins; only programs that are started from here see it"],
          facts: { variables: [stepFact(step)] },
          advice: ["set it before Python starts, or load the library by its path first: `ctypes.CDLL(path, ctypes.RTLD_GLOBAL)`"],
        },
      ];
    });
  },
});
