// A report for a terminal, with marks where something begins and ends to be strong, faint, good or bad: as markup, or in a terminal's colours.
import { escaped, type Html } from "@culprit/core/report/html";
import type { Style } from "@culprit/core/report/style";

// No text from elsewhere holds these signs by the time it is marked: `reporting` spells them out.
const mark = (name: string) => (text: string) => `\u0001${name}\u0002${text}\u0001/${name}\u0002`;

export const marking: Style = { strong: mark("strong"), faint: mark("faint"), good: mark("good"), bad: mark("bad") };

// oxlint-disable-next-line no-control-regex
const marks = /\u0001([a-z/]*)\u0002/;

export function markedHtml(report: string): Html {
  const markup = report
    .trimEnd()
    .split(marks)
    .map((part, index) => (index % 2 === 0 ? lines(part) : part.startsWith("/") ? "</span>" : `<span class="${part}">`));
  return { markup: `<pre>${markup.join("")}</pre>` };
}

// Line by line: what is escaped is cleaned of all that is no text, and a line's end is ours.
const lines = (text: string) => text.split("\n").map(escaped).join("\n");

const colours: { [mark: string]: number } = {
  strong: 1,
  "/strong": 22,
  faint: 2,
  "/faint": 22,
  good: 32,
  "/good": 39,
  bad: 31,
  "/bad": 39,
};

export const markedText = (report: string, isColoured: boolean): string =>
  report
    .split(marks)
    .map((part, index) => (index % 2 === 0 ? part : isColoured ? `\u001b[${colours[part]}m` : ""))
    .join("");
