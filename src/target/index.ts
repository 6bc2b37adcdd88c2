/** Where culprit can look. */
export { machine } from "./machine.ts";
export { root } from "./root.ts";
export { pid, processesMapping } from "./pid.ts";
