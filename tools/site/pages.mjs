// Which file of the repository becomes which page, and where a link between two of them leads.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path/posix";

/** Folders of docs whose README is the first page of a chapter. */
const chapters = { symptoms: "symptom", guides: "guide", rules: "rule", decisions: "decision" };
/** Pages that lie elsewhere. */
const others = {
  "README.md": "readme",
  "ARCHITECTURE.md": "architecture",
  "CHANGELOG.md": "changelog",
  "CONTRIBUTING.md": "contributing",
  "knowledge/README.md": "knowledge",
  "python/README.md": "python",
  "cases/README.md": "cases/index",
};
/** Writes the page onto which anything can be dropped. */
export const playgroundTool = "tools/playground.mjs";
/** Sources that have pages made from them. */
const madeFrom = {
  "packages/cli/src/commands.ts": "commands/index.html",
  "packages/core/src/index.ts": "api.html",
  schema: "schemas.html",
  cases: "cases/index.html",
  [playgroundTool]: "playground/index.html",
  // To look at in the browser: what `culprit open` makes of it.
  "cases/h200-system-cudnn-first/snapshot.json.gz": "demo/h200-system-cudnn-first.html",
};

/** @typedef {{ source: string, path: string, kind: string }} Page */

/** @returns {Page[]} */
export function markdownPages() {
  const pages = [{ source: "docs/README.md", path: "index.html", kind: "page" }];
  for (const name of readdirSync("docs").filter((each) => each.endsWith(".md") && each !== "README.md"))
    pages.push({ source: `docs/${name}`, path: `${basename(name, ".md")}.html`, kind: "page" });
  for (const [folder, kind] of Object.entries(chapters))
    for (const name of readdirSync(`docs/${folder}`).filter((each) => each.endsWith(".md")))
      pages.push({
        source: `docs/${folder}/${name}`,
        path: `${folder}/${name === "README.md" ? "index" : basename(name, ".md")}.html`,
        kind: name === "README.md" ? "page" : kind,
      });
  for (const [source, path] of Object.entries(others)) pages.push({ source, path: `${path}.html`, kind: "page" });
  return pages;
}

/** The address of one page from another. */
export const between = (from, to) => relative(dirname(from), to) || basename(to);

/**
 * Where links of a page lead; what leads nowhere is a problem with its page.
 * @param {Page[]} pages
 */
export function linking(pages) {
  const paths = new Map(pages.map(({ source, path }) => [source, path]));
  for (const name of readdirSync("cases"))
    if (existsSync(`cases/${name}/report.txt`)) paths.set(`cases/${name}/README.md`, `cases/${name}.html`);
  const problems = [];
  /** Files that are no pages and were linked to: text becomes a page, data is copied. */
  const files = new Map();
  const target = (page, href) => {
    const [file, anchor = ""] = href.split("#");
    const source = normalize(join(dirname(page.source), decodeURIComponent(file))).replace(/\/$/, "");
    const path = madeFrom[source] ?? paths.get(source) ?? paths.get(join(source, "README.md")) ?? fileOf(source, files);
    if (path === undefined) problems.push(`${page.source}: \`${href}\` leads nowhere`);
    return `${between(page.path, path ?? page.path)}${anchor && `#${anchor}`}`;
  };
  const link = (page) => (href) => (/^(https?:|mailto:|#)/.test(href) ? href : target(page, href));
  const image = (page) => (href) => {
    const source = normalize(join(dirname(page.source), href));
    if (!existsSync(source)) problems.push(`${page.source}: the picture \`${href}\` is not there`);
    const path = `pictures/${basename(source)}`;
    files.set(source, path);
    return between(page.path, path);
  };
  return { link, image, problems, files };
}

const isData = (source) => /\.(json|gz|svg|png|css)$/.test(source);

function fileOf(source, files) {
  if (source.startsWith("..") || !existsSync(source) || !statSync(source).isFile()) return undefined;
  const path = isData(source) ? `files/${source}` : `files/${source}.html`;
  files.set(source, path);
  return path;
}

export const textOf = (file) => readFileSync(file, "utf8");
