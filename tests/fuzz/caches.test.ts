import { expect, test } from "vitest";
import { parseLdSoCache } from "../../packages/core/src/elf/ld-so-cache.ts";
import { parseLoader } from "../../packages/core/src/elf/loader-strings.ts";
import { lookupInCache } from "../../packages/core/src/resolve/cache-lookup.ts";
import { fuzz, mutate } from "./fuzz.ts";

/** A cache as ldconfig writes it: with `compat`, after one of the older format. */
function cache(compat: boolean, little = true): Uint8Array {
  const entries = [
    ["libz.so.1", "/usr/lib/libz.so.1"],
    ["libcudnn.so.9", "/usr/lib/libcudnn.so.9"],
    ["libc.so.6", "/lib/libc.so.6"],
  ];
  const bytes = new Uint8Array(1024);
  const view = new DataView(bytes.buffer);
  const put = (text: string, at: number) => bytes.set(new TextEncoder().encode(text), at);
  let base = 0;
  if (compat) {
    put("ld.so-1.7.0", 0);
    view.setUint32(12, entries.length, little);
    base = Math.ceil((16 + entries.length * 12) / 8) * 8;
  }
  put("glibc-ld.so.cache1.1", base);
  view.setUint32(base + 20, entries.length, little);
  bytes[base + 28] = little ? 2 : 3;
  let strings = base + 48 + entries.length * 24;
  entries.forEach(([name, path], index) => {
    const at = base + 48 + index * 24;
    view.setUint32(at, 0x303, little);
    for (const [field, text] of [
      [4, name!],
      [8, path!],
    ] as const) {
      put(text, strings);
      view.setUint32(at + field, strings - base, little);
      if (compat) view.setUint32(16 + index * 12 + field, strings - (16 + entries.length * 12), little);
      strings += text.length + 1;
    }
    if (index === 1) view.setUint32(at + (little ? 20 : 16), 0x40000002, little);
  });
  const extension = Math.ceil(strings / 8) * 8;
  view.setUint32(base + 32, extension, little);
  for (const [index, word] of [0xeaa42174, 2, 0, 0, extension + 40, 8, 1, 0, extension + 48, 4].entries())
    view.setUint32(extension + index * 4, word, little);
  put("ldconfig", extension + 40);
  view.setUint32(extension + 48, extension + 52, little);
  put("x86-64-v3", extension + 52);
  return bytes.slice(0, extension + 64);
}

const corpus = [cache(false), cache(true), cache(false, false)];

test("the corpus is sound", () => {
  for (const [index, bytes] of corpus.entries()) {
    const fact = parseLdSoCache(bytes, index < 2);
    expect(fact).toMatchObject({
      generator: "ldconfig",
      entries: [{ name: "libz.so.1" }, { hwcaps: { name: "x86-64-v3", level: 2 } }, { path: "/lib/libc.so.6" }],
    });
  }
});

test("no damage to an ld.so.cache makes its reader or a look-up throw, or its answer larger than the file", async () => {
  await fuzz("caches", 30_000, (dice) => {
    const bytes = mutate(corpus, dice);
    const fact = parseLdSoCache(bytes, !dice.chance(8));
    if (bytes.length / 12 < fact.entries.length) throw new Error(`${fact.entries.length} entries in ${bytes.length} bytes`);
    for (const name of ["libz.so.1", "libcudnn.so.9", ""])
      lookupInCache(fact, name, {
        machine: 62,
        class: 64,
        processor: { level: 3, hwcaps: ["x86-64-v3"], capabilities: ["x86_64"], platform: "x86_64", subfolders: [""] },
        legacy: dice.chance(2),
      });
  });
});

test("no damage to a loader makes the reader of its texts throw", async () => {
  const texts =
    "\x01\0/etc/ld.so.cache\0/etc/ld.so.preload\0lib/x86_64-linux-gnu\0/lib/x86_64-linux-gnu/\0/usr/lib/\0tls\0haswell\0stable release version 2.36.\0x86-64-v3:x86-64-v2\0";
  const glibc = new Uint8Array(2048);
  glibc.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  const view = new DataView(glibc.buffer);
  view.setBigUint64(32, 64n, true);
  view.setUint16(56, 3, true);
  for (let index = 0; index < 3; index += 1) {
    view.setUint32(64 + index * 56, 1, true);
    view.setUint32(68 + index * 56, index === 1 ? 5 : 4, true);
    view.setBigUint64(72 + index * 56, BigInt(index * 512), true);
    view.setBigUint64(96 + index * 56, 512n, true);
  }
  glibc.set(new TextEncoder().encode(texts), 1024);
  const loaders = [glibc, new TextEncoder().encode(texts), new TextEncoder().encode("\0musl libc (x86_64)\nVersion %s\0\x31.2.3\0")];
  expect(parseLoader(glibc, "/ld.so")).toMatchObject({
    version: "2.36",
    folders: ["/lib/x86_64-linux-gnu/", "/usr/lib/"],
    legacy: "haswell",
  });
  await fuzz("loaders", 8000, (dice) => {
    const { folders } = parseLoader(mutate(loaders, dice), dice.pick(["/lib/ld.so", "/lib/ld-2.31.so", "/lib/ld-musl-x86_64.so.1"]));
    for (const folder of folders) if (!folder.startsWith("/") || !folder.endsWith("/")) throw new Error(`the folder \`${folder}\``);
  });
});
