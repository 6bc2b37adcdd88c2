// Elements in one line each. Text is always text: nothing here takes markup.
type Child = Node | string;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  given: { [name: string]: string | boolean | ((event: never) => void) } = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") made.addEventListener(name, value as (event: Event) => void);
    else if (typeof value === "string") made.setAttribute(name, value);
    else if (value) made.setAttribute(name, "");
  }
  made.append(...children);
  return made;
}

/** A sentence in which `names` are set as code. */
export const sentence = (text: string): Node[] =>
  text.split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : document.createTextNode(part)));

/** `label` says what it does; who hears it hears the words that others see, too. */
export function button(words: string, label: string, click: () => void, disabled = false): HTMLButtonElement {
  const isSaid = !/\w/.test(words) || label.toLowerCase().includes(words.toLowerCase());
  return element("button", { type: "button", "aria-label": isSaid ? label : `${words}: ${label}`, title: label, click, disabled }, words);
}

/** Puts a command where it can be pasted from. */
export function commandButton(text: string): HTMLButtonElement {
  const made = button("Copy", "Copy the command", () => {
    const say = (words: string) => {
      made.textContent = words;
      setTimeout(() => (made.textContent = "Copy"), 2000);
    };
    // Where a browser does not let it be written, it is chosen, ready for the key that copies.
    const choose = () => {
      if (made.previousElementSibling) getSelection()?.selectAllChildren(made.previousElementSibling);
      say("Ctrl+C");
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => say("Copied"), choose);
    else choose();
  });
  made.classList.add("copy");
  return made;
}

/** Brings something of the page into sight, and unfolds what it is folded in. */
export function goTo(place: Element): void {
  for (let around: Element | null = place; around; around = around.parentElement)
    if (around instanceof HTMLDetailsElement) around.open = true;
  place.scrollIntoView();
}

/** gzip and base64, as the page carries it. */
export async function unpackedText(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed.trim()), (character) => character.codePointAt(0)!);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

export const unpacked = async (id: string): Promise<string> => unpackedText(document.getElementById(id)!.textContent!);
