// How much work the page of `culprit trace --html` does per frame while somebody zooms and points, with a million events, in Chromium.
// `node bench/page.mjs`; needs `chromium` on PATH.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "culprit-bench-page-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const [trace, page] = [join(scratch, "million.json"), join(scratch, "million.html")];

const handle = openSync(trace, "w");
writeSync(handle, `{"deviceProperties":[{"id":0,"name":"NVIDIA H200","computeMajor":9,"computeMinor":0}],"traceEvents":[`);
let time = 1000;
for (let index = 0; index < 500_000; index += 1) {
  const length = 1 + ((index * 7919) % 800) / 100;
  writeSync(
    handle,
    `${index === 0 ? "" : ","}{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":${1 + (index % 4)},"ts":${time.toFixed(3)},"dur":2.5,"args":{"correlation":${index + 1}}},{"ph":"X","cat":"kernel","name":"kernel_${index % 300}","pid":0,"tid":${7 + (index % 3)},"ts":${(time + 5).toFixed(3)},"dur":${length.toFixed(3)},"args":{"device":0,"stream":${7 + (index % 3)},"correlation":${index + 1}}}`,
  );
  time += length + 1;
}
writeSync(handle, "]}");
closeSync(handle);
const made = spawnSync(process.execPath, [cli, "trace", trace, "--html", page], { encoding: "utf8" });
if (made.status !== 0) {
  console.error(made.stderr);
  process.exit(2);
}

// Runs in the page: a wheel turn and a move of the pointer per frame, in and out again, and the time that the page spends on them.
async function probe(port) {
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const [canvas] = [...document.querySelectorAll("canvas")].sort((a, b) => b.width * b.height - a.width * a.height);
  const box = canvas.getBoundingClientRect();
  const frame = window.requestAnimationFrame.bind(window);
  const frames = [];
  let work = 0;
  window.requestAnimationFrame = (act) =>
    frame((now) => {
      const before = performance.now();
      act(now);
      work += performance.now() - before;
    });
  for (let turn = 0; turn < 240; turn += 1) {
    work = 0;
    const at = { clientX: box.left + (box.width * ((turn * 37) % 100)) / 100, clientY: box.top + 50, bubbles: true, cancelable: true };
    const before = performance.now();
    canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: turn % 60 < 30 ? -120 : 120 }));
    canvas.dispatchEvent(new PointerEvent("pointermove", at));
    canvas.dispatchEvent(new MouseEvent("mousemove", at));
    work += performance.now() - before;
    await new Promise((resolve) => frame(() => setTimeout(resolve, 0)));
    frames.push(work);
  }
  frames.sort((a, b) => a - b);
  const [half, most, last] = [frames[120], frames[228], frames[239]].map((value) => value.toFixed(1));
  new Image().src = `http://127.0.0.1:${port}/${half}/${most}/${last}`;
}

const server = createServer((request, response) => {
  const [half, most, last] = request.url.split("/").slice(1);
  console.log(`1,000,000 events, 240 frames: work per frame p50 ${half} ms, p95 ${most} ms (aim 16), longest ${last} ms`);
  response.end();
  browser.kill();
  process.exit(0);
});
let browser;
server.listen(0, "127.0.0.1", () => {
  // The page forbids itself to load anything; the probe must tell somebody.
  const bare = readFileSync(page, "utf8").replace(/<meta http-equiv="?Content-Security-Policy[^>]*>/, "");
  writeFileSync(page, bare.replace("</body>", `<script>(${probe})(${server.address().port})</script></body>`));
  const given = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1600,1000", "--remote-debugging-port=0", page];
  browser = spawn("chromium", given, { stdio: "ignore" });
  browser.on("error", () => {
    console.error("there is no `chromium` on PATH");
    process.exit(2);
  });
});
setTimeout(() => {
  console.error("no answer from Chromium");
  browser?.kill();
  process.exit(2);
}, 120_000);
