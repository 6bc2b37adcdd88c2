import type { Cause } from "./cause.ts";
import type { Severity } from "./finding.ts";

/** A rule as people read about it: what `culprit help RULE`, docs/rules/ and SARIF show. */
export interface RuleDescription {
  /** Also the name of its file or folder. */
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
  fix: string;
  /** What we saw ourselves, and on what; or that we could not. */
  observed: string;
}

/** Where a rule can look, as `check` takes it. Colab is what a dependency file is judged upon. */
export const ruleTargets = ["machine", "root", "process", "host", "image", "snapshot", "dependency-file"] as const;
export type RuleTarget = (typeof ruleTargets)[number];

/** Why a rule says nothing of a kind of target: everywhere else it speaks. `machines` is all but dependency files. */
export type NotOn = { [target in RuleTarget | "machines"]?: string };

/** Why a rule says nothing there; undefined where it speaks. */
export const silenceOn = (notOn: NotOn, target: RuleTarget): string | undefined =>
  notOn[target] ?? (target === "dependency-file" ? undefined : notOn.machines);
