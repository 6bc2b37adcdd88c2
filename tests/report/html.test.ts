import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { acceptFindings, checkHtml, type Judgement } from "../../packages/core/src/index.ts";
import { hostileNames, withName } from "./hostile.ts";
import { h200, hiddenGpus, judge, mixedCudnn, settled, withSetter } from "./judged.ts";

const judgement = await judge(withSetter, mixedCudnn);
const page = await checkHtml(judgement);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-html-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

interface Tag {
  name: string;
  attributes: { [name: string]: string };
}

/** Every tag of a page, read as a browser does; the style sheet is not markup. */
function tagsOf(markup: string): Tag[] {
  const body = markup.replace(/(<style>)[^]*?(<\/style>)/, "$1$2");
  return [...body.matchAll(/<(\/?[a-zA-Z!][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g)].map(([, name, rest]) => ({
    name: name!.toLowerCase(),
    attributes: Object.fromEntries(
      [...rest!.matchAll(/([^\s"'=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)].map(([, key, a, b, c]) => [
        key!.toLowerCase(),
        a ?? b ?? c ?? "",
      ]),
    ),
  }));
}

const textOf = (markup: string) =>
  markup
    .replace(/<style>[^]*?<\/style>/, "")
    .replaceAll(/<wbr>/g, "")
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");

test("the page asks nobody for anything, and holds no script", () => {
  const tags = tagsOf(page);
  expect(tags.filter(({ name }) => ["script", "link", "img", "iframe", "object", "embed", "form", "base"].includes(name))).toEqual([]);
  for (const { name, attributes } of tags) {
    expect(Object.keys(attributes).filter((key) => key.startsWith("on") || ["src", "srcset", "style", "action"].includes(key))).toEqual([]);
    if (attributes["href"] !== undefined) expect(attributes["href"], name).toMatch(/^(#[\w-]+|https:\/\/\S+)$/);
  }
  expect(page).toContain("default-src 'none'");
  expect(/<style>([^]*?)<\/style>/.exec(page)![1]).not.toMatch(/url\(|@import|expression/);
});

test("findings, drawing, copies, machine and frameworks are there", () => {
  const text = textOf(page);
  for (const part of [
    "✗ 1 error",
    "would run on parts of cuDNN 9.14.0, such as /usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.14.0",
    "LD_LIBRARY_PATH=/usr/lib/x86_64-linux-gnu, set in /etc/profile.d/cuda.sh:3",
    "take /usr/lib/x86_64-linux-gnu out of LD_LIBRARY_PATH",
    // The drawing: winner, rule, and the copy that lost.
    "✗ libcudnn_graph.so.9 9.14.0",
    "LD_LIBRARY_PATH · system · convolution",
    "not 9.19.0 in …/cudnn/lib",
    "loaded by jax 0.11.2 (convolution), torch 2.11.0 (convolution)",
    "nobody would load it",
    "580.159.04 (NVIDIA UNIX Open Kernel Module)",
    "NVIDIA H200 (sm_90)",
    "13.0 in /usr/local/cuda-13.0",
  ])
    expect(text).toContain(part);
  for (const { file } of judgement.stack.inventory.copies) expect(text).toContain(file);
});

test("only programs that a finding concerns have marked boxes", async () => {
  const marked = (markup: string) =>
    [...markup.matchAll(/<svg[^]*?<\/svg>/g)]
      .filter(([svg]) => svg.includes("guilty"))
      .map(([svg]) => /aria-label="([^"]*)"/.exec(svg)![1]);
  expect(marked(page)).toEqual([
    "What leads torch 2.11.0 to what a finding names",
    "What torch 2.11.0 would load",
    "What leads jax 0.11.2 to what a finding names",
    "What jax 0.11.2 would load",
  ]);
  expect(marked(await checkHtml(await judge(h200)))).toEqual([]);
});

test("every link within the page leads somewhere, and no name is given twice", () => {
  const tags = tagsOf(page);
  const ids = tags.map(({ attributes }) => attributes["id"]).filter((id) => id !== undefined);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { attributes } of tags) if (attributes["href"]?.startsWith("#")) expect(ids).toContain(attributes["href"].slice(1));
});

test("tags are closed in order, so that a reader's browser need not guess", () => {
  const open: string[] = [];
  const empty = new Set(["!doctype", "meta", "br", "wbr", "input", "path", "rect"]);
  for (const { name } of tagsOf(page)) {
    if (empty.has(name)) continue;
    if (name.startsWith("/")) expect(open.pop()).toBe(name.slice(1));
    else open.push(name);
  }
  expect(open).toEqual([]);
});

test("headings go down one step at a time", () => {
  let before = 0;
  for (const { name } of tagsOf(page).filter((tag) => /^h\d$/.test(tag.name))) {
    expect(Number(name[1])).toBeLessThanOrEqual(before + 1);
    before = Number(name[1]);
  }
});

test.each(hostileNames)("a file called %j is text and nothing else", async (name) => {
  const kinds = ({ name: tag, attributes }: Tag) => `${tag} ${Object.keys(attributes).sort().join(" ")}`;
  const known = new Set([...tagsOf(page), ...tagsOf(await checkHtml(withName(judgement, "/opt/x")))].map(kinds));
  const hostile = await checkHtml(withName(judgement, name));
  expect([...new Set(tagsOf(hostile).map(kinds))].filter((kind) => !known.has(kind))).toEqual([]);
  expect(hostile).not.toMatch(/<script|<img|<b>|href="javascript/i);
  // Shown as it is called, as far as it can be shown.
  expect(textOf(hostile)).toContain(name.slice(0, Math.max(5, name.search(/[^\x20-\x7e]/))));
});

test("the heading says whose facts they are: those of a file are not of the machine at which they are read", async () => {
  const heading = async (place: object) => {
    const told = { ...judgement.check, target: { kind: "machine" as const } };
    return /<h1>([^<]*)/.exec(await checkHtml({ ...judgement, check: told, asked: { target: [], options: [], ...place } }))![1];
  };
  expect(await heading({})).toBe("culprit check of this machine");
  expect(await heading({ place: { kind: "snapshot", name: "/home/me/node7.json.gz" } })).toBe(
    "culprit check of the machine saved in node7.json.gz",
  );
});

test("hidden GPUs, an accepted finding and what cannot be told are said in words", async () => {
  const hidden = await judge(h200, hiddenGpus);
  expect(textOf(await checkHtml(hidden))).toContain("cupy, jax, numba, torch and triton (everything after the import)");
  const { check } = acceptFindings(judgement.check, [{ rule: "cudnn-parts-from-two-releases", reason: "only jax runs here" }]);
  expect(textOf(await checkHtml({ ...judgement, check: settled({ ...check, unknown: [] }) }))).toContain("✓ Nothing wrong found");
  const accepted: Judgement = {
    ...judgement,
    check: settled({ ...check, unknown: [{ kind: "file", subject: "/root/.bashrc", reason: "it cannot be read" }] }),
  };
  const text = textOf(await checkHtml(accepted));
  expect(text).toContain("? Nothing wrong found, but not everything could be judged: /root/.bashrc");
  expect(text).toContain("Nothing wrong was found in what could be judged.");
  expect(text).toContain("only jax runs here");
  expect(text).toContain("/root/.bashrc: it cannot be read");
});

// https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio
function contrast(a: string, b: string): number {
  const light = (colour: string) => {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    }) as [number, number, number];
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, bright] = [light(a), light(b)].sort((x, y) => x - y) as [number, number];
  return (bright + 0.05) / (dark + 0.05);
}

test.each(["light", "dark"])("in %s colours all text can be read (AA)", (scheme) => {
  const block = new RegExp(`color-scheme: ${scheme};([^}]*)`).exec(page)![1]!;
  const colour = Object.fromEntries([...block.matchAll(/--([\w-]+): (#\w{6})/g)].map(([, name, value]) => [name, value!]));
  const grounds = ["ground", "panel"];
  const origins = ["environment", "toolkit", "system", "driver", "elsewhere"];
  const pairs = [
    ...grounds.flatMap((ground) => ["text", "faint", "link", "error", "warning", "good"].map((name) => [name, ground])),
    ...["error", "warning", "info", "good"].map((name) => [name, `${name}-ground`]),
    ...origins.flatMap((ground) => ["text", "error"].map((name) => [name, ground])),
  ];
  for (const [front, back] of pairs) expect(contrast(colour[front!]!, colour[back!]!), `${front} on ${back}`).toBeGreaterThanOrEqual(4.5);
});

function culprit(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["dist/cli.js", "check", "cases/h200-healthy/snapshot.json.gz", "--for", "cupy", "--python", "/opt/torch/.venv", ...args],
    { encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

test("the page is written whole, through a link, and nothing else is left", () => {
  const file = path.join(folder, "page.html");
  const link = path.join(folder, "latest.html");
  fs.writeFileSync(file, "before");
  fs.symlinkSync("page.html", link);
  const { status, stdout } = culprit("--html", link);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^✓ Nothing wrong found\n  ✓ cupy 14\.2\.0  .*\n\nThe page is `.*latest\.html`\.\n$/) as string,
  });
  expect(fs.readFileSync(file, "utf8")).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  expect(fs.readdirSync(folder).sort()).toEqual(["latest.html", "page.html"]);
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true);
});

test.each([
  [["--html", folder], "it is a folder"],
  [["--html", `${folder}/new/`], "it is a folder"],
  [["--html", `${folder}/nowhere/page.html`], "there is no folder"],
  [["--html", "/dev/null"], "it is not a file"],
  [["--html", ""], "`--html` needs a value (FILE)"],
  [["--html", `${folder}/x.html`, "--json"], "give one of `--json` and `--html`"],
])("%j is refused in one sentence", (args, words) => {
  const { status, stdout, stderr } = culprit(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(words);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
