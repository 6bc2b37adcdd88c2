// How long `culprit check` takes: on this machine beside a warm `find` over the same folders and, where torch is installed, beside
// `python -m torch.utils.collect_env` (--python DIR); and on a root folder (--root DIR). Medians of interleaved rounds.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { cli, environment, node, race, seconds } from "./race.mjs";

const { values: options } = parseArgs({
  options: { root: { type: "string" }, python: { type: "string" }, rounds: { type: "string", default: "7" } },
});
const rounds = Number(options.rounds);
const check =
  (...args) =>
  () =>
    seconds(process.execPath, [cli, "check", ...args]);

const folders = ["/usr/lib", "/usr/local", "/opt", "/etc"].filter((folder) => fs.existsSync(folder));
const python = options.python === undefined ? undefined : path.join(options.python, "bin/python");
const here = race("this machine", rounds, {
  "node -e 0": node,
  "culprit check": check(),
  "find, the same folders": () => seconds("find", folders),
  ...(python === undefined ? {} : { "torch.utils.collect_env": () => seconds(python, ["-m", "torch.utils.collect_env"]) }),
});
const [own, find] = [here["culprit check"], here["find, the same folders"]];
console.log(`  culprit takes ${(own / find).toFixed(1)} times as long as find (aim: 2)`);
if (python !== undefined)
  console.log(`  collect_env takes ${(here["torch.utils.collect_env"] / own).toFixed(1)} times as long as culprit (aim: 10)`);

if (options.root !== undefined) {
  const root = race(`root ${path.basename(options.root)}`, rounds, {
    "node -e 0": node,
    "culprit check --root": check("--root", options.root),
  });
  console.log(`  ${((root["culprit check --root"] - root["node -e 0"]) * 1000).toFixed(0)} ms over node (aim: 300)`);
}
const { stderr } = spawnSync(
  "/usr/bin/time",
  ["-f", "%M", process.execPath, cli, "check", ...(options.root === undefined ? [] : ["--root", options.root])],
  {
    env: environment,
    encoding: "utf8",
  },
);
if (stderr) console.log(`peak memory ${(Number(stderr.trim().split("\n").at(-1)) / 1024).toFixed(0)} MB (aim: under 200)`);
