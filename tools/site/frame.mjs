// What is around every page: head, way through the site, search, colours, foot.
import { escaped } from "./markdown.mjs";
import { between } from "./pages.mjs";

// `file:` is what a page on a disk is: there, some browsers do not take 'self' for it. Nothing is ever asked of a network.
const policy =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; base-uri 'none'; form-action 'none'; connect-src 'none'";

const ways = [
  ["start.html", "First five minutes"],
  ["symptoms/index.html", "By symptom"],
  ["guides/index.html", "Guides"],
  ["reference.html", "Reference"],
  ["how-it-knows.html", "How it knows"],
  ["try.html", "Try it"],
];

/** @param {{ path: string, title: string, lead: string, body: string, headings: { id: string, depth: number, text: string }[] }} page */
export function framed({ path, title, lead, body, headings }, version) {
  const to = (other) => escaped(between(path, other));
  const here = (other) => (other === path ? ' aria-current="page"' : other === chapterOf(path) ? ' aria-current="true"' : "");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(lead.slice(0, 200))}">
<title>${escaped(path === "index.html" ? title : `${title} · culprit`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to("site.css")}">
</head>
<body data-top="${escaped(between(path, "index.html").replace(/index\.html$/, ""))}">
<a class="skip" href="#main">To the page</a>
<header>
<div class="top"><a class="name" href="${to("index.html")}">culprit</a>
<search><label for="search">Search</label> <input id="search" type="search" placeholder="a message, a rule, a word  ( / )" autocomplete="off" spellcheck="false" aria-controls="results" disabled></search></div>
<nav aria-label="Site"><ul>${ways.map(([other, words]) => `<li><a href="${to(other)}"${here(other)}>${words}</a></li>`).join("")}</ul></nav>
</header>
<section id="results" aria-label="What was found" aria-live="polite" hidden></section>
<main id="main" tabindex="-1">
${contents(headings)}${body}
</main>
<footer>
<fieldset><legend>Colours</legend>
<label><input type="radio" name="colours" id="colours-system" checked> as the system</label>
<label><input type="radio" name="colours" id="colours-light"> light</label>
<label><input type="radio" name="colours" id="colours-dark"> dark</label></fieldset>
<p>culprit ${escaped(version)}. These pages need no network, and ask nobody for anything.</p>
</footer>
<script src="${to("site.js")}"></script>
</body>
</html>
`;
}

/** The way that a page lies on. */
function chapterOf(path) {
  const [folder, name] = path.split("/");
  if (name !== undefined && (folder === "symptoms" || folder === "guides")) return `${folder}/index.html`;
  return name !== undefined || folder === "api.html" || folder === "schemas.html" ? "reference.html" : undefined;
}

/** Of long pages only. */
function contents(headings) {
  const places = headings.filter(({ depth }) => depth === 2);
  if (places.length < 7) return "";
  const links = places.map(({ id, text }) => `<li><a href="#${escaped(id)}">${escaped(text)}</a></li>`);
  return `<details class="contents"><summary>On this page</summary><ul>${links.join("")}</ul></details>\n`;
}
