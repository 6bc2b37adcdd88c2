import { folderOf } from "../lib/path.ts";
import { stopName, unique } from "../diagnose/words.ts";
import { wantedFact } from "../diagnose/facts.ts";
import { defineMachineRule } from "./rule.ts";

export default defineMachineRule({
  id: "library-only-from-toolkit",
  title: "A package looks for a library in a toolkit, and only wheels have it",
  cause: "library-not-on-path",
  severity: "error",
  notOn: { "dependency-file": "whether a toolkit lies on the machine is not in the file" },
  page: {
    what: "A package loads CUDA's libraries by itself, before its own: first from a toolkit (CUDA_HOME, /usr/local/cuda), then from NVIDIA's wheels. The wheel of one of them lies in a folder that it does not know.",
    why: "transformer-engine since 2.12 looks for the runtime in `nvidia/cudart` and `nvidia/cu13`; the wheel for CUDA 12 has it in `nvidia/cuda_runtime`. Without a toolkit the import ends with `cudart shared object not found.`",
    how: "The package's own search is replayed, folder by folder.",
    fix: "A toolkit; or CUDA_HOME pointing at the folder of the wheels, with their folders in LD_LIBRARY_PATH.",
    observed: "Seen with transformer-engine-cu12 2.20.2 beside torch 2.5.1: with both variables set as advised it is imported.",
  },
  blames(stack, stop, run) {
    const { refusal } = stop.failure;
    const site = run.programs.find(({ id }) => id === stop.program)?.package?.folder;
    if (refusal?.kind !== "toolkit" || site === undefined) return undefined;
    const wheels = `${site}/nvidia`;
    const folders = unique(stack.inventory.copies.flatMap(({ file }) => (file.startsWith(`${wheels}/`) ? [folderOf(file)] : []))).sort();
    const library = `lib${refusal.library}`;
    return {
      specificity: 4,
      subject: library,
      short: `it takes ${library} from a toolkit only, and there is none`,
      message: `${stopName(run, stop)} takes ${library} from a CUDA toolkit only, and there is none: it does not find the wheel`,
      because: [
        "it looks below CUDA_HOME, CUDA_PATH and /usr/local/cuda, and then for wheels in the folders of CUDA 13",
        `the wheels are in ${wheels}`,
      ],
      evidence: [stop.failure.message],
      advice: [
        {
          words: "for one command",
          command: ["env", `CUDA_HOME=${wheels}`, `LD_LIBRARY_PATH=${folders.join(":")}`, "COMMAND"],
          scope: "once" as const,
        },
        "or install a toolkit of the CUDA that it was built for, below /usr/local/cuda",
      ],
      facts: { wanted: wantedFact(stop.failure) },
    };
  },
});
