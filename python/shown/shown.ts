import type { Asked } from "@culprit/core/lib/asked";
import { shown as cleaned } from "@culprit/core/lib/shown";
import type { Check } from "@culprit/core/model/check";
import type { Explanation } from "@culprit/core/model/explain";
import type { Inventory } from "@culprit/core/model/inventory";
import type { Loads } from "@culprit/core/model/loads";
import type { TraceReport } from "@culprit/core/model/trace";
import type { Why } from "@culprit/core/model/why";
import { checkReport } from "@culprit/core/report/check";
import { explainReport } from "@culprit/core/report/explain";
import { listReport } from "@culprit/core/report/list";
import { loadsReport } from "@culprit/core/report/loads";
import type { Style } from "@culprit/core/report/style";
import { traceReport } from "@culprit/core/report/trace";
import { whyReport } from "@culprit/core/report/why";
import { checkHtml } from "./check-html.ts";
import { explainHtml } from "./explain-html.ts";
import { framed } from "./frame.ts";
import { markedHtml, markedText, marking } from "./marked.ts";

export type Answer = Check | Explanation | Loads | Why | Inventory | TraceReport;

export interface Wanted {
  answer: Answer;
  /** The question, for commands that ask it again. */
  asked?: Asked;
  /** Where a terminal is looked at: its columns, and whether it has colours. */
  columns?: number;
  colours?: boolean;
  /** Something to know beside the answer, each a sentence. */
  beside?: string[];
}

export interface Shown {
  text: string;
  html: string;
  markdown: string;
}

/** The report of the command, the same for a page, and for Markdown, where a text that is laid out stands in a block. */
export function shown({ answer, asked, columns, colours = false, beside: given = [] }: Wanted): Shown {
  const beside = given.map(cleaned);
  const question = { ...(asked ? { asked } : {}), ...(columns === undefined ? {} : { width: columns }) };
  const marked = report(answer, { ...marking, ...question }).trimEnd();
  const block = markedText(marked, false);
  // Longer than any row of such signs within, so that nothing ends it.
  const fence = "`".repeat(Math.max(3, ...[...block.matchAll(/`+/g)].map(([signs]) => signs.length + 1)));
  return {
    text: `${[markedText(marked, colours), ...beside.map((each) => `note: ${each}`)].join("\n")}\n`,
    html: framed(body(answer, asked), { beside, knowledge: "knowledge" in answer ? answer.knowledge : undefined }),
    markdown: [`${fence}text`, block, fence, ...beside.flatMap((each) => ["", each])].join("\n"),
  };
}

const body = (answer: Answer, asked: Asked | undefined) => {
  if (answer.schema === "culprit/check@2") return checkHtml(answer, asked);
  if (answer.schema === "culprit/explain@1") return explainHtml(answer);
  return markedHtml(report(answer, { ...marking, ...(asked ? { asked } : {}) }));
};

function report(answer: Answer, style: Style): string {
  switch (answer.schema) {
    case "culprit/check@2":
      return checkReport(answer, style);
    case "culprit/explain@1":
      return explainReport(answer, style);
    case "culprit/loads@1":
      return loadsReport(answer, style);
    case "culprit/why@1":
      return whyReport(answer, style);
    case "culprit/list@1":
      return listReport(answer, style);
    case "culprit/trace@1":
      return traceReport(answer, style);
  }
}
