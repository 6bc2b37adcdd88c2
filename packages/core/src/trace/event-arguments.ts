// What an event says of itself besides its name and its times: for whoever clicks it in a timeline.
import { decode } from "../lib/text.ts";
import type { ChromeEvent } from "./chrome-event.ts";
import { eachMember } from "./json-bytes.ts";

/** Numbers that only tie events together, and what the track says anyway. */
const ties = new Set([
  "External id",
  "Record function id",
  "Ev Idx",
  "correlation",
  "device",
  "stream",
  "context",
  "queued",
  "cbid",
  "Python id",
  "Python parent id",
  "Python module id",
  "Sequence number",
  "Fwd thread id",
  "Trace name",
]);
const mostMembers = 12;
const mostLetters = 240;

/** `grid [2048, 1, 1]; block [128, 1, 1]`: nothing where there is nothing to tell. */
export function argumentsOf({ bytes, argsStart, argsEnd }: ChromeEvent): string {
  const told: string[] = [];
  if (0 <= argsStart)
    eachMember(bytes, argsStart, argsEnd, (keyStart, keyEnd, start, end) => {
      if (told.length === mostMembers) return;
      const key = decode(bytes, keyStart, keyEnd);
      if (ties.has(key)) return;
      const value = decode(bytes, start, Math.min(end, start + mostLetters))
        .replace(/\s{1,40}/g, " ")
        .replace(/^"|"$/g, "")
        .trim();
      // 0 is what Kineto writes where it could not tell.
      const isUntold = value === "" || value === "[]" || (value === "0" && key.startsWith("est. "));
      if (!isUntold) told.push(`${key} ${value}`);
    });
  const text = told.join("; ");
  return text.length <= mostLetters ? text : `${text.slice(0, mostLetters - 1)}…`;
}
