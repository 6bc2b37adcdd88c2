// Frameworks and the inventory are half of the program, and most questions do without them: they are loaded when asked for.
import type * as Stack from "./stack.ts";
import type * as Traces from "./traces.ts";

export const examineFrameworks: typeof Stack.examineFrameworks = async (...given) =>
  (await import("./stack.ts")).examineFrameworks(...given);
export const examineFrameworksWhy: typeof Stack.examineFrameworksWhy = async (...given) =>
  (await import("./stack.ts")).examineFrameworksWhy(...given);
export const examineInventory: typeof Stack.examineInventory = async (...given) => (await import("./stack.ts")).examineInventory(...given);

/** What reads, judges and shows profilers' traces. */
export const loadTraces = async (): Promise<typeof Traces> => import("./traces.ts");
