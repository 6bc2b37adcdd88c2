import { culpritLine, placeWords, type Asked } from "../lib/asked.ts";
import { bySeverity, type Finding } from "../model/finding.ts";
import type { TraceCause, TraceFile } from "../model/trace.ts";

/**
 * Joins a profile with what `check` found on the machine where it was (or will be) recorded. A finding that breaks or endangers
 * recording is a better cause than one that merely fits: it comes first, and the cause it names becomes as certain as it is.
 */
export function joinMachine(file: TraceFile, findings: Finding[], asked?: Asked): TraceFile {
  if (file.verdict !== "no-gpu-events" && file.verdict !== "partial" && file.verdict !== "cpu-only") return file;
  const concerning = findings.filter((finding) => concerns(finding, file));
  if (concerning.length === 0) return file;
  concerning.sort(bySeverity);
  const found = concerning.map(({ cause, certainty, message, rule }): TraceCause => ({
    cause,
    certainty: certainty === "certain" ? "likely" : certainty,
    message,
    check: `found ${asked?.place ? placeWords(asked.place) : "on this machine"} by the rule \`${rule}\`; \`${culpritLine(["fix", rule, "--do", "profile"], asked)}\` says what to do`,
  }));
  const named = new Set(found.map(({ cause }) => cause));
  return {
    ...file,
    causes: [
      ...file.causes.filter(({ certainty }) => certainty === "certain"),
      ...found,
      ...file.causes.filter(({ cause, certainty }) => certainty !== "certain" && !named.has(cause)),
    ],
    joinedWith: concerning.map(({ rule }) => rule),
    because: [
      ...file.because,
      ...concerning.map(({ message }) => `${asked?.place ? placeWords(asked.place) : "on this machine"}: ${message}`),
    ],
  };
}

// What stops an earlier activity stops the recording, too.
const before = new Set(["import", "device", "profile"]);

function concerns({ breaks, endangers, cause }: Finding, { framework }: TraceFile): boolean {
  if (/^profiler-|cupti/.test(cause)) return true;
  return [...breaks, ...endangers].some(
    (hit) => before.has(hit.activity) && (framework === undefined || hit.framework === framework || hit.framework.includes("/")),
  );
}
