/** The public library: pure, so it runs in Node, a browser or a worker alike. Targets, which read, are in `culprit/targets`. */
export {
  beginExamination,
  examine,
  examineFrameworks,
  examineFrameworksWhy,
  examineInventory,
  examineLoads,
  examineProgram,
  examineWhy,
  explain,
  findObjects,
  takeSnapshot,
  type Examination,
  type FrameworkRun,
  type WhatIf,
} from "./culprit.ts";
export type * from "./model/check.ts";
export type * from "./model/inventory.ts";
export type * from "./model/loads.ts";
export type * from "./model/snapshot.ts";
export type * from "./model/why.ts";
export type { OpenFile, Target } from "./model/target.ts";
export { version } from "./version.ts";
export { cpuOfLevel } from "./collect/cpu.ts";
export { readSnapshot } from "./snapshot/parse.ts";
export { loadsReport } from "./report/loads.ts";
export { checkReport } from "./report/check.ts";
export type { Style } from "./report/style.ts";
export { redactSnapshot } from "./snapshot/redact.ts";
export { serializeSnapshot } from "./snapshot/serialize.ts";
export { whyReport } from "./report/why.ts";
export { activities, type Activity } from "./frameworks/framework.ts";
export { frameworkIds } from "./frameworks/ids.ts";
export { listReport } from "./report/list.ts";
