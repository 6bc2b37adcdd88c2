// Every view by axe, wide and light, narrow and dark; and by the keyboard alone.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { Browser, chromium } from "./browser.ts";

const command = path.resolve("packages/cli/bin/culprit.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-axe-"));
const at = (name: string) => path.join(folder, name);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe("in Chromium", needs({ chromium }), () => {
  let browser: Browser;
  beforeAll(() => {
    browser = new Browser();
    execFileSync(process.execPath, [command, "open", "-o", at("page.html")]);
  });
  afterAll(async () => browser.close());

  const give = async (...files: string[]) => {
    const { root } = await browser.send<{ root: { nodeId: number } }>("DOM.getDocument");
    const { nodeId } = await browser.send<{ nodeId: number }>("DOM.querySelector", { nodeId: root.nodeId, selector: "#files" });
    await browser.send("DOM.setFileInputFiles", { nodeId, files });
  };
  const violations = async () => {
    await browser.value(`${axe};1`);
    return browser.value<string[]>(
      "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`))",
    );
  };

  test.each([
    { width: 1400, dark: false },
    { width: 400, dark: true },
  ])("$width pixels, dark: $dark", { timeout: 120_000 }, async (look) => {
    await browser.open(at("page.html"), look);
    expect(await violations(), "empty").toEqual([]);
    await give(path.resolve("cases/h200-system-cudnn-first/snapshot.json.gz"));
    await browser.until("document.querySelector('#answer [data-fix] ~ button')");
    await browser.value("document.querySelector('#answer [data-fix] ~ button').click()");
    await browser.until("document.querySelector('#changes h3')");
    await browser.value("document.getElementById('keep-name').nextElementSibling.click()");
    await browser.value("for (const each of document.querySelectorAll('#answer details')) each.open = true");
    expect(await violations(), "a machine, an experiment, all unfolded").toEqual([]);
    const kernel = { ph: "X", cat: "kernel", name: "gemm", pid: 0, tid: 7, ts: 10, dur: 5, args: { device: 0, stream: 7, correlation: 1 } };
    fs.writeFileSync(at("t.pt.trace.json"), JSON.stringify({ deviceProperties: [{ id: 0 }], traceEvents: [kernel] }));
    fs.writeFileSync(at("requirements.txt"), "tensorflow==2.21.0\ntorch==2.1.0\n");
    fs.writeFileSync(at("e.log"), "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory\n");
    for (const [index, name] of ["t.pt.trace.json", "requirements.txt", "e.log"].entries()) {
      await give(at(name));
      await browser.until(`document.querySelectorAll("#items .badge").length === ${index + 2}`);
      expect(await violations(), name).toEqual([]);
    }
    expect(browser.complaints).toEqual([]);
  });
});
