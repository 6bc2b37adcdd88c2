import type { Failure } from "../model/loads.ts";
import type { RunningProcess } from "./running-process.ts";

/** A library that a program asked for by name and did not get, in the loader's words unless it has its own. */
export function notFoundByName(
  { process: { activity, missed } }: RunningProcess,
  requestedBy: string,
  name: string,
  message = `${name}: cannot open shared object file: No such file or directory`,
): Failure {
  const tried = missed.findLast((miss) => miss.name === name)?.tried ?? [];
  return { name, requestedBy, activity, reason: "not-found", message, tried };
}
