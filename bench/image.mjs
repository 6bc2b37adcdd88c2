// How long `culprit check image:FILE` takes, and how much memory, beside `tar -t` and `gunzip` on the same bytes. The images are made
// here, under the temporary folder: some large files that do not pack, zeros, and many small ones; or they are given: --image FILE.
// `node bench/image.mjs [--gigabytes 1] [--files 50000] [--rounds 3] [--image FILE]`; 5 GB take a while.
import { createHash, randomFillSync } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { cli, environment, race, seconds } from "./race.mjs";

const { values: options } = parseArgs({
  options: {
    gigabytes: { type: "string", default: "1" },
    files: { type: "string", default: "50000" },
    rounds: { type: "string", default: "3" },
    image: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bench-image-"));
process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
const has = (tool) => spawnSync(tool, ["--version"]).error === undefined;
const shell = (line, cwd = scratch) => {
  const { status, stderr } = spawnSync("sh", ["-c", line], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
};

/** The most memory that a run holds, in MB, as the kernel counts it. */
function memory(file) {
  const report = `process.on("exit", () => process.stderr.write("peak " + process.resourceUsage().maxRSS + "\\n"))`;
  const hook = path.join(scratch, "peak.cjs");
  fs.writeFileSync(hook, report);
  const { stderr } = spawnSync(process.execPath, ["-r", hook, cli, "check", `image:${file}`], { env: environment, encoding: "utf8" });
  return Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
}

// What the command costs when there is nothing to read.
const empty = path.join(scratch, "empty");
fs.mkdirSync(empty);
fs.writeFileSync(`${empty}/manifest.json`, JSON.stringify([{ Config: "config.json", Layers: [] }]));
fs.writeFileSync(`${empty}/config.json`, "{}");

function measure(title, file, peers) {
  const times = race(title, rounds, {
    "the same, of an empty image": () => seconds(process.execPath, [cli, "check", `image:${empty}`]),
    "culprit check image:": () => seconds(process.execPath, [cli, "check", `image:${file}`]),
    ...Object.fromEntries(Object.entries(peers).map(([name, line]) => [name, () => seconds("sh", ["-c", line])])),
  });
  const [[peer]] = Object.entries(peers);
  const own = times["culprit check image:"] - times["the same, of an empty image"];
  console.log(
    `  reading takes ${(own / times[peer]).toFixed(2)} times as long as ${peer} (aim: at most 2), ${memory(file).toFixed(0)} MB at most (aim: 300)`,
  );
}

if (options.image !== undefined) {
  measure(path.basename(options.image), options.image, { cat: `cat '${options.image}' > /dev/null` });
} else {
  // One layer of large files, a third of each zeros; one of many small ones.
  const large = path.join(scratch, "large/opt");
  fs.mkdirSync(large, { recursive: true });
  const block = Buffer.alloc(1 << 24);
  const perFile = (Number(options.gigabytes) * 64) / 4;
  for (let number = 0; number < 4; number += 1) {
    const handle = fs.openSync(path.join(large, `lib${number}.so`), "w");
    // Like an ELF file that says nothing: it must be gone through to the end.
    for (let at = 0; at < perFile; at += 1) {
      if (at % 3 === 2) block.fill(0);
      else randomFillSync(block);
      if (at === 0) block.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]);
      fs.writeSync(handle, block);
    }
    fs.closeSync(handle);
  }
  for (let number = 0; number < Number(options.files); number += 1) {
    const folder = path.join(scratch, `many/usr/lib/python3/dist-packages/package${Math.floor(number / 200)}`);
    if (number % 200 === 0) fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, `module${number}.py`), `# ${"a line of a module\n".repeat(20 + (number % 200))}`);
  }
  shell("tar -C large -cf large.layer . && tar -C many -cf many.layer . && rm -r large many");
  const packings = { plain: "cat", gzip: "gzip -1", ...(has("zstd") ? { zstd: "zstd -q -1" } : {}) };
  for (const [name, pack] of Object.entries(packings)) {
    const folder = path.join(scratch, name);
    fs.mkdirSync(`${folder}/blobs/sha256`, { recursive: true });
    const blob = (file) => {
      const sum = createHash("sha256");
      const handle = fs.openSync(file, "r");
      const piece = Buffer.alloc(1 << 22);
      for (let got = fs.readSync(handle, piece); 0 < got; got = fs.readSync(handle, piece)) sum.update(piece.subarray(0, got));
      fs.closeSync(handle);
      const digest = sum.digest("hex");
      fs.renameSync(file, `${folder}/blobs/sha256/${digest}`);
      return { digest: `sha256:${digest}`, size: fs.statSync(`${folder}/blobs/sha256/${digest}`).size };
    };
    const document = (value) => {
      fs.writeFileSync(`${folder}/document`, JSON.stringify(value));
      return blob(`${folder}/document`);
    };
    const layers = ["large", "many"].map((layer) => {
      shell(`${pack} < ${layer}.layer > ${name}/packed`);
      return { mediaType: "application/vnd.oci.image.layer.v1.tar", ...blob(`${folder}/packed`) };
    });
    const manifest = document({ schemaVersion: 2, config: document({ os: "linux", architecture: "amd64", config: {} }), layers });
    fs.writeFileSync(`${folder}/index.json`, JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
    fs.writeFileSync(`${folder}/oci-layout`, `{"imageLayoutVersion":"1.0.0"}`);
    shell(`tar -C ${name} -cf ${name}.tar oci-layout index.json blobs`);
    const blobs = layers.map(({ digest }) => `${folder}/blobs/sha256/${digest.slice(7)}`);
    const peers = {
      plain: { "tar -t": blobs.map((file) => `tar -tf ${file} > /dev/null`).join(" && ") },
      gzip: { "gunzip -c": `cat ${blobs.join(" ")} | gunzip -c > /dev/null` },
      zstd: { "zstd -dc": `cat ${blobs.join(" ")} | zstd -dc > /dev/null` },
    }[name];
    measure(
      `an OCI archive of ${options.gigabytes} GB and ${options.files} small files, layers ${name}`,
      path.join(scratch, `${name}.tar`),
      {
        ...peers,
        ...(has("syft") ? { syft: `syft -q oci-archive:${path.join(scratch, `${name}.tar`)} > /dev/null` } : {}),
      },
    );
    fs.rmSync(folder, { recursive: true });
    fs.rmSync(path.join(scratch, `${name}.tar`));
  }
}
