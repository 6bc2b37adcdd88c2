// Frameworks and the inventory are half of the program, and most questions do without them: they are loaded when asked for.
import type * as Log from "./log.ts";
import type * as Stack from "./stack.ts";

export const examineFrameworks: typeof Stack.examineFrameworks = async (...given) =>
  (await import("./stack.ts")).examineFrameworks(...given);
export const examineFrameworksWhy: typeof Stack.examineFrameworksWhy = async (...given) =>
  (await import("./stack.ts")).examineFrameworksWhy(...given);
export const examineInventory: typeof Stack.examineInventory = async (...given) => (await import("./stack.ts")).examineInventory(...given);

/** Reading error texts is a part of its own as well. */
export const explainLog: typeof Log.explainLog = async (...given) => (await import("./log.ts")).explainLog(...given);
/** What reads the maps of processes, to see what was really loaded. */
export const mapsReader = async (): Promise<Pick<typeof Log, "addMaps" | "besideForeseen" | "nothingMapped">> => import("./log.ts");
