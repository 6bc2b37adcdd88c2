// What `--quiet` leaves of an answer: what is wrong, a line each, and nothing where nothing is. For scripts and for CI.
import { placeWords } from "../lib/place.ts";
import { reporting } from "../lib/shown.ts";
import { openQuestions, type Check } from "../model/check.ts";
import type { Difference } from "../model/diff.ts";
import type { Explanation } from "../model/explain.ts";
import { severities, type Finding, type Severity } from "../model/finding.ts";
import type { Plan } from "../model/fix.ts";
import type { Inventory } from "../model/inventory.ts";
import type { Loads } from "../model/loads.ts";
import type { Solution } from "../model/solve.ts";
import type { TraceReport } from "../model/trace.ts";
import type { Why } from "../model/why.ts";

/** A finding as compilers and linters write it: `requirements.txt:3: error: … [rule]`. */
export const findingLine = ({ place, severity, message, rule }: Finding): string =>
  `${place ? `${placeWords(place)}: ` : ""}${severity}: ${message} [${rule}]`;

const text = (lines: string[]): string => lines.map((line) => `${line}\n`).join("");

/** Findings from a severity on; with `unknown`, what could not be judged, too. `of`: whose check it is, where there are several. */
export const quietCheck = reporting((check: Check, mildest: Severity, unknown = false, of = ""): string =>
  text([
    ...check.findings
      .filter(({ severity }) => severities.indexOf(severity) <= severities.indexOf(mildest))
      .map((finding) => `${of}${findingLine(finding)}`),
    ...(unknown ? openQuestions(check).map(({ subject, reason }) => `${of}unknown: ${subject}: ${reason}`) : []),
  ]),
);

export const quietPlan = reporting(({ findings }: Plan): string =>
  text(findings.filter(({ severity }) => severity === "error").map(({ severity, message, rule }) => `${severity}: ${message} [${rule}]`)),
);

export const quietLoads = reporting(({ failures }: Loads): string => text(failures.map(({ message }) => `error: ${message}`)));

export const quietWhy = reporting(({ requests: [first] }: Why): string => text(first?.failure ? [`error: ${first.failure.message}`] : []));

export const quietList = reporting(({ frameworks }: Inventory): string =>
  text(
    frameworks.flatMap(({ framework, environment, failures }) =>
      failures.map(({ message }) => `error: ${framework} in ${environment}: ${message}`),
    ),
  ),
);

export const quietDiff = reporting(({ findings }: Difference, { a, b }: { a: string; b: string }): string =>
  text([
    ...findings.onlyInA.filter(isError).map((finding) => `${a}: ${findingLine(finding)}`),
    ...findings.onlyInB.filter(isError).map((finding) => `${b}: ${findingLine(finding)}`),
  ]),
);

const isError = ({ severity }: Finding) => severity === "error";

export const quietExplanation = reporting(({ diagnoses: [first] }: Explanation): string =>
  text(
    first && first.cause !== "benign-warning"
      ? [`${first.certainty === "certain" ? "error" : first.certainty}: ${first.message} [${first.cause}]`]
      : [],
  ),
);

export const quietSolution = reporting(({ answers, conflict }: Solution): string =>
  text(
    answers.length === 0 && conflict
      ? [
          `error: ${conflict.requirements.length === 1 ? "this cannot be installed" : "these cannot live together"}: ${conflict.requirements.map(({ requirement }) => requirement).join(", ")}`,
        ]
      : [],
  ),
);

export const quietTraces = reporting(({ files, conclusions = [] }: TraceReport): string =>
  text([
    ...conclusions.filter(({ kind }) => kind === "no-profile").map(({ message }) => message),
    ...files
      .filter(({ verdict }) => !["healthy", "not-gpu"].includes(verdict))
      .map(({ file, verdict, because }) => `${file}: ${verdict}${because.length === 0 ? "" : `: ${because[0]}`}`),
  ]),
);
