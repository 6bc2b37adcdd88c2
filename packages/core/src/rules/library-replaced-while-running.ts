import { nameOf } from "../lib/path.ts";
import { fileFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import { fileWords } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "library-replaced-while-running",
  title: "A process runs with a library that is not on the disk any more",
  cause: "library-wrong-version",
  severity: "warning",
  notOn: {
    "dependency-file": "only a process that runs has files mapped; `pid:N` is one",
    machine: "only a process that runs has files mapped; `pid:N` is one",
    root: "only a process that runs has files mapped; `pid:N` is one",
    host: "only a process that runs has files mapped; `pid:N` is one",
    image: "only a process that runs has files mapped; `pid:N` is one",
  },
  page: {
    what: "A running process has a library mapped whose file was removed or replaced after it was loaded.",
    why: "A package was upgraded, reinstalled or removed under a process that was running: a notebook kernel after `pip install`, for example. The old code stays in memory; parts that are opened later come from the new release.",
    how: "The kernel marks such files as deleted in /proc/PID/maps.",
    fix: "Restart the process (in a notebook: restart the runtime).",
    observed: "With real processes whose library was replaced while they ran.",
  },
  // One upgrade or removal takes many files: it is told once, and says which.
  finds: (stack) =>
    [true, false].flatMap((isThere) => {
      const files = stack.replaced.filter((each) => each.isThere === isThere).map(({ file }) => file);
      const [first] = files;
      if (first === undefined) return [];
      return [
        {
          subject: first,
          short: `${nameOf(first)} was ${isThere ? "replaced" : "removed"} under the process`,
          message: `the process still runs with ${files.length === 1 ? `a ${first} that was` : `${first} and ${files.length - 1} other ${files.length === 2 ? "library" : "libraries"} that were`} ${isThere ? "replaced" : "removed"} on the disk`,
          because: [
            isThere
              ? "what it opens from now on comes from the new files: two releases may meet in one process"
              : "what it opens from now on may not be found",
          ],
          evidence: isThere ? files.map((file) => `on the disk now: ${fileWords(stack, file)}`) : files.slice(1),
          advice: ["restart the process"],
          facts: { copies: files.map((file) => fileFact(stack, file, "other")) },
          endangers: (stack.runs.find(({ running }) => running)?.programs ?? []).map(({ id }) => ({
            framework: id,
            activity: "import" as const,
          })),
        },
      ];
    }),
});
