// Every view of the page, wide and narrow, light and dark: by axe, without a complaint, with nothing asked of anybody.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { Browser, chromium } from "./browser.ts";
import { expectWell } from "./looks.ts";

const command = path.resolve("packages/cli/bin/culprit.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-axe-"));
const at = (name: string) => path.join(folder, name);
const put = (name: string, text: string): string => {
  fs.writeFileSync(at(name), text);
  return at(name);
};
const mixed = path.resolve("cases/h200-system-cudnn-first/snapshot.json.gz");
const profile = path.resolve("cases/trace-torch-healthy/trace.json");
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe("in Chromium", needs({ chromium }), () => {
  let browser: Browser;
  beforeAll(() => {
    browser = new Browser();
    execFileSync(process.execPath, [command, "open", "-o", at("page.html")]);
    execFileSync(process.execPath, [command, "open", mixed, "-o", at("machine.html")]);
    execFileSync(process.execPath, [command, "trace", profile, "--html", at("trace.html")]);
  });
  afterAll(async () => {
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((address) => !/^(?:file|blob|about):/.test(address))).toEqual([]);
    await browser.close();
  });

  const give = async (...files: string[]) => {
    const { root } = await browser.send<{ root: { nodeId: number } }>("DOM.getDocument");
    const { nodeId } = await browser.send<{ nodeId: number }>("DOM.querySelector", { nodeId: root.nodeId, selector: "#files" });
    await browser.send("DOM.setFileInputFiles", { nodeId, files });
  };
  const answered = async (count: number) => browser.until(`document.querySelectorAll("#items .badge").length === ${count}`);
  const unfold = async () => browser.value("for (const each of document.querySelectorAll('#answer details')) each.open = true");

  test("a machine as it is, all unfolded", { timeout: 120_000 }, async () => {
    await browser.open(at("machine.html"));
    await browser.until("document.getElementById('machine') && document.querySelector('#answer [data-fix] ~ button')");
    await unfold();
    await expectWell(browser, "a machine");
  });

  test("an experiment, one that is kept, and one that cannot be asked", { timeout: 120_000 }, async () => {
    await browser.open(at("machine.html"), {
      hash: "#env=LD_LIBRARY_PATH%3D%2Fopt%2Fa%3A%2Fopt%2Fb&env=LD_PRELOAD%3D%2Flib%2Fx.so&gpu=V100&ldconfig=",
    });
    await browser.until("document.querySelector('#changes h3')");
    await browser.value("document.getElementById('keep-name').nextElementSibling.click()");
    await browser.value("document.querySelector('#answer [data-fix] ~ button')?.click()");
    await browser.value("document.querySelector('#what-if .tokens button[aria-label^=\"Take \"]').click()");
    await browser.until("document.getElementById('what-if').innerText.includes('Compare') || document.querySelector('#what-if table')");
    await expectWell(browser, "an experiment");
    await browser.value("location.hash = '#gpu=none+such'");
    await browser.until("/^Not answered/.test(document.getElementById('changes').innerText)");
    await expectWell(browser, "what cannot be asked");
  });

  test("a fix and another way that a folder leads, with the way of the loader", { timeout: 120_000 }, async () => {
    await browser.open(at("machine.html"), { hash: "#unset=LD_LIBRARY_PATH" });
    await browser.until("document.querySelector('#changes table.way')");
    await expectWell(browser, "what changed");
  });

  test("a profile: something found, a range summed", { timeout: 120_000 }, async () => {
    await browser.open(at("trace.html"));
    await browser.until("window.culpritTimeline?.times.length");
    await browser.value("document.querySelector('#kernels tbody button').click()");
    await browser.value("document.getElementById('find-event').focus()");
    await browser.send("Input.insertText", { text: "e" });
    await browser.key("Enter");
    const { x, y } = await browser.middle("#timeline");
    for (const [type, by] of [
      ["mousePressed", -100],
      ["mouseMoved", 0],
      ["mouseMoved", 100],
      ["mouseReleased", 100],
    ] as const)
      await browser.send("Input.dispatchMouseEvent", { type, x: x + by, y, button: "left", buttons: 1, clickCount: 1, modifiers: 8 });
    await browser.until("document.getElementById('sums').innerText !== ''");
    await expectWell(browser, "a profile");
  });

  test("the page for everything: empty, and with each kind of file", { timeout: 240_000 }, async () => {
    await browser.open(at("page.html"));
    await expectWell(browser, "empty");
    const files = [
      mixed,
      put("e.log", "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory\n"),
      put("requirements.txt", "tensorflow==2.21.0\ntorch==2.1.0\n"),
      path.resolve("cases/notebook-sets-variables-too-late/notebook.ipynb"),
      profile,
      path.resolve("cases/h200-healthy/snapshot.json.gz"),
      put("none.bin", "\u0001\u0002\u0003 nothing of the kind"),
    ];
    for (const [index, file] of files.entries()) {
      await give(file);
      await answered(index + 1);
      if (file === mixed) await browser.until("!document.getElementById('what-if').hidden");
      await unfold();
      await expectWell(browser, path.basename(file));
    }
    await browser.value("[...document.querySelectorAll('#items button')].find((each) => each.innerText.startsWith('Compare')).click()");
    await answered(files.length + 1);
    await unfold();
    await expectWell(browser, "two machines side by side");
  });
});
