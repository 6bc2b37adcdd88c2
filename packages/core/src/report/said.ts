import type { Finding } from "../model/finding.ts";

/** What the program itself would print last: no reason, but what people search for. Said once. */
export function endOf({ facts: { said }, message, because, evidence }: Finding): string[] {
  return said === undefined || said === "" || [message, ...because, ...evidence].some((text) => text.includes(said)) ? [] : [said];
}
