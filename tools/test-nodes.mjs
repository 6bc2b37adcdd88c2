// Other releases of Node for `npm run test:deep`, from the packages that the npm package `node` takes them from.
// What cannot be fetched is said, and its tests are skipped.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const nodes = fileURLToPath(new URL("../node_modules/.cache/culprit-nodes", import.meta.url));
// The releases that culprit runs on, the last that it does not, and one that knows little of today's language.
const releases = ["24.21.0", "22.23.3", "20.20.2", "18.20.8", "12.22.12"];
const wanted = releases.filter((release) => release !== process.versions.node && !existsSync(`${nodes}/${release}/bin/node`));
const name = `node-linux-${process.arch}`;

for (const release of wanted) {
  const part = `${nodes}/${release}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  const quiet = { cwd: part, encoding: "utf8", timeout: 240_000 };
  const packed = spawnSync("npm", ["pack", "--silent", `${name}@${release}`], quiet);
  const archive = readdirSync(part).find((file) => file.endsWith(".tgz"));
  const unpacked =
    archive !== undefined &&
    spawnSync("tar", ["-xzf", archive, "--strip-components=1", "package/bin/node"], quiet).status === 0 &&
    spawnSync(`${part}/bin/node`, ["--version"], quiet).stdout?.trim() === `v${release}`;
  if (unpacked) {
    rmSync(`${part}/${archive}`);
    renameSync(part, `${nodes}/${release}`);
    continue;
  }
  rmSync(part, { recursive: true, force: true });
  const reason = archive === undefined ? (packed.error?.message ?? packed.stderr.trim().split("\n")[0]) : "it does not run here";
  console.error(`Node ${release} could not be fetched, so tests with it are skipped (npm package ${name}: ${reason})`);
}
