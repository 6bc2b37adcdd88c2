// How large a fleet is in the database, how fast it is taken in, asked and judged under another driver: the snapshots of the case book, or
// those that `bench/fleet-roots.mjs` took, with drift, as so many nodes, over HTTP to a server of its own. With DATABASE_URL (an empty
// database) on that PostgreSQL, else on the embedded one. `node bench/fleet.mjs [--nodes 1000] [--drift 5] [--at-once 16] [--snapshots DIR]`;
// build first.
import { createHash, randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { manifestDigest, splitTold } from "../packages/cli/dist/index.mjs";
import { startServer } from "./fleet-server.mjs";

const { values } = parseArgs({
  options: {
    nodes: { type: "string", default: "1000" },
    drift: { type: "string", default: "5" },
    "at-once": { type: "string", default: "16" },
    snapshots: { type: "string" },
  },
});
const [amount, drift, atOnce] = [values.nodes, values.drift, values["at-once"]].map(Number);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bench-fleet-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
const sha256 = (text) => createHash("sha256").update(text).digest("hex");
/** Seconds that a process has used of processors: a busy machine does not change them. */
const processorOf = (pid) => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const time = async (what, work, per = 1, unit = "") => {
  const [begin, used] = [performance.now(), processorOf(server.pid)];
  const result = await work();
  const taken = performance.now() - begin;
  const processor = ` (${(processorOf(server.pid) - used).toFixed(1)} s of a processor in the server)`;
  const rate = per === 1 ? "" : `, ${((per / taken) * 1000).toFixed(0)} ${unit}/s`;
  console.log(`${what.padEnd(54)} ${taken < 10_000 ? `${taken.toFixed(0)} ms` : `${(taken / 1000).toFixed(1)} s`}${rate}${processor}`);
  return result;
};

const server = await startServer(scratch, ["--workers", String(os.availableParallelism())]);
const { address, token } = server;
const ask = async (method, at, body, headers = {}) => {
  for (;;) {
    const response = await fetch(`${address}${at}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const said = await response.json();
    if (response.ok) return said;
    // Told to wait: the limit is of the server, and a node would do the same.
    if (response.status !== 429) throw new Error(`${response.status} ${said.problem}`);
    await new Promise((later) => setTimeout(later, 200));
  }
};

// ── the nodes: as many groups as there are snapshots; some have one more file, which makes a stack of its own ─────────────────────
const files =
  values.snapshots === undefined
    ? fs.readdirSync("cases").map((name) => [name, `cases/${name}/snapshot.json.gz`])
    : fs.readdirSync(values.snapshots).map((name) => [name.replace(/\.json\.gz$/, ""), path.join(values.snapshots, name)]);
let raw = 0;
const bases = files.flatMap(([name, file]) => {
  if (!fs.existsSync(file) || !file.endsWith(".gz")) return [];
  const text = gunzipSync(fs.readFileSync(file)).toString("utf8");
  return { name, snapshot: JSON.parse(text), length: text.length, split: splitTold(JSON.parse(text), sha256) };
});
const information = (uuid) => `Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\nGPU UUID: \t ${uuid}\n`;
const facts = new Map();
const nodes = Array.from({ length: amount }, (_, index) => {
  const base = bases[index % bases.length];
  raw += base.length;
  let { stack, texts } = base.split;
  if (index % 100 < drift) {
    const text = `/opt/drift/${index}/lib\n`;
    const files = { ...base.snapshot.files, "/etc/ld.so.conf.d/drift.conf": { kind: "file", size: text.length, text } };
    ({ stack, texts } = splitTold({ ...base.snapshot, files }, sha256));
  }
  for (const [digest, fact] of texts) facts.set(digest, fact);
  const place = "/proc/driver/nvidia/gpus/0000:00:06.0/information";
  const own = { ...base.split.own, files: { [place]: { kind: "file", size: 60, text: information(`GPU-${randomUUID()}`) } } };
  const group = base.name;
  return {
    name: `node-${index}`,
    digests: [...texts.keys()],
    manifest: { stack, own, group, digest: manifestDigest(stack, own, group, sha256) },
  };
});
const stacks = new Set(nodes.map(({ manifest }) => manifest.stack)).size;
console.log(`${amount} nodes, ${stacks} distinct stacks, ${facts.size} texts; as snapshots ${(raw / 1e6).toFixed(0)} MB of JSON\n`);

const sideBySide = async (all, work) => {
  const queue = [...all];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let each = queue.pop(); each; each = queue.pop()) await work(each);
    }),
  );
};
const push = async ({ name, digests, manifest }) => {
  const at = `/api/v1/nodes/${name}`;
  const whole = { ...manifest, taken: new Date().toISOString() };
  let answer = await ask("POST", at, JSON.stringify(whole));
  if (answer.state === "lacking") {
    const { lacking = [] } = await ask("POST", at, JSON.stringify({ ...whole, facts: digests }));
    const packed = gzipSync(lacking.map((each) => facts.get(each)).join("\n"));
    if (0 < lacking.length) await ask("POST", `${at}/facts`, packed, { "content-encoding": "gzip" });
    if (0 < lacking.length) answer = await ask("POST", at, JSON.stringify(whole));
    else answer = { state: "stored" };
  }
  if (answer.state !== "stored") throw new Error(`${name}: ${answer.state}`);
};
// The first of each kind brings its facts; the others come as a relay brings them, many in a request.
const pushMany = async (all, what) => {
  for (let from = 0; from < all.length; from += 500) {
    const some = all.slice(from, from + 500).map(what);
    const { unchanged, nodes: others } = await ask("POST", "/api/v1/nodes", JSON.stringify({ nodes: some }));
    const stored = Object.values(others).filter(({ state }) => state === "stored").length;
    if (unchanged + stored !== some.length) throw new Error(JSON.stringify(others).slice(0, 300));
  }
};
const firsts = [...new Map(nodes.toReversed().map((node) => [node.manifest.stack, node])).values()];
const rest = nodes.filter((node) => !firsts.includes(node));
await time("facts of each distinct stack taken in", () => sideBySide(firsts, push), firsts.length, "stacks");
const whole = ({ name, manifest }) => ({ name, ...manifest, taken: new Date().toISOString() });
await time("other nodes taken in, 500 in a request", () => pushMany(rest, whole), rest.length, "nodes");
await time(
  "each stack judged",
  async () => {
    for (;;) {
      const { nodes: all } = await ask("GET", "/api/v1/nodes");
      if (all.every(({ status }) => status !== "waiting")) return;
      await new Promise((later) => setTimeout(later, 200));
    }
  },
  stacks,
  "stacks",
);
const digestOnly = ({ name, manifest: { digest } }) => ({ name, digest, taken: new Date().toISOString() });
await time("checked in, nothing changed, 500 in a request", () => pushMany(nodes, digestOnly), amount, "nodes");
const several = nodes.slice(0, 1000);
await time(
  "checked in, nothing changed, one by one",
  () =>
    sideBySide(several, async ({ name, manifest: { digest } }) => {
      const { state } = await ask("POST", `/api/v1/nodes/${name}`, JSON.stringify({ digest, taken: new Date().toISOString() }));
      if (state !== "unchanged") throw new Error(state);
    }),
  several.length,
  "nodes",
);
for (const [what, at] of [
  ["all nodes", "nodes"],
  ["all findings", "findings"],
  ["who has cudnn<9.1", `versions?bound=${encodeURIComponent("cudnn<9.1")}`],
  ["what became worse in a day", "regressions?since=24h"],
  ["who differs from its group", "differences"],
])
  await time(`question: ${what}`, () => ask("GET", `/api/v1/${at}`));
const answer = await time("what if: driver 470.57 and A100, all nodes", () =>
  ask("POST", "/api/v1/whatif", JSON.stringify({ driver: "470.57", gpus: ["A100"] })),
);
console.log(`${"".padEnd(54)} ${JSON.stringify(answer.outcomes)}`);
for (const [what, request] of [
  ["torch 2.6.0 wherever torch is", { replace: ["torch==2.6.0"] }],
  ["without cuDNN", { without: ["cudnn"] }],
]) {
  const { outcomes } = await time(`what if: ${what}, all nodes`, () => ask("POST", "/api/v1/whatif", JSON.stringify(request)));
  console.log(`${"".padEnd(54)} ${JSON.stringify(outcomes)}`);
}
await time("driver and GPU again", () => ask("POST", "/api/v1/whatif", JSON.stringify({ driver: "470.57", gpus: ["A100"] })));
const memory = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${server.pid}/status`, "utf8"))[1];
console.log(`memory of the server at most: ${(memory / 1024).toFixed(0)} MB`);
await server.stop();
const sizes = (folder) =>
  fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((each) => each.isFile())
    .reduce((sum, each) => sum + fs.statSync(path.join(each.parentPath ?? each.path, each.name)).size, 0);
if (fs.existsSync(path.join(scratch, "postgres/base")))
  console.log(`tables on disk: ${(sizes(path.join(scratch, "postgres/base")) / 1e6).toFixed(0)} MB (an empty database has 22)`);
