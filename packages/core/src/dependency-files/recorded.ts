// What a notebook printed when it was last run, for whoever reads error texts; and what that says, beside what its cells say.
import { saysTheSame } from "../log/join.ts";
import { placeWords } from "../lib/place.ts";
import { encode } from "../lib/text.ts";
import { severities, type Finding, type Place, type Severity } from "../model/finding.ts";
import type { RecordedOutput } from "../model/dependency-file.ts";
import type { Diagnosis, Explanation } from "../model/explain.ts";

/** The outputs, and what they say is wrong. Lines of the explanation are those of `recordedText`. */
export interface Recorded {
  outputs: RecordedOutput[];
  /** The last line of each output in the whole text. */
  ends: number[];
  explanation: Explanation;
}

export function recordedOf(outputs: RecordedOutput[], explanation: Explanation): Recorded {
  let last = 0;
  return { outputs, ends: outputs.map(({ text }) => (last += ended(text).split("\n").length - 1)), explanation };
}

/** All outputs as one text: what one cell printed about the machine helps to understand the error of another. */
export const recordedText = (outputs: RecordedOutput[]): Uint8Array => encode(outputs.map(({ text }) => ended(text)).join(""));

const ended = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);

/** The output that holds a line of the whole text, and where that is. */
export function outputAt({ outputs, ends }: Recorded, line: number): { output: RecordedOutput; place: Place } | undefined {
  const index = line === 0 ? -1 : ends.findIndex((end) => line <= end);
  const output = outputs[index];
  if (!output) return undefined;
  const own = line - (ends[index - 1] ?? 0);
  const fileLine = output.fileLine(own);
  return { output, place: { ...output.place, line: own, ...(fileLine === undefined ? {} : { fileLine }) } };
}

/** One fault is told once: where the cells show already what the outputs say, those become evidence of it. */
export function joinRecorded(findings: Finding[], recorded: Recorded): Finding[] {
  const told = findings.filter(({ rule, severity }) => rule === recordedRule && severity !== "info");
  const others = findings.filter(({ rule, severity }) => rule !== recordedRule && severity !== "info");
  const dropped = new Set<Finding>();
  const richer = new Map<Finding, Finding>();
  for (const finding of told) {
    const diagnosis = recorded.explanation.diagnoses.find((each) => subjectOf(each) === finding.subject);
    const same = diagnosis && others.find((other) => saysTheSame(other, diagnosis));
    if (!same) continue;
    dropped.add(finding);
    const known = richer.get(same) ?? same;
    const severity = worst(known.severity, finding.severity);
    richer.set(same, { ...known, severity, evidence: [...known.evidence, ...saidIn(recorded, diagnosis)] });
  }
  return findings.filter((finding) => !dropped.has(finding)).map((finding) => richer.get(finding) ?? finding);
}

export const recordedRule = "recorded-failure";

/** What a diagnosis is about, in words that are the same for each run. */
export const subjectOf = ({ cause, name }: Diagnosis): string => `${cause}${name === undefined ? "" : ` ${name}`}`;

/** `when it was last run, n.ipynb cell 3 output 1:2 said: …`. */
const saidIn = (recorded: Recorded, { evidence }: Diagnosis): string[] =>
  evidence.flatMap(({ line, text }) => {
    const found = outputAt(recorded, line);
    return found ? [`when it was last run, ${placeWords(found.place)} said: ${text}`] : [];
  });

const worst = (one: Severity, other: Severity) => severities[Math.min(severities.indexOf(one), severities.indexOf(other))]!;
