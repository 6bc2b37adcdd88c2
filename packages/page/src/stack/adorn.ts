// What a script adds to sections that stand by themselves: buttons that copy, and fields that filter and sort.
import { commandButton, element } from "../dom.ts";

/** So few are seen at a glance. */
const few = 5;

export const commandBlock = (line: string): HTMLElement =>
  element("span", { class: "copied" }, element("code", { class: "command" }, line), commandButton(line));

export function adornCommands(section: Element): void {
  for (const code of section.querySelectorAll<HTMLElement>("code.command")) code.replaceWith(commandBlock(code.textContent!));
}

const wordsIn = (text: string): string[] => text.toLowerCase().split(/\s+/);

/** Many findings: those that have all the words. */
export function adornFindings(section: Element): void {
  const title = section.querySelector("#findings");
  const articles = [...section.querySelectorAll<HTMLElement>("article")];
  if (!title || articles.length <= few) return;
  const counted = element("span", { class: "faint", role: "status" });
  const entry = element("input", { type: "search", id: "finding-filter", placeholder: "torch, error, cudnn, …" });
  entry.addEventListener("input", () => {
    const words = wordsIn(entry.value);
    for (const article of articles) {
      const all = article.textContent!.toLowerCase();
      article.hidden = !words.every((word) => all.includes(word));
    }
    const shown = articles.filter((article) => !article.hidden);
    counted.textContent = entry.value.trim() === "" ? "" : `${shown.length} of ${articles.length}`;
    // Notes are folded: what was asked for is not left there.
    if (entry.value.trim() !== "") for (const article of shown) article.closest("details")?.setAttribute("open", "");
  });
  title.after(element("p", { class: "field" }, element("label", { for: "finding-filter", class: "beside" }, "filter"), entry, counted));
}

const orders: { [words: string]: (item: HTMLElement) => string } = {
  file: ({ dataset }) => dataset["file"]!,
  version: ({ dataset }) => dataset["version"] ?? "",
  owner: ({ dataset }) => `${dataset["owner"] ?? "\uffff"} ${dataset["file"]!}`,
  "who loads it": ({ dataset }) => `${dataset["loaded"] === undefined ? 1 : 0} ${dataset["file"]!}`,
};

/** Copies of all libraries: a search, and an order within each library. */
export function adornCopies(section: Element): void {
  const title = section.querySelector("#copies");
  if (!title) return;
  const libraries = [...section.querySelectorAll<HTMLDetailsElement>("details:has(> ul.copies)")];
  if (libraries.length === 0) return;
  const search = element("input", { type: "search", id: "copy-search", placeholder: "cudnn, 9.1, /opt/…" });
  const left = element("p", { class: "faint", role: "status" });
  search.addEventListener("input", () => {
    const found = libraries.map((library) => filterLibrary(library, search.value)).reduce((sum, each) => sum + each, 0);
    left.textContent = found === 0 ? "No copy has all these words." : "";
  });
  const order = element("select", { id: "copy-order" }, ...Object.keys(orders).map((words) => element("option", {}, words)));
  order.addEventListener("input", () => {
    for (const library of libraries) sortLibrary(library, orders[order.value]!);
  });
  title.after(
    element(
      "p",
      { class: "field" },
      element("label", { for: "copy-search", class: "beside" }, "search"),
      search,
      element("span", { class: "together" }, element("label", { for: "copy-order", class: "beside" }, "sort by"), " ", order),
    ),
    left,
  );
}

function filterLibrary(library: HTMLDetailsElement, text: string): number {
  const words = wordsIn(text);
  const name = library.querySelector("h3")!.textContent;
  let found = 0;
  for (const item of library.querySelectorAll<HTMLElement>("ul.copies li")) {
    const all = `${name} ${item.textContent}`.toLowerCase();
    item.hidden = !words.every((word) => all.includes(word));
    if (!item.hidden) found += 1;
  }
  library.hidden = found === 0;
  library.open = text !== "" && 0 < found;
  return found;
}

function sortLibrary(library: HTMLDetailsElement, keyOf: (item: HTMLElement) => string): void {
  const list = library.querySelector("ul.copies")!;
  const { compare } = new Intl.Collator("en", { numeric: true });
  list.append(...[...list.querySelectorAll<HTMLElement>(":scope > li")].toSorted((one, other) => compare(keyOf(one), keyOf(other))));
}
