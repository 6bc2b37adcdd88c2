/** The public library: pure, so it runs in Node, a browser or a worker alike. Targets, which read a machine, are in `culprit/targets`. */
export * from "./culprit.ts";
export { openTarget, type Examination, type WhatIf } from "./ask/examination.ts";
export type { FrameworkRun } from "./ask/frameworks.ts";
export { loadsOfEach } from "./ask/loads.ts";
export { findObjects } from "./ask/objects.ts";
export type { SolveRequest } from "./ask/solve.ts";
export { cpuNamed } from "./collect/cpu.ts";
export type { DependencyFileCheck, DependencyFileRequest, ReadFile } from "./dependency-files/judge.ts";
export { acceptFindings, readProject, unknownRule } from "./diagnose/accept.ts";
export type { ModuleRequest } from "./ask/modules.ts";
export { activities, type Activity } from "./model/activity.ts";
export { frameworkIds } from "./frameworks/ids.generated.ts";
export type { ChangedJudgement } from "./judge/changes.ts";
export type { Judgement, Question } from "./judge/question.ts";
export { isDriverVersion, notADriver } from "./lib/driver-version.ts";
export { gpuHint } from "./lib/gpu-hint.ts";
export { nearNames } from "./lib/near.ts";
export { expandRanges } from "./lib/ranges.ts";
export { mayHaveFallenBack } from "./log/fallback.ts";
export { withPlainError } from "./log/program-error.ts";
export { joinExplanation, joinWithCheck, type JoinedDiagnosis } from "./log/join.ts";
export type { Mapped } from "./log/part.ts";
export * from "./model/index.ts";
export * from "./report/index.ts";
export type { Answered, Formatting } from "./report/answered.ts";
export type { Reported } from "./report/part.ts";
export { ruleIds } from "./rules/ids.generated.ts";
export { differingPaths } from "./snapshot/differing.ts";
export { namingFiles, privateNamesIn, redactAnswer, redactSnapshot, type PrivateNames } from "./snapshot/redact.ts";
export { serializeSnapshot } from "./snapshot/serialize.ts";
export {
  isSnapshot,
  joinStack,
  joinTold,
  manifestDigest,
  readRoots,
  splitTold,
  Unjoinable,
  walkStack,
  type Digest,
  type JoinLimits,
  type Split,
  type StackText,
} from "./snapshot/split.ts";
export { version } from "./version.ts";
