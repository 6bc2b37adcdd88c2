import type { TargetDescription, Unknown } from "./snapshot.ts";

/** One thing that is wrong, as data; words for people are made from it. `rule` and `subject` are its identity. */
export interface Finding {
  rule: string;
  cause: string;
  severity: "error" | "warning" | "info";
  certainty: "certain" | "likely" | "possible";
  subject: string;
  message: string;
  because: string[];
  evidence: string[];
  breaks: { framework: string; activity: string }[];
  endangers: { framework: string; activity: string }[];
  fixes: { fix: string; safety: "safe" | "unsafe" | "display-only"; commands: string[]; proof: { removes: string[]; adds: string[] } }[];
}

export interface Check {
  schema: "culprit/check@1";
  target: TargetDescription;
  unknown: Unknown[];
  findings: Finding[];
}
