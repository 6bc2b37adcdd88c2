// How long the command of the wheel takes to say its version, beside the npm command, Python alone, and ruff, uv, basedpyright and env-doctor
// where they are in the same environment (--python DIR, with culprit-gpu in it). Medians of interleaved rounds, and each as a multiple of Python's
// own start; and what is downloaded for it.
import fs from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { cli, node, race, seconds } from "./race.mjs";

const { values: options } = parseArgs({ options: { python: { type: "string" }, rounds: { type: "string", default: "15" } } });
if (options.python === undefined) {
  console.log("python: `--python DIR` names an environment with culprit-gpu");
  process.exit(0);
}
const bin = path.join(options.python, "bin");
const peers = ["ruff", "uv", "basedpyright", "env-doctor"].filter((name) => fs.existsSync(path.join(bin, name)));
const times = race("the version", Number(options.rounds), {
  "python -c 0": () => seconds(path.join(bin, "python"), ["-c", "0"]),
  "node -e 0": node,
  "culprit (npm)": () => seconds(process.execPath, [cli, "--version"]),
  "culprit-gpu": () => seconds(path.join(bin, "culprit-gpu"), ["--version"]),
  ...Object.fromEntries(peers.map((name) => [name, () => seconds(path.join(bin, name), ["--version"])])),
});
for (const name of ["culprit (npm)", "culprit-gpu", ...peers])
  console.log(`  ${name.padEnd(34)} ${(times[name] / times["python -c 0"]).toFixed(1).padStart(6)} × Python's own start`);

const wheels = fs.existsSync("python/dist") ? fs.readdirSync("python/dist").filter((name) => name.endsWith(".whl")) : [];
for (const name of wheels) console.log(`  ${name}  ${(fs.statSync(`python/dist/${name}`).size / 1e6).toFixed(1)} MB`);
