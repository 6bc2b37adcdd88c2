// Frameworks and the inventory are half of the program, and most questions do without them: they are loaded when asked for.
import type * as Checks from "./judgement.ts";
import type * as Solving from "./solving.ts";
import type * as Stack from "./stack.ts";

export const examineFrameworks: typeof Stack.examineFrameworks = async (...given) =>
  (await import("./stack.ts")).examineFrameworks(...given);
export const examineFrameworksWhy: typeof Stack.examineFrameworksWhy = async (...given) =>
  (await import("./stack.ts")).examineFrameworksWhy(...given);
export const examineInventory: typeof Stack.examineInventory = async (...given) => (await import("./stack.ts")).examineInventory(...given);
export const examineStack: typeof Checks.examineStack = async (...given) => (await import("./judgement.ts")).examineStack(...given);
/** Whether a name of a GPU, a PCI device or an architecture means something to us. */
export const isKnownGpu = async (name: string): Promise<boolean> => (await import("./stack.ts")).isKnownGpu(name);
export const solveRequest: typeof Solving.solveRequest = async (...given) => (await import("./solving.ts")).solveRequest(...given);
