import type { Check, Finding } from "@culprit/core";
import { placeWords } from "@culprit/core/lib/place";
import { adviceLine } from "@culprit/core/lib/shell";
import { counted, list, object, string, type Shape, type Told } from "./tool.ts";

const affected = ({ framework, activity }: { framework: string; activity: string }) => `${framework}: ${activity}`;

export const findingShape: Shape = object({
  rule: string(),
  severity: { type: "string", enum: ["error", "warning", "info"] },
  certainty: { type: "string", enum: ["certain", "likely", "possible"] },
  subject: string("with the rule, its identity"),
  "place?": string("the line of a dependency file"),
  message: string(),
  because: list(string()),
  breaks: list(string(), "activities of programs that fail or lose the GPU"),
  "endangers?": list(string(), "activities that run, at risk or slower"),
  advice: list(string()),
  details: string("the address of all that is known about it"),
  page: string("the address of the page of its rule"),
});

/** A finding without what only few ask for: evidence, facts, sources. */
export const briefFinding = (finding: Finding, pointer: string, { at, page }: Told): object => ({
  rule: finding.rule,
  severity: finding.severity,
  certainty: finding.certainty,
  subject: finding.subject,
  ...(finding.place ? { place: placeWords(finding.place) } : {}),
  message: finding.message,
  because: finding.because,
  breaks: finding.breaks.map(affected),
  ...(finding.endangers.length === 0 ? {} : { endangers: finding.endangers.map(affected) }),
  advice: finding.advice.map(adviceLine),
  details: at(pointer),
  page: page(finding.rule),
});

/** `1 error, 2 warnings (cudnn-parts-from-two-releases, two-copies)`; notes are counted where nothing else is there to count. */
export function findingWords(findings: Pick<Finding, "severity" | "rule">[]): string {
  const wrong = findings.filter(({ severity }) => severity !== "info");
  if (wrong.length === 0) return findings.length === 0 ? "no findings" : `no errors or warnings, ${counted(findings.length, "note")}`;
  const errors = wrong.filter(({ severity }) => severity === "error").length;
  const rules = [...new Set(wrong.map(({ rule }) => rule))].join(", ");
  return `${[errors && counted(errors, "error"), wrong.length - errors && counted(wrong.length - errors, "warning")].filter(Boolean).join(", ")} (${rules})`;
}

const statusWords: { [status in Check["status"]]: string } = {
  ok: "all that was asked about was judged, and nothing is wrong",
  findings: "something is wrong",
  incomplete: "something that was asked about could not be judged: do not take it for healthy",
  "nothing-to-check": "there is nothing here to check",
};

export const checkWords = ({ status, findings, unknown }: Check): string =>
  `${statusWords[status]}: ${findingWords(findings)}${unknown.length === 0 ? "" : `; ${counted(unknown.length, "unknown thing")}`}`;
