import { openQuestions, type Check } from "../model/check.ts";
import { severities, type Finding, type Severity } from "../model/finding.ts";

/** A target of a run, and what came of it. */
export interface Answered {
  target: string;
  check?: Check;
  /** Why nothing could be told about it. */
  problem?: string;
}

export interface Formatting {
  /** From this severity on a finding makes the run fail; undefined: none does. */
  failing: Severity | undefined;
  /** Notes, too. */
  all: boolean;
}

export const findingsOf = ({ check }: Answered, { all }: Formatting): Finding[] =>
  (check?.findings ?? []).filter(({ severity }) => all || severity !== "info");

export const isFailing = ({ severity }: Finding, { failing }: Formatting): boolean =>
  failing !== undefined && severities.indexOf(severity) <= severities.indexOf(failing);

/** What could not be judged: nobody may take silence about it for health. */
export const openOf = ({ check }: Answered) => (check ? openQuestions(check) : []);
