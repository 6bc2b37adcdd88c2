import { openQuestions, type Check } from "../packages/core/src/model/check.ts";

/** Places that a verdict rests on and that may not be read. */
export const unreadIn = (check: Check): string[] =>
  openQuestions(check).flatMap(({ kind, subject }) => (kind === "file" || kind === "folder" ? [subject] : []));
