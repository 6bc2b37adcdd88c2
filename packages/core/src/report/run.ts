import type { Explanation, LoadedLibrary } from "../model/explain.ts";
import { explainLines } from "./explain.ts";
import { reporting } from "../lib/shown.ts";
import { columns, laidOut, plain, type Style } from "./style.ts";

export interface WatchedRun {
  /** How it ended, in words: `exit code 1`, `signal SIGSEGV`. */
  ended: string;
  explanation?: Explanation;
  loaded: LoadedLibrary[];
  /** Frameworks that were seen running. */
  frameworks: string[];
  /** What could not be seen, and why. */
  unseen: string[];
}

const states = {
  loaded: "loaded",
  "as-foreseen": "loaded, as predicted",
  "not-foreseen": "loaded, not predicted",
  "not-loaded": "predicted, not seen",
};

/** What is said after a command has ended: why it failed, and what it really had loaded. */
export const runReport = reporting(({ ended, explanation, loaded, frameworks, unseen }: WatchedRun, style: Style = plain): string => {
  const out = [style.strong(`culprit: the command ended with ${ended}`)];
  if (explanation && 0 < explanation.diagnoses.length) out.push("", ...explainLines(explanation, style));
  else if (explanation) out.push("Its output does not say what would be wrong with a GPU stack.");
  if (0 < loaded.length) {
    out.push("", style.strong(`What was really loaded${frameworks.length === 0 ? "" : ` (${frameworks.join(", ")})`}`));
    const rows = loaded.map(({ library, version, state, file }) => [
      `${state === "not-foreseen" || state === "not-loaded" ? "!" : " "} ${library}`,
      version ?? "",
      states[state],
      file,
    ]);
    out.push(...columns(rows, "  ", style));
  }
  for (const text of unseen) out.push(style.faint(text));
  return laidOut(out, style);
});
