import type { Cause } from "./cause.ts";
import type { Severity } from "./finding.ts";

/** A rule as people read about it: what `culprit help RULE`, docs/rules/ and SARIF show. */
export interface RuleDescription {
  /** Also the file's name. */
  id: string;
  title: string;
  cause: Cause;
  /** The worst that it gives. */
  severity: Severity;
  page: RulePage;
}

/** Paragraphs of docs/rules/<id>.md. */
export interface RulePage {
  what: string;
  why: string;
  how: string;
  mend: string;
  /** What we saw ourselves, and on what; or that we could not. */
  observed: string;
}
