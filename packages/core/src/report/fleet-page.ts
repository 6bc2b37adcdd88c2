// The page of a fleet server: it holds nothing of the fleet, and asks for it with the token of whoever looks.
import { styleSheet } from "./check-html-style.ts";
import { colours } from "./check-html.ts";
import { html } from "./html.ts";

export function fleetPage({ script, styles, version }: { script: string; styles: string; version: string }): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>culprit fleet</title>
        <style>
          ${{ markup: `${styleSheet}${styles}` }}
        </style>
      </head>
      <body class="fleet">
        <a class="skip" href="#main">To the answer</a>
        <header><h1>culprit fleet</h1></header>
        <nav id="views" aria-label="Views" hidden></nav>
        <main id="main">
          <noscript
            ><p>This page needs its script; <code>culprit-fleet query</code> answers the same at a terminal.</p></noscript
          >
        </main>
        <footer>
          ${colours}
          <p>culprit ${version}. This page asks the server that it came from, and nobody else; it never tells a node to do something.</p>
        </footer>
      </body>
    </html> `;
  return `${page.markup
    .replace(/\n\s+/g, "\n")
    .trimEnd()
    .replace("</body>", () => `<script>${script}</script></body>`)}\n`;
}
