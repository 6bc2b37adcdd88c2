// What the benches of whole commands share: interleaved rounds, medians, and a clean environment.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

export const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
export const environment = { PATH: process.env.PATH, HOME: process.env.HOME };
if (!fs.existsSync(cli)) {
  console.error("dist/cli.js is not there: run `npm run build`");
  process.exit(2);
}

export function seconds(command, args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(command, args, { env: environment, stdio: ["ignore", "ignore", "pipe"], encoding: "utf8" });
  // 1 is an answer; anything else is a failure of ours, and no time worth telling.
  if (command === process.execPath && status !== 0 && status !== 1) throw new Error(stderr);
  return (performance.now() - start) / 1000;
}

const tellsItsTime = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(3, String(user + system)); });',
)}`;

/** The same of the processor alone, of a program for Node: others may be at work on the machine. */
export function processorSeconds(args) {
  const all = ["--import", tellsItsTime, ...args];
  const stdio = ["ignore", "ignore", "pipe", "pipe"];
  const { status, stderr, output } = spawnSync(process.execPath, all, { env: environment, stdio, encoding: "utf8" });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return Number(output[3]) / 1e6;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Runs every entry in turn, round after round, prints the medians and answers with them. */
export function race(title, rounds, entries) {
  const times = Object.fromEntries(Object.keys(entries).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) for (const [name, run] of Object.entries(entries)) times[name].push(run());
  console.log(title);
  for (const [name, list] of Object.entries(times)) console.log(`  ${name.padEnd(34)} ${(median(list) * 1000).toFixed(0).padStart(6)} ms`);
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

export const node = () => seconds(process.execPath, ["-e", "0"]);
