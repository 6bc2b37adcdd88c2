// What the case book needs of culprit: the functions that the commands print with. The only file of the case book that knows where they are.
export {
  activities,
  openTarget,
  checkReport,
  cpuNamed,
  checkDependencyFile,
  fixTarget,
  checkTarget,
  explainLog,
  explainReport,
  fixReport,
  frameworkIds,
  joinExplanation,
  loadTraces,
  readSnapshot,
  ruleIds,
  type Activity,
  type Check,
  type Explanation,
  type Plan,
  type Problem,
  type Snapshot,
  type Style,
  type TraceReport,
  type WhatIf,
} from "../../packages/core/src/index.ts";
export { withoutSecretsIn } from "../../packages/core/src/lib/secrets.ts";
export { jsonText, visibleLines } from "../../packages/core/src/lib/visible.ts";
export { besideReader } from "../../packages/machine/src/target/beside.ts";
export { firstBytes, isPacked, takePieces } from "../../packages/machine/src/target/pieces.ts";
