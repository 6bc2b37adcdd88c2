// The site as it is built: every link leads somewhere, nothing is asked of a network, and what people search for is found.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import vm from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
// @ts-expect-error A tool, without types.
import { opened, search } from "../../tools/site/search.mjs";
import { needs } from "../needs.ts";
import { Browser, chromium } from "../page/browser.ts";
import { expectWell } from "../page/looks.ts";

const site = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-site-"));
beforeAll(() => void execFileSync(process.execPath, ["tools/site.mjs", "--out", site], { stdio: ["ignore", "ignore", "inherit"] }));
afterAll(() => fs.rmSync(site, { recursive: true }));

const filesOf = (end: string): string[] => fs.readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(end));
const textOf = (name: string): string => fs.readFileSync(path.join(site, name), "utf8");
/** Pages of the site itself; the demonstration and the playground are culprit's own pages, which have their own tests. */
const pages = (): string[] => filesOf(".html").filter((name) => !/^(demo|playground)\//.test(name));

test("every link leads to a page, and every anchor is on it", () => {
  const anchors = new Map(
    filesOf(".html").map((name) => [name, new Set([...textOf(name).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
  );
  const broken: string[] = [];
  let links = 0;
  for (const page of pages())
    for (const [, address] of textOf(page).matchAll(/<(?:a|link|img|script)\b[^>]*? (?:href|src)="([^"]*)"/g)) {
      if (/^(https?:|data:)/.test(address!)) continue;
      links += 1;
      const [file = "", anchor = ""] = address!.split("#");
      const target = file === "" ? page : path.join(path.dirname(page), decodeURIComponent(file));
      const isThere = fs.existsSync(path.join(site, target)) && fs.statSync(path.join(site, target)).isFile();
      if (!isThere || (anchor !== "" && !anchors.get(target)?.has(decodeURIComponent(anchor)))) broken.push(`${page}: ${address}`);
    }
  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(3000);
});

test("a web server may read every file", () => {
  const closed = filesOf("").filter((name) => (fs.statSync(path.join(site, name)).mode & 0o004) === 0);
  expect(closed).toEqual([]);
});

test("every page can be reached from the first", () => {
  const reached = new Set(["index.html"]);
  for (const page of reached)
    for (const [, address] of textOf(page).matchAll(/<a\b[^>]*? href="([^"#:]+\.html)(?:#[^"]*)?"/g)) {
      const target = path.join(path.dirname(page), decodeURIComponent(address!));
      if (!/^(demo|playground)\//.test(target)) reached.add(target);
    }
  expect(pages().filter((page) => !reached.has(page))).toEqual([]);
});

test("nothing of Markdown is left in a page", () => {
  const left = pages().flatMap((page) => {
    const text = textOf(page).replaceAll(/<(pre|code)\b[\s\S]*?<\/\1>/g, "");
    return [...text.matchAll(/.{0,40}(?:\]\(|\*\*|^#+ |```).{0,40}/gm)].map(([words]) => `${page}: ${words}`);
  });
  expect(left).toEqual([]);
});

test("pages have a policy, no script or style of their own, and load nothing from elsewhere", () => {
  for (const page of pages()) {
    const text = textOf(page);
    expect(text, page).toContain("default-src 'none'; script-src 'self' file:;");
    expect(text, page).not.toMatch(
      /<script(?! src="[^":]*site\.js")|<style| style="| on[a-z]+="|<(?:link|img|script|iframe)[^>]*(?:src|href)="(?:https?:)?\/\//,
    );
  }
  expect(textOf("site.js")).not.toMatch(/\beval\(|new Function|fetch\(|XMLHttpRequest/);
});

describe("symptoms", () => {
  const names = fs
    .readdirSync("docs/symptoms")
    .filter((name) => name !== "README.md")
    .map((name) => path.basename(name, ".md"));

  test("there are at least 45, each is listed once, and says what it must", () => {
    const list = fs.readFileSync("docs/symptoms/README.md", "utf8");
    expect(names.length).toBeGreaterThanOrEqual(45);
    for (const name of names) {
      expect(list.split(`(${name}.md)`).length - 1, name).toBe(1);
      const headings = [...fs.readFileSync(`docs/symptoms/${name}.md`, "utf8").matchAll(/^## (.*)$/gm)].map(([, words]) => words);
      expect(headings, name).toEqual(["What you see", "What to type, and what comes out", "Why", "How to be sure", "What to do"]);
    }
  });

  test("whoever pastes the message finds its page", () => {
    const holder: { culpritSearch?: object } = {};
    vm.runInNewContext(textOf("search-index.js").replace("globalThis.", "holder."), { holder });
    const index = opened(holder.culpritSearch);
    const missed: string[] = [];
    for (const name of names) {
      const source = fs.readFileSync(`docs/symptoms/${name}.md`, "utf8");
      const title = /^# (.*)$/m.exec(source)![1]!;
      const message = /^```text error\.log\n([\s\S]*?)^```$/m.exec(source)?.[1];
      const isFound = (text: string) =>
        search(index, text)
          .slice(0, 3)
          .some(([, at]: string[]) => at === `symptoms/${name}.html`);
      if (!isFound(title)) missed.push(`${name}: its title`);
      if (message !== undefined && !isFound(message)) missed.push(`${name}: its message`);
    }
    expect(missed).toEqual([]);
  });
});

test("every rule, command and case has a page, and every function of the library its words", () => {
  const has = (name: string) => fs.existsSync(path.join(site, name));
  for (const name of fs.readdirSync("docs/rules"))
    expect(has(`rules/${path.basename(name === "README.md" ? "index.md" : name, ".md")}.html`), name).toBe(true);
  const commands = [
    ...execFileSync(process.execPath, ["packages/cli/bin/culprit.cjs", "help"], { encoding: "utf8" }).matchAll(
      /^ {2}([a-z][a-z-]+) {2,}\S/gm,
    ),
  ];
  expect(commands.length).toBeGreaterThan(10);
  for (const [, name] of commands) expect(has(`commands/${name}.html`), name).toBe(true);
  const library = textOf("api.html");
  for (const name of ["checkStack", "explainLog", "openTarget", "readSnapshot", "machine"])
    expect(library, name).toContain(`>${name}</h3>`);
});

describe("in Chromium", needs({ chromium }), () => {
  test("a search from the keyboard leads to the page, from a disk, with nothing asked of anybody", async () => {
    const browser = new Browser();
    try {
      await browser.open(path.join(site, "guides/docker.html"), { width: 400, dark: true });
      await browser.value("document.getElementById('search').focus()");
      await browser.send("Input.insertText", { text: "Could not load library libcudnn_ops_infer.so.8" });
      await browser.until("document.querySelector('#results li a')");
      await browser.key("Enter");
      await browser.until("location.pathname.endsWith('/symptoms/libcudnn-ops-infer-so-8.html')");
      await browser.until("document.readyState === 'complete'");
      expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(true);
      expect(browser.complaints).toEqual([]);
      expect(browser.requests.filter((address) => !address.startsWith(`file://${site}`) && !/^(data|about):/.test(address))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test("a page of every kind, wide and narrow, light and dark, and what a search finds", { timeout: 240_000 }, async () => {
    const browser = new Browser();
    try {
      const first = (folder: string) => pages().find((name) => name.startsWith(`${folder}/`) && !name.endsWith("index.html"))!;
      const kinds = ["symptoms", "rules", "guides", "commands", "cases"].map(first);
      for (const name of ["index.html", "start.html", "try.html", "symptoms/index.html", "rules/index.html", "reference.html", ...kinds]) {
        await browser.open(path.join(site, name));
        await expectWell(browser, name);
      }
      await browser.value("document.getElementById('search').focus()");
      await browser.send("Input.insertText", { text: "no kernel image is available" });
      await browser.until("document.querySelector('#results li a')");
      await expectWell(browser, "what is found");
      expect(browser.complaints).toEqual([]);
      expect(browser.requests.filter((address) => !address.startsWith(`file://${site}`) && !/^(data|about):/.test(address))).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
