// How long `culprit list` takes: on this machine beside a warm `find` over the same folders, on a root folder (--root DIR),
// and how the time grows with the number of Python environments. Medians of interleaved rounds.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { cli, node, race, seconds } from "./race.mjs";

const { values: options } = parseArgs({ options: { root: { type: "string" }, rounds: { type: "string", default: "5" } } });
const rounds = Number(options.rounds);
const list =
  (...args) =>
  () =>
    seconds(process.execPath, [cli, "list", ...args]);

const folders = ["/usr/lib", "/usr/local", "/opt", "/usr/lib64"].filter((folder) => fs.existsSync(folder));
const here = race("this machine", rounds, {
  "node -e 0": node,
  "culprit list": list(),
  "find, the same folders": () => seconds("find", [...folders, "-name", "*.so*"]),
});
console.log(`  culprit takes ${(here["culprit list"] / here["find, the same folders"]).toFixed(1)} times as long as find (aim: 2)`);

if (options.root !== undefined) {
  const root = race(`root ${path.basename(options.root)}`, rounds, {
    "node -e 0": node,
    "culprit list --root": list("--root", options.root),
  });
  console.log(`  ${((root["culprit list --root"] - root["node -e 0"]) * 1000).toFixed(0)} ms over node (aim: 150)`);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bench-list-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
function rootWith(count) {
  const root = path.join(scratch, String(count));
  for (let number = 0; number < count; number += 1) {
    const prefix = path.join(root, "opt", `env${number}`);
    const site = path.join(prefix, "lib/python3.12/site-packages");
    for (let at = 0; at < 150; at += 1) fs.mkdirSync(path.join(site, `package_${at}-1.0.dist-info`), { recursive: true });
    fs.mkdirSync(path.join(prefix, "bin"));
    fs.writeFileSync(path.join(prefix, "bin/python3"), "");
    fs.writeFileSync(path.join(prefix, "pyvenv.cfg"), "home = /usr/bin\nversion = 3.12.3\n");
  }
  return root;
}
const grown = race("Python environments of 150 packages", rounds, {
  "node -e 0": node,
  one: list("--root", rootWith(1)),
  "two hundred": list("--root", rootWith(200)),
});
const [one, many] = [grown.one - grown["node -e 0"], grown["two hundred"] - grown["node -e 0"]];
console.log(`  200 environments cost ${(many / one).toFixed(0)} times one (aim: at most 200)`);
