/** All of a check, loaded when asked for (`parts.ts`). */
export { diagnose } from "../diagnose/diagnose.ts";
export { checkChanged, wantedOf } from "./changes.ts";
export { factsAfter, findFixes } from "./fixes.ts";
export { runPrograms } from "./programs.ts";
export { describeRules } from "./describe-rules.ts";
export { inShells } from "./shells.ts";
export { stackOf } from "./stack.ts";
export { survey } from "./survey.ts";
export { verdictOn } from "./verdict.ts";
