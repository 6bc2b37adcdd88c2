/** What the public library takes from the reading of error texts; loaded when asked for (`src/lazy.ts`). */
export { explainLog } from "./log/explain.ts";
export { addMaps, besideForeseen, nothingMapped, type Mapped } from "./log/mapped.ts";
