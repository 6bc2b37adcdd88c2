// What a page costs, in Chromium: its first paint, a verdict after a drop, what-ifs, a comparison, a large image, and frames of a timeline
// with a million events. `node bench/page.mjs [paint|drop|what-if|diff|image|trace…]`; needs `chromium` on PATH and `npm run build` before.
import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const scratch = mkdtempSync(join(tmpdir(), "culprit-bench-page-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const at = (name) => join(scratch, name);
const culprit = (...words) => {
  const { status, stderr } = spawnSync(process.execPath, ["dist/cli.js", ...words], { encoding: "utf8" });
  if (1 < status) throw new Error(stderr);
};
// The tests' own way to speak to a browser.
await build({ entryPoints: ["tests/page/browser.ts"], bundle: true, platform: "node", format: "esm", outfile: at("browser.mjs") });
const { Browser } = await import(pathToFileURL(at("browser.mjs")).href);
const browser = new Browser();

const mixed = "cases/h200-system-cudnn-first/snapshot.json.gz";
const snapshots = readdirSync("cases")
  .filter((name) => name.startsWith("h200-"))
  .map((name) => `cases/${name}/snapshot.json.gz`);
const percentile = (numbers, share) => numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
const ms = (number) => `${number.toFixed(0)} ms`;
const give = async (...files) => {
  const { root } = await browser.send("DOM.getDocument");
  const { nodeId } = await browser.send("DOM.querySelector", { nodeId: root.nodeId, selector: "#files" });
  await browser.send("DOM.setFileInputFiles", { nodeId, files });
};
const dropPage = async () => {
  culprit("open", "-o", at("drop.html"));
  await browser.open(at("drop.html"));
  // Whoever drops something has seen the page.
  await quiet();
};
/** In the page, so that no waiting of ours is counted. */
const timed = async (act, until) =>
  browser.value(
    `(async () => { const begun = performance.now(); ${act}; while (!(${until})) await new Promise((done) => setTimeout(done, 2)); return performance.now() - begun; })()`,
  );

/** Milliseconds until an answer is on the screen: a frame is painted before the next message is handed out. */
const untilPainted = (address) => `new Promise((done) => {
  const begun = performance.now();
  const changes = document.getElementById("changes");
  const seen = new MutationObserver(() => {
    if (!/Judged again in/.test(changes.textContent)) return;
    seen.disconnect();
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now() - begun);
      port2.postMessage(0);
    });
  });
  seen.observe(changes, { childList: true });
  location.hash = "${address}";
})`;

const measures = {
  async paint() {
    const { status, stderr } = spawnSync(process.execPath, ["tools/playground.mjs", at("playground")], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    const size = gzipSync(readFileSync(at("playground/index.html"))).length;
    await browser.open(at("playground/index.html"));
    const painted = await browser.value("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0");
    return `${(size / 1000).toFixed(1)} KB packed for the first paint (aim 150), painted after ${ms(painted)}`;
  },
  async drop() {
    await dropPage();
    const [begun, used] = [performance.now(), cpuOfPages()];
    const engine = cpuOfEngine();
    await give(join(process.cwd(), mixed));
    await browser.until("document.querySelector('#items .badge')");
    const [first, cpu, own] = [performance.now() - begun, cpuOfPages() - used, cpuOfEngine() - engine];
    await browser.value("document.querySelectorAll('#items button')[1].click()");
    const again = performance.now();
    await give(join(process.cwd(), mixed));
    await browser.until("document.querySelector('#items .badge')");
    return `verdict ${ms(first)} after the first drop (${ms(cpu)} of processor time, ${ms(own)} of them the engine's thread); ${ms(performance.now() - again)} after the next (aim 1000)`;
  },
  async "what-if"() {
    const [took, painted, used, drawn] = [[], [], [], []];
    for (const snapshot of snapshots.filter((name) => isThere(name))) {
      culprit("open", snapshot, "-o", at("live.html"));
      await browser.open(at("live.html"));
      await browser.until("!document.getElementById('what-if').hidden");
      // Nobody changes anything before having read a line; the worker makes ready meanwhile.
      await quiet();
      const addresses = [
        "unset=LD_LIBRARY_PATH",
        "driver=535.104.05",
        "gpu=V100",
        "env=LD_LIBRARY_PATH%3D%2Fusr%2Flib",
        "cpu=v2",
        "ldconfig=",
      ];
      for (let turn = 0; turn < 24; turn += 1) {
        const address = addresses[turn % addresses.length];
        const before = [cpuOfEngine(), cpuOfDrawing()];
        painted.push(await browser.value(untilPainted(`${address}&env=TURN%3D${turn}`)));
        // The answer says how long the engine took.
        took.push(await browser.value("Number(/in (\\d+) ms/.exec(document.getElementById('changes').textContent)[1])"));
        used.push(cpuOfEngine() - before[0]);
        drawn.push(cpuOfDrawing() - before[1]);
        // What is further down is drawn after the answer is seen; nobody changes anything meanwhile.
        await new Promise((done) => setTimeout(done, 250));
      }
    }
    const both = (numbers) => `p50 ${ms(percentile(numbers, 0.5))}, p95 ${ms(percentile(numbers, 0.95))}`;
    return `${took.length} what-ifs, from the edit to the painted answer: ${both(painted)} (aim 100), of that judging ${both(took)}; processor time of the engine's thread ${both(used)}, of the page's ${both(drawn)}`;
  },
  async diff() {
    const { diffTargets, openTarget, readSnapshot } = await import(join(process.cwd(), "packages/cli/dist/index.mjs"));
    const facts = async (name) => (await readSnapshot(gunzipSync(readFileSync(name)).toString("utf8"))).snapshot;
    const [a, b] = [await facts(mixed), await facts("cases/h200-healthy/snapshot.json.gz")];
    const inNode = async (other, whatIf) => {
      const took = [];
      for (let turn = 0; turn < 5; turn += 1) {
        const begun = process.cpuUsage();
        await diffTargets(await openTarget(a), await openTarget(other, whatIf), { programs: [], activities: [], python: [] });
        const { user, system } = process.cpuUsage(begun);
        took.push((user + system) / 1000);
      }
      return ms(percentile(took, 0.5));
    };
    // One machine on two days, and two machines: the one has three times the facts of the other.
    const [same, others] = [await inNode(a, { unset: ["LD_LIBRARY_PATH"] }), await inNode(b, {})];
    await dropPage();
    for (const name of [mixed, "cases/h200-healthy/snapshot.json.gz"]) await give(join(process.cwd(), name));
    await browser.until("document.querySelectorAll('#items .badge').length === 2");
    await quiet();
    const before = cpuOfEngine();
    const shown = await timed(
      "[...document.querySelectorAll('#items button')].find(({ textContent }) => textContent.startsWith('Compare')).click()",
      "document.querySelectorAll('#items .badge').length === 3",
    );
    const inPage = `${ms(shown)} on the page after both were dropped (${ms(cpuOfEngine() - before)} of the engine's thread)`;
    return `${inPage}; of processor time in Node ${same} for one machine with another variable, ${others} for two machines (aim 300)`;
  },
  async image() {
    const file = largeImage(at("large.tar"), 10, 512);
    await dropPage();
    await give(file);
    const begun = performance.now();
    await browser.until("document.querySelector('#items .badge')");
    return `an image of 5 GB: ${ms(performance.now() - begun)}, the page's process had ${largestRenderer().toFixed(0)} MB at most`;
  },
  async trace() {
    millionEvents(at("million.json"));
    culprit("trace", at("million.json"), "--html", at("million.html"));
    await browser.open(at("million.html"), { width: 1600 });
    await browser.until("window.culpritTimeline?.times.length");
    await browser.value(`(async () => { culpritTimeline.times.length = 0; const canvas = document.getElementById("timeline"); const box = canvas.getBoundingClientRect();
      for (let turn = 0; turn < 240; turn += 1) {
        const at = { clientX: box.left + box.width * ((turn * 37) % 100) / 100, clientY: box.top + 50, bubbles: true, cancelable: true };
        canvas.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY: turn % 60 < 30 ? -120 : 120 }));
        canvas.dispatchEvent(new PointerEvent("pointermove", at));
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      } })()`);
    const took = await browser.value("culpritTimeline.times");
    return `1,000,000 events, ${took.length} frames: p50 ${percentile(took, 0.5).toFixed(1)} ms, p95 ${percentile(took, 0.95).toFixed(1)} ms (aim 16), longest ${Math.max(...took).toFixed(1)} ms`;
  },
};

function isThere(file) {
  try {
    readFileSync(file);
    return true;
  } catch {
    return false;
  }
}

/** The processes of pages: what their threads have used of the processor in milliseconds, and of memory at most, in megabytes. */
function renderers() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((process) => {
      try {
        const words = readFileSync(`/proc/${process}/cmdline`, "utf8");
        if (!words.includes("--type=renderer") || !words.includes(browser.profile)) return [];
        const most = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${process}/status`, "utf8"))?.[1] ?? 0) / 1024;
        const threads = readdirSync(`/proc/${process}/task`).map((thread) => ({
          isMain: thread === process,
          isWorker: readFileSync(`/proc/${process}/task/${thread}/comm`, "utf8").startsWith("DedicatedWorker"),
          cpu: Number(readFileSync(`/proc/${process}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6,
        }));
        return [{ threads, most }];
      } catch {
        return [];
      }
    });
}
const cpuOf = (isMeant) =>
  renderers()
    .flatMap(({ threads }) => threads.filter(isMeant))
    .reduce((sum, { cpu }) => sum + cpu, 0);
const cpuOfPages = () => cpuOf(() => true);
/** What somebody waits for: other threads work beside it. On a machine with nothing else to do, it is the time that passes. */
const cpuOfEngine = () => cpuOf(({ isWorker }) => isWorker);
const cpuOfDrawing = () => cpuOf(({ isMain }) => isMain);
/** Until the pages have used nothing of the processor for a while. */
async function quiet() {
  for (let last = -1, calm = 0; calm < 4; last = cpuOfPages()) {
    await new Promise((done) => setTimeout(done, 250));
    calm = cpuOfPages() - last <= 20 ? calm + 1 : 0;
  }
}
const largestRenderer = () => Math.max(...renderers().map(({ most }) => most));

/** What `docker save` writes, of one layer with so many files of so many megabytes; their bytes are holes, and take no place on the disk. */
function largeImage(name, count, megabytes) {
  const handle = openSync(name, "w");
  const header = (path, size) => {
    const head = Buffer.alloc(512);
    head.write(path, 0);
    for (const [place, value, length] of [
      [100, 0o644, 7],
      [108, 0, 7],
      [116, 0, 7],
      [124, size, 11],
      [136, 0, 11],
    ])
      head.write(value.toString(8).padStart(length, "0"), place);
    head.write("        0", 148);
    head.write("ustar\x0000", 257);
    head.write(
      `${head
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, "0")}\0 `,
      148,
    );
    return head;
  };
  let position = 0;
  const write = (bytes) => (position += writeSync(handle, bytes, 0, bytes.length, position));
  const put = (path, text) => {
    write(header(path, text.length));
    write(Buffer.from(text.padEnd(Math.ceil(text.length / 512) * 512, "\0")));
  };
  put("manifest.json", JSON.stringify([{ Config: "config.json", RepoTags: ["large:latest"], Layers: ["layer.tar"] }]));
  put("config.json", JSON.stringify({ os: "linux", architecture: "amd64", config: { Env: [] } }));
  const packages = "opt/venv/lib/python3.12/site-packages";
  const small = {
    "opt/venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.12.3\n",
    [`${packages}/torch-2.1.0.dist-info/METADATA`]: "Name: torch\nVersion: 2.1.0\n",
  };
  const size = megabytes << 20;
  write(header("layer.tar", count * (512 + size) + Object.keys(small).length * 1024 + 1024));
  for (const [path, text] of Object.entries(small)) put(path, text);
  for (let index = 0; index < count; index += 1) {
    write(header(`opt/model/weights-${index}.bin`, size));
    position += size;
  }
  ftruncateSync(handle, position + 2048);
  closeSync(handle);
  return name;
}

function millionEvents(name) {
  const handle = openSync(name, "w");
  writeSync(handle, `{"deviceProperties":[{"id":0,"name":"NVIDIA H200","computeMajor":9,"computeMinor":0}],"traceEvents":[`);
  let time = 1000;
  for (let index = 0; index < 500_000; index += 1) {
    const length = 1 + ((index * 7919) % 800) / 100;
    const [launch, kernel] = [
      `"args":{"correlation":${index + 1}}}`,
      `"args":{"device":0,"stream":${7 + (index % 3)},"correlation":${index + 1}}}`,
    ];
    writeSync(
      handle,
      `${index === 0 ? "" : ","}{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":${1 + (index % 4)},"ts":${time.toFixed(3)},"dur":2.5,${launch},{"ph":"X","cat":"kernel","name":"kernel_${index % 300}","pid":0,"tid":${7 + (index % 3)},"ts":${(time + 5).toFixed(3)},"dur":${length.toFixed(3)},${kernel}`,
    );
    time += length + 1;
  }
  writeSync(handle, "]}");
  closeSync(handle);
}

try {
  const wanted = process.argv.slice(2);
  for (const [name, measure] of Object.entries(measures))
    if (wanted.length === 0 || wanted.includes(name)) console.log(`${name.padEnd(8)} ${await measure()}`);
} finally {
  await browser.close();
}
