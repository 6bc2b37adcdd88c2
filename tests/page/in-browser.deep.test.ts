// The engine's tests that need no Node, and the inputs of the case book, in a real browser: the same answers as in Node.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { Browser, chromium } from "./browser.ts";
import { answersOfBook } from "./in-browser/answers.ts";

const here = "tests/page/in-browser";
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-in-browser-"));

/** Tests of the engine: what starts the command, writes files or speaks to a machine is not. */
const candidates = fs
  .readdirSync("tests", { recursive: true, encoding: "utf8" })
  .map((name) => `tests/${name}`)
  .filter((name) =>
    /^tests\/(?:collect|declare|diagnose|frameworks|judge|knowledge|lib|log|modules|plan|report|rules|solve|trace|watch)\//.test(name),
  )
  .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".deep.test.ts"));

/** What stands in the place of vitest and of the little of Node that reads files of the repository. */
const stands = new Set(["vitest", "node:fs", "node:zlib", "node:path"]);
const inBrowser: Plugin = {
  name: "in-browser",
  setup({ onResolve }) {
    onResolve({ filter: /^(?:vitest|node:(?:fs|zlib|path))$/ }, ({ path: name }) => ({
      path: path.resolve(here, `${name.replace("node:", "")}.ts`),
    }));
  },
};

/** What only Node has, without being imported. */
const machines = /\b(?:mkdtempSync|writeFileSync|mkdirSync|statSync|process\.|Buffer\b|gzipSync|vi\.)/;

/** Those of them that come to nothing of Node but what stands in its place, by whatever way. */
async function withoutNode(files: string[]): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: files,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    splitting: true,
    outdir: scratch,
    packages: "external",
    logLevel: "silent",
  });
  const needsNode = (file: string, seen: Set<string>): boolean => {
    if (seen.has(file)) return false;
    seen.add(file);
    // A script that loads others in turn cannot wait for one of them.
    const text = fs.readFileSync(file, "utf8");
    if (file.startsWith("tests/") && machines.test(text)) return true;
    if (/^packages\/(?:machine|cli|fleet)\//.test(file) || /^(?:(?:export )?const .*= )?\(?await /m.test(text)) return true;
    return metafile.inputs[file]!.imports.some(({ path: name, external }) =>
      external ? !stands.has(name) && /^(?:node:|esbuild|vitest|dockerfile-ast)/.test(name) : needsNode(name, seen),
    );
  };
  return files.filter((file) => !needsNode(file, new Set()));
}

/** One script of all of them; each is loaded when its name was told. */
async function scriptOf(files: string[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: [
        `import { load, runAll } from "./${here}/vitest.ts";`,
        ...files.map((file) => `load(${JSON.stringify(file)}, () => require(${JSON.stringify(`./${file}`)}));`),
        `import { answersOfBook } from "./${here}/answers.ts";`,
        "globalThis.told = runAll();",
        "globalThis.answers = globalThis.told.then(answersOfBook);",
      ].join("\n"),
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
    plugins: [inBrowser],
    define: { "import.meta.url": '"file:///"' },
  });
  return outputFiles[0]!.text;
}

/** Files of the repository that tests read. */
const given = (): { [file: string]: string } =>
  Object.fromEntries(
    ["cases", "knowledge", "docs/rules", "schema", "tests", "packages/core/src"]
      .flatMap((folder) => fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`))
      .filter((file) => fs.statSync(file).isFile() && fs.statSync(file).size < 4 << 20)
      .map((file) => [file, fs.readFileSync(file).toString("base64")]),
  );

interface Told {
  file: string;
  name: string;
  complaint?: string;
}

describe("in Chromium", needs({ chromium }), () => {
  let browser: Browser;
  let files: string[];
  let told: Told[];

  beforeAll(async () => {
    files = await withoutNode(candidates);
    const page = path.join(scratch, "tests.html");
    fs.writeFileSync(path.join(scratch, "files.js"), `globalThis.givenFiles = ${JSON.stringify(given())};`);
    fs.writeFileSync(path.join(scratch, "tests.js"), await scriptOf(files));
    fs.writeFileSync(page, '<!doctype html><meta charset="utf-8"><script src="files.js"></script><script src="tests.js"></script>');
    browser = new Browser();
    await browser.open(page);
    expect(browser.complaints).toEqual([]);
    told = await browser.value<Told[]>("globalThis.told");
  });
  afterAll(async () => {
    await browser?.close();
    fs.rmSync(scratch, { recursive: true, force: true });
  });

  test("most of the engine's tests need no Node, and none of them is missed", () => {
    expect(files.length).toBeGreaterThan(90);
    expect(told.length).toBeGreaterThan(3000);
    expect(new Set(told.map(({ file }) => file)).size).toBe(files.length);
  });

  test("the inputs of the case book are answered as in Node, letter for letter", async () => {
    const shown = await browser.value<{ [input: string]: string }>("globalThis.answers");
    const inNode = await answersOfBook();
    expect(Object.keys(inNode).length).toBeGreaterThan(60);
    expect(shown).toEqual(inNode);
  });

  test("and pass", () => {
    const failed = told.filter(({ complaint }) => complaint !== undefined);
    expect(failed.map(({ file, name, complaint }) => `${file}: ${name}: ${complaint?.slice(0, 300)}`)).toEqual([]);
  });
});
