// How long `culprit loads` takes beside ldd, ld.so, libtree and lddtree, on the same files of this machine.
// Rounds are interleaved, so that a busy machine slows every tool alike; medians are printed. Nothing is installed.
// Options: --files N (at most so many), --rounds N, --lddtree N (files for lddtree, which takes 0.1 s each; the rest is extrapolated).
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    files: { type: "string", default: "100000" },
    rounds: { type: "string", default: "5" },
    lddtree: { type: "string", default: "40" },
  },
});
const rounds = Number(options.rounds);
const cli = path.join(here, "dist/cli.js");
const executable = path.join(here, "dist/culprit");
const loader = { x64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" }[process.arch];
const triplet = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" }[process.arch];
const environment = { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: "C" };

if (!fs.existsSync(cli)) stop("dist/cli.js is not there: run `npm run build`");
if (loader === undefined || !fs.existsSync(loader))
  stop(`there is no glibc loader here (${loader ?? process.arch}): nothing to compare with`);

const peers = { ldd: "libc-bin", libtree: "libtree", lddtree: "pax-utils" };
const missing = Object.keys(peers).filter((tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);
for (const tool of missing) console.log(`${tool} is missing and left out (Debian package ${peers[tool]})`);
const has = (tool) => !missing.includes(tool);
const hasExecutable = fs.existsSync(executable);
if (!hasExecutable) console.log("dist/culprit is missing and left out (`npm run build:binary`)");

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bench-loader-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));

// ---- the files, and what the real loader says about them ----

const candidates = ["/usr/bin", "/usr/sbin", `/usr/lib/${triplet}`, "/usr/lib64"].flatMap(programsIn);
const truth = new Map();
for (const file of candidates) {
  const answer = listed(spawnSync(loader, ["--list", file], { encoding: "utf8", env: environment }));
  if (answer) truth.set(file, answer);
  if (Number(options.files) <= truth.size) break;
}
const files = [...truth.keys()];
const list = path.join(scratch, "files");
fs.writeFileSync(list, `${files.join("\n")}\n`);
console.log(
  `${files.length} dynamic programs and libraries; ${os.cpus().length} CPUs, load ${os.loadavg()[0].toFixed(1)}, node ${process.version}; ${rounds} rounds`,
);

// ---- all files in one run ----

const perFile = (command, from = list) => ["sh", ["-c", `while read -r file; do ${command} "$file"; done < ${from}`]];
const someList = path.join(scratch, "some");
const some = files.filter((_, index) => index % Math.ceil(files.length / Number(options.lddtree)) === 0);
fs.writeFileSync(someList, `${some.join("\n")}\n`);

const bulk = [
  { name: "culprit loads --each (node)", run: ["node", [cli, "loads", "--each", ...files, "--json"]] },
  hasExecutable && { name: "culprit loads --each (stand-alone)", run: [executable, ["loads", "--each", ...files, "--json"]] },
  { name: "ld.so --list, one call a file", run: perFile(`${loader} --list`) },
  has("ldd") && { name: "ldd, all files in one call", run: ["ldd", files] },
  has("ldd") && { name: "ldd, one call a file", run: perFile("ldd") },
  has("libtree") && { name: "libtree -vvv -p, one call a file", run: perFile("libtree -vvv -p") },
  has("libtree") && { name: "libtree -vvv -p, all files in one call", run: ["libtree", ["-vvv", "-p", ...files]] },
  has("lddtree") && {
    name: `lddtree -l, one call a file (from ${some.length} files)`,
    run: perFile("lddtree -l", someList),
    factor: files.length / some.length,
    rounds: 2,
  },
].filter(Boolean);
measure(bulk, rounds);
const reference = median(bulk.find(({ name }) => name.startsWith("ld.so")).times);
table(
  ["all files", "median", "ms a file", "of ld.so --list"],
  bulk.map(({ name, times, factor = 1 }) => {
    const time = median(times) * factor;
    return [name, `${(time / 1000).toFixed(2)} s`, (time / files.length).toFixed(2), (time / reference).toFixed(2)];
  }),
);
const own = median(bulk[0].times);
target("bulk against ld.so --list", own / reference, 1 / 3, (value) => `${value.toFixed(2)} of its time`);
if (has("ldd"))
  target(
    "bulk against ldd",
    own / median(bulk.find(({ name }) => name === "ldd, one call a file").times),
    1 / 10,
    (value) => `${value.toFixed(2)} of its time`,
  );

// ---- who is right ----

const wrong = [["culprit", compare(answersOfCulprit())]];
if (has("libtree")) {
  wrong.push(["libtree, one call a file", compare(new Map(files.map((file) => [file, treeOf(file, libtree([file]))])))]);
  wrong.push(["libtree, all files in one call", compare(splitTrees(libtree(files)))]);
}
table(
  ["answers that differ from ld.so --list", "files", "for example"],
  wrong.map(([name, different]) => [name, String(different.length), different[0] ?? ""]),
);

// ---- one file ----

for (const file of ["/usr/bin/gdb", "/usr/bin/ls"].filter((name) => fs.existsSync(name))) {
  const single = [
    { name: "node -e 0", run: ["node", ["-e", "0"]] },
    { name: "culprit loads (node)", run: ["node", [cli, "loads", file, "--json"]] },
    hasExecutable && { name: "culprit loads (stand-alone)", run: [executable, ["loads", file, "--json"]] },
    { name: "ld.so --list", run: [loader, ["--list", file]] },
    has("ldd") && { name: "ldd", run: ["ldd", [file]] },
    has("libtree") && { name: "libtree -vvv -p", run: ["libtree", ["-vvv", "-p", file]] },
    has("lddtree") && { name: "lddtree -l", run: ["lddtree", ["-l", file]], rounds: rounds },
  ].filter(Boolean);
  measure(single, rounds * 5);
  const node = median(single[0].times);
  table(
    [`${file}`, "median", "fastest", "over node -e 0"],
    single.map(({ name, times }) => [
      name,
      `${median(times).toFixed(1)} ms`,
      `${Math.min(...times).toFixed(1)} ms`,
      `${(median(times) - node).toFixed(1)} ms`,
    ]),
  );
  target("one file above node", median(single[1].times) - node, 25, (value) => `${value.toFixed(1)} ms`);
  if (hasExecutable) target("one file, stand-alone, in all", median(single[2].times), 40, (value) => `${value.toFixed(1)} ms`);
}

// ---- memory ----

const memory = [];
for (const { name, run } of bulk.slice(0, hasExecutable ? 2 : 1)) memory.push([name, await peakMemory(...run)]);
memory.push(["node -e 0", await peakMemory("node", ["-e", "setTimeout(() => {}, 50)"])]);
table(
  ["peak memory", "VmHWM"],
  memory.map(([name, bytes]) => [name, `${(bytes / 1e6).toFixed(0)} MB`]),
);
target("peak memory, all files (node)", memory[0][1] / 1e6, 150, (value) => `${value.toFixed(0)} MB`);

// ---- helpers ----

function programsIn(folder) {
  if (!fs.existsSync(folder) || fs.lstatSync(folder).isSymbolicLink()) return [];
  return fs
    .readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(folder, entry.name))
    .filter((file) => {
      const head = Buffer.alloc(5);
      const handle = fs.openSync(file, "r");
      fs.readSync(handle, head, 0, 5, 0);
      fs.closeSync(handle);
      return head.toString("latin1") === "\x7fELF\x02" && !/\s/.test(file);
    });
}

/** Real paths and missing names out of `ld.so --list` or ldd; undefined where it refused. */
function listed({ status, stdout }) {
  if (status !== 0 && !stdout.includes("=>")) return undefined;
  const answer = new Set();
  for (const line of stdout.split("\n")) {
    const found = /^\t(?:(\S+) => )?(not found|\/\S+)/.exec(line);
    if (found) answer.add(found[2] === "not found" ? `missing ${found[1]}` : real(found[2]));
  }
  return 0 < answer.size ? answer : undefined;
}

function answersOfCulprit() {
  const { stdout } = spawnSync("node", [cli, "loads", "--each", ...files, "--json"], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
    env: environment,
  });
  const answers = new Map();
  for (const line of stdout.trim().split("\n")) {
    const { program, loads, failures } = JSON.parse(line);
    answers.set(
      program.path,
      new Set([
        ...loads.map(({ file }) => real(file)),
        ...failures.filter(({ reason }) => reason === "not-found").map(({ name }) => `missing ${name}`),
      ]),
    );
  }
  return answers;
}

function libtree(words) {
  return spawnSync("libtree", ["-vvv", "-p", ...words], { encoding: "utf8", maxBuffer: 1 << 30, env: environment }).stdout;
}

// Trees stand one after another; the root of each begins in the first column.
function splitTrees(text) {
  const trees = new Map();
  let lines = [];
  for (const line of text.split("\n")) {
    if (/^\S/.test(line) && line.startsWith("/")) {
      lines = [];
      trees.set(line.split(" ")[0], lines);
    }
    lines.push(line);
  }
  return new Map([...trees].map(([file, tree]) => [file, treeOf(file, tree.join("\n"))]));
}

function treeOf(file, text) {
  const answer = new Set();
  for (const line of text.split("\n")) {
    const gone = /(\S+) not found/.exec(line);
    if (gone) answer.add(`missing ${gone[1]}`);
    else {
      const found = /(?:├── |└── )(\/\S+)/.exec(line);
      if (found) answer.add(real(found[1]));
    }
  }
  return answer;
}

/** Files whose answers differ. ld.so lists the loader itself, and a library that was asked about is no answer: both are left out. */
function compare(answers) {
  const different = [];
  for (const [file, right] of truth) {
    const essential = (set) =>
      [...set]
        .filter((name) => name !== real(loader) && name !== real(file))
        .sort()
        .join("\n");
    const answer = answers.get(file);
    if (!answer || essential(answer) !== essential(right)) different.push(file);
  }
  return different;
}

function real(name) {
  try {
    return fs.realpathSync(name);
  } catch {
    return name;
  }
}

function measure(subjects, count) {
  const nowhere = fs.openSync("/dev/null", "w");
  for (const subject of subjects) subject.times = [];
  // The round before the first only warms the page cache.
  for (let round = -1; round < count; round += 1) {
    for (const { run, times, rounds: most = count } of subjects) {
      if (most <= round) continue;
      const start = performance.now();
      spawnSync(run[0], run[1], { stdio: ["ignore", nowhere, nowhere], env: environment });
      if (0 <= round) times.push(performance.now() - start);
    }
  }
  fs.closeSync(nowhere);
}

function peakMemory(command, words) {
  return new Promise((resolve) => {
    const child = spawn(command, words, { stdio: ["ignore", "ignore", "ignore"], env: environment });
    let peak = 0;
    // VmHWM only grows: the last look before the end is the peak, to a few milliseconds.
    const timer = setInterval(() => {
      try {
        const found = /VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${child.pid}/status`, "latin1"));
        if (found) peak = Math.max(peak, Number(found[1]) * 1024);
      } catch {
        // It has just ended.
      }
    }, 2);
    child.on("close", () => {
      clearInterval(timer);
      resolve(peak);
    });
  });
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function table(head, rows) {
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0]) : text.padStart(widths[column])))
      .join("  ")
      .trimEnd();
  console.log(`\n${line(head)}\n${widths.map((width) => "-".repeat(width)).join("  ")}`);
  for (const row of rows) console.log(line(row));
}

function target(what, value, limit, words) {
  console.log(`${value <= limit ? "met   " : "MISSED"}  ${what}: ${words(value)}; the target is ${words(limit)}`);
}

function stop(reason) {
  console.error(`bench: ${reason}`);
  process.exit(2);
}
