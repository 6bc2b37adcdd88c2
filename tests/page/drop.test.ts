// Anything is dropped onto the page, in a real browser: it is recognised, answered as the command answers it, and joined.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import zlib from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostileNames } from "../report/hostile.ts";
import { needs } from "../needs.ts";
import { Browser, chromium } from "./browser.ts";

const command = path.resolve("packages/cli/bin/culprit.cjs");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-drop-"));
const at = (name: string) => path.join(folder, name);
const culprit = (...words: string[]) => execFileSync(process.execPath, [command, ...words], { encoding: "utf8", stdio: "pipe" });
const mixed = path.resolve("cases/h200-system-cudnn-first/snapshot.json.gz");
afterAll(() => fs.rmSync(folder, { recursive: true }));

const put = (name: string, text: string | Uint8Array): string => {
  fs.writeFileSync(at(name), text);
  return at(name);
};

describe("in Chromium", needs({ chromium }), () => {
  let browser: Browser;
  beforeAll(() => {
    browser = new Browser();
    culprit("open", "-o", at("page.html"));
  });
  afterAll(async () => browser.close());
  const open = async (given: { width?: number; dark?: boolean } = {}) => browser.open(at("page.html"), given);
  const give = async (...files: string[]) => {
    const { root } = await browser.send<{ root: { nodeId: number } }>("DOM.getDocument");
    const { nodeId } = await browser.send<{ nodeId: number }>("DOM.querySelector", { nodeId: root.nodeId, selector: "#files" });
    await browser.send("DOM.setFileInputFiles", { nodeId, files });
  };
  const answered = async (count: number) => browser.until(`document.querySelectorAll("#items .badge").length === ${count}`);
  // What was just put in is drawn with the next frame; until then, what may lie below the window has no text that anybody sees.
  const text = async (id: string) =>
    browser.value<string>(
      `new Promise((told) => requestAnimationFrame(() => setTimeout(() => told(document.getElementById(${JSON.stringify(id)}).innerText))))`,
    );

  test("a text that is pasted is explained", async () => {
    await open();
    await browser.value("document.getElementById('text').focus()");
    await browser.send("Input.insertText", {
      text: "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory",
    });
    await browser.key("Tab");
    await browser.key("Enter");
    await answered(1);
    expect(await text("verdict")).toMatch(/✗ libcudnn\.so\.8 is not found/);
    expect(await text("answer")).toMatch(/line 1.*libcudnn\.so\.8: cannot open/);
  });

  test("files are dragged from elsewhere onto the page, wherever on it", async () => {
    await open();
    await browser.drop(
      mixed,
      put("dragged.log", "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory\n"),
    );
    await answered(2);
    expect(await text("items")).toMatch(/snapshot\.json\.gz[^]*✗ 1 error[^]*dragged\.log\s+error text, joined with/);
    await browser.drop(put("requirements.txt", "torch==2.1.0\n"));
    await answered(3);
    expect(await browser.value("document.body.className")).not.toContain("dragging");
  });

  test("an archive of profiles: each of them is taken, whatever it is packed with; one without any is refused in a sentence", async () => {
    const profile = JSON.stringify({
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: "NVIDIA H200" }],
      traceEvents: [
        { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: 1, dur: 2, args: { correlation: 1 } },
        { ph: "X", cat: "kernel", name: "add", pid: 0, tid: 7, ts: 4, dur: 5, args: { device: 0, stream: 7, correlation: 1 } },
      ],
    });
    fs.mkdirSync(at("run"), { recursive: true });
    put("run/rank0.pt.trace.json", profile);
    put("run/rank1.pt.trace.json.gz", zlib.gzipSync(profile));
    put("run/notes.txt", "nothing");
    execFileSync("tar", ["-czf", at("run.tar.gz"), "-C", folder, "run"]);
    execFileSync("python3", ["-c", "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])", at("run"), at("run")]);
    for (const archive of ["run.tar.gz", "run.zip"]) {
      await open();
      await give(at(archive));
      await answered(2);
      expect(await text("items"), archive).toMatch(/rank0\.pt\.trace\.json[^]*rank1\.pt\.trace\.json\.gz/);
      expect(await browser.value("[...document.querySelectorAll('#items .badge')].every(({ className }) => /good/.test(className))")).toBe(
        true,
      );
      expect(await text("answer")).toContain("1 kernel");
    }
    fs.rmSync(at("run"), { recursive: true });
    fs.mkdirSync(at("run"));
    put("run/notes.txt", "nothing");
    execFileSync("tar", ["-czf", at("none.tar.gz"), "-C", folder, "run"]);
    execFileSync("python3", ["-c", "import shutil, sys; shutil.make_archive(sys.argv[1], 'zip', sys.argv[2])", at("none"), at("run")]);
    await open();
    await give(at("none.zip"), at("none.tar.gz"));
    await answered(2);
    expect(await text("items")).toMatch(/an archive without a profile in it[^]*as an image/);
  });

  test("a snapshot and a log are joined, and a fix is tried out", async () => {
    await open();
    await give(
      put(
        "error.log",
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled against (9, 19, 0) but found runtime version (9, 14, 0)\n",
      ),
      mixed,
    );
    await answered(2);
    await browser.until("/error text, joined with snapshot\\.json\\.gz/.test(document.getElementById('items').innerText)");
    await browser.until("document.querySelector('#answer [data-fix] ~ button')");
    await browser.click("#answer [data-fix] ~ button");
    await browser.until("document.querySelector('#changes h3')");
    expect(await text("changes")).toMatch(/gone: torch will fail at LSTM and GRU/);
    expect(await browser.value("location.hash")).toMatch(/^#fix=/);
    expect(await text("what-if")).toMatch(/culprit fix \S+/);
    // Kept, it stands beside the machine as it is.
    await browser.value("document.getElementById('keep-name').focus()");
    await browser.send("Input.insertText", { text: "without the folder" });
    await browser.key("Enter");
    expect(await browser.value<string>("document.querySelector('.kept tbody').innerText")).toMatch(
      /as it is\s+1\s+\d+\s+without the folder\s+0/,
    );
    await browser.value("document.querySelectorAll('#items .item')[0].click()");
    // What lies below is drawn after what changed.
    await browser.until("/libcudnn_graph|9\\.14\\.0/.test(document.getElementById('answer').innerText)");
  });

  test("a dependency file, the file that it names, and a notebook", async () => {
    await open();
    await give(put("base.txt", "numpy==1.26.4\n"), put("requirements.txt", "-r base.txt\ntensorflow==2.21.0\ntorch==2.1.0\n"));
    await answered(2);
    const said = await text("answer");
    fs.mkdirSync(at("beside"), { recursive: true });
    for (const name of ["base.txt", "requirements.txt"]) fs.copyFileSync(at(name), at(`beside/${name}`));
    const check = JSON.parse(culpritAnyway("check", at("beside/requirements.txt"), "--json")) as {
      findings: { rule: string; severity: string }[];
    };
    for (const { rule } of check.findings.filter(({ severity }) => severity !== "info")) expect(said).toContain(rule);
    expect(await text("items")).toMatch(/Compare base\.txt with requirements\.txt/);
    await give(
      put(
        "n.ipynb",
        JSON.stringify({
          nbformat: 4,
          nbformat_minor: 5,
          metadata: {},
          cells: [{ cell_type: "code", metadata: {}, outputs: [], execution_count: null, source: ["!pip install torch==2.1.0\n"] }],
        }),
      ),
    );
    await answered(3);
    expect(await text("items")).toContain("notebook");
  });

  test("two files of one name are told apart", async () => {
    await open();
    fs.mkdirSync(at("other"), { recursive: true });
    await give(put("requirements.txt", "torch==2.1.0\n"));
    await answered(1);
    await give(put("other/requirements.txt", "torch==2.2.0\n"));
    await answered(2);
    expect(await text("items")).toContain("Compare requirements.txt with requirements.txt (2)");
    await browser.value("[...document.querySelectorAll('#items button')].find((each) => /^Compare/.test(each.textContent)).click()");
    await answered(3);
    expect(await text("verdict")).toContain("requirements.txt beside requirements.txt (2)");
  });

  test("a profile is drawn in the same page", async () => {
    await open();
    const kernel = (index: number) => ({
      ph: "X",
      cat: "kernel",
      name: `gemm_${index % 3}`,
      pid: 0,
      tid: 7,
      ts: 10 + index * 10,
      dur: 5,
      args: { device: 0, stream: 7, correlation: index + 1 },
    });
    const trace = {
      deviceProperties: [{ id: 0, name: "NVIDIA H200" }],
      traceEvents: Array.from({ length: 500 }, (_, index) => kernel(index)),
    };
    await give(put("rank0.pt.trace.json.gz", zlib.gzipSync(JSON.stringify(trace))));
    await answered(1);
    await browser.until("window.culpritTimeline?.times.length");
    expect(await text("verdict")).toContain("the GPU was recorded".slice(4));
    expect(await browser.value("document.querySelectorAll('#kernels tbody tr').length")).toBe(3);
  });

  test("two snapshots side by side: the difference that matters", async () => {
    await open();
    const healthy = JSON.parse(zlib.gunzipSync(fs.readFileSync(mixed)).toString("utf8")) as { environment: { [name: string]: string } };
    delete healthy.environment["LD_LIBRARY_PATH"];
    await give(mixed, put("healthy.json", JSON.stringify(healthy)));
    await answered(2);
    await browser.value("[...document.querySelectorAll('#items button')].find((each) => each.innerText.startsWith('Compare')).click()");
    await answered(3);
    expect(await text("answer")).toMatch(/The difference that matters[^]*only in snapshot\.json\.gz[^]*variable LD_LIBRARY_PATH/);
  });

  test.each(["plain", "gzip"])("an image is looked into where it lies (%s)", async (packing) => {
    await open();
    const name = `image-${packing}.tar`;
    const file = put(name, packing === "gzip" ? zlib.gzipSync(imageOf(packing)) : imageOf(packing));
    await give(file);
    await answered(1);
    expect(await text("items")).toContain("container image");
    const check = JSON.parse(culpritAnyway("check", `image:${file}`, "--json")) as { status: string; judged: object[] };
    expect(await text("verdict")).toContain(check.status === "findings" ? "✗" : "torch 2.1.0");
    expect(await text("answer")).toContain("/opt/venv");
  });

  test("what is none of these is said to be none; what is hostile stays text; at any width, light and dark", async () => {
    for (const look of [{ width: 1400 }, { width: 400, dark: true }]) {
      await open(look);
      await give(
        put(
          "noise.bin",
          Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256),
        ),
        put("empty.txt", ""),
      );
      const log = hostileNames.map((name) => `ImportError: ${name}.so.8: cannot open shared object file: No such file or directory`);
      await give(put(`<img src=x onerror=window.ran=1>.log`, log.join("\n")));
      await answered(3);
      expect(await text("items")).toMatch(/it is empty/);
      expect(await browser.value("document.querySelectorAll('main img, #items img').length")).toBe(0);
      expect(await browser.value("window.ran === undefined")).toBe(true);
      expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")).toBe(true);
    }
    expect(browser.complaints).toEqual([]);
    expect(browser.requests.filter((address) => !/^(?:file|blob|about):/.test(address))).toEqual([]);
  });

  test("hostile names of files, variables, packages, cells and kernels are text in every answer, also side by side", async () => {
    await open({ width: 400 });
    const bad = "<img src=x onerror=window.ran=1>";
    const snapshot = JSON.parse(zlib.gunzipSync(fs.readFileSync(mixed)).toString("utf8")) as { environment: { [name: string]: string } };
    const machine = (value: string) => JSON.stringify({ ...snapshot, environment: { ...snapshot.environment, LD_LIBRARY_PATH: value } });
    const cell = {
      cell_type: "code",
      metadata: {},
      outputs: [],
      execution_count: null,
      source: [`!pip install torch==2.1.0 "${bad}"\n`, bad],
    };
    const kernel = {
      ph: "X",
      cat: "kernel",
      name: bad,
      pid: 0,
      tid: 7,
      ts: 10,
      dur: 5,
      args: { device: 0, stream: 7, correlation: 1, [bad]: bad },
    };
    const files = [
      put(`${bad}1.json`, machine(`/usr/lib/x86_64-linux-gnu:/opt/${bad}`)),
      put(`${bad}2.json`, machine(`/srv/${bad}`)),
      put(`${bad}.txt`, `-r ${bad}\ntorch==2.1.0 --hash=${bad}\nonnxruntime-gpu ; ${bad}\n`),
      put(`${bad}3.txt`, `torch==2.2.0 ${bad}\n`),
      put(`${bad}.ipynb`, JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] })),
      put(`${bad}.pt.trace.json`, JSON.stringify({ deviceProperties: [{ id: 0, name: bad }], traceEvents: [kernel] })),
    ];
    await give(...files);
    await answered(files.length);
    for (let count = files.length; count < files.length + 2; count += 1) {
      await browser.value("[...document.querySelectorAll('#items button')].find((each) => /^Compare/.test(each.textContent)).click()");
      await answered(count + 1);
    }
    for (let index = 0; index < files.length + 2; index += 1) {
      await browser.value(`document.querySelectorAll('#items .item')[${index}].click()`);
      await browser.until("document.getElementById('answer').innerText !== ''");
      expect(await browser.value("document.querySelectorAll('img, main iframe, #answer script').length")).toBe(0);
      expect(await browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), `item ${index}`).toBe(
        true,
      );
    }
    expect(await browser.value("window.ran === undefined")).toBe(true);
    expect(browser.complaints).toEqual([]);
  });

  test("files that are named are in the page", async () => {
    put("named.log", "ImportError: libcudnn.so.8: cannot open shared object file: No such file or directory\n");
    culprit("open", at("named.log"), mixed, "-o", at("named.html"));
    await browser.open(at("named.html"));
    await answered(2);
    await browser.until("/named\\.log\\s+error text, joined with snapshot\\.json/.test(document.getElementById('items').innerText)");
  });

  test("as files beside each other, from a disk", async () => {
    execFileSync(process.execPath, ["tools/playground.mjs", at("playground")]);
    expect(zlib.gzipSync(fs.readFileSync(at("playground/index.html"))).length).toBeLessThan(150_000);
    await browser.open(at("playground/index.html"));
    await browser.value(
      "document.getElementById('text').value = 'libcudnn.so.8: cannot open shared object file'; document.getElementById('explain').click()",
    );
    await answered(1);
    expect(await text("verdict")).toContain("libcudnn.so.8");
    expect(browser.complaints).toEqual([]);
  });
});

describe("as a site, in Chromium", needs({ chromium }), () => {
  test("whoever was there once needs no network any more", { timeout: 60_000 }, async () => {
    execFileSync(process.execPath, ["tools/playground.mjs", at("site")]);
    const served = http.createServer(({ url = "/" }, response) => {
      const name = url === "/" ? "index.html" : url.slice(1);
      const isThere = fs.existsSync(at(`site/${name}`));
      response.writeHead(isThere ? 200 : 404, { "content-type": name.endsWith(".js") ? "text/javascript" : "text/html; charset=utf-8" });
      response.end(isThere ? fs.readFileSync(at(`site/${name}`)) : "");
    });
    await new Promise<void>((settle) => served.listen(0, "127.0.0.1", settle));
    const address = `http://127.0.0.1:${(served.address() as AddressInfo).port}/`;
    const browser = new Browser();
    try {
      await browser.open(at("site/index.html"));
      await browser.send("Page.navigate", { url: address });
      await browser.until("location.protocol === 'http:' && document.readyState === 'complete'");
      await browser.value("navigator.serviceWorker.ready.then(() => true)");
      served.closeAllConnections();
      await new Promise((settle) => served.close(settle));
      await browser.send("Page.reload");
      await browser.until("document.readyState === 'complete' && navigator.serviceWorker.controller");
      await browser.value(
        "document.getElementById('text').value = 'libcudnn.so.8: cannot open shared object file'; document.getElementById('explain').click()",
      );
      await browser.until("document.getElementById('verdict').innerText.includes('libcudnn.so.8')");
      expect(browser.requests.filter((each) => !each.startsWith(address) && !/^(?:file|blob|about):/.test(each))).toEqual([]);
    } finally {
      await browser.close();
      served.close();
    }
  });
});

/** What is printed, whatever the exit code says. */
function culpritAnyway(...words: string[]): string {
  try {
    return culprit(...words);
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** An image as `docker save` writes it, of one layer. */
function imageOf(tag: string): Uint8Array {
  const layer = tarOf({
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "opt/venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.12.3\n",
    "opt/venv/bin/python3": "#!/bin/sh\n",
    "opt/venv/lib/python3.12/site-packages/torch/__init__.py": "",
    "opt/venv/lib/python3.12/site-packages/torch/version.py": "__version__ = '2.1.0'\n",
    "opt/venv/lib/python3.12/site-packages/torch-2.1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.1.0\n",
  });
  const manifest = [{ Config: "config.json", RepoTags: [`${tag}:latest`], Layers: ["layer.tar"] }];
  return tarOf({
    "manifest.json": JSON.stringify(manifest),
    "config.json": JSON.stringify({ os: "linux", architecture: "amd64", config: { Env: ["A=b"] } }),
    "layer.tar": layer,
  });
}

function tarOf(files: { [name: string]: string | Uint8Array }): Uint8Array {
  const blocks = Object.entries(files).flatMap(([name, content]) => {
    const body = Buffer.from(content);
    const head = Buffer.alloc(512);
    head.write(name, 0);
    for (const [place, value, length] of [
      [100, 0o644, 7],
      [108, 0, 7],
      [116, 0, 7],
      [124, body.length, 11],
      [136, 0, 11],
    ] as const)
      head.write(value.toString(8).padStart(length, "0"), place);
    head.write("        0", 148);
    head.write("ustar\x0000", 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [head, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
