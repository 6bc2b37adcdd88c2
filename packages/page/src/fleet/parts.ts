// Pieces that several views of a fleet are made of. Names come from nodes: they are text wherever they stand.
import { element } from "../dom.ts";

export const amount = (number: number, one: string): string => `${number.toLocaleString("en")} ${number === 1 ? one : `${one}s`}`;

/** To the minute, in UTC. */
export const moment = (at: string): string => at.slice(0, 16).replace("T", " ");

/** The address of a view within the page. */
export const addressOf = (view: string, given: { [name: string]: string } = {}): string => {
  const words = new URLSearchParams(given).toString();
  return `#${view}${words === "" ? "" : `?${words}`}`;
};

export const nodeLink = (name: string): HTMLElement => element("a", { href: addressOf("node", { name }) }, name);

const shownAtFirst = 6;

/** Some nodes at once, the others when they are asked for: five thousand of them would hide what is said of them. */
export function nodesOf(names: string[]): HTMLElement {
  const listed = (its: string[]) => its.flatMap((name, index) => [...(index === 0 ? [] : [", "]), nodeLink(name)]);
  const first = element("span", { class: "nodes-of" }, ...listed(names.slice(0, shownAtFirst)));
  if (names.length <= shownAtFirst) return first;
  const rest = names.slice(shownAtFirst);
  const details = element("details", {}, element("summary", {}, `and ${amount(rest.length, "other")}`));
  details.addEventListener("toggle", () => details.append(element("p", { class: "nodes-of" }, ...listed(rest))), { once: true });
  return element("div", {}, first, details);
}

const severities: { [severity: string]: string } = { error: "error", warning: "warning", info: "info", good: "good" };
export const badge = (severity: string, words = severity): HTMLElement =>
  element("span", { class: `badge ${severities[severity] ?? "info"}` }, words);

/** A finding, and on which nodes it is. */
export function findingCard(
  finding: { severity: string; message: string; nodes?: string[] },
  ...more: [string, Node | string][]
): HTMLElement {
  const { severity, message, nodes } = finding;
  const told: [string, Node | string][] = [
    ...more,
    ...(nodes === undefined ? [] : [[`on ${amount(nodes.length, "node")}`, nodesOf(nodes)] as [string, Node]]),
  ];
  return element(
    "article",
    { class: severities[severity] ?? "info" },
    element("h3", {}, badge(severity), " ", message),
    element("dl", {}, ...told.flatMap(([title, value]) => [element("dt", {}, title), element("dd", {}, value)])),
  );
}

/** Rows beyond this are not drawn: a search finds them. */
const mostRows = 500;

export function tableOf<Row>(head: string[], rows: Row[], cells: (row: Row) => (Node | string)[]): HTMLElement {
  const line = (row: Row) => element("tr", {}, ...cells(row).map((cell, index) => element("td", { "data-label": head[index]! }, cell)));
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...head.map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, ...rows.slice(0, mostRows).map(line)),
  );
  const left = rows.length - mostRows;
  return element(
    "div",
    { class: "wide" },
    table,
    ...(left <= 0 ? [] : [element("p", { class: "faint" }, `and ${amount(left, "other")}: the search finds them`)]),
  );
}

/** Numbers, worst first; none that is 0. */
export const amounts = (its: [number, string, string][]): HTMLElement =>
  element(
    "ul",
    { class: "amounts" },
    ...its
      .filter(([number]) => 0 < number)
      .map(([number, words, kind]) => element("li", { class: kind }, element("strong", {}, number.toLocaleString("en")), words)),
  );
