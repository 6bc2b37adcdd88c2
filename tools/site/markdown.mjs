// Markdown → the inside of a page. Where a link leads is asked of whoever knows all pages.
import { Marked } from "marked";

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escaped = (text) => text.replace(/[&<>"']/g, (character) => entities[character]);

/** As on GitHub, so that an anchor works in both places. */
export const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

/**
 * @param {string} source
 * @param {{ link: (href: string) => string, image: (href: string) => string }} where
 */
export function rendered(source, { link, image }) {
  const headings = [];
  const used = new Map();
  const anchor = (text) => {
    const name = slug(text);
    const times = used.get(name) ?? 0;
    used.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const text = plainText(inner);
        const id = anchor(text);
        headings.push({ id, depth, text });
        return depth === 1 ? `<h1 id="${id}">${inner}</h1>\n` : `<h${depth} id="${id}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const outside = /^https?:/.test(href) ? ' rel="noreferrer"' : "";
        return `<a href="${escaped(link(href))}"${outside}>${this.parser.parseInline(tokens)}</a>`;
      },
      image: ({ href, text }) =>
        `<a class="picture" href="${escaped(image(href))}"><img src="${escaped(image(href))}" alt="${escaped(text)}" loading="lazy"></a>`,
      code: ({ text, lang = "" }) => codeBlock(text, lang),
      table({ header, rows }) {
        const labels = header.map(({ tokens }) => plainText(this.parser.parseInline(tokens)));
        const cell = (tag, { tokens }, index) =>
          `<${tag}${tag === "td" ? label(labels[index]) : ' scope="col"'}>${this.parser.parseInline(tokens)}</${tag}>`;
        const head = header.map((each, index) => cell("th", each, index)).join("");
        const body = rows.map((row) => `<tr>${row.map((each, index) => cell("td", each, index)).join("")}</tr>`).join("\n");
        return `<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>\n${body}\n</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(source);
  return { html, headings, text: plainText(html) };
}

const label = (words) => (words === "" ? "" : ` data-label="${escaped(words)}"`);

/** What a terminal shows is kept in its columns; a text that somebody pastes may be broken. */
export function codeBlock(text, language) {
  const [kind = "", file] = language.split(" ");
  if (kind === "console") return `<pre class="console" tabindex="0"><code>${consoleLines(text)}</code></pre>\n`;
  const isProse = kind === "text";
  const name = file === undefined ? "" : `<p class="file"><code>${escaped(file)}</code></p>\n`;
  return `${name}<pre class="${isProse ? "said" : "code"}"${isProse ? "" : ' tabindex="0"'}><code>${escaped(text)}</code></pre>\n`;
}

const marks = { "✗": "error", "✓": "good", "?": "warning", "!": "warning" };
const consoleLines = (text) =>
  text
    .split("\n")
    .map((line) => {
      if (line.startsWith("$ ")) return `<span class="typed">${escaped(line)}</span>\n`;
      const mark = /^ {0,2}([✗✓?!]) /.exec(line);
      return `<span class="line${indented(line)}${mark ? ` ${marks[mark[1]]}` : ""}">${escaped(line)}\n</span>`;
    })
    .join("");

/** How far a line stands from the left, in steps: where there is little room, what is broken off stands under it. */
const indented = (line) => {
  const spaces = line.length - line.trimStart().length;
  const step = [12, 8, 4, 2].find((least) => least <= spaces);
  return step === undefined ? "" : ` in-${step}`;
};

const characters = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
export const plainText = (html) =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => characters[name])
    .replaceAll(/\s+/g, " ")
    .trim();
