import { nameOf } from "../lib/path.ts";
import type { Load } from "../model/loads.ts";
import { loadFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { fileWords } from "../diagnose/words.ts";
import type { Stack } from "../diagnose/stack.ts";

export default defineMachineRule({
  id: "process-differs-from-foreseen",
  title: "A process runs with another copy of a library than it would be given now",
  cause: "library-shadowed",
  severity: "info",
  notOn: {
    "dependency-file": "only a process that runs has files mapped; `pid:N` is one",
    machine: "only a process that runs has files mapped; `pid:N` is one",
    root: "only a process that runs has files mapped; `pid:N` is one",
    host: "only a process that runs has files mapped; `pid:N` is one",
    image: "only a process that runs has files mapped; `pid:N` is one",
  },
  page: {
    what: "A running process has mapped one copy of a GPU library; the same program, started again with the same variables, would load another.",
    why: "Something changed since it was started (a package, ld.so.cache, a file), or the program chose the copy itself, by a path that cannot be predicted. What it does now and what its next start will do are two questions.",
    how: "What /proc/PID/maps shows is put beside what the loader would do, library by library.",
    fix: "Nothing is wrong as such. If the process works and its next start does not, or the other way round, this is the difference.",
    observed: "With real processes that were given another copy while they ran.",
  },
  finds: (stack) =>
    differing(stack).map(({ mapped, predicted }) => ({
      subject: mapped.file,
      short: `a restart would load another ${nameOf(predicted.file)}`,
      message: `the process runs with ${mapped.file}; started again it would load ${predicted.file}`,
      because: [
        `${predicted.requestedBy} asks for ${predicted.name}, which is found ${predicted.path === predicted.file ? "there" : `as ${predicted.path}`}`,
      ],
      evidence: [`mapped now: ${fileWords(stack, mapped.file)}`, `predicted: ${fileWords(stack, predicted.file)}`],
      advice: [],
      facts: { loads: [loadFact(mapped), loadFact(predicted, "beside")] },
    })),
});

/** Libraries that one file of each side stands for, and not the same one. Of what was replaced on the disk another rule tells. */
function differing(stack: Stack): { mapped: Load; predicted: Load }[] {
  const now = stack.runs.find(({ running }) => running)?.loads.loads ?? [];
  const later = stack.runs.filter(({ running }) => !running).flatMap(({ loads }) => loads.loads);
  const isForeseen = new Set(later.map(({ file }) => file));
  const isMapped = new Set(now.map(({ file }) => file));
  const soname = (name: string) => name.replace(/(\.so\.\d+).*$/, "$1");
  return now.flatMap((mapped) => {
    if (mapped.library === undefined || isForeseen.has(mapped.file)) return [];
    if (stack.replaced.some(({ file }) => file === mapped.file)) return [];
    const predicted = later.find(
      ({ library, name, file, certainty, unmapped }) =>
        library === mapped.library && certainty === "certain" && !unmapped && soname(name) === soname(mapped.name) && !isMapped.has(file),
    );
    return predicted ? [{ mapped, predicted }] : [];
  });
}
