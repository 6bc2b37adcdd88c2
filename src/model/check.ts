import type { Cause } from "./cause.ts";
import type { Assumed, TargetDescription, Unknown } from "./snapshot.ts";

export type Severity = "error" | "warning" | "info";

/** What a program does; an executable of one's own stands here by its path. */
export interface Affected {
  framework: string;
  activity: string;
}

/** One thing that is wrong, as data; words for people are made from it. `rule` and `subject` are its identity. */
export interface Finding {
  rule: string;
  cause: Cause;
  /** error: an activity fails or silently runs without the GPU; warning: it runs, at risk or slower; info: merely unusual. */
  severity: Severity;
  certainty: "certain" | "likely" | "possible";
  subject: string;
  /** Where in a file it is written, when the target is a file that people edit. */
  place?: Place;
  message: string;
  because: string[];
  evidence: string[];
  /** Fails, or loses the GPU. */
  breaks: Affected[];
  /** Runs, at risk or slower. */
  endangers: Affected[];
  /** What to do, in words and commands. */
  advice: string[];
  /** Where facts that are not on the machine come from. */
  sources: string[];
  fixes: Fix[];
}

/** A line of a file; of a notebook, a line of one of its cells. */
export interface Place {
  file: string;
  line: number;
  endLine?: number;
  /** 1-based, as people count characters of a line. */
  column?: number;
  endColumn?: number;
  /** 1-based, of the code cells; `line` is then one of the cell. Absent: not a notebook. */
  cell?: number;
  /** 1-based, of what the cell printed; `line` is then one of that. */
  output?: number;
  /** The line of the notebook's own file, for those who show that. */
  fileLine?: number;
}

export interface Fix {
  fix: string;
  /** What it does, in a few words; absent where `fix` says so itself. */
  title?: string;
  safety: "safe" | "unsafe" | "display-only";
  commands: string[];
  proof: { removes: string[]; adds: string[] };
}

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
  /** Of what cannot be told: paths that a verdict rests on and that may not be read. Without them, nothing that was found is no clean bill. */
  unread?: string[];
  findings: Finding[];
  accepted: AcceptedFinding[];
}
