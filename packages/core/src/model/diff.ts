import type { Finding } from "./finding.ts";
import type { TargetDescription } from "./snapshot.ts";

/** Two targets side by side: what is wrong in one only, which difference explains it, and what else differs. */
export interface Difference {
  schema: "culprit/diff@1";
  a: TargetDescription;
  b: TargetDescription;
  findings: { onlyInA: Finding[]; onlyInB: Finding[] };
  changes: Change[];
}

export interface Change {
  kind: "variable" | "driver" | "gpu" | "package" | "framework" | "library" | "toolkit" | "image" | "python";
  /** For example LD_LIBRARY_PATH, or `nvidia-cudnn-cu12 in /opt/venv`. */
  subject: string;
  /** Of a package: which, and in which environment. */
  package?: { name: string; environment: string };
  /** Of a variable that a start-up file sets: the line, in each. */
  setAt?: { a?: string; b?: string };
  /** Absent: not there. */
  a?: string;
  b?: string;
  /** Findings, as `rule subject`, that go away in one target when this is as in the other: proven on a copy of its facts. */
  explains: { in: "a" | "b"; finding: string }[];
}
