// Frameworks and the inventory are half of the program, and most questions do without them: they are loaded when asked for.
import type * as Checks from "./judgement.ts";
import type * as Declared from "./declaration.ts";
import type * as Solving from "./solving.ts";
import type * as Differences from "./difference.ts";
import type { RuleDescription } from "./model/rule.ts";
import type * as Reports from "./reports.ts";
import type { PrivateNames } from "./snapshot/redact.ts";
import type * as Log from "./log.ts";
import type { KeeperOf } from "./model/target.ts";
import type * as Stack from "./stack.ts";
import type * as Traces from "./traces.ts";

export const examineFrameworks: typeof Stack.examineFrameworks = async (...given) =>
  (await import("./stack.ts")).examineFrameworks(...given);
export const examineFrameworksWhy: typeof Stack.examineFrameworksWhy = async (...given) =>
  (await import("./stack.ts")).examineFrameworksWhy(...given);
export const examineInventory: typeof Stack.examineInventory = async (...given) => (await import("./stack.ts")).examineInventory(...given);
export const examineStack: typeof Checks.examineStack = async (...given) => (await import("./judgement.ts")).examineStack(...given);
const describeMachineRules = async (): Promise<RuleDescription[]> => (await import("./judgement.ts")).describeRules();
export const describeRules = async (): Promise<RuleDescription[]> =>
  [...(await describeMachineRules()), ...(await import("./declaration.ts")).describeDeclaredRules()].sort((a, b) => (a.id < b.id ? -1 : 1));
/** Files that say what will be installed are a part of their own, too. */
export const recogniseDeclaration = async (...given: Parameters<typeof Declared.recogniseDeclaration>) =>
  (await import("./declaration.ts")).recogniseDeclaration(...given);
export const examineDeclaration: typeof Declared.examineDeclaration = async (...given) =>
  (await import("./declaration.ts")).examineDeclaration(...given);
export const examineDeclaredDifference: typeof Declared.examineDeclaredDifference = async (...given) =>
  (await import("./declaration.ts")).examineDeclaredDifference(...given);
export const foreseenReport = async (...given: Parameters<typeof Declared.foreseenReport>): Promise<string> =>
  (await import("./declaration.ts")).foreseenReport(...given);
export const checkMarkdown = async (...given: Parameters<typeof Reports.checkMarkdown>): Promise<string> =>
  (await import("./reports.ts")).checkMarkdown(...given);
export const checkHtml = async (judged: Reports.Reported, made?: string, names?: PrivateNames): Promise<string> =>
  (await import("./reports.ts")).checkHtml(judged, await rulesOf(judged), made, names);
export const checkSarif = async (judged: Reports.Reported, names?: PrivateNames): Promise<string> =>
  (await import("./reports.ts")).checkSarif(judged, await rulesOf(judged), names);
const rulesOf = ({ check }: Reports.Reported) => (check.target.kind === "declaration" ? describeRules() : describeMachineRules());
/** Whether a name of a GPU, a PCI device or an architecture means something to us. */
export const isKnownGpu = async (name: string): Promise<boolean> => (await import("./stack.ts")).isKnownGpu(name);
/** The first of these places that holds no Python environment. */
export const placeWithoutPython: typeof Stack.placeWithoutPython = async (...given) =>
  (await import("./stack.ts")).placeWithoutPython(...given);
export const solveRequest: typeof Solving.solveRequest = async (...given) => (await import("./solving.ts")).solveRequest(...given);
export const examineFixes: typeof Checks.examineFixes = async (...given) => (await import("./judgement.ts")).examineFixes(...given);
export const examineDifference: typeof Differences.examineDifference = async (...given) =>
  (await import("./difference.ts")).examineDifference(...given);
/** Reading error texts is a part of its own as well. */
export const explainLog: typeof Log.explainLog = async (...given) => (await import("./log.ts")).explainLog(...given);
/** What reads the maps of processes, to see what was really loaded. */
export const mapsReader = async (): Promise<Pick<typeof Log, "addMaps" | "besideForeseen" | "nothingMapped">> => import("./log.ts");
/** What reads, judges and shows profilers' traces. */
export const loadTraces = async (): Promise<typeof Traces> => import("./traces.ts");
/** What chooses the bytes to keep of a packed image, for the target `image`. */
export const imageKeeping = async (): Promise<KeeperOf> => (await import("./collect/keep.ts")).keeping();
