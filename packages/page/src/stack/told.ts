// What an experiment changed, as a reader sees it: the findings that go and come, and the way of the loader from place to place.
import { element, sentence } from "../dom.ts";
import { changesOf, countWords, isUnjudged, type Change, type Search } from "./changes.ts";
import type { Answer } from "./messages.ts";

export function changeNodes(base: Answer, answer: Answer): Node[] {
  const changes = changesOf(base, answer);
  const title = element("h3", { id: "what-changed" }, "What changed");
  const took = element("p", { class: "faint" }, `Judged again in ${Math.max(1, Math.round(answer.took))} ms.`);
  if (changes.length === 0) return [title, element("p", {}, "Nothing that matters: the same findings, the same libraries."), took];
  return [
    title,
    element("p", { class: "turn" }, "As it is: ", outcomeOf(base), ". With this experiment: ", outcomeOf(answer), "."),
    element("ul", { class: "changes" }, ...changes.map(changeItem)),
    took,
  ];
}

/** How many errors and warnings, in the colour of the worst; where something could not be judged, nothing is as good as it looks. */
export function outcomeOf(answer: Answer): HTMLElement {
  const worst = ["error", "warning"].find((severity) => answer.findings.some((each) => each.severity === severity));
  return element("strong", { class: worst ?? (isUnjudged(answer) ? "warning" : "good") }, countWords(answer));
}

const changeItem = ({ mark, look, words, why, search }: Change): HTMLElement =>
  element(
    "li",
    {},
    element("span", { class: `badge ${look}` }, mark),
    " ",
    ...sentence(words),
    ...(search ? [searchTable(search)] : []),
    ...(why === undefined ? [] : [element("p", { class: "why" }, element("strong", {}, "Why: "), ...sentence(why))]),
  );

function searchTable({ name, places, so }: Search): HTMLElement {
  const cell = (label: string, { words, found }: Search["places"][number]["now"]) =>
    element("td", { "data-label": label, class: found ? "found" : "faint" }, ...sentence(words));
  const rows = places.map(({ place, before, now }, index) =>
    element("tr", {}, element("th", { scope: "row" }, `${index + 1}. `, ...sentence(place)), cell("before", before), cell("now", now)),
  );
  const heads = ["where it is looked for, in this order", "before", "now"].map((words) => element("th", { scope: "col" }, words));
  return element(
    "div",
    { class: "why" },
    element("p", {}, element("strong", {}, "Why: "), "the loader takes the first ", element("code", {}, name), " that it comes to."),
    element("table", { class: "way" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)),
    ...(so === "" ? [] : [element("p", {}, so)]),
  );
}
