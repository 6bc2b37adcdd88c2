/** The public library: pure, so it runs in Node, a browser or a worker alike. Targets, which read, are in `culprit/targets`. */
export { beginExamination, type Examination, type WhatIf } from "./examination.ts";
export { examine, examineLoads, examineProgram, examineWhy, findObjects, isGpuLibrary, takeSnapshot } from "./culprit.ts";
export {
  checkHtml,
  checkMarkdown,
  checkSarif,
  describeRules,
  examineDeclaration,
  examineDeclaredDifference,
  examineDifference,
  examineFixes,
  examineFrameworks,
  examineFrameworksWhy,
  examineInventory,
  examineStack,
  explainLog,
  foreseenReport,
  imageKeeping,
  isKnownGpu,
  placeWithoutPython,
  loadTraces,
  mapsReader,
  recogniseDeclaration,
  solveRequest,
} from "./lazy.ts";
export type { Judgement, Question } from "./judgement.ts";
export type { Mapped } from "./log.ts";
export { mayHaveFallenBack } from "./log/fallback.ts";
export { joinExplanation, joinWithCheck, type JoinedDiagnosis } from "./log/join.ts";
export type { FrameworkRun } from "./stack.ts";
export type { DeclarationRequest, DeclaredCheck, ReadFile } from "./declaration.ts";
export type { Reported } from "./reports.ts";
export type { SolveRequest } from "./solving.ts";
export type * from "./model/cause.ts";
export type * from "./model/check.ts";
export { openQuestions } from "./model/check.ts";
export { severities } from "./model/finding.ts";
export type * from "./model/declaration.ts";
export type * from "./model/diff.ts";
export type * from "./model/explain.ts";
export type * from "./model/finding.ts";
export type * from "./model/fix.ts";
export type * from "./model/inventory.ts";
export type * from "./model/loads.ts";
export type * from "./model/project.ts";
export type * from "./model/rule.ts";
export type * from "./model/snapshot.ts";
export type * from "./model/solve.ts";
export type * from "./model/targets.ts";
export type * from "./model/trace.ts";
export type * from "./model/unknown.ts";
export type * from "./model/why.ts";
export type { KeeperOf, OpenFile, Target } from "./model/target.ts";
export { version } from "./version.ts";
export { cpuNamed } from "./collect/cpu.ts";
export { readSnapshot } from "./snapshot/parse.ts";
export { loadsReport } from "./report/loads.ts";
export { checkReport, checkSummary } from "./report/check.ts";
export { checkOne } from "./report/check-one.ts";
export { acceptFindings, readProject, unknownRule } from "./diagnose/accept.ts";
export { ruleIds } from "./diagnose/rules/ids.generated.ts";
export { rulePage, rulePageReport, rulesPage, rulesReport } from "./report/rule-page.ts";
export { diffReport } from "./report/diff.ts";
export { targetsReport } from "./report/targets.ts";
export { expandRanges } from "./lib/ranges.ts";
export { fixReport, stepText } from "./report/fix.ts";
export { explainReport } from "./report/explain.ts";
export { runReport } from "./report/run.ts";
export type { Style } from "./report/style.ts";
export { namingFiles, privateNamesIn, redactSnapshot, type PrivateNames } from "./snapshot/redact.ts";
export { serializeSnapshot } from "./snapshot/serialize.ts";
export { whyReport } from "./report/why.ts";
export { activities, type Activity } from "./frameworks/activities.ts";
export { frameworkIds } from "./frameworks/ids.generated.ts";
export { listReport } from "./report/list.ts";
export { solveReport } from "./report/solve.ts";
export { nearNames } from "./lib/near.ts";
