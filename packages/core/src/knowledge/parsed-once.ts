import { once } from "../lib/memo.ts";
import { settledKnowledge } from "./settled.ts";

/** What is known of a subject: what the user brought of it, or our own text. It is parsed when it is first asked for, and kept. */
export const parsedOnce = <T>(subject: string, text: () => string): (() => T) =>
  once(() => (settledKnowledge()?.files[subject] ?? JSON.parse(text())) as T);
