// What the case book needs of culprit: the functions that the commands print with. The only file of the case book that knows where they are.
export {
  activities,
  beginExamination,
  checkReport,
  cpuNamed,
  examineDeclaration as examineDependencyFile,
  examineFixes,
  examineStack,
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
  type Snapshot,
  type Style,
  type TraceReport,
  type WhatIf,
} from "../../src/index.ts";
export { withoutSecretsIn } from "../../src/lib/secrets.ts";
export { jsonText, visibleLines } from "../../src/lib/visible.ts";
export { besideReader } from "../../src/target/beside.ts";
export { firstBytes, isPacked, takePieces } from "../../src/target/pieces.ts";
