import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, test } from "vitest";
import { imageKeeping, type Target } from "../../packages/core/src/index.ts";
import { image } from "../../packages/machine/src/target/index.ts";
import { makeElf } from "../loader/make-elf.ts";
import { archive, dockerFiles, file, hardLink, link, ociFiles, packings, tar } from "../target/make-image.ts";
import { fuzz, mutate, type Dice } from "./fuzz.ts";
import { needs } from "../needs.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "fuzz-images-"));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const elf = makeElf({ soname: "libcudart.so.12", needed: ["libc.so.6"], provides: ["libcudart.so.12"] });
const lower = tar(
  file("usr/lib/libcudart.so.12", elf.slice(0, 20_000)),
  link("lib", "usr/lib"),
  file("etc/passwd", "root:x:0:0::/root:/bin/sh\n"),
  file("opt/x/a", "a"),
  { name: "sparse", content: "0123456789", pax: { "GNU.sparse.map": "5,5,100,5", "GNU.sparse.size": "4096" } },
  { name: "n", content: "n", pax: { path: `${"long/".repeat(40)}n` } },
);
const upper = tar(file("opt/x/.wh.a"), file("opt/.wh..wh..opq"), file("lib/new", "b"), hardLink("same", "usr/lib/new"));
const layers = [lower, upper];
const corpora: { [name: string]: Uint8Array[] } = {
  layers,
  archives: [archive(dockerFiles({ layers })), archive(ociFiles([{ layers }]))],
  packed: [gzipSync(lower), gzipSync(upper), packings["zstd"]!(lower)],
};

// Each is opened or refused in one sentence; what is opened can be gone through to the end.
async function attempt(bytes: Uint8Array): Promise<void> {
  const at = path.join(scratch, "image.tar");
  fs.writeFileSync(at, bytes);
  let target: Target;
  try {
    target = await image(at, await imageKeeping());
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!/^cannot use `[^\n]*` as an image: [^\n]{5,400}$/.test(message) || /\b(undefined|NaN|ERR_|Cannot)\b/.test(message)) throw error;
    if (0 < handlesOf(at).length) throw new Error("the file stays open", { cause: error });
    return;
  }
  await target.process();
  const todo = ["/"];
  for (let folder = todo.pop(); folder !== undefined; folder = todo.pop()) {
    const names = await target.list(folder);
    for (const name of Array.isArray(names) ? names : []) {
      const below = `${folder === "/" ? "" : folder}/${name}`;
      const [fact] = await target.look([below]);
      if (fact!.kind === "folder") todo.push(below);
      const opened = fact!.kind === "file" ? await target.open(below) : "";
      if (typeof opened === "string") continue;
      const [read] = await opened.read([{ offset: 0, length: Math.min(opened.size, 65536) }]);
      if (read!.length !== Math.min(opened.size, 65536)) throw new Error(`${below} is shorter than it says`);
    }
  }
  // The file that it reads from is closed only with the process.
  for (const handle of handlesOf(at)) fs.closeSync(handle);
}

const handlesOf = (at: string): number[] =>
  fs.readdirSync("/proc/self/fd").flatMap((handle) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${handle}`) === at ? [Number(handle)] : [];
    } catch {
      return [];
    }
  });

const forms: { [name: string]: (dice: Dice) => Uint8Array } = {
  "an archive": (dice) => mutate(corpora["archives"]!, dice),
  "an archive, packed": (dice) => gzipSync(mutate(corpora["archives"]!, dice), { level: 1 }),
  "a layer": (dice) => archive(dockerFiles({ layers: [lower, mutate(corpora["layers"]!, dice)] })),
  "a layer, packed": (dice) => archive(dockerFiles({ layers: [lower, gzipSync(mutate(corpora["layers"]!, dice), { level: 1 })] })),
  "a packed layer in a packed archive": (dice) =>
    gzipSync(archive(dockerFiles({ layers: [mutate(corpora["packed"]!, dice)] })), { level: 1 }),
  "the packed bytes of a layer": (dice) => archive(dockerFiles({ layers: [mutate(corpora["packed"]!, dice)] })),
};

test.each(Object.entries(forms))(
  "%s, damaged at random, is opened or refused in one sentence",
  needs({ "/proc": fs.existsSync("/proc/self/fd") }),
  async (name, make) => {
    await fuzz(name, name.includes("packed") ? 100 : 300, (dice) => attempt(make(dice)));
  },
);
