import type { Finding } from "./finding.ts";
import type { Assumed, TargetDescription } from "./snapshot.ts";
import type { UnknownThing } from "./unknown.ts";

/** A finding that somebody has looked at and lives with. */
export interface AcceptedFinding {
  finding: Finding;
  reason: string;
}

/** A program that was judged: a framework in an environment, or an executable. */
export interface JudgedProgram {
  /** A framework's name, or the path of an executable. */
  program: string;
  /** Absent for an executable. */
  version?: string;
  environment?: string;
  activities: string[];
  /** A build without CUDA; or an executable that needs no GPU library when it starts. */
  cpuOnly?: true;
  /** Programs with the same number are in one process, in this order; absent for one that is alone. */
  process?: number;
}

/** What was asked for and will work, and with which file: said where one would otherwise have to believe silence. */
export interface Readiness {
  framework: string;
  activity: string;
  message: string;
  file: string;
  version?: string;
}

/** findings: an error or a warning; incomplete: something that was asked about could not be judged. */
export type Status = "ok" | "findings" | "incomplete" | "nothing-to-check";

export interface Check {
  schema: "culprit/check@2";
  /** The day of the knowledge that it rests on: the newest on which a fact was compared with its source. */
  knowledge?: string;
  target: TargetDescription;
  /** The driver and GPUs that were asked about (`--driver`, `--gpu`). */
  assumed?: Assumed;
  status: Status;
  judged: JudgedProgram[];
  /** Only where the activity was named (`--do profile`). */
  readiness?: Readiness[];
  unknown: UnknownThing[];
  findings: Finding[];
  accepted: AcceptedFinding[];
}

/**
 * What of the unknown leaves a question open. A release that nobody watched is judged all the same, with less certainty, unless it is newer
 * than all that is known; and where no program is there that would use a GPU, none asks for a driver.
 */
export function openQuestions({ unknown, judged }: Pick<Check, "unknown" | "judged">): UnknownThing[] {
  const asksForDriver = judged.some(({ cpuOnly }) => !cpuOnly);
  return unknown.filter(
    ({ kind, aside, newerThan }) =>
      !aside && (kind !== "release" || newerThan !== undefined) && (asksForDriver || (kind !== "driver" && kind !== "gpu")),
  );
}

export function statusOf(check: Pick<Check, "findings" | "unknown" | "judged">): Status {
  if (check.findings.some(({ severity }) => severity !== "info")) return "findings";
  if (0 < openQuestions(check).length) return "incomplete";
  return check.judged.length === 0 ? "nothing-to-check" : "ok";
}
