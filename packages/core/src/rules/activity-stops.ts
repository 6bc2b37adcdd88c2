import { nameOf } from "../lib/path.ts";
import { defineMachineRule } from "./rule.ts";
import { stopName } from "../diagnose/words.ts";

export default defineMachineRule({
  id: "activity-stops",
  title: "A program would stop, for a reason that no other rule knows",
  cause: "library-wrong-version",
  severity: "error",
  notOn: { "dependency-file": "no program is run on paper before its files are there" },
  page: {
    what: "The replayed run ends with an error of the loader or of the framework that none of the other rules explains.",
    why: "It depends on the message, which is quoted.",
    how: "The run is predicted step by step; this is where it ends.",
    fix: "Read the message; `culprit why LIBRARY --for PROGRAM` shows the search behind it.",
    observed: "It is the fallback for what was not thought of.",
  },
  blames(_stack, stop, run) {
    const failed = stop.failure.underlying ?? stop.failure;
    const loader = failed.reason === "no-interpreter" ? /`([^`]+)` is not there/.exec(failed.message)?.[1] : undefined;
    return {
      specificity: 0,
      subject: nameOf(failed.name),
      short: loader === undefined ? failed.message : `its loader ${loader} is not there`,
      message: `${stopName(run, stop)} would stop: ${failed.message}`,
      because: [],
      evidence: [`asked for by ${failed.requestedBy}`],
      advice:
        loader === undefined
          ? [{ words: "see how it was searched for", command: ["culprit", "why", nameOf(failed.name), "--for", stop.program] }]
          : [
              loader.includes("ld-musl")
                ? "the program was built for musl (Alpine): take a build for glibc, or run it in an image of Alpine"
                : "take a build of the program for this system, or run it in an image of the system that it was built for",
            ],
    };
  },
});
