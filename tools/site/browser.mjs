// The script of every page: search, colours that stay, and buttons that copy. Without it the pages are whole, too.
import { opened, search } from "./search.mjs";

const box = document.querySelector("#search");
const results = document.querySelector("#results");
const top = document.body.dataset.top ?? "";
let index;

// A script and no request: a page on a disk may not ask for files.
function loaded() {
  index ??= new Promise((settle) => {
    const script = document.createElement("script");
    script.src = `${top}search-index.js`;
    script.addEventListener("load", () => {
      settle(opened(globalThis.culpritSearch));
    });
    document.head.append(script);
  });
  return index;
}

async function show() {
  const text = box.value.trim();
  if (text === "") return hide();
  const found = search(await loaded(), text);
  if (box.value.trim() !== text) return;
  const list = document.createElement("ol");
  for (const [title, path, kind, lead] of found) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `${top}${path}`;
    link.textContent = title;
    const badge = document.createElement("span");
    badge.className = "chip";
    badge.textContent = kind;
    const words = document.createElement("p");
    words.textContent = lead;
    item.append(link, " ", badge, words);
    list.append(item);
  }
  const count = document.createElement("p");
  count.className = "faint";
  count.textContent =
    found.length === 0 ? "Nothing here has these words. culprit explain reads the message itself." : `${found.length} pages`;
  results.replaceChildren(count, list);
  results.hidden = false;
}

function hide() {
  results.hidden = true;
  results.replaceChildren();
}

/** Arrows go through what was found, as in a menu. */
function move(event) {
  const links = [...results.querySelectorAll("a")];
  if (results.hidden || links.length === 0) return;
  const at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown") links[Math.min(at + 1, links.length - 1)].focus();
  else if (event.key === "ArrowUp") (at <= 0 ? box : links[at - 1]).focus();
  else if (event.key === "Enter" && document.activeElement === box) links[0].click();
  else return;
  event.preventDefault();
}

box.disabled = false;
box.addEventListener("focus", () => void loaded());
box.addEventListener("input", () => void show());
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    box.focus();
  } else if (event.key === "Escape" && !results.hidden) {
    hide();
    box.focus();
  } else move(event);
});

// A page of a disk may not be allowed to keep anything: then the choice holds for this page.
const kept = (change) => {
  try {
    return change(globalThis.localStorage);
  } catch {
    return null;
  }
};
const colours = [...document.querySelectorAll('input[name="colours"]')];
const chosen = colours.find(({ id }) => id === kept((store) => store.getItem("colours")));
if (chosen) chosen.checked = true;
for (const choice of colours) choice.addEventListener("change", () => kept((store) => store.setItem("colours", choice.id)));

for (const line of document.querySelectorAll(".typed")) {
  const text = line.textContent.replace(/^\$ /, "");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "copy";
  button.setAttribute("aria-label", `copy ${text}`);
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "copied";
    setTimeout(() => (button.textContent = "copy"), 1500);
  });
  line.after(" ", button);
}
