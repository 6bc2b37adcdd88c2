import { nameOf } from "../lib/path.ts";
import { loadFact, reinstalling } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";
import type { Run } from "../diagnose/stack.ts";
import { copyAt, fileWords, reinstallAdvice } from "../diagnose/words.ts";

/** Parts without which a convolution still comes out. */
const parts = ["engines_precompiled", "heuristic"];

export default defineMachineRule({
  id: "slow-convolutions",
  title: "cuDNN has to do without its ready-made kernels",
  cause: "library-missing",
  severity: "warning",
  notOn: { "dependency-file": "whether a file is whole is seen on the disk only" },
  page: {
    what: "`libcudnn_engines_precompiled` or `libcudnn_heuristic` is not found beside a cuDNN 9 that works otherwise.",
    why: "Images are made smaller by deleting the largest files, and this is one of them. cuDNN does not complain: it compiles kernels when they are first needed, and chooses among fewer of them.",
    how: "The search for each part is replayed under all names that cuDNN tries.",
    fix: "Install the whole package again. Where it was meant so (`nvidia-cudnn-jit`), nothing is to be done.",
    observed:
      "On an H200 with cuDNN 9.19: with either or both moved away torch's convolution still comes out, through kernels compiled at run time.",
  },
  finds: (stack) =>
    stack.runs.flatMap((run) => {
      const front = run.loads.loads.find(({ name, unmapped }) => nameOf(name).startsWith("libcudnn_graph.so") && !unmapped);
      const absent = front ? absentParts(run) : [];
      if (!front || absent.length === 0 || run.stops.some(({ activity }) => activity === "convolution")) return [];
      // A package whose files are gone is told about as such.
      const isGone = stack.inventory.missing.some(({ files }) =>
        files.some((file) => absent.some((part) => file.includes(`libcudnn_${part}.so`))),
      );
      if (isGone) return [];
      const owner = copyAt(stack, front.file)?.owner;
      const isMeant = /jit/.test(owner?.name ?? "");
      return [
        {
          subject: front.file,
          ...(isMeant ? { severity: "info" as const } : {}),
          // Measured with torch; others ask for the same parts in other ways.
          certainty: run.watched && run.programs.some(({ id }) => id === "torch") ? ("certain" as const) : ("likely" as const),
          short: `libcudnn_${absent[0]} is not found`,
          message: `${absent.map((part) => `libcudnn_${part}`).join(" and ")} is not found beside ${fileWords(stack, front.file, front)}: the first convolution of each kind is compiled, and slower`,
          because: ["cuDNN goes on without it, and says nothing"],
          evidence: run.loads.missed
            .filter(({ name }) => absent.some((part) => name.startsWith(`libcudnn_${part}.so`)))
            .slice(0, 2)
            .map(({ message }) => message),
          advice: [reinstallAdvice(stack, front.file) ?? `put the parts of the same release beside ${front.file}`],
          facts: { loads: [loadFact(front, "beside")], packages: reinstalling(stack, front.file) },
          endangers: run.programs.map(({ id }) => ({ framework: id, activity: "convolution" })),
        },
      ];
    }),
});

/** Asked for under every name, and never there; a file that is there and damaged has a rule of its own. */
function absentParts({ loads: { loads, missed } }: Run): string[] {
  return parts.filter((part) => {
    const start = `libcudnn_${part}.so`;
    const misses = missed.filter(({ name }) => name.startsWith(start));
    return (
      0 < misses.length &&
      misses.every(({ reason }) => reason === "not-found") &&
      !loads.some(({ name, unmapped }) => nameOf(name).startsWith(start) && !unmapped)
    );
  });
}
