/** What the public library takes from the reading of error texts; loaded when asked for (`packages/core/src/lazy.ts`). */
export { explainLog } from "./explain.ts";
export { addMaps, besidePredicted, nothingMapped, type Mapped } from "./mapped.ts";
