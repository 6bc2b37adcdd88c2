// What a rule is: one description, and a side for machines, for dependency files, or both. The sides of one rule are two files, because
// they are loaded apart; what is said once about both stands in the page beside them.
import type { InstallContext } from "../dependency-files/context.ts";
import type { Run, Stack, Stop } from "../diagnose/stack.ts";
import type { Cause } from "../model/cause.ts";
import type { Draft, Place, Severity } from "../model/finding.ts";
import type { NotOn, RuleDescription } from "../model/rule.ts";

/** What holds for a rule wherever it looks. */
export interface RuleHead<Worst extends Severity = Severity, Other extends Cause = Cause> extends RuleDescription {
  /** The worst that it gives, and what a finding has that says no milder one. */
  severity: Worst;
  /** Causes that single findings may have in the place of the rule's own. */
  otherCauses?: readonly Other[];
  notOn?: NotOn;
}

/** What a single finding may say instead of the rule's own severity. */
type Milder<Worst extends Severity> = Worst extends "error" ? "warning" | "info" : Worst extends "warning" ? "info" : never;

interface MachineSide<Worst extends Severity = Severity, Other extends Cause = Cause> {
  /** It says that something is not there: nothing, where not everything could be looked at. */
  absence?: true;
  /** Where a program would stop or lose the GPU: whether this is why. The most specific answer of all rules counts. */
  blames?: (stack: Stack, stop: Stop, run: Run) => Blame<Milder<Worst>, Other> | undefined;
  /** What is wrong although no program stops. */
  finds?: (stack: Stack) => Draft<Milder<Worst>, Other>[];
}

/** What every stop tells (`stopFacts`) need not be said again. */
export interface Blame<S extends Severity = "warning" | "info", C extends Cause = never> extends Omit<Draft<S, C>, "breaks" | "place"> {
  /** 0 is the last resort; 1 says only what failed; 2 also which file; 3 also why that file; 4 and 5 know this very constellation. */
  specificity: 0 | 1 | 2 | 3 | 4 | 5;
}

interface DependencyFileSide<Worst extends Severity = Severity, Other extends Cause = Cause> {
  finds: (context: InstallContext) => DependencyFileDraft<Milder<Worst>, Other>[];
}

/** Of a file, each finding says where it stands. */
export interface DependencyFileDraft<S extends Severity = "warning" | "info", C extends Cause = never> extends Draft<S, C> {
  place: Place;
}

/** A rule as it judges machines. */
export interface MachineRule extends RuleHead, MachineSide {
  side: "machine";
}

/** A rule as it judges dependency files. */
export interface DependencyFileRule extends RuleHead, DependencyFileSide {
  side: "dependency-file";
}

/** A rule for machines alone, in one file; it says why dependency files have no such thing. */
export const defineMachineRule = <const Worst extends Severity, const Other extends Cause = never>(
  rule: RuleHead<Worst, Other> & { notOn: NotOn & { "dependency-file": string } } & MachineSide<Worst, NoInfer<Other>>,
): MachineRule => ({ ...rule, side: "machine" });

/** A rule for dependency files alone, in one file; it says why machines have no such thing. */
export const defineDependencyFileRule = <const Worst extends Severity, const Other extends Cause = never>(
  rule: RuleHead<Worst, Other> & { notOn: { machines: string } } & DependencyFileSide<Worst, NoInfer<Other>>,
): DependencyFileRule => ({ ...rule, side: "dependency-file" });

/** `page.ts` of a rule for both: what its two sides share. */
export const describeRule = <const Worst extends Severity, const Other extends Cause = never>(
  head: Omit<RuleHead<Worst, Other>, "notOn"> & { notOn?: Omit<NotOn, "machines" | "dependency-file"> },
): RuleHead<Worst, Other> => head;

/** `machine.ts` of a rule for both. */
export const machineSide = <Worst extends Severity, Other extends Cause>(
  head: RuleHead<Worst, Other>,
  side: MachineSide<Worst, NoInfer<Other>>,
): MachineRule => ({ ...head, ...side, side: "machine" });

/** `dependency-file.ts` of a rule for both. */
export const dependencyFileSide = <Worst extends Severity, Other extends Cause>(
  head: RuleHead<Worst, Other>,
  side: DependencyFileSide<Worst, NoInfer<Other>>,
): DependencyFileRule => ({ ...head, ...side, side: "dependency-file" });
