/** Answers in words, for a terminal or a page; pure text in, pure text out. */
export { checkReport, checkSummary } from "./check.ts";
export { checkOne } from "./check-one.ts";
export { diffReport } from "./diff.ts";
export { askReport } from "./ask.ts";
export { explainReport } from "./explain.ts";
export { fixReport, stepText } from "./fix.ts";
export { listReport } from "./list.ts";
export { loadsReport } from "./loads.ts";
export {
  quietCheck,
  quietDiff,
  quietExplanation,
  quietList,
  quietLoads,
  quietPlan,
  quietSolution,
  quietTraces,
  quietWhy,
} from "./quiet.ts";
export { causePageReport, causesReport } from "./cause-page.ts";
export { rulePage, rulePageReport, rulesPage, rulesReport } from "./rule-page.ts";
export { runReport } from "./run.ts";
export { solveReport } from "./solve.ts";
export type { Style } from "./style.ts";
export { targetsReport } from "./targets.ts";
export { whyReport } from "./why.ts";
