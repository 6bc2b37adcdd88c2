// All files of a release, in the folder release/: the npm packages, executables, what is in them, checksums, notes. Publishes nothing.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import process from "node:process";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { compileBinary, platforms } from "./binary.mjs";
import { sbomOf } from "./sbom.mjs";
import { disagreements, notesOf, versionNow } from "./version.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const folder = "release";
const version = versionNow();
const wrong = disagreements();
if (0 < wrong.length) {
  for (const each of wrong) console.error(each);
  process.exit(1);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const run = (command, ...words) => execFileSync(command, words, { stdio: ["ignore", "ignore", "inherit"] });
run(process.execPath, "tools/build.mjs", "--types");
for (const name of ["culprit", "culprit-fleet"])
  run("npm", "pack", "--silent", "--ignore-scripts", "--workspace", name, "--pack-destination", folder);
writeFileSync(`${folder}/culprit-${version}.cdx.json`, `${JSON.stringify(sbomOf(), null, 1)}\n`);
writeFileSync(`${folder}/notes.md`, `${notesOf(version)}\n`);
const chosen = process.argv.includes("--without-executables") ? [] : Object.keys(platforms);
for (const platform of chosen) {
  const file = `${folder}/culprit-${version}-linux-${platform}`;
  await compileBinary(file, platform);
  // To a third of its size.
  run("xz", "-9", "-T0", file);
}
const sums = [];
for (const name of readdirSync(folder).sort()) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(`${folder}/${name}`), hash);
  sums.push(`${hash.digest("hex")}  ${name}`);
}
writeFileSync(`${folder}/SHA256SUMS`, `${sums.join("\n")}\n`);
console.error(`${folder}/ has ${sums.length} files and their checksums; nothing was published`);
