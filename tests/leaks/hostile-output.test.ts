// Every command, over a tree, a trace, a log and dependency files in which every name tries to steer the terminal.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { shadowing, torchTree } from "./tree.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-hostile-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));
const cli = path.resolve("dist/cli.js");
const at = (name: string) => path.join(scratch, name);

/** Each in a name of its own: controls, C1, DEL, line separators, turned writing, nothing to see, tags, fillers, half of a pair. */
const payloads = [
  "\u001b[1A\u001b[2K",
  "\u001b]52;c;ZXZpbA==\u0007",
  "\u001b]8;;http://x\u001b\\",
  "\u009b31m\u009d0;x\u009c",
  "\r\b\u007f",
  "\u0001\u0002\u000b\u000c\u000e",
  "\u202e\u2066\u2069\u200f\u061c",
  "\u2028\u2029\u0085",
  "\u200b\u200c\u200d\u2060\ufeff\u00ad",
  "\u{e0001}\u{e0041}\u{e007f}\u{e0100}",
  "\u3164\uffa0\u115f\u1160\u180e\ufff9\ufffb\ufe00\u2800\u034f",
];
const everything = payloads.join("");
const forged = "\n✗ FORGED line\n✓ FORGED";

// What may stand in an output: nothing of these, but for ends of lines.
const steering = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const strayIn = (text: string) =>
  [...text.matchAll(steering)]
    .filter(([character], index, all) => {
      const before = text.slice(0, all[index]!.index).at(-1) ?? "";
      return character !== "\n" && !(character === "\ufe0f" && "⚠ℹ".includes(before));
    })
    .map(([character]) => character.codePointAt(0)!.toString(16));

function run(args: string[], more: { input?: string; environment?: { [name: string]: string }; cwd?: string } = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    encoding: "utf8",
    cwd: more.cwd ?? scratch,
    input: more.input ?? "",
    env: { ...process.env, HOME: scratch, ...more.environment },
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[(?:1|2|22|31|32|39)m/g;

function expectClean(text: string): void {
  expect(strayIn(text), text.slice(0, 2000)).toEqual([]);
  // Whatever a name says, it does not begin a line.
  expect(text).not.toMatch(/^\W{0,3}FORGED/m);
}

// A search path cannot hold what separates its parts.
const named = everything.replaceAll(/[:;/]/g, "");
const folder = `/opt/${named}${forged}`;
const [tree, bare, healthy] = [at(`tree${payloads[6]}`), at(`bare${payloads[0]}`), at("healthy")];
if (glibcLoader !== undefined) {
  torchTree(tree, folder, {
    "/venv/lib/python3.11/site-packages/x.pth": { text: `/opt/${everything}\nimport ${everything}\n` },
    "/etc/profile.d/cuda.sh": { text: `export LD_LIBRARY_PATH="/opt/other:/opt/${payloads[0]}:/opt/more" # ${everything}\n` },
    [`/opt/${payloads[2]}/CUDA\u001b[2J`]: { text: everything },
    "/etc/ld.so.preload": { text: `/lib/${payloads[0]}.so\n` },
    "/proc/driver/nvidia/version": { text: `NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14 ${everything}\n` },
    "/proc/driver/nvidia/gpus/0000:01:00.0/information": { text: `Model: \t\t NVIDIA ${everything} RTX\n` },
  });
  torchTree(bare, folder);
  torchTree(healthy, "/srv/old");
}

const project = at(`project${payloads[7]}`);
fs.mkdirSync(project);
const write = (name: string, text: string) => {
  fs.writeFileSync(path.join(project, name), text);
  return path.join(project, name);
};
const requirements = write(
  `requirements${payloads[0]}.txt`,
  [
    "torch==2.4.1",
    `nvidia-cudnn-cu12==8.9.7.29 ; python_version > "3" # ${everything}`,
    `-r other${everything}.txt`,
    `${everything} is no requirement`,
    `--index-url https://host/${everything}`,
    `torch${everything}==1`,
    "",
  ].join("\n"),
);
const other = write("requirements-b.txt", `torch==2.5.1\nnumpy==1${payloads[8]}\n`);
const docker = write(
  "Dockerfile",
  `FROM nvidia/cuda:12.4${payloads[3]}\nENV LD_LIBRARY_PATH=/x${payloads[0]}\nRUN pip install torch==2.4.1 ${payloads[5]} "${payloads[6]}"\n`,
);
const notebook = write(
  "n.ipynb",
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      {
        cell_type: "code",
        metadata: {},
        execution_count: 1,
        source: `!pip install torch==2.4.1 ${everything}${forged}`,
        outputs: [
          { output_type: "stream", name: "stderr", text: `ImportError: lib${everything}cudnn.so.9: cannot open shared object file` },
        ],
      },
    ],
  }),
);
const pyproject = write(
  "pyproject.toml",
  `[project]\nname = "x"\nversion = "1"\ndependencies = ["torch==2.4.1", "bad ${JSON.stringify(everything).slice(1, -1)} thing"]\n`,
);

const log = at("log.txt");
fs.writeFileSync(
  log,
  [
    `ImportError: libcudnn${payloads[4]}.so.9: cannot open shared object file: No such file or directory`,
    `OSError: /opt/${everything}/libcudnn.so.9: cannot open shared object file: No such file or directory`,
    `RuntimeError: CUDA error: no kernel image is available for execution on the device ${everything}`,
    `$ sudo apt install nvidia-cuda-toolkit ${everything}`,
    `libtorch_cuda.so: undefined symbol: ${everything}cudnnCreate, version ${payloads[9]}`,
  ].join("\n"),
);
const trace = at(`x${payloads[1]!.replaceAll("/", "")}.pt.trace.json`);
fs.writeFileSync(
  trace,
  JSON.stringify({
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: `NVIDIA ${everything}${forged}`, computeMajor: 9, computeMinor: 0 }],
    traceName: everything,
    distributedInfo: { backend: everything, rank: 0, world_size: 1 },
    traceEvents: [
      { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: 1, dur: 2, args: { correlation: 1 } },
      {
        ph: "X",
        cat: "kernel",
        name: `k${everything}${forged}`,
        pid: 0,
        tid: 7,
        ts: 4,
        dur: 10,
        args: { correlation: 1, device: 0, stream: 7 },
      },
      { ph: "X", cat: "kernel", name: `second${everything}`, pid: 0, tid: 7, ts: 40, dur: 10, args: { device: 0, stream: 7 } },
      { ph: "X", cat: "cpu_op", name: `op${everything}${forged}`, pid: 1, tid: 1, ts: 12, dur: 30 },
      { ph: "X", cat: "user_annotation", name: `ProfilerStep#1${everything}`, pid: 1, tid: 1, ts: 0, dur: 60 },
      { ph: "M", name: "process_name", pid: 1, args: { name: `python${everything}` } },
    ],
  }),
);

const where = ["--root", tree, ...shadowing(folder)];
const inBare = ["--root", bare, ...shadowing(folder)];
const shadowed = ["--python", "/venv", "--env", `LD_LIBRARY_PATH=${folder}`];
const inTree = test.skipIf(glibcLoader === undefined);

inTree.each([
  ["list", ...where],
  ["check", "--all", ...where],
  ["check", "--markdown", ...where],
  ["check", "--ignore", `two-copies:${everything}`, ...where],
  ["check", tree, healthy],
  ["check", tree, `nowhere${everything}`],
  ["loads", "torch", "--do", "convolution", ...where],
  ["loads", `${folder}/libcudnn.so.9`, "--root", tree],
  ["loads", `/usr/bin/${everything}`, "--root", tree],
  ["why", "libcudnn_graph.so.9", "--for", "torch", ...where],
  ["why", `lib${everything}${forged}.so`, "--root", tree],
  ["fix", ...inBare],
  ["fix", "--apply", "--dry-run", ...inBare],
  ["fix", "--apply", ...inBare],
  ["explain", log, "--root", tree, ...shadowing(folder).slice(0, 2)],
  ["diff", tree, healthy, "--all"],
  ["diff", bare, healthy, ...shadowed],
  ["solve", "torch", "--root", tree, "--prefer", "keep-installed"],
  ["trace", trace, "--with-machine", "--root", tree],
])("command %# over the tree shows nothing that steers", (...args) => {
  const { status, stdout, stderr } = run(args);
  expect(status).not.toBeNull();
  expectClean(stdout);
  expectClean(stderr);
  expect(stdout + stderr).not.toBe("");
});

inTree.each([
  ["list", ...where],
  ["check", ...where],
  ["check", "--sarif", ...where],
  ["check", bare, healthy, ...shadowed],
  ["loads", "torch", "--do", "convolution", ...where],
  ["loads", "--each", `${folder}/libcudnn.so.9`, "--root", tree],
  ["why", "libcudnn_graph.so.9", "--for", "torch", ...where],
  ["fix", ...inBare],
  ["diff", tree, healthy],
  ["snapshot", "--full", ...where],
  ["snapshot", ...where],
])("document %# of the tree holds the same texts, escaped", (...args) => {
  const isOwn = args[0] === "snapshot" || args.includes("--sarif") || args.includes("--each");
  const { stdout, stderr } = run(isOwn ? args : [...args, "--json"]);
  expect(stderr).toBe("");
  expect(strayIn(stdout)).toEqual([]);
  const document: unknown = JSON.parse(stdout);
  const texts: string[] = [];
  const gather = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) {
        texts.push(key);
        gather(item);
      }
  };
  gather(document);
  // Whoever shows SARIF decodes it first.
  if (args.includes("--sarif")) expect(texts.flatMap((text) => strayIn(text))).toEqual([]);
  // What two trees have in common is not in the answer of diff.
  else if (args[0] !== "diff") expect(texts.some((text) => text.includes(named))).toBe(true);
});

inTree("a page of a check shows nothing that steers", () => {
  const { stdout, stderr } = run(["check", "--html", `page${payloads[6]}.html`, ...where]);
  expectClean(stdout);
  expectClean(stderr);
  expectClean(fs.readFileSync(at(`page${payloads[6]}.html`), "utf8"));
});

inTree("applying, and taking it back, says nothing that steers", () => {
  const copy = at("applied");
  torchTree(copy, `/opt/${payloads[2]!.replaceAll(/[/:;\\]/g, "")}`);
  const name = `/opt/${payloads[2]!.replaceAll(/[/:;\\]/g, "")}`;
  const given = ["--root", copy, ...shadowing(name)];
  for (const args of [
    ["fix", "--apply", "--yes", ...given],
    ["fix", "--undo"],
    ["fix", "--undo", everything],
  ]) {
    const { stdout, stderr } = run(args, { environment: { XDG_STATE_HOME: at("state") } });
    expectClean(stdout);
    expectClean(stderr);
  }
});

test.each([
  ["check", "--all", requirements],
  ["check", "--markdown", requirements],
  ["check", "--all", docker],
  ["check", "--all", notebook],
  ["check", "--all", pyproject],
  ["list", requirements],
  ["list", docker],
  ["list", notebook],
  ["diff", requirements, other, "--all"],
  ["explain", log],
  ["explain", notebook],
  ["trace", trace],
  ["trace", trace, log],
  ["solve", `torch==${everything}`],
  ["solve", `${everything}${forged}`],
  ["solve", "torch>=2.4", "--gpu", everything],
  ["solve", "torch", "--driver", everything],
  ["help", everything],
  [everything],
  [`${everything}${forged}`],
  ["check", `--${everything}`],
  ["check", `/${everything}${forged}`],
  ["check", `ssh:${everything}`],
  ["check", `pid:${everything}`],
  ["check", `image:${everything}`],
  ["check", "--hosts", everything],
  ["check", "--config", everything],
  ["check", "--ignore", everything],
  ["check", "--fail-on", everything],
  ["check", "--html", `/${everything}/x`],
  ["loads", everything],
  ["loads", `/${everything}`],
  ["loads", "torch", "--do", everything],
  ["explain", everything],
  ["trace", everything],
  ["diff", everything, everything],
  ["run", "--", `./${everything}`],
  ["snapshot", "-o", `/${everything}/x`],
  ["list", "--python", everything],
  ["list", "--cpu", everything],
  ["list", "--env", everything],
])("command %# shows nothing that steers", (...args) => {
  const { status, stdout, stderr } = run(args);
  expect(status).not.toBeNull();
  expectClean(stdout);
  expectClean(stderr);
});

test.each([
  ["check", requirements],
  ["check", "--sarif", requirements],
  ["check", docker],
  ["list", requirements],
  ["explain", log],
  ["trace", trace],
  ["diff", requirements, other],
])("document %# holds no such characters", (...args) => {
  const { stdout } = run(args.includes("--sarif") ? args : [...args, "--json"]);
  expect(strayIn(stdout)).toEqual([]);
  JSON.parse(stdout);
});

test("pages of traces, and traces for other viewers, hold none", () => {
  const { stdout } = run(["trace", trace, "--html", "t.html", "--perfetto", "t.json"]);
  expectClean(stdout);
  const page = fs.readFileSync(at("t.html"), "utf8");
  expect(strayIn(page)).toEqual([]);
  const data = /id="data">([^]*?)<\/script>/.exec(page)![1]!;
  expect(strayIn(JSON.stringify(JSON.parse(data)).replaceAll(/\\[nt]/g, ""))).toEqual([]);
  const lean = fs.readFileSync(at("t.json"), "utf8");
  expect(strayIn(lean)).toEqual([]);
  JSON.parse(lean);
});

test("the output of a command that is run is its own, and what is said of it is clean", () => {
  const line = `ImportError: libcudnn${payloads[0]}.so.9: cannot open shared object file: No such file or directory`;
  const { stderr, status } = run([
    "run",
    "--",
    process.execPath,
    "-e",
    `console.error(${JSON.stringify(`${line}${everything}`)}); process.exit(3)`,
  ]);
  expect(status).toBe(3);
  expect(stderr.startsWith(`${line}${everything}\n`)).toBe(true);
  const said = stderr.slice(`${line}${everything}\n`.length);
  expect(said).toContain("culprit: the command ended with exit code 3");
  expectClean(said);
});

const hasScript = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");
test.skipIf(!hasScript || glibcLoader === undefined)("in a terminal only colours of our own are added", () => {
  const words = [process.execPath, cli, "list", ...where].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", words, "/dev/null"], {
    encoding: "utf8",
    env: { ...process.env, TERM: "xterm", NO_COLOR: "", SHELL: "/bin/sh" },
  });
  expect(stdout).toContain("\u001b[1m");
  expectClean(stdout.replaceAll("\r\n", "\n").replaceAll(colours, ""));
});

test.skipIf(!hasScript || glibcLoader === undefined)("the question of `fix --apply` cannot be rewritten", () => {
  const name = "/opt/\u001b[1A\u001b[2Kadd a comment to README";
  torchTree(at("asked"), name);
  const asked = ["--root", at("asked"), ...shadowing(name)];
  const words = [process.execPath, cli, "fix", "--apply", ...asked].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const { stdout } = spawnSync("script", ["--quiet", "--return", "--command", words, "/dev/null"], {
    encoding: "utf8",
    input: "n\n",
    env: { ...process.env, TERM: "dumb", SHELL: "/bin/sh", XDG_STATE_HOME: at("state-asked") },
  });
  expect(stdout).toContain("Apply? [y/N]");
  expectClean(stdout.replaceAll("\r\n", "\n").replaceAll("^D\u0008\u0008", ""));
});
