/**
 * What is large and not always needed: loaded when asked for, so that the rest starts fast. This is the only table of it: the build makes
 * a file of each import that stands here.
 */
export const parts = {
  /** What frameworks load, and all that is installed. */
  ask: async () => import("./ask/part.ts"),
  /** Survey, run programs on paper, diagnose, plan. */
  judge: async () => import("./judge/part.ts"),
  /** What a dependency file would install, and what is wrong with it. */
  dependencyFiles: async () => import("./dependency-files/judge.ts"),
  diff: async () => import("./diff/diff.ts"),
  solve: async () => import("./ask/solve.ts"),
  /** Reads error texts. */
  log: async () => import("./log/part.ts"),
  /** Which causes a text resembles that holds no known message. */
  resemblance: async () => import("./log/resemblance/part.ts"),
  /** Reads, judges and shows profiles. */
  trace: async () => import("./trace/part.ts"),
  /** Reports that are read elsewhere: Markdown, SARIF, HTML. */
  report: async () => import("./report/part.ts"),
  /** Checks a snapshot against its schema. */
  validate: async () => import("./snapshot/validate.ts"),
  /** Checks knowledge that a user brings. */
  knowledge: async () => import("./knowledge/part.ts"),
  /** Chooses the bytes to keep of a packed image. */
  keep: async () => import("./collect/keep.ts"),
};
