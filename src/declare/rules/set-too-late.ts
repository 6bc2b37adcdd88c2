import { defineDeclaredRule } from "../rule.ts";

export default defineDeclaredRule({
  id: "set-too-late",
  description: {
    title: "A variable is set after the loader has read it",
    cause: "library-not-on-path",
    severity: "warning",
    page: {
      what: "Python code sets LD_LIBRARY_PATH or LD_PRELOAD for itself: `os.environ[…] = …`, `%env`, or `!export` in a cell.",
      why: "The loader reads both once, when a process begins. Afterwards the running Python does not see them; only programs that it starts do. `!export` is gone with the shell of that line.",
      how: "Assignments in the cells of a notebook, where Python is running already.",
      mend: "Set it before Python starts (a Dockerfile's ENV, the kernel's `env` in kernel.json), or load the library by its path: `ctypes.CDLL(path, ctypes.RTLD_GLOBAL)` before the framework is imported.",
      observed:
        "With CPython on Linux: a library that only such a path names is not found by the process that set it, and is found by its children.",
    },
  },
  finds: ({ declaration }) =>
    declaration.steps.flatMap((step) =>
      step.kind === "variable" && step.isLate && /^(LD_LIBRARY_PATH|LD_PRELOAD)$/.test(step.name)
        ? [
            {
              subject: step.name,
              place: step.place,
              cause: "library-not-on-path" as const,
              severity: "warning" as const,
              message: `${step.name} is set here for a Python that runs already: its loader does not look again`,
              because: ["the loader reads the variable once, when a process begins; only programs that are started from here see it"],
              advice: ["set it before Python starts, or load the library by its path first: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)"],
            },
          ]
        : [],
    ),
});
