// Text that came from a machine never becomes markup: whatever is put into `html` is escaped, unless `html` made it.
import { memo } from "../lib/memo.ts";
import { shown } from "../lib/shown.ts";
import { bareWord } from "./bare-word.ts";

/** Markup that is safe to put into a page. */
export interface Html {
  readonly markup: string;
}

export type Content = Html | string | number | false | undefined | Content[];

/** Values stand between tags or in quoted attributes only. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Html {
  let markup = strings[0]!;
  for (const [index, value] of values.entries()) markup += markupOf(value) + strings[index + 1]!;
  return { markup };
}

function markupOf(value: Content): string {
  if (value === undefined || value === false) return "";
  if (Array.isArray(value)) return value.map(markupOf).join("");
  return typeof value === "object" ? value.markup : escaped(String(value));
}

const entities: { [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const escapedAnew = (text: string) => shown(text).replace(/[&<>"']/g, (character) => entities[character]!);

const escapedBefore = memo(16_000, escapedAnew);

/** The same paths and words come again and again, within one page and from answer to answer; long texts do not. */
export const escaped = (text: string): string => (text.length <= 200 ? escapedBefore(text) : escapedAnew(text));

/** A path that may be broken after each slash but its first; copied, it is whole. */
export const pathHtml = (path: string): Html => ({ markup: `<code>${breakable(path)}</code>` });

const breakable = (text: string) =>
  text
    .split(/(?<=.\/)/)
    .map(escaped)
    .join("<wbr>");

/** A sentence in which paths and names are set as code, and addresses are links. */
export function prose(text: string): Html {
  const parts = text.split(/(`[^`]+`)/).map((part, index) =>
    index % 2 === 1
      ? `<code>${breakable(part.slice(1, -1))}</code>`
      : part
          .split(" ")
          .map((word) => wordMarkup(word))
          .join(" "),
  );
  return { markup: parts.join("") };
}

function wordMarkup(word: string): string {
  const { before, inner, after } = bareWord(word);
  if (/^https?:\/\/[\w./?=&%#:+~-]+$/.test(inner))
    return `${escaped(before)}<a href="${escaped(inner)}" rel="noreferrer">${breakable(inner)}</a>${escaped(after)}`;
  if (!/[/_=]|\.so\b/.test(inner)) return escaped(word);
  return `${escaped(before)}<code>${breakable(inner)}</code>${escaped(after)}`;
}
