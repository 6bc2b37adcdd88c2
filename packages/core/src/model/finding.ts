import type { Cause } from "./cause.ts";
import type { Via } from "./loads.ts";

/** Worst first. */
export const severities = ["error", "warning", "info"] as const;
export type Severity = (typeof severities)[number];

/** What a program does; an executable of one's own stands here by its path. */
export interface Affected {
  framework: string;
  activity: string;
}

/** One thing that is wrong, as data; words for people are made from it. `rule` and `subject` are its identity. */
export interface Finding {
  rule: string;
  cause: Cause;
  /** error: an activity fails or silently runs without the GPU; warning: it runs, at risk or slower; info: only a note. */
  severity: Severity;
  certainty: "certain" | "likely" | "possible";
  subject: string;
  /** Where in a file it is written, when the target is a file that people edit. */
  place?: Place;
  /** Where it is so in one only: `login`, in a login shell; `none`, where none has read the start-up files. */
  shell?: "login" | "none";
  message: string;
  /** The reason alone, for a headline that says before it who fails at what: some 50 characters, no path. Absent: the message is as short. */
  short?: string;
  because: string[];
  evidence: string[];
  facts: Facts;
  /** Fails, or loses the GPU. */
  breaks: Affected[];
  /** Runs, at risk or slower. */
  endangers: Affected[];
  /** What to do. */
  advice: Advice[];
  /** Where facts that are not on the machine come from. */
  sources: string[];
  fixes: Fix[];
}

/** What a headline is made of. */
export type Headed = Pick<Finding, "rule" | "subject" | "message" | "short" | "certainty" | "shell" | "breaks" | "endangers">;

/** What a finding was made of. Fixes, reports and other programs decide by these, never by words. */
export interface Facts {
  /** Loads that it speaks of, the guilty ones first. */
  loads?: LoadFact[];
  /** A name that was asked for and not found. */
  wanted?: WantedFact;
  /** Other installed files that it speaks of. */
  copies?: CopyFact[];
  variables?: VariableFact[];
  packages?: PackageFact[];
  /** Builds of a framework that would fit. */
  builds?: BuildFact[];
  driver?: DriverFact;
  gpus?: GpuFact[];
  /** What the program would print at its end. */
  said?: string;
}

export interface LoadFact {
  /** `guilty`: it should not be loaded; `beside`: what it does not fit to; `asks`: asked for what is guilty or missing. */
  role: "guilty" | "beside" | "asks";
  name: string;
  file: string;
  path: string;
  via: Via;
  /** Id of a known GPU library. */
  library?: string;
  version?: string;
  requestedBy: string;
  /** The object whose RPATH led there. */
  from?: string;
}

export interface WantedFact {
  name: string;
  library?: string;
  requestedBy: string;
  /** Folders that were looked in. */
  tried: string[];
  /** Other names that are missing with it. */
  others?: string[];
}

export interface CopyFact {
  /** `right`: should be taken; `damaged`: cannot be used; `hidden`: where nobody looks; `other`: of another release. */
  role: "right" | "damaged" | "hidden" | "other";
  file: string;
  library?: string;
  version?: string;
  owner?: { kind: "dpkg" | "rpm" | "pip" | "conda"; name: string; version?: string };
}

export interface VariableFact {
  name: string;
  /** Of a list: the elements that are to blame. */
  elements?: string[];
  /** Lines of start-up files that set it. */
  setAt: { file: string; line: number }[];
}

export interface PackageFact {
  /**
   * `reinstall`: in this very version, again; `install`: in a version that `wants` allows; `conflicts`: with the others of this role;
   * `asks`: wants others; `subject`: it is what is wrong.
   */
  role: "reinstall" | "install" | "conflicts" | "asks" | "subject";
  name: string;
  version?: string;
  /** A specifier that its version should meet. */
  wants?: string;
  /** Prefix of its environment. */
  environment?: string;
  /** Where its metadata lies. */
  path?: string;
  /** Files of it that are gone or damaged. */
  files?: string[];
  /** What pip is given so that it comes along: `tensorflow[and-cuda]==2.17.1`. */
  with?: string[];
}

/** A build of one release, by the label of its index: torch 2.8.0 for `cu126`. */
export interface BuildFact {
  package: string;
  release: string;
  variant: string;
  environment?: string;
}

export interface DriverFact {
  version?: string;
  /** The least that would do. */
  needed?: string;
  /** For which CUDA. */
  cuda?: string;
}

export interface GpuFact {
  name: string;
  sm?: string;
}

/** What to do about a finding. */
export interface Advice {
  /** For a person, without the command. */
  words: string;
  /**
   * The words of one command that can be pasted, quoted when it is printed. Nothing in it has to be filled in, but `COMMAND` where
   * something is done for one command only.
   */
  command?: string[];
  /** How far the command reaches. */
  scope?: "once" | "shell" | "file" | "install";
  /** The kind of fix that does the same, where there is one. */
  fix?: string;
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
  proof: Proof;
}

/** What a change does to findings, as `rule subject`. */
export interface Proof {
  removes: string[];
  adds: string[];
  /** What comes to light: each breaks only what was broken before, and less of it. */
  reveals?: string[];
}

/**
 * A finding in the making; rule, and what is not said, come from the rule. Only a rule that says so (`otherCauses`) gives another cause than
 * its own, and a severity is only ever milder than the rule's.
 */
export interface Draft<S extends Severity = "warning" | "info", C extends Cause = never> {
  subject: string;
  place?: Place;
  message: string;
  short?: string;
  because: string[];
  evidence?: string[];
  /** A text alone is words without a command. */
  advice: (string | Advice)[];
  facts?: Facts;
  cause?: C;
  severity?: S;
  certainty?: Finding["certainty"];
  breaks?: Affected[];
  endangers?: Affected[];
  sources?: string[];
}

export function findingOf(
  { id, cause, severity }: { id: string; cause: Cause; severity: Severity },
  draft: Draft<Severity, Cause>,
): Finding {
  return {
    rule: id,
    cause: draft.cause ?? cause,
    severity: draft.severity ?? severity,
    certainty: draft.certainty ?? "certain",
    subject: draft.subject,
    ...(draft.place ? { place: draft.place } : {}),
    message: draft.message,
    ...(draft.short === undefined ? {} : { short: draft.short }),
    because: draft.because,
    evidence: draft.evidence ?? [],
    facts: draft.facts ?? {},
    breaks: draft.breaks ?? [],
    endangers: draft.endangers ?? [],
    advice: draft.advice.map((each) => (typeof each === "string" ? { words: each } : each)),
    // What is only remembered has no source to name; its certainty says so.
    sources: (draft.sources ?? []).filter((source) => source !== "memory"),
    fixes: [],
  };
}

/** Which of two is worse comes first. */
export const bySeverity = (a: { severity: Severity }, b: { severity: Severity }) =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity);
