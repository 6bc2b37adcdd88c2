// The timeline in a real browser: its pixels are counted, and are as many as the time that was busy.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileNames } from "../report/hostile.ts";
import { needs } from "../needs.ts";
import { Browser, chromium } from "./browser.ts";

const command = path.resolve("packages/cli/bin/culprit.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-timeline-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

interface Kernel {
  start: number;
  duration: number;
  stream: number;
}

/** Two streams that take turns and overlap; short kernels with gaps that a drawing likes to swallow. */
const kernels: Kernel[] = Array.from({ length: 6000 }, (_, index) => ({
  start: 1000 + index * 10 + (index % 3),
  duration: index % 50 === 0 ? 9 : 2 + (index % 5),
  stream: 7 + (index % 7 === 0 ? 7 : 0),
}));
const span = { from: 1000, to: Math.max(...kernels.map(({ start, duration }) => start + duration)) };

function pageOf(name: string, events: object[]): string {
  const [file, page] = [path.join(folder, `${name}.json`), path.join(folder, `${name}.html`)];
  fs.writeFileSync(file, JSON.stringify({ deviceProperties: [{ id: 0, name: "NVIDIA H200" }], traceEvents: events }));
  execFileSync(process.execPath, [command, "trace", file, "--html", page], { encoding: "utf8" });
  return page;
}

const kernelEvent = ({ start, duration, stream }: Kernel, index: number) => ({
  ph: "X",
  cat: "kernel",
  name: `kernel_${index % 9}`,
  pid: 0,
  tid: stream,
  ts: start,
  dur: duration,
  args: { device: 0, stream, correlation: index + 1 },
});

const busy = (of: Kernel[], from: number, to: number): number => {
  let [sum, last] = [0, from];
  for (const { start, duration } of of.toSorted((a, b) => a.start - b.start)) {
    const [left, right] = [Math.max(start, last), Math.min(start + duration, to)];
    if (left < right) sum += right - left;
    last = Math.max(last, Math.min(start + duration, to));
  }
  return sum / (to - from);
};

/** Runs in the page: which share of a row is not background; a pixel that is partly filled counts for its part. */
const filledShare = (label: string) => `(() => {
  const canvas = document.getElementById("timeline");
  const row = culpritTimeline.rowTops().find((each) => each.label === ${JSON.stringify(label)});
  const { data, width, height } = canvas.getContext("2d").getImageData(0, row.y, canvas.width, row.filled);
  const ground = [255, 255, 255], full = [0x7a, 0xa6, 0xd8];
  let sum = 0;
  for (let at = 0; at < data.length; at += 4) {
    const of = ground.map((each, channel) => (each - data[at + channel]) / (each - full[channel]));
    const isMixed = of.every((share) => 0 <= share && share <= 1.001) && Math.max(...of) - Math.min(...of) < 0.06;
    sum += isMixed ? of[0] : of.some((share) => 0.02 < Math.abs(share)) ? 1 : 0;
  }
  return sum / (width * height);
})()`;

describe("in Chromium", needs({ chromium }), () => {
  let browser: Browser;
  let page: string;
  beforeAll(async () => {
    browser = new Browser();
    const launches = kernels.map(({ start }, index) => ({
      ph: "X",
      cat: "cuda_runtime",
      name: "cudaLaunchKernel",
      pid: 40,
      tid: 7,
      ts: start - 6,
      dur: 1,
      args: { correlation: index + 1 },
    }));
    page = pageOf("busy", [...kernels.map(kernelEvent), ...launches]);
    await browser.open(page);
    await browser.until("window.culpritTimeline?.times.length");
  }, 60_000);
  afterAll(async () => browser.close());

  // That the test itself reads pixels is nothing to complain about.
  const complaints = () => browser.complaints.filter((text) => !text.includes("getImageData"));
  /** The drawing begins with the first launch. */
  const begins = span.from - 6;
  const show = async (from: number, to: number) =>
    browser.value(`culpritTimeline.show(${from - begins}, ${to - begins}); culpritTimeline.draw()`);

  test.each([1, 0.3, 0.05, 0.01, 0.002])("at a zoom of %f of the whole, as much is filled as was busy", async (share) => {
    const length = (span.to - span.from) * share;
    const from = span.from + (span.to - span.from - length) * 0.4;
    const to = from + length;
    await show(from, to);
    const stream = (number: number) => kernels.filter((each) => each.stream === number);
    for (const [label, of] of [
      ["GPU 0 stream 7", stream(7)],
      ["GPU 0 stream 14", stream(14)],
      ["GPU 0: any stream", kernels],
    ] as const) {
      const filled = await browser.value<number>(filledShare(label));
      // Letters upon wide events take pixels of a box, not of the ground.
      expect(Math.abs(filled - busy([...of], from, to)), `${label}: ${filled}`).toBeLessThan(0.012);
    }
  });

  test("search, arrows and the sums of a range", async () => {
    await browser.value("culpritTimeline.show(0, 400); document.getElementById('find-event').focus()");
    await browser.send("Input.insertText", { text: "KERNEL_4" });
    await browser.key("Enter");
    expect(await browser.value("document.getElementById('found').textContent")).toBe("1 name");
    expect(await browser.value<string>("document.getElementById('told').textContent")).toMatch(
      /^kernel_4: .*GPU 0 stream .*L goes to the call/,
    );
    await browser.value("document.getElementById('timeline').focus()");
    await browser.key("l");
    expect(await browser.value<string>("document.getElementById('told').textContent")).toMatch(
      /^cudaLaunchKernel: .*it started 1 on the device/,
    );
    await browser.value(`(() => { culpritTimeline.show(0, 60000); culpritTimeline.draw(); const canvas = document.getElementById("timeline"); const { left, top, width } = canvas.getBoundingClientRect();
      const at = (type, share) => canvas.dispatchEvent(new PointerEvent(type, { clientX: left + width * share, clientY: top + 60, shiftKey: true, pointerId: 1, bubbles: true }));
      canvas.setPointerCapture = () => {}; at("pointerdown", 0.25); at("pointermove", 0.5); at("pointermove", 0.75); at("pointerup", 0.75); })()`);
    const sums = await browser.value<string>("document.getElementById('sums').innerText");
    const length = 30_000;
    const told = Number(/was busy (\d+\.\d) %/.exec(sums)![1]);
    expect(Math.abs(told - 100 * busy(kernels, begins + 15_000, begins + 15_000 + length))).toBeLessThan(0.3);
    expect(sums).toMatch(/kernel_\d/);
    expect(complaints()).toEqual([]);
  });

  test("two fingers zoom, and a timeline of another size is never black", async () => {
    await browser.value("culpritTimeline.show(0, 60000); culpritTimeline.draw()");
    const { x, y } = await browser.middle("#timeline");
    await browser.touch({ from: { x: x - 50, y }, to: { x: x - 200, y } }, { from: { x: x + 50, y }, to: { x: x + 200, y } });
    const { from, to } = await browser.value<{ from: number; to: number }>("({ ...culpritTimeline.view })");
    expect((to - from) / 60_000).toBeGreaterThan(0.15);
    expect((to - from) / 60_000).toBeLessThan(0.4);
    // Looked at before the next frame, when the browser has just told of the new width.
    const black = await browser.value<boolean>(`new Promise((done) => {
      const canvas = document.getElementById("timeline");
      new ResizeObserver(() => canvas.style.width === "" || done(canvas.getContext("2d").getImageData(3, canvas.height - 3, 1, 1).data[0] === 0)).observe(canvas);
      canvas.style.width = "500px";
    })`);
    expect(black).toBe(false);
    await browser.value("document.getElementById('timeline').style.width = ''");
  });

  test("no script runs but its own, and nothing is asked of anybody: as on every other page of culprit", async () => {
    const [, policy] = /Content-Security-Policy" content="([^"]+)"/.exec(fs.readFileSync(page, "utf8"))!;
    expect(policy).toMatch(/; script-src 'sha256-[\w+/]{43}='; connect-src 'none'$/);
    const added = 'const added = document.createElement("script"); added.textContent = "window.ran = 1"; document.body.append(added)';
    expect(await browser.value(`(() => { ${added}; return window.ran === undefined; })()`)).toBe(true);
    // That it was refused is what this test is about.
    const refused = browser.complaints.filter((text) => text.includes("Content Security Policy"));
    expect(refused).toHaveLength(1);
    browser.complaints.splice(0, browser.complaints.length, ...browser.complaints.filter((text) => !refused.includes(text)));
  });

  test("names that look like markup are names", async () => {
    const names = hostileNames.filter((name) => !name.includes("\0"));
    const hostile = names.map((name, index) => ({ ...kernelEvent({ start: 10 + index * 10, duration: 8, stream: 7 }, index), name }));
    await browser.open(pageOf("hostile", hostile), { width: 400, dark: true });
    await browser.until("window.culpritTimeline?.times.length");
    await browser.value("document.querySelector('#kernels tbody button').click()");
    expect(await browser.value("document.querySelectorAll('main img, main iframe').length")).toBe(0);
    expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(true);
    expect(complaints()).toEqual([]);
    expect(browser.requests.filter((address) => !/^(?:file|blob|about):/.test(address))).toEqual([]);
  });
});
