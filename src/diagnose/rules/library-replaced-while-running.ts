import { defineRule } from "../rule.ts";
import { fileWords } from "../words.ts";

export default defineRule({
  id: "library-replaced-while-running",
  title: "A process runs with a library that is not on the disk any more",
  cause: "library-wrong-version",
  severity: "warning",
  page: {
    what: "A running process has a library mapped whose file was removed or replaced after it was loaded.",
    why: "A package was upgraded, reinstalled or removed under a process that was running: a notebook kernel after `pip install`, for example. The old code stays in memory; parts that are opened later come from the new release.",
    how: "The kernel marks such files as deleted in /proc/PID/maps.",
    mend: "Restart the process (in a notebook: restart the runtime).",
    observed: "With real processes whose library was replaced while they ran.",
  },
  finds: (stack) =>
    stack.replaced.map(({ file, isThere }) => ({
      subject: file,
      message: `the process still runs with a ${file} that was ${isThere ? "replaced" : "removed"} on the disk`,
      because: [
        isThere
          ? "what it opens from now on comes from the new files: two releases may meet in one process"
          : "what it opens from now on may not be found",
      ],
      evidence: isThere ? [`on the disk now: ${fileWords(stack, file)}`] : [],
      advice: ["restart the process"],
      endangers: (stack.runs.find(({ running }) => running)?.programs ?? []).map(({ id }) => ({ framework: id, activity: "import" })),
    })),
});
