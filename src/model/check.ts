import type { Finding } from "./finding.ts";
import type { Assumed, TargetDescription, Unknown } from "./snapshot.ts";

/** A finding that somebody has looked at and lives with. */
export interface AcceptedFinding {
  finding: Finding;
  reason: string;
}

/** A program that was examined: a framework in an environment, or an executable. */
export interface Examined {
  programs: string[];
  /** Version of each, in the same order; empty for an executable. */
  versions: string[];
  environment?: string;
  activities: string[];
}

/** What was asked for and will work, and with which file: said where one would otherwise have to believe silence. */
export interface Readiness {
  framework: string;
  activity: string;
  message: string;
  file: string;
  version?: string;
}

export interface Check {
  schema: "culprit/check@1";
  target: TargetDescription;
  /** The driver and GPUs that were asked about (`--driver`, `--gpu`). */
  assumed?: Assumed;
  examined: Examined[];
  /** Only where the activity was named (`--do profile`). */
  readiness?: Readiness[];
  unknown: Unknown[];
  findings: Finding[];
  accepted: AcceptedFinding[];
}
