// The page onto which anything can be dropped: it holds no answer yet, but all that gives one.
import { styleSheet } from "./check-html-style.ts";
import { colours } from "./check-html.ts";
import { escaped, html } from "./html.ts";
import { pagePolicy } from "./page-policy.ts";

/** What makes the page. `parts` are the engine and its knowledge, packed (gzip, base64): in the page, or named by where they lie beside it. */
export interface Drop {
  script: string;
  /** `sha256-…` of the script: no other one may run. */
  scriptHash: string;
  styles: string;
  parts: { [name: string]: string } | "beside";
  /** Files that are in the page already: packed as the parts are. */
  given: { name: string; packed: string }[];
  version: string;
}

// The reader of zstd is WebAssembly; no text is ever run as a program.
const policyOf = (scriptHash: string, beside: boolean): string => {
  const own = beside ? ["'self'"] : [];
  return pagePolicy({ scriptHash, scripts: [...own, "'wasm-unsafe-eval'"], workers: ["blob:", ...own] });
};

const taking = html`<section id="taking" aria-labelledby="taking-title">
  <h2 id="taking-title">Drop anything here</h2>
  <p>
    An error text, a requirements.txt, Dockerfile, notebook or lock file, a snapshot (<code>culprit snapshot</code>), a profile or an
    archive of profiles, a container image: one or several, they are joined. Nothing leaves this page: it may not ask any address.
  </p>
  <p class="actions">
    <label class="choose">Files <input id="files" type="file" multiple /></label>
  </p>
  <p class="pasting">
    <label for="text">or paste a text</label>
    <textarea id="text" rows="4" spellcheck="false" placeholder="Could not load library libcudnn_ops_infer.so.8 …"></textarea>
    <button type="button" id="explain">Explain</button>
  </p>
  <p class="examples faint">
    Nothing at hand? Look at <button type="button" data-example="error.txt">an error text</button> or
    <button type="button" data-example="requirements.txt">a requirements.txt</button>. Of your own machine, <code>culprit snapshot</code>
    makes a file that can be dropped here.
  </p>
</section>`;

export function dropPage({ script, scriptHash, styles, parts, given, version }: Drop): string {
  const beside = parts === "beside";
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${{ markup: policyOf(scriptHash, beside) }}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="description"
          content="Which library is to blame when a GPU software stack does not fit together: drop a log, a snapshot, a requirements.txt, a profile or an image. Nothing leaves this page."
        />
        <title>culprit</title>
        <style>
          ${{ markup: `${styleSheet}${styles}` }}
        </style>
      </head>
      <body class="drop">
        <a class="skip" href="#main">To the answer</a>
        <header>
          <h1 id="title">culprit</h1>
          <div id="verdict" aria-live="polite"><p class="verdict">What is wrong with this GPU stack?</p></div>
        </header>
        ${taking}
        <nav id="items" aria-label="What was dropped" hidden><ul></ul></nav>
        <nav id="places" aria-label="On this page" hidden><ul></ul></nav>
        <main id="main">
          <section id="what-if" aria-labelledby="what-if-title" hidden></section>
          <div id="changes" role="status" aria-live="polite"></div>
          <div id="answer"></div>
        </main>
        <footer>
          ${colours}
          <p>culprit ${version}. The engine is in this page, and nothing leaves it: no address is ever asked.</p>
        </footer>
      </body>
    </html> `;
  const packed = [
    ...(beside ? [] : Object.entries(parts).map(([name, text]) => `<script type="application/octet-stream" id="${name}">${text}</script>`)),
    ...given.map(
      ({ name, packed: text }) => `<script type="application/octet-stream" class="given" data-name="${escaped(name)}">${text}</script>`,
    ),
    `<script>${script}</script>`,
  ].join("\n");
  return `${page.markup
    .replace(/\n\s+/g, "\n")
    .trimEnd()
    .replace("</body>", () => `${packed}</body>`)}\n`;
}
