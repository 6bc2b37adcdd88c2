// The page that can be changed, as files beside the command: its script, its styles, and the engine that its worker runs. The engine asks
// the page for knowledge, which the command has in files already.
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

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

/** What the readers of packages/machine use of Node, answered by a page: from files that were dropped. */
const forNode = (root) => ({
  name: "for-node",
  setup({ onResolve }) {
    const own = (name) => ({ path: join(root, "packages/page/src/for-node", `${name}.ts`) });
    onResolve({ filter: /^node:(?:fs|path|process|zlib|crypto)$/ }, ({ path }) => own(path.slice(5)));
    onResolve({ filter: /^\.\/inflate\.ts$/ }, ({ importer }) => (/\/machine\/src\/target\//.test(importer) ? own("inflate") : undefined));
    onResolve({ filter: /^@culprit\/core\// }, ({ path }) => ({ path: join(root, "packages/core/src", `${path.slice(14)}.ts`) }));
  },
});
/** No text is run as a program, not even to find out whether it could be: the check of a snapshot is written out here. */
const withoutEval = {
  name: "without-eval",
  setup({ onLoad }) {
    onLoad({ filter: /typebox\/build\/system\/environment\/evaluate\.mjs$/ }, () => ({
      contents: "export const CanEvaluate = () => false; export const Evaluate = () => { throw new Error('no text is run here'); };",
      loader: "js",
    }));
    onLoad({ filter: /\/core\/src\/snapshot\/validate\.ts$/ }, async ({ path }) => {
      const { Build } = await import("typebox/schema");
      const built = Build(JSON.parse(readFileSync("schema/snapshot-1.schema.json", "utf8")));
      const { identifier, variables } = built.External();
      const functions = built.Functions().join(";\n");
      // Of what it may use there is nothing in this schema but patterns.
      if (built.UseUnevaluated() || /\b(?:Guard|Hashing|CheckContext)\b/.test(functions))
        throw new Error("the check of a snapshot asks for more");
      const check = `const ${identifier} = [${variables.join(", ")}];\n${functions};\nconst validator = { Check: (value) => ${built.Entry()}, Errors: (value) => Errors(schema, value) };`;
      const contents = readFileSync(path, "utf8")
        .replace("import { Compile }", "import { Errors }")
        .replace("const validator = Compile(schema);", () => check);
      if (!contents.includes(identifier)) throw new Error("snapshot/validate.ts is not as the page expects it");
      return { contents, loader: "ts", resolveDir: dirname(path) };
    });
  },
};

/** Each file by its name, those of the command or of the fleet server; `made` is told what each was made of. */
export async function pageFiles(made = () => undefined, only = "command") {
  // When it is imported, esbuild takes the folder that it is in for its own: the build is there by now.
  const { build } = await import("esbuild");
  const [knowledge, allKnowledge] = [new Set(), new Set()];
  const root = process.cwd();
  const bundled = async (entry, plugins = [], given = {}) => {
    const { outputFiles, metafile } = await build({
      entryPoints: [`packages/page/src/${entry}`],
      outfile: entry,
      metafile: true,
      bundle: true,
      minify: true,
      write: false,
      format: "iife",
      target: "es2022",
      legalComments: "none",
      // What a plugin has resolved gets no settings of its folder: which way a file is reached first would decide about its bytes.
      tsconfigRaw: { compilerOptions: { target: "ES2023", strict: true, verbatimModuleSyntax: true } },
      plugins,
      ...given,
    });
    made(metafile);
    // In minified code a tab stands in a text only; spelled out, it is no character that a reader of the source could miss.
    return outputFiles[0].text.trim().replaceAll("\t", "\\t");
  };
  if (only === "fleet")
    return { "fleet.js": await bundled("fleet/page.ts", [forNode(root)]), "fleet.css": await bundled("fleet/page.css") };
  const files = {
    "engine.js": await bundled("stack/worker.ts", [partsLeft, knowledgeAsked(knowledge)]),
    "page.js": await bundled("stack/page.ts"),
    "page.css": await bundled("stack/page.css"),
    "drop-engine.js": await bundled("drop/worker.ts", [forNode(root), withoutEval, knowledgeAsked(allKnowledge)], {
      inject: ["packages/page/src/for-node/buffer.ts"],
      // The decoder of zstd would fetch itself, and nothing may be fetched here: it has another way where there is no fetch.
      define: { fetch: "undefined" },
    }),
    "drop.js": await bundled("drop/page.ts"),
    "drop.css": await bundled("drop/page.css"),
  };
  const named = (names) => JSON.stringify([...names].sort());
  return { ...files, "knowledge.json": named(knowledge), "drop-knowledge.json": named(allKnowledge) };
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
        ? `const texts = ${JSON.stringify(knowledgeTexts(JSON.parse(whole["drop-knowledge.json"])))}; export const knowledgeFile = (name) => texts[name];`
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
