// The `ldconfig` what-if against the real ldconfig, in folders that stand for whole systems.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTarget, type CacheFact } from "../packages/core/src/index.ts";
import { root } from "../packages/machine/src/target/index.ts";
import { makeElf } from "./loader/make-elf.ts";
import { build, temporary, type Files } from "./loader/tree.ts";
import { needs } from "./needs.ts";

const ldconfig = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].find((file) => fs.existsSync(file));
const { folder: scratch, remove } = temporary();
afterAll(remove);

const library = (soname?: string) => makeElf(soname === undefined ? {} : { soname });
const loader = fs.existsSync("/lib64/ld-linux-x86-64.so.2")
  ? { "lib64/ld-linux-x86-64.so.2": fs.readFileSync("/lib64/ld-linux-x86-64.so.2") }
  : {};

async function predicted(tree: string): Promise<{ entries: string[]; links: string[] }> {
  const { view } = await openTarget(root(tree), { ldconfig: true });
  const { files } = view.snapshot;
  const caches = Object.values(files).flatMap((fact): CacheFact[] => (fact.kind === "file" && fact.cache ? [fact.cache] : []));
  const links = Object.entries(files).flatMap(([file, fact]) => (fact.kind === "link" ? [`${file} -> ${fact.to}`] : []));
  return { entries: caches[0]!.entries.map(({ name, path: file }) => `${name} => ${file}`), links: links.sort() };
}

function real(tree: string): { entries: string[]; links: string[] } {
  spawnSync(ldconfig!, ["-X", "-r", tree]);
  execFileSync(ldconfig!, ["-r", tree], { stdio: "pipe" });
  const printed = execFileSync(ldconfig!, ["-p", "-r", tree], { encoding: "utf8" });
  const entries = printed
    .split("\n")
    .filter((line) => line.startsWith("\t"))
    .map((line) => line.trim().replace(/ \(.*?\)/, ""));
  const links = fs
    .readdirSync(tree, { recursive: true, encoding: "utf8" })
    .filter((file) => fs.lstatSync(path.join(tree, file)).isSymbolicLink());
  return { entries, links: links.map((file) => `/${file} -> ${fs.readlinkSync(path.join(tree, file))}`).sort() };
}

const trees: { [fact: string]: Files } = {
  "the newest file of a folder gets the soname's link": {
    "etc/ld.so.conf": { text: "/opt/cuda/lib64\n" },
    "opt/cuda/lib64/libcudart.so.12.1.9": library("libcudart.so.12"),
    "opt/cuda/lib64/libcudart.so.12.1.10": library("libcudart.so.12"),
    "opt/cuda/lib64/libcudart.so": { link: "libcudart.so.12" },
  },
  "the order of folders decides, includes sorted by name": {
    "etc/ld.so.conf": { text: "# comment\ninclude /etc/ld.so.conf.d/*.conf\n/opt/z/\n" },
    "etc/ld.so.conf.d/b.conf": { text: "/opt/b   \n" },
    "etc/ld.so.conf.d/a.conf": { text: "/opt/a # why\n\n/opt/missing\n" },
    "etc/ld.so.conf.d/no.txt": { text: "/opt/no\n" },
    "opt/a/libx.so.1": library("libx.so.1"),
    "opt/b/libx.so.1": library("libx.so.1"),
    "opt/z/libx.so.1": library("libx.so.1"),
    "opt/no/libx.so.1": library("libx.so.1"),
    "usr/lib/libx.so.1": library("libx.so.1"),
  },
  "a regular file under the soname stays, as after `cp -L`": {
    "etc/ld.so.conf": { text: "/opt/l\n" },
    "opt/l/libcudnn.so.9": library("libcudnn.so.9"),
    "opt/l/libcudnn.so.9.14.0": library("libcudnn.so.9"),
    "opt/l/libcudnn.so": library("libcudnn.so.9"),
  },
  "files that are no libraries are passed over": {
    "etc/ld.so.conf": { text: "/opt/l\n" },
    "opt/l/libempty.so.1": new Uint8Array(0),
    "opt/l/libscript.so": { text: "/* GNU ld script */ GROUP ( libx.so.1 )" },
    "opt/l/plugin.so": library("plugin.so"),
    "opt/l/libnosoname.so": library(),
    "opt/l/libdead.so.1": { link: "nowhere" },
    "opt/l/libnew.so.1;5f2e": library("libnew.so.1"),
  },
  "glibc-hwcaps folders come before the plain one": {
    "etc/ld.so.conf": { text: "/opt/l\n" },
    "opt/l/libx.so.1": library("libx.so.1"),
    "opt/l/glibc-hwcaps/x86-64-v3/libx.so.1.0": library("libx.so.1"),
    "opt/l/glibc-hwcaps/x86-64-v2/libx.so.1": library("libx.so.1"),
  },
  "a folder reached under two names counts once": {
    "etc/ld.so.conf": { text: "/opt/link\n/opt/real\n" },
    "opt/real/libx.so.2": library("libx.so.2"),
    "opt/real/libx.so.10": library("libx.so.10"),
    "opt/link": { link: "real" },
  },
};

describe("what ldconfig would write", needs({ ldconfig }), () => {
  test.for(Object.keys(trees))("%s", async (fact, context) => {
    if (process.getuid?.() !== 0 && fact.startsWith("a regular file"))
      context.skip("needs root: an ldconfig that may not chroot takes a file for a link");
    const tree = path.join(scratch, fact.replace(/\W+/g, "-"));
    build(tree, { ...loader, "var/cache/ldconfig": { folder: true }, ...trees[fact] });
    const before = await predicted(tree);
    const after = real(tree);
    expect(before.entries).toEqual(after.entries);
    // We only know links of folders that we looked into; every link that ldconfig made is among them.
    expect(before.links.filter((link) => !link.includes("libdead"))).toEqual(after.links);
  });
});
