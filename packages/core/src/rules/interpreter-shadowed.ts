import { loadFact } from "../diagnose/facts.ts";
import { ruleWords, unsetAdvice, variableWords } from "../diagnose/words.ts";
import { nameOf } from "../lib/path.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "interpreter-shadowed",
  title: "Python runs with the libpython of another installation",
  cause: "library-shadowed",
  severity: "warning",
  notOn: { "dependency-file": "which libpython an interpreter loads is decided on the machine" },
  page: {
    what: "LD_LIBRARY_PATH or LD_PRELOAD brings a libpython that is not the interpreter's own, and a module of its standard library does not fit it: `import ssl` ends with `undefined symbol`.",
    why: "Pythons of pyenv and of conda, and others built with a shared library, find it by RUNPATH, and LD_LIBRARY_PATH goes before that: `LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu` makes them take the system's. Its modules were built for their own release.",
    how: "The start of the interpreter is predicted; where its libpython came from such a variable, the module `_ssl` is opened on paper, symbol by symbol. Where all of them are there, nothing is said.",
    fix: "Take the folder out of LD_LIBRARY_PATH.",
    observed:
      "Watched with Pythons of pyenv (3.6 to 3.13) before Debian's libpython3.11: of 3.11.7, `import ssl` failed; all others have another name for theirs, and work.",
  },
  finds: (stack) =>
    stack.runs.flatMap(({ loads: { loads, missed }, environment }) => {
      const load = loads.find(({ name, via }) => nameOf(name).startsWith("libpython3") && (via === "ld-library-path" || via === "preload"));
      const failure = missed.find(
        ({ requestedBy, reason, message }) =>
          (reason === "undefined-symbol" || reason === "version-not-found") && `${requestedBy} ${message}`.includes("/lib-dynload/"),
      );
      if (!load || !failure || !environment) return [];
      return [
        {
          subject: load.file,
          short: `Python runs with a libpython that is not its own`,
          message: `${environment.python} runs with ${load.file}, which is not its own: \`import ssl\` fails`,
          because: [ruleWords(load), ...(load.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : []), failure.message],
          advice: unsetAdvice(stack, [load]),
          facts: { loads: [loadFact(load)] },
        },
      ];
    }),
});
