// The page that can be changed, as files beside the command: its script, its styles, and the engine that its worker runs. The engine asks
// the page for knowledge, which the command has in files already.
import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Parts that a page of one machine never asks for. */
const left =
  /^\.\/(?:dependency-files\/judge|ask\/solve|log\/part|trace\/part|snapshot\/validate|knowledge\/part|collect\/keep|diff\/diff)\.ts$/;
const partsLeft = {
  name: "parts-left",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: left }, ({ importer, path }) => (basename(importer) === "parts.ts" ? { path, namespace: "left" } : undefined));
    onLoad({ filter: /.*/, namespace: "left" }, () => ({ contents: "export {}", loader: "js" }));
  },
};
const knowledgeAsked = (names) => ({
  name: "knowledge-asked",
  setup({ onLoad }) {
    onLoad({ filter: /\/knowledge\/texts\/[^/]+\.generated\.ts$/ }, ({ path }) => {
      const generated = readFileSync(path, "utf8");
      const [, source] = /from (knowledge\/\S+\.json)\./.exec(generated);
      const [, name] = /^export const (\w+) = parsedOnce/m.exec(generated);
      const [, subject] = /parsedOnce<\w+>\(\s*"([^"]+)"/.exec(generated);
      names.add(basename(source));
      const contents = `import { parsedOnce } from "../parsed-once.ts";\nexport const ${name} = parsedOnce("${subject}", () => globalThis.culpritKnowledge["${basename(source)}"]);\n`;
      return { loader: "js", contents, resolveDir: dirname(path) };
    });
  },
});

/** Each file by its name. */
export async function pageFiles() {
  // When it is imported, esbuild takes the folder that it is in for its own: the build is there by now.
  const { build } = await import("esbuild");
  const knowledge = new Set();
  const bundled = async (entry, plugins = []) => {
    const { outputFiles } = await build({
      entryPoints: [`packages/page/src/stack/${entry}`],
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      target: "es2022",
      legalComments: "none",
      plugins,
      alias: { "@culprit/core": "./packages/core/src" },
    });
    // In minified code a tab stands in a text only; spelled out, it is no character that a reader of the source could miss.
    return outputFiles[0].text.trim().replaceAll("\t", "\\t");
  };
  const files = {
    "engine.js": await bundled("worker.ts", [partsLeft, knowledgeAsked(knowledge)]),
    "page.js": await bundled("page.ts"),
    "page.css": await bundled("page.css"),
  };
  return { ...files, "knowledge.json": JSON.stringify([...knowledge].sort()) };
}

/** In the place of packages/cli/src/page-files.ts: within a CommonJS file that has the files beside it, or (`whole`) in itself. */
export const pageFilesApart = (whole) => ({
  name: "page-files-apart",
  setup({ onLoad }) {
    onLoad({ filter: /\/cli\/src\/page-files\.ts$/ }, () => {
      const text = whole
        ? `const files = ${JSON.stringify(whole)}; export const pageFile = (name) => files[name];`
        : `export const pageFile = (name) => require("node:fs").readFileSync(__dirname + "/page/" + name, "utf8");`;
      const read = whole
        ? `const texts = ${JSON.stringify(knowledgeTexts(JSON.parse(whole["knowledge.json"])))}; export const knowledgeFile = (name) => texts[name];`
        : `export const knowledgeFile = (name) => require("node:fs").readFileSync(__dirname + "/knowledge/" + name, "utf8");`;
      return { loader: "js", contents: `${text}\n${read}\n` };
    });
  },
});

const knowledgeTexts = (names) =>
  Object.fromEntries(names.map((name) => [name, JSON.stringify(JSON.parse(readFileSync(fileOf(name), "utf8")))]));
// Knowledge of a framework lies one folder deeper.
function fileOf(name) {
  try {
    readFileSync(`knowledge/${name}`);
    return `knowledge/${name}`;
  } catch {
    return `knowledge/frameworks/${name}`;
  }
}
