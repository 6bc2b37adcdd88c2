import { loadFact } from "../diagnose/facts.ts";
import type { Run, Stack } from "../diagnose/stack.ts";
import { ruleWords, steeredBy, unique, unsetAdvice, variableWords } from "../diagnose/words.ts";
import type { LostModule } from "../frameworks/standard-library.ts";
import { nameOf } from "../lib/path.ts";
import type { Load } from "../model/loads.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "interpreter-shadowed",
  title: "A library that Python itself needs is shadowed",
  cause: "library-shadowed",
  severity: "error",
  notOn: { "dependency-file": "which libraries an interpreter loads is decided on the machine" },
  page: {
    what: "LD_LIBRARY_PATH, LD_PRELOAD or /etc/ld.so.preload brings another libssl, libcrypto, libz, libffi, liblzma, libbz2, libsqlite3 or libpython than the one that Python was built with, and a module of its standard library cannot be loaded: `import ssl` ends with `version 'OPENSSL_3.2.0' not found`, `undefined symbol` or `file too short`.",
    why: "These variables go before RUNPATH and the system's folders. A folder that was set for the sake of CUDA (of conda, of an application, of another release of the system) brings all else along that lies in it.",
    how: "Where one of them is set, the modules `ssl`, `zlib`, `ctypes`, `bz2`, `lzma` and `sqlite3` are opened on paper, each in a process of its own, symbol by symbol. What was built into the interpreter is left out. Where all can be loaded, nothing is said.",
    fix: "Take the folder out of LD_LIBRARY_PATH, or the library out of LD_PRELOAD.",
    observed:
      "Watched with Pythons of pyenv (3.6 to 3.13) before Debian's libpython3.11 (of 3.11.7, `import ssl` failed; all others have another name for theirs, and work), and with 3.11.7 before Debian 13's libssl and libcrypto, before empty, cut and text files, and before libraries that lack functions; files of another machine are passed over, as predicted. Without `ctypes`, torch cannot be imported.",
  },
  blames(stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    const shadowed = byGuilt(run).find(([, lost]) => lost.some(({ failure }) => failure.message === failed.message));
    return shadowed && { ...draftOf(stack, run, shadowed), specificity: 4 };
  },
  finds: (stack) => stack.runs.flatMap((run) => byGuilt(run).map((shadowed) => draftOf(stack, run, shadowed))),
});

type Shadowed = [guilty: Load, lost: LostModule[]];

function draftOf(stack: Stack, { environment }: Run, [guilty, lost]: Shadowed) {
  const imports = lost.map(({ module }) => `\`import ${module}\``).join(" and ");
  const fails = `${imports} ${lost.length === 1 ? "fails" : "fail"}`;
  const isOwn = nameOf(guilty.name).startsWith("libpython3");
  return {
    subject: guilty.file,
    short: isOwn ? "Python runs with a libpython that is not its own" : `${nameOf(guilty.name)} is shadowed: ${fails}`,
    message: `${environment!.python} ${isOwn ? "runs with" : "would take"} ${guilty.file}, which is not its own: ${fails}`,
    because: [
      ruleWords(guilty),
      ...(guilty.via === "ld-library-path" ? [variableWords(stack, "LD_LIBRARY_PATH")] : []),
      ...unique(lost.map(({ failure }) => failure.message)),
    ],
    advice: unsetAdvice(stack, [guilty]),
    facts: { loads: [loadFact(guilty)] },
  };
}

/** Modules that are lost, by the library that one of the variables brought and that is to blame. */
function byGuilt({ lost = [] }: Run): Shadowed[] {
  const found = new Map<string, Shadowed>();
  for (const each of lost) {
    const guilty = each.suspects.map((suspect) => steeredBy(each.loads, suspect)).find((load) => load !== undefined);
    if (!guilty) continue;
    const known = found.get(guilty.file);
    if (known) known[1].push(each);
    else found.set(guilty.file, [guilty, [each]]);
  }
  return [...found.values()];
}
