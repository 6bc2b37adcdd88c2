import { nameOf } from "../lib/path.ts";
import type { Load } from "../model/loads.ts";
import { loadFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { fileWords, ruleWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "two-copies",
  title: "One process maps two copies of one library",
  cause: "two-copies",
  severity: "warning",
  notOn: { "dependency-file": "which copy of a library is loaded is decided by the search paths of files that are not there yet" },
  page: {
    what: "Two files that are copies of one library are mapped into one process.",
    why: "Libraries are recognised by name and by file: one that is asked for by path does not stand in for the same library elsewhere. Each copy has its own state, and symbols go to the first.",
    how: "Of all that a process would load, those that share a library's name and soname but not the file.",
    fix: "Let one package bring the library, or take the second folder out of the search.",
    observed:
      "Two CUPTIs in one process (torch's and the one inside Triton) are harmless until both record; two cuDNNs of one major were not seen to work.",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const groups = new Map<string, Load[]>();
      for (const load of run.loads.loads) {
        if (load.library === undefined || load.unmapped || load.certainty !== "certain") continue;
        const key = nameOf(load.file).replace(/(-[0-9a-f]{8})?\.so.*$/, "");
        groups.set(key, [...(groups.get(key) ?? []), load]);
      }
      return [...groups.values()].flatMap((loads) => {
        const [first, second] = loads;
        if (!first || !second) return [];
        const major = ({ file, name }: Load) => /\.so\.(\d+)/.exec(nameOf(name))?.[1] ?? /\.so\.(\d+)/.exec(nameOf(file))?.[1];
        const isSameMajor = major(first) === major(second);
        const differ = first.version !== second.version;
        // A copy that auditwheel renamed is meant to be beside another, and of one release they do the same.
        if (isOneRelease(first, second) && loads.some(({ file }) => isRenamed(file))) return [];
        return [
          {
            subject: second.file,
            ...(isSameMajor && differ ? {} : { severity: "info" as const }),
            short: `two copies of ${nameOf(second.name)} in one process`,
            message: `two copies of ${nameOf(second.name)} would be in one process: ${first.file} and ${second.file}`,
            because: [`for the first, ${ruleWords(first)}`, `for the second, ${ruleWords(second)}`],
            evidence: loads.map((load) => fileWords(stack, load.file, load)),
            facts: { loads: [...loads.slice(1).map((load) => loadFact(load)), loadFact(first, "beside")] },
            advice: ["let one package bring it, or take the second folder out of the search"],
            endangers: isSameMajor && differ ? run.programs.map(({ id }) => ({ framework: id, activity: second.activity })) : [],
          },
        ];
      });
    }),
});

const isRenamed = (file: string) => /-[0-9a-f]{8}\.so/.test(nameOf(file));

/** A wheel counts its builds, too: 9.1.0.70 is cuDNN 9.1.0. */
const isOneRelease = ({ version: one = "" }: Load, { version: other = "?" }: Load) =>
  `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);
