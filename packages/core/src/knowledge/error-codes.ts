import { once } from "../lib/memo.ts";
import type { ErrorCode } from "../model/knowledge.ts";
import { errorCodes } from "./texts/error-codes.generated.ts";

const byName = once(() => {
  const names = new Map<string, ErrorCode>();
  // Names stay what they are when numbers change: the newest numbering is the one to speak of.
  for (const row of errorCodes().codes)
    if (row.until === undefined || !names.has(row.name.toLowerCase())) names.set(row.name.toLowerCase(), row);
  return names;
});

/** An error by its name, whatever its case. */
export const errorNamed = (name: string): ErrorCode | undefined => byName().get(name.toLowerCase());

/** An error by its number in one library's numbering; of two eras, the newer. */
export function errorNumbered(enumeration: string, code: number): ErrorCode | undefined {
  const rows = errorCodes().codes.filter((row) => row.enum === enumeration && row.code === code);
  return rows.find(({ until }) => until === undefined) ?? rows[0];
}
