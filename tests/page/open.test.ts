// `culprit open` in a real browser: the page answers as the command does, and changes by mouse and by keyboard.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileNames } from "../report/hostile.ts";
import { needs } from "../needs.ts";
import { Browser, chromium } from "./browser.ts";

const command = path.resolve("packages/cli/bin/culprit.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-open-"));
const pageOf = (snapshot: string, name: string, ...options: string[]): string => {
  const file = path.join(folder, `${name}.html`);
  execFileSync(process.execPath, [command, "open", snapshot, "-o", file, ...options], { encoding: "utf8" });
  return file;
};
const mixed = "cases/h200-system-cudnn-first/snapshot.json.gz";
afterAll(() => fs.rmSync(folder, { recursive: true }));

describe("in Chromium", needs({ chromium }), () => {
  let browser: Browser;
  let page: string;
  beforeAll(() => {
    browser = new Browser();
    page = pageOf(mixed, "mixed");
  });
  afterAll(async () => browser.close());
  const live = "!document.getElementById('what-if').hidden";
  const verdict = async () => browser.value<string>("document.getElementById('verdict').innerText");

  test("a folder is taken out of LD_LIBRARY_PATH by mouse: the error goes, and the page says why", async () => {
    await browser.open(page);
    expect(await verdict()).toContain("✗");
    await browser.until(live);
    await browser.click(`#what-if .tokens button[aria-label^="Take "]`);
    await browser.until("document.querySelector('#changes h3')");
    expect(await verdict()).not.toContain("✗");
    const changed = await browser.value<string>("document.getElementById('changes').innerText");
    expect(changed).toMatch(/gone: torch will fail at LSTM and GRU/);
    expect(changed).toMatch(/torch .*: cudnn 9\.19\.0 \(was 9\.14\.0 and 9\.19\.0\)/);
    expect(await browser.value("location.hash")).toBe("#unset=LD_LIBRARY_PATH");
    expect(await browser.value<string>("document.querySelector('#what-if code.command').innerText")).toMatch(
      /^culprit check .* --unset LD_LIBRARY_PATH$/,
    );
  });

  test("and it comes back with the keyboard", async () => {
    // What was taken away leaves its place to the next: the focus is not lost.
    expect(await browser.value("document.getElementById('what-if').contains(document.activeElement)")).toBe(true);
    await browser.key("z", 2);
    await browser.until("document.getElementById('verdict').innerText.includes('✗')");
    await browser.value("document.getElementById('what-if-driver').focus()");
    await browser.send("Input.insertText", { text: "470.57" });
    await browser.key("Enter");
    await browser.until("/gone|new/.test(document.getElementById('changes').innerText)");
    expect(await browser.value<string>("document.getElementById('changes').innerText")).toMatch(/new: .*470\.57/);
  });

  test("of several folders one goes by the keyboard, and the focus is on the next; back again, it is not lost", async () => {
    await browser.open(page, { hash: "#env=LD_LIBRARY_PATH%3D%2Fone%3A%2Ftwo%3A%2Fthree" });
    await browser.until("document.querySelectorAll('#what-if .tokens li').length === 3 && document.querySelector('#changes h3')");
    const focused = async () => browser.value<string>("document.activeElement.getAttribute('aria-label')");
    await browser.value("document.querySelector('button[aria-label=\"Take /one out of LD_LIBRARY_PATH\"]').focus()");
    await browser.key("Enter");
    await browser.until("document.querySelectorAll('#what-if .tokens li').length === 2");
    expect(await focused()).toMatch(/\/two/);
    await browser.value("document.querySelector('button[aria-label^=\"Undo\"]').focus()");
    await browser.key("Enter");
    await browser.until("document.querySelectorAll('#what-if .tokens li').length === 3");
    expect(await browser.value("document.getElementById('what-if').contains(document.activeElement)")).toBe(true);
    await browser.value("document.querySelector('button[aria-label=\"Search /three earlier\"]').focus()");
    await browser.key("Enter");
    await browser.until("/one[^]*three[^]*two/.test(document.querySelector('#what-if .tokens').innerText)");
    expect(await focused()).toBe("Search /three earlier");
  });

  test.each([
    ["driver", "newest", /`?newest`? is not the version of a driver/],
    ["gpu", "RTX 6090", /RTX 6090.* is not known.*give a name as/],
    ["cpu", "fast", /fast.* is not an x86-64 level/],
  ])("what means nothing is refused, not passed over: %s %s", async (field, typed, said) => {
    await browser.open(page);
    await browser.until(live);
    await browser.value(`document.getElementById("what-if-${field}").focus()`);
    await browser.send("Input.insertText", { text: typed });
    await browser.key("Enter");
    await browser.until("/^Not answered/.test(document.getElementById('changes').innerText)");
    expect(await browser.value("document.getElementById('changes').innerText")).toMatch(said);
    expect(await browser.value("document.getElementById('outcome').innerText")).toMatch(/^not answered/);
    // Nothing is kept under a name that it does not answer.
    await browser.click("#keep-name + button");
    expect(await browser.value("document.querySelector('#what-if table.kept')")).toBeNull();
    await browser.key("z", 2);
    await browser.until("document.getElementById('changes').innerText === ''");
  });

  test("and by a finger on a narrow screen, with what comes of it in sight", async () => {
    await browser.open(page, { width: 400, height: 800 });
    await browser.until(live);
    const from = await browser.middle("#what-if .tokens .grip");
    await browser.touch({ from, to: { x: from.x + 20, y: from.y + 160 } });
    await browser.until("/→/.test(document.getElementById('outcome').innerText)");
    expect(await browser.value("location.hash")).toBe("#unset=LD_LIBRARY_PATH");
    const { y } = await browser.value<{ y: number }>("document.getElementById('outcome').getBoundingClientRect().toJSON()");
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThan(800);
  });

  test("a folder is dragged out of the list", async () => {
    await browser.open(page);
    await browser.until(live);
    await browser.drag("#what-if .tokens li", { x: -600, y: 200 });
    await browser.until("document.querySelector('#changes h3')");
    expect(await browser.value("location.hash")).toBe("#unset=LD_LIBRARY_PATH");
    // Somebody who has never heard of RUNPATH reads why the error is gone.
    const words = await browser.value<string>("document.getElementById('changes').innerText");
    expect(words).toContain("As it is: 1 error. With this experiment: nothing wrong found");
    // Some of it could not be judged: that is not green.
    const colour = "document.querySelector('#changes .turn strong:last-of-type').className";
    expect(await browser.value(colour)).toBe(/nothing wrong found in what/.test(words) ? "warning" : "good");
    expect(words).toMatch(/gone: torch will fail/);
    expect(words).toMatch(/Why: the loader takes the first libcudnn\w*\.so\.9 that it comes to/);
    const way = await browser.value<string[][]>(
      "[...document.querySelectorAll('#changes table.way tbody tr')].map((row) => [...row.cells].map((cell) => cell.innerText))",
    );
    expect(way).toEqual([
      [expect.stringMatching(/^1\. the folders of LD_LIBRARY_PATH/), "found in /usr/lib/x86_64-linux-gnu", "not set"],
      [
        expect.stringMatching(/^2\. the folders that are written into .*RUNPATH/),
        "never reached",
        expect.stringMatching(/^found in .*cudnn\/lib$/),
      ],
    ]);
    expect(words).toContain("So all files of cudnn are of one release, 9.19.0, and fit together");
  });

  test("a link within the page leaves the experiment in the address, and the address leads there again", async () => {
    await browser.open(page, { hash: "#unset=LD_LIBRARY_PATH" });
    await browser.until("document.querySelector('#changes h3')");
    await browser.click('nav a[href="#copies"]');
    expect(await browser.value("location.hash")).toBe("#unset=LD_LIBRARY_PATH&at=copies");
    await browser.open(page, { hash: "#unset=LD_LIBRARY_PATH&at=copies" });
    await browser.until(
      "document.querySelector('#changes h3') && Math.abs(document.getElementById('copies').getBoundingClientRect().top) < 60",
    );
    // As it is, a finding has an address of its own.
    await browser.open(page);
    await browser.until(live);
    await browser.click("#answer article .permalink");
    expect(await browser.value("location.hash")).toBe("#finding-cudnn-parts-from-two-releases");
  });

  test("copies are searched and sorted", async () => {
    await browser.open(page);
    await browser.until("document.getElementById('copy-search')");
    const shown = async () =>
      browser.value<string[]>(
        "[...document.querySelectorAll('ul.copies li')].filter((each) => each.checkVisibility()).map((each) => each.dataset.version)",
      );
    await browser.value(
      "(() => { const field = document.getElementById('copy-search'); field.value = 'libcudnn.so'; field.dispatchEvent(new Event('input')); })()",
    );
    const found = await shown();
    expect(found.length).toBeGreaterThan(1);
    await browser.value(
      "(() => { const field = document.getElementById('copy-order'); field.value = 'version'; field.dispatchEvent(new Event('input')); })()",
    );
    expect(await shown()).toEqual(found.toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })));
  });

  test("an experiment that was kept is there when the page is loaded again", async () => {
    await browser.open(page, { hash: "#unset=LD_LIBRARY_PATH" });
    await browser.until("document.querySelector('#changes h3')");
    await browser.value("document.getElementById('keep-name').value = 'without the path'");
    await browser.click("#keep-name + button");
    await browser.until("/without the path/.test(document.querySelector('#what-if table')?.innerText)");
    await browser.value("window.isOld = true");
    await browser.send("Page.reload");
    await browser.until("!window.isOld && /without the path/.test(document.querySelector('#what-if table')?.innerText)");
    expect(await browser.value("location.hash")).toMatch(/^#unset=LD_LIBRARY_PATH&keep=without/);
  });

  test("the command that it is copied as gives the same answer", { timeout: 60_000 }, async () => {
    for (const hash of [
      "#unset=LD_LIBRARY_PATH",
      "#driver=470.57.02&gpu=RTX+5090",
      "#gpu=V100",
      "#env=CUDA_VISIBLE_DEVICES%3D",
      "#env=LD_LIBRARY_PATH%3D%2Fopt%2Fit%27s+%22here%22%3A%2Fusr%2Flib%2Fx86_64-linux-gnu&cpu=v2&ldconfig=",
    ]) {
      await browser.open(page, { hash });
      await browser.until("document.querySelector('#changes h3')");
      const line = await browser.value<string>("document.querySelector('#what-if code.command').innerText");
      const said = spawnSync("sh", ["-c", `${line.replace(/^culprit/, `"${process.execPath}" "${command}"`)} --json`], {
        encoding: "utf8",
      });
      const { status, findings } = JSON.parse(said.stdout) as { status: string; findings: { rule: string; severity: string }[] };
      const rules = findings.filter(({ severity }) => severity !== "info").map(({ rule }) => rule);
      expect(
        await browser.value(
          "[...document.querySelectorAll('#answer article:is(.error, .warning) summary code')].map((each) => each.innerText)",
        ),
        line,
      ).toEqual(rules);
      expect((await verdict()).startsWith("✗"), line).toBe(status === "findings");
    }
  });

  test("an experiment is in the address, and a copy that is taken away is one", async () => {
    const file = "/usr/lib/x86_64-linux-gnu/libcudnn_graph.so.9.14.0";
    await browser.open(page, { hash: `#without=${encodeURIComponent(file)}` });
    await browser.until("document.querySelector('#changes h3')");
    expect(await browser.value<string>("document.getElementById('what-if').innerText")).toContain(file);
    expect(await browser.value<string>("document.getElementById('changes').innerText")).toMatch(/cudnn/);
  });

  test("nothing is fetched and nobody complains, on a wide and a narrow screen, light and dark", async () => {
    for (const look of [
      { width: 1400, dark: false },
      { width: 400, dark: true },
    ]) {
      await browser.open(page, look);
      await browser.until(live);
      // Nothing sticks out to the side.
      expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(true);
      // What works is seen whole, and what is wrong comes before what could be tried.
      expect(await browser.value("[...document.querySelectorAll('.wide')].every((each) => each.scrollWidth <= each.clientWidth + 1)")).toBe(
        true,
      );
      const top = async (id: string) => browser.value<number>(`document.getElementById("${id}").getBoundingClientRect().top`);
      if (look.width === 400) expect(await top("findings")).toBeLessThan(await top("what-if"));
      // Unfolded and drawn whole, nothing does either.
      const unfold =
        "for (const each of document.querySelectorAll('#answer details')) each.open = true; for (const each of document.querySelectorAll('#answer > section')) each.style.contentVisibility = 'visible'";
      await browser.until("document.getElementById('machine')");
      await browser.value(unfold);
      expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(true);
    }
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((address) => !/^(?:file|blob|about):/.test(address))).toEqual([]);
  });

  test("names that look like markup are names, before and after an experiment", async () => {
    const snapshot = JSON.parse(zlib.gunzipSync(fs.readFileSync(mixed)).toString("utf8")) as { environment: { [name: string]: string } };
    snapshot.environment["LD_LIBRARY_PATH"] = ["/usr/lib/x86_64-linux-gnu", ...hostileNames.filter((name) => !/[\0:]/.test(name))].join(
      ":",
    );
    const file = path.join(folder, "hostile.json");
    fs.writeFileSync(file, JSON.stringify(snapshot));
    await browser.open(pageOf(file, "hostile", "--full"), { hash: "#env=A%3D%3Cimg%20src%3Dx%20onerror%3D%22window.ran%3D1%22%3E" });
    await browser.until("document.querySelector('#changes h3')");
    await browser.click(`#what-if .tokens button[aria-label^="Take "]`);
    await browser.until("document.getElementById('changes').innerText.includes('gone')");
    expect(await browser.value("document.querySelectorAll('#what-if img, #answer img, #answer script, #changes script').length")).toBe(0);
    expect(await browser.value("window.ran === undefined")).toBe(true);
    expect(browser.complaints).toEqual([]);
  });
});

test("it refuses what cannot be read and a place that cannot be written, in a sentence", () => {
  const refused = (...words: string[]) => {
    try {
      execFileSync(process.execPath, [command, "open", ...words], { encoding: "utf8", stdio: "pipe" });
      return "accepted";
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string };
      return `${status} ${stderr.trim()}`;
    }
  };
  expect(refused(mixed, path.join(folder, "gone.json"), "-o", path.join(folder, "x.html"))).toMatch(/^2 .*gone\.json/);
  expect(refused(mixed, "-o", "/nowhere/x.html")).toMatch(/^2 .*no folder/);
});
