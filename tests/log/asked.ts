import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";
import { explainReport } from "../../packages/core/src/report/explain.ts";

/** A text as somebody posts it, and what an answer that ends the thread has: its cause, what it must say, and what it must never advise. */
export interface Asked {
  text: string;
  /** The first cause; several where the text alone cannot tell. Empty: nothing is wrong, and nothing is said to be. */
  cause: string[];
  says?: RegExp[];
  never?: RegExp[];
}

export const answerTo = async (text: string) => {
  const explanation = await explainLog([new TextEncoder().encode(text)]);
  return { explanation, report: explainReport(explanation) };
};

/** What the report says for itself; lines of the text that it quotes are nobody's advice. */
export const ownWords = (report: string) =>
  report
    .split("\n")
    .filter((line) => !/^\s*line \d+:/.test(line))
    .join("\n");

export function answered(cases: { [name: string]: Asked }): void {
  test.each(Object.entries(cases))("%s", async (_, { text, cause, says = [], never = [] }) => {
    const { explanation, report } = await answerTo(text);
    const [first] = explanation.diagnoses;
    if (cause.length === 0) expect(explanation.diagnoses.map((each) => each.cause)).toEqual([]);
    else expect(cause, report).toContain(first?.cause);
    const words = ownWords(report).replace(/\n\s*/g, " ");
    for (const pattern of says) expect(words).toMatch(pattern);
    for (const pattern of never) expect(words).not.toMatch(pattern);
  });
}
