// What many packages cost: `culprit check` of an environment (--python DIR, with torch and torchvision in it) as it is, and with 300 packages
// more: 60 with a module that is linked with torch, 60 with five modules that are not, and 180 without binaries. Medians of interleaved
// rounds, of the processor's time.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { cli, processorSeconds, race } from "./race.mjs";

const { values: options } = parseArgs({ options: { python: { type: "string" }, rounds: { type: "string", default: "7" } } });
if (options.python === undefined) {
  console.log("packages: `--python DIR` names an environment with torch and torchvision");
  process.exit(0);
}
const made = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-bench-"));
const environment = path.join(made, "environment");
execFileSync("cp", ["-al", options.python, environment]);
const python = fs.readdirSync(path.join(environment, "lib")).find((name) => name.startsWith("python3"));
const site = path.join(environment, "lib", python, "site-packages");

function add(name, tag, modules) {
  const metadata = path.join(site, `${name}-1.0.dist-info`);
  fs.mkdirSync(metadata);
  fs.mkdirSync(path.join(site, name));
  for (const file of modules) fs.linkSync(file, path.join(site, name, path.basename(file)));
  const files = [...modules.map((file) => path.basename(file)), ...Array.from({ length: 100 }, (_, index) => `m${index}.py`)];
  fs.writeFileSync(path.join(metadata, "METADATA"), `Metadata-Version: 2.1\nName: ${name}\nVersion: 1.0\n`);
  fs.writeFileSync(path.join(metadata, "WHEEL"), `Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: ${tag}\n`);
  fs.writeFileSync(path.join(metadata, "RECORD"), files.map((file) => `${name}/${file},sha256=x,1\n`).join(""));
}
const upon = path.join(site, "torchvision/_C.so");
const plain = fs
  .readdirSync(path.join(site, "numpy"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".so"))
  .slice(0, 5)
  .map((file) => path.join(site, "numpy", file));
for (let index = 0; index < 60; index += 1) {
  add(`upon${index}`, "cp311-cp311-manylinux_2_28_x86_64", [upon]);
  add(`plain${index}`, "cp311-cp311-manylinux_2_28_x86_64", plain);
}
for (let index = 0; index < 180; index += 1) add(`pure${index}`, "py3-none-any", []);

const check = (place) => () => processorSeconds([cli, "check", "--python", place, "--gpu", "H100", "--driver", "570.86.10"]);
const times = race("an environment with torch", Number(options.rounds), {
  "node -e 0": () => processorSeconds(["-e", "0"]),
  "culprit check": check(options.python),
  "culprit check, 300 packages more": check(environment),
});
console.log(
  `  ${(times["culprit check, 300 packages more"] / times["culprit check"]).toFixed(1)} times as long with 300 packages more (aim: 2)`,
);
fs.rmSync(made, { recursive: true });
