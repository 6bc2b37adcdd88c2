// The pictures of the README and the site: what culprit prints, as it prints it, drawn as a terminal; and its page, seen by Chromium.
//   npm run pictures     writes docs/pictures (the command must be built; without chromium on PATH the picture of the page stays as it is)
import { spawnSync } from "node:child_process";
import { writeFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { escaped } from "./site/markdown.mjs";
import { printedBy } from "./site/console.mjs";

const machine = { "machine.json.gz": "cases/h200-system-cudnn-first/snapshot.json.gz" };
/** Each picture: what is typed, and the files that it is typed beside. */
export const pictures = {
  check: { line: "culprit check machine.json.gz", files: machine },
  why: { line: "culprit why libcudnn_graph.so.9 --for torch --target machine.json.gz", files: machine },
  explain: { line: "culprit explain log.txt", files: { "log.txt": "cases/log-nvjitlink-without-a-symbol/log.txt" } },
  dockerfile: { line: "culprit check Dockerfile", files: { Dockerfile: "cases/toolkit-before-newer-wheels/Dockerfile" } },
};

const column = 8.4;
const row = 19;
const margin = 18;
const colours = { "✗": "#ff9a96", "✓": "#86d79a", "?": "#f2c063", "!": "#f2c063", $: "#86b7ff" };

/** @param {{ line: string, files: { [name: string]: string } }} picture */
export async function drawn({ line, files }) {
  const lines = `$ ${line}\n${await printedBy(line, files)}`.trimEnd().split("\n");
  const columns = Math.max(...lines.map((each) => [...each].length));
  const width = Math.ceil(columns * column) + 2 * margin;
  const height = lines.length * row + 2 * margin;
  const texts = lines.map((text, index) => {
    const mark = /^ {0,2}([✗✓?!$]) /.exec(text)?.[1];
    const look = `${mark ? ` fill="${colours[mark]}"` : ""}${mark === "$" || mark === "✗" ? ' font-weight="bold"' : ""}`;
    // As wide as its columns, whichever font is there.
    const size = text === "" ? "" : ` textLength="${Number(([...text].length * column).toFixed(1))}" lengthAdjust="spacingAndGlyphs"`;
    return `<text x="${margin}" y="${margin + (index + 0.75) * row}"${size}${look} xml:space="preserve">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(line)}</title>
<rect width="${width}" height="${height}" rx="10" fill="#14171c"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" fill="#e8ebf0">
${texts.join("\n")}
</g>
</svg>
`;
}

/** The page of a machine, after a folder was dragged out of LD_LIBRARY_PATH. */
async function drawPage(file) {
  const scratch = mkdtempSync(join(tmpdir(), "culprit-pictures-"));
  try {
    // The tests' own way to speak to a browser.
    const driver = join(scratch, "browser.mjs");
    await build({ entryPoints: ["tests/page/browser.ts"], bundle: true, platform: "node", format: "esm", outfile: driver });
    const { Browser, chromium } = await import(pathToFileURL(driver).href);
    if (!chromium) return console.log("chromium is not on PATH: the picture of the page stays as it is");
    const page = join(scratch, "page.html");
    spawnSync(process.execPath, ["dist/cli.js", "open", machine["machine.json.gz"], "-o", page]);
    const browser = new Browser();
    await browser.open(page, { width: 1280, height: 800 });
    await browser.until("!document.getElementById('what-if').hidden");
    await browser.drag("#what-if .tokens li", { x: -600, y: 200 });
    await browser.until("document.querySelector('#changes table.way')");
    await browser.value("scrollTo(0, 0)");
    await new Promise((done) => setTimeout(done, 500));
    const { data } = await browser.send("Page.captureScreenshot");
    writeFileSync(file, Buffer.from(data, "base64"));
    await browser.close();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL("..", import.meta.url)));
  mkdirSync("docs/pictures", { recursive: true });
  for (const [name, picture] of Object.entries(pictures)) writeFileSync(`docs/pictures/${name}.svg`, await drawn(picture));
  await drawPage("docs/pictures/what-if.png");
}
