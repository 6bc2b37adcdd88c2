// The site: docs/, the rules, the case book and what is made from the sources, as pages that need no server and no network.
//   npm run site [-- --out DIR]     into dist/site, or DIR; the command must be built
//   npm run site -- --record        writes the outputs in docs as they are today
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { execFileSync } from "node:child_process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { pagesWithOutputs, remade } from "./site/console.mjs";
import { framed } from "./site/frame.mjs";
import { plainText, rendered } from "./site/markdown.mjs";
import { linking, markdownPages, playgroundTool, textOf } from "./site/pages.mjs";
import { casePages, commandPages, libraryPage, schemaPage } from "./site/reference.mjs";
import { searchIndex } from "./site/search-index.mjs";

const { argv } = process;
const given = argv.includes("--out") ? resolve(argv[argv.indexOf("--out") + 1] ?? fail("`--out` needs a folder")) : undefined;
process.chdir(fileURLToPath(new URL("..", import.meta.url)));
if (argv.includes("--record")) await record();
else await write(given ?? "dist/site");

async function record() {
  for (const file of pagesWithOutputs()) {
    const before = readFileSync(file, "utf8");
    const now = await remade(before).catch((error) => fail(`${file}: ${error.message}`));
    if (now === before) continue;
    writeFileSync(file, now);
    console.log(`changed: ${file}`);
  }
}

async function write(out) {
  const began = performance.now();
  if (!existsSync("dist/types")) fail("the command is not built: npm run build");
  rmSync(out, { recursive: true, force: true });
  const sources = await sourceTables();
  const schemas = readdirSync("schema").filter((name) => name.endsWith(".json"));
  const written = markdownPages().map((page) => ({ ...page, markdown: textOf(page.source) }));
  const made = [...commandPages(sources), ...casePages(), libraryPage(), schemaPage(schemas.map((name) => `schema/${name}`))];
  const pages = [...written, ...made].filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index);
  const { link, image, problems, files } = linking(pages.filter(({ kind, source }) => kind !== "command" && source.endsWith(".md")));
  const known = seenAs(written);
  const done = pages.map((page) =>
    finished({ ...page, markdown: `${page.markdown}${known.get(page.source) ?? ""}${playgroundWords(page)}` }, link, image),
  );
  if (0 < problems.length) fail(problems.join("\n"));
  for (const page of [...done, ...[...files].flatMap(([source, path]) => filePage(source, path))])
    put(out, page.path, framed(page, sources.version));
  for (const [source, path] of files) if (!path.endsWith(".html")) copy(source, join(out, path));
  put(out, "site.css", `${sources.styleSheet}\n${textOf("tools/site/site.css")}`);
  put(out, "site.js", await browserScript());
  put(out, "search-index.js", `globalThis.culpritSearch = ${JSON.stringify(searchIndex(done.filter(isSearched)))};\n`);
  demonstration(out);
  if (existsSync(playgroundTool))
    execFileSync(process.execPath, [playgroundTool, join(out, "playground")], { stdio: ["ignore", "ignore", "inherit"] });
  console.log(`${out}: ${done.length} pages in ${((performance.now() - began) / 1000).toFixed(1)} s; open ${join(out, "index.html")}`);
}

/** Samples are long lists of everything, which would be found for every word. */
function isSearched({ path }) {
  return !/-sample\.html$|^(changelog|readme)\.html$/.test(path);
}

/** For each rule, the symptoms whose pages name it. */
function seenAs(pages) {
  const lists = new Map();
  for (const { source, kind, markdown } of pages) {
    if (kind !== "symptom") continue;
    for (const [, rule] of markdown.matchAll(/\.\.\/rules\/([a-z-]+)\.md/g)) {
      const key = `docs/rules/${rule}.md`;
      const line = `- [${/^# (.*)$/m.exec(markdown)[1].replaceAll(/([[\]])/g, "\\$1")}](../symptoms/${basename(source)})\n`;
      if (!lists.get(key)?.includes(line)) lists.set(key, `${lists.get(key) ?? "\n## Seen as\n\n"}${line}`);
    }
  }
  return lists;
}

/** A page to drop files on, where there is a tool that writes one. */
function playgroundWords({ path }) {
  if (path !== "try.html" || !existsSync(playgroundTool)) return "";
  return `\n## Your own files\n\n[The playground](../${playgroundTool}) takes a snapshot, a log, a dependency file or a profile, and answers in the browser.\n`;
}

function finished(page, link, image) {
  // A page that is made names its neighbours as they are.
  const isMade = page.kind === "command" || page.path === "commands/index.html";
  const { html, headings, text } = rendered(page.markdown, { link: isMade ? (href) => href : link(page), image: image(page) });
  const title = headings.find(({ depth }) => depth === 1)?.text ?? page.path;
  const lead = plainText(/<p>([\s\S]*?)<\/p>/.exec(html)?.[1] ?? "");
  const headingWords = headings.map((heading) => heading.text).join(" ");
  return { ...page, title, lead, body: html, headings, headingWords, text };
}

/** A file of the repository that a page links to. */
function filePage(source, path) {
  if (!path.endsWith(".html")) return [];
  const { html } = rendered(`# ${source}\n\n\`\`\`\`sh\n${textOf(source).trimEnd()}\n\`\`\`\``, {
    link: (href) => href,
    image: (href) => href,
  });
  return [{ path, title: source, lead: source, body: html, headings: [] }];
}

function put(out, path, text) {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function copy(source, file) {
  mkdirSync(dirname(file), { recursive: true });
  copyFileSync(source, file);
}

/** A real answer to look at and to change: what `culprit open` writes about a case of the book. */
function demonstration(out) {
  mkdirSync(join(out, "demo"), { recursive: true });
  const page = join(out, "demo", "h200-system-cudnn-first.html");
  const words = ["open", "cases/h200-system-cudnn-first/snapshot.json.gz", "-o", page];
  execFileSync(process.execPath, ["packages/cli/bin/culprit.cjs", ...words], { stdio: ["ignore", "ignore", "inherit"] });
  // What `open` writes is for its owner alone; this one is for everybody.
  chmodSync(page, 0o644);
}

async function browserScript() {
  const options = { entryPoints: ["tools/site/browser.mjs"], bundle: true, minify: true, write: false, format: "iife", target: "es2022" };
  const { outputFiles } = await build(options);
  return outputFiles[0].text;
}

/** The table of commands, the styles of reports and the version, from their sources. */
async function sourceTables() {
  const contents = [
    'export { commands } from "./packages/cli/src/commands.ts";',
    'export { everywhere } from "./packages/cli/src/usage.ts";',
    'export { styleSheet } from "./packages/core/src/report/check-html-style.ts";',
    'export { version } from "./packages/core/src/version.ts";',
  ].join("\n");
  // What a command does is not asked for here.
  const without = {
    name: "without-what-commands-do",
    setup: ({ onResolve }) =>
      onResolve({ filter: /.*/ }, ({ kind, path }) => (kind === "dynamic-import" ? { path, external: true } : undefined)),
  };
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    plugins: [without],
    logLevel: "warning",
  });
  const folder = mkdtempSync(join(tmpdir(), "culprit-site-"));
  try {
    const file = join(folder, "tables.mjs");
    writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
