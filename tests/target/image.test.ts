import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import {
  openTarget,
  checkReport,
  checkStack,
  loadsOfEach,
  imageKeeping,
  readSnapshot,
  serializeSnapshot,
  takeSnapshot,
  type Target,
} from "../../packages/core/src/index.ts";
import { image, root } from "../../packages/machine/src/target/index.ts";
import { hasTool } from "../elf/readelf.ts";
import { makeElf } from "../loader/make-elf.ts";
import { ldconfig, runLdconfig } from "../loader/roots.ts";
import {
  archive,
  dockerFiles,
  entryBytes,
  file,
  hardLink,
  link,
  manifestOf,
  ociFiles,
  packings,
  sha256,
  summed,
  tar,
  writeFolder,
  zstd,
  type Entry,
  type ImagePlan,
} from "./make-image.ts";
import { needs } from "../needs.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "image-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let count = 0;
const write = (bytes: Uint8Array) => {
  const at = path.join(scratch, `${(count += 1)}.tar`);
  fs.writeFileSync(at, bytes);
  return at;
};
const open = async (at: string): Promise<Target> => image(at, await imageKeeping());
const docker = (...images: ImagePlan[]) => open(write(archive(dockerFiles(...images))));
const ofLayers = (...layers: Entry[][]) => docker({ layers: layers.map((entries) => tar(...entries)) });

/** Everything in a target, as one would list it. */
async function treeOf(target: Target, folder = ""): Promise<string[]> {
  const names = await target.list(folder === "" ? "/" : folder);
  if (!Array.isArray(names)) throw new Error(names.code);
  const lines: string[] = [];
  for (const name of names.sort()) {
    const at = `${folder}/${name}`;
    const [fact] = await target.look([at]);
    if (fact!.kind === "folder") lines.push(`${at}/`, ...(await treeOf(target, at)));
    else if (fact!.kind === "link") lines.push(`${at} -> ${fact!.to}`);
    else if (fact!.kind === "file") lines.push(`${at} ${await textOf(target, at)}`);
    else lines.push(`${at} ${fact!.kind}`);
  }
  return lines;
}

async function textOf(target: Target, at: string): Promise<string> {
  const opened = await target.open(at);
  if (typeof opened === "string") throw new Error(opened);
  const [bytes] = await opened.read([{ offset: 0, length: opened.size }]);
  expect(bytes!.length).toBe(opened.size);
  return 200 < bytes!.length ? sha256(bytes!) : Buffer.from(bytes!).toString();
}

const big = Buffer.alloc(300_000, "0123456789abcdef");
const base: Entry[] = [
  { name: "./", type: "5" },
  { name: "etc/", type: "5" },
  file("etc/ld.so.conf", "/opt/lib\n"),
  file("usr/lib/libold.so", "old"),
  file("opt/app/gone", "x"),
  file("opt/app/stays", "y"),
  file("opt/data/one", "1"),
  file("opt/data/two", "2"),
  file("was-file", "f"),
  file("was-folder/inside", "i"),
  link("lib", "usr/lib"),
  { name: "pipe", type: "6" },
  file("big", big),
];
const middle: Entry[] = [
  file("opt/app/.wh.gone"),
  // What a layer brings itself is there, before and after the mark that hides what is below.
  file("opt/data/three", "3"),
  file("opt/data/.wh..wh..opq"),
  file("opt/data/four", "4"),
  file("was-file/now", "n"),
  file("was-folder", "w"),
  // The folder is a link below: this file goes where that leads.
  file("lib/libnew.so", "new"),
  hardLink("usr/lib/libsame.so", "usr/lib/libnew.so"),
  hardLink("usr/lib/liblower.so", "./usr/lib/libold.so"),
];
const upper: Entry[] = [
  file("/absolute", "a"),
  file("opt/.wh..wh.plnk", ""),
  file("was-folder/.wh.nothing"),
  { name: "back/", type: "5" },
  link("back/../up", "../../../etc"),
];
const merged = [
  "/absolute a",
  "/back/",
  `/big ${sha256(big)}`,
  "/etc/",
  "/etc/ld.so.conf /opt/lib\n",
  "/lib -> usr/lib",
  "/opt/",
  "/opt/app/",
  "/opt/app/stays y",
  "/opt/data/",
  "/opt/data/four 4",
  "/opt/data/three 3",
  "/pipe special",
  "/usr/",
  "/usr/lib/",
  "/usr/lib/liblower.so old",
  "/usr/lib/libnew.so new",
  "/usr/lib/libold.so old",
  "/usr/lib/libsame.so new",
  "/was-file/",
  "/was-file/now n",
  "/was-folder w",
];
const layers = [base, middle, upper.slice(0, -1)].map((entries) => tar(...entries));

describe("the same tree, however it is written", () => {
  const forms: [string, (packed: Uint8Array[]) => ReturnType<typeof dockerFiles>][] = [
    ["docker save", (packed) => dockerFiles({ layers: packed })],
    ["an OCI layout", (packed) => ociFiles([{ layers: packed }])],
  ];
  for (const [form, files] of forms)
    for (const [inner, pack] of Object.entries(packings)) {
      test(`${form}, layers ${inner}, as a folder`, async () => {
        const at = writeFolder(path.join(scratch, `${(count += 1)}`), files(layers.map(pack)));
        expect(await treeOf(await open(at))).toEqual(merged);
      });
      for (const [outer, packAll] of Object.entries(packings)) {
        test(`${form}, layers ${inner}, archive ${outer}`, async () => {
          expect(await treeOf(await open(write(packAll(archive(files(layers.map(pack)))))))).toEqual(merged);
        });
      }
    }

  test("with names of one file known as one, also across layers", async () => {
    const target = await docker({ layers });
    const facts = await target.look(["/usr/lib/libnew.so", "/usr/lib/libsame.so", "/usr/lib/libold.so", "/usr/lib/liblower.so"]);
    const ids = facts.map((fact) => (fact.kind === "file" ? fact.id : undefined));
    expect([ids[0] === ids[1], ids[2] === ids[3], ids[0] === ids[2]]).toEqual([true, true, false]);
  });

  test("with links between layers, as old archives name the same layer twice", async () => {
    const files = { "b/layer.tar": tar(file("x", "1")), "c.json": "{}", "manifest.json": `[{"Config":"c.json","Layers":["a/layer.tar"]}]` };
    for (const pack of Object.values(packings)) {
      const bytes = tar(link("a/layer.tar", "../b/layer.tar"), ...Object.entries(files).map(([name, content]) => file(name, content)));
      expect(await treeOf(await open(write(pack(bytes))))).toEqual(["/x 1"]);
    }
  });

  test("a folder that is said to be one takes the place of a link; a link never leads out", async () => {
    const target = await ofLayers(
      [link("lib", "usr/lib"), file("usr/lib/a", "a")],
      [{ name: "lib/", type: "5" }, file("lib/b", "b")],
      [link("l", "../../../../x"), file("l/y", "y")],
    );
    expect(await treeOf(target)).toEqual([
      "/l -> ../../../../x",
      "/lib/",
      "/lib/b b",
      "/usr/",
      "/usr/lib/",
      "/usr/lib/a a",
      "/x/",
      "/x/y y",
    ]);
  });
});

describe("what tar itself writes", needs({ tar: hasTool("tar") }), () => {
  const folder = path.join(scratch, "written");
  const long = `${"long/".repeat(30)}${"name".repeat(50)}`;
  fs.mkdirSync(path.dirname(`${folder}/${long}`), { recursive: true });
  fs.writeFileSync(`${folder}/${long}`, "long");
  fs.mkdirSync(`${folder}/ünï cødé`);
  fs.writeFileSync(`${folder}/ünï cødé/file`, "u");
  fs.writeFileSync(`${folder}/a`, "a");
  fs.linkSync(`${folder}/a`, `${folder}/b`);
  fs.symlinkSync("a", `${folder}/l`);
  const hole = fs.openSync(`${folder}/sparse`, "w");
  for (let at = 0; at < 30; at += 1) fs.writeSync(hole, `piece ${at}`, at * (1 << 18) + 4096);
  fs.ftruncateSync(hole, 9 << 20);
  fs.closeSync(hole);
  const everything = ["a", "b", "l", "sparse", "ünï cødé/file"];

  test.each([
    ["--format=v7"],
    ["--format=ustar"],
    ["--format=oldgnu"],
    ["--format=gnu"],
    ["--format=pax"],
    ["--format=gnu", "--sparse"],
    ["--format=pax", "--sparse", "--sparse-version=0.0"],
    ["--format=pax", "--sparse", "--sparse-version=0.1"],
    ["--format=pax", "--sparse", "--sparse-version=1.0"],
  ])("%s %s %s", async (...options) => {
    const hasLong = options.some((option) => /gnu|pax/.test(option));
    const layer = execFileSync("tar", ["-C", folder, "-c", ...options.filter(Boolean), ...everything, ...(hasLong ? [long] : [])], {
      maxBuffer: 1 << 30,
    });
    const before = await root(folder);
    for (const pack of [packings["plain"]!, packings["gzip"]!]) {
      const target = await docker({ layers: [pack(layer)] });
      for (const name of [...everything.filter((each) => each !== "l"), ...(hasLong ? [long] : [])])
        expect(await textOf(target, `/${name}`), name).toBe(await textOf(before, `/${name}`));
      const [a, b, l] = await target.look(["/a", "/b", "/l"]);
      expect(a).toEqual(b);
      expect(l).toEqual({ kind: "link", to: "a" });
      const opened = (await target.open("/sparse")) as Exclude<Awaited<ReturnType<Target["open"]>>, string>;
      const pieces = await opened.read([
        { offset: 4090, length: 20 },
        { offset: (9 << 20) - 3, length: 9 },
      ]);
      expect(pieces.map((bytes) => Buffer.from(bytes).toString("latin1"))).toEqual([`${"\0".repeat(6)}piece 0${"\0".repeat(7)}`, "\0\0\0"]);
    }
  });
});

describe("what a container would start with", () => {
  const passwd = file("etc/passwd", "root:x:0:0:root:/root:/bin/sh\napp:x:1000:1001::/home/app:/bin/sh\n");
  const group = file("etc/group", "video:x:44:\n");
  const start = async (config: object) => (await docker({ layers: [tar(passwd, group)], config })).process();

  test("variables, folder and user of its configuration", async () => {
    expect(
      await start({
        Env: ["PATH=/opt/bin", "LD_LIBRARY_PATH=/usr/local/nvidia/lib64", "EMPTY=", "A=b=c"],
        WorkingDir: "/app",
        User: "app",
      }),
    ).toEqual({
      environment: { PATH: "/opt/bin", LD_LIBRARY_PATH: "/usr/local/nvidia/lib64", EMPTY: "", A: "b=c", HOME: "/home/app" },
      cwd: "/app",
      user: { uid: 1000, gid: 1001 },
      unknown: [],
    });
  });

  test("and what Docker puts in where it says nothing", async () => {
    expect(await start({})).toMatchObject({
      environment: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root" },
      cwd: "/",
      user: { uid: 0, gid: 0 },
    });
    expect((await start({ User: "1234:video" })).user).toEqual({ uid: 1234, gid: 44 });
    expect((await start({ User: "app:7" })).user).toEqual({ uid: 1000, gid: 7 });
  });
});

describe("which image is meant", () => {
  const plan = (name: string, more: Partial<ImagePlan> = {}): ImagePlan => ({ layers: [tar(file(name, name))], names: [name], ...more });

  test("is asked when a file holds several, and said with #", async () => {
    for (const files of [dockerFiles(plan("app:1"), plan("app:2")), ociFiles([plan("app:1"), plan("app:2")])]) {
      const at = write(archive(files));
      await expect(open(at)).rejects.toThrow("it holds several images: `app:1`, `app:2`; `#NAME` behind the file chooses one");
      expect(await treeOf(await open(`${at}#app:2`))).toEqual(["/app:2 app:2"]);
      await expect(open(`${at}#app:3`)).rejects.toThrow("it holds no image `app:3`, only `app:1`, `app:2`");
    }
  });

  test("is not asked when one image has two names", async () => {
    const files = dockerFiles({ ...plan("app:1"), names: ["app:1", "app:latest"] });
    expect(await treeOf(await open(write(archive(files))))).toEqual(["/app:1 app:1"]);
  });

  test("of several platforms this machine's is taken, else amd64, and that is said", async () => {
    const own = process.arch === "x64" ? "amd64" : process.arch;
    const one = (architecture: string, name = architecture): ImagePlan => ({
      layers: [tar(file(name, "x"))],
      architecture,
      platform: { os: "linux", architecture },
    });
    for (const nested of [false, true]) {
      const target = await open(write(archive(ociFiles([one("s390x"), one(own)], nested))));
      expect(await treeOf(target)).toEqual([`/${own} x`]);
      expect((await target.process()).unknown).toEqual([
        {
          subject: "the image's platform",
          reason: expect.stringMatching(new RegExp(`made for \`linux/s390x\`, \`linux/${own}\`; linux/${own} was examined`)),
        },
      ]);
    }
    const strange = write(archive(ociFiles([one("s390x"), one("ppc64le")])));
    expect(await treeOf(await open(strange))).toEqual(["/s390x x"]);
    expect(await treeOf(await open(`${strange}#linux/ppc64le`))).toEqual(["/ppc64le x"]);
    const alone = await open(write(archive(ociFiles([one("s390x")]))));
    expect((await alone.process()).unknown).toEqual([]);
  });

  test("what is known about an image is not taken for one", async () => {
    const files: { [name: string]: Uint8Array | string } = { "oci-layout": "{}" };
    const real = manifestOf(files, plan("app"));
    const about = { ...manifestOf(files, plan("about")), platform: { os: "unknown", architecture: "unknown" } };
    files["index.json"] = JSON.stringify({ manifests: [about, real] });
    expect(await treeOf(await open(write(archive(files))))).toEqual(["/app app"]);
  });

  test("a # in the name of a file is a # in the name of a file", async () => {
    const at = path.join(scratch, "a#b.tar");
    fs.writeFileSync(at, archive(dockerFiles(plan("x"))));
    expect(await treeOf(await open(at))).toEqual(["/x x"]);
  });
});

describe("what is refused, in one sentence", () => {
  const good = (...entries: Entry[]) => archive(dockerFiles({ layers: [tar(...entries)] }));
  const packed = (...entries: Entry[]) => archive(dockerFiles({ layers: [gzipSync(tar(...entries))] }));
  const layered = (layer: Uint8Array, media?: string) =>
    archive(ociFiles([{ layers: [layer], ...(media === undefined ? {} : { media }) }]));
  const replaced = (files: { [name: string]: Uint8Array | string }, name: string, by: string | undefined) => {
    const rest = Object.entries(files).filter(([each]) => each !== name);
    return archive(Object.fromEntries(by === undefined ? rest : [...rest, [name, by]]));
  };
  const docker1 = dockerFiles({ layers: [tar(file("a"))] });
  const oci1 = ociFiles([{ layers: [tar(file("a"))] }]);
  const layerBlob = `blobs/sha256/${sha256(tar(file("a")))}`;
  const cut = (bytes: Buffer, end: number) => bytes.subarray(0, end);

  const cases: [string, () => Uint8Array | string, RegExp][] = [
    ["no file", () => "/nowhere.tar", /there is no such file$/],
    ["no archive", () => Buffer.from("hello"), /neither a tar archive, packed or not, nor a folder$/],
    ["an empty file", () => Buffer.alloc(0), /neither a tar archive/],
    ["an archive without a manifest", () => tar(file("a")), /neither an index.json nor a manifest.json: it is no image$/],
    ["a Docker before 1.10", () => tar(file("repositories", "{}")), /before 1\.10$/],
    ["a name that leads out", () => good(file("../../etc/passwd", "x")), /leads out of the image: `..\/..\/etc\/passwd`$/],
    [
      "a name of a million slashes",
      () => good({ name: "n", pax: { path: `${"/".repeat(500_000)}x${"/".repeat(500_000)}` } }),
      /a name in it is longer than 4096 bytes/,
    ],
    ["a name that leads out and back", () => good(file("a/../../b", "x")), /leads out of the image/],
    ["the same, packed", () => packed(file("../x")), /leads out of the image/],
    ["a link in a name that leads out", () => good(link("a/../../up", "x")), /leads out of the image/],
    ["a hard link that leads out", () => good(hardLink("a", "../../etc/shadow")), /leads out of the image/],
    ["a hard link to nothing", () => good(hardLink("a", "b")), /`a` is a hard link to `b`, which is no file in it$/],
    ["a hard link to itself", () => good(hardLink("a", "a")), /which is no file in it$/],
    ["a hard link to a folder", () => good(file("b/c"), hardLink("a", "b")), /which is no file in it$/],
    ["links in a circle", () => good(link("a", "b"), link("b", "a"), file("a/x")), /go round in a circle, at `a`$/],
    ["layers outside the archive", () => archive(dockerFiles({ layers: [], layerNames: ["../../x"] })), /leads out of it: `..\/..\/x`$/],
    ["an archive's name that leads out", () => tar(file("../manifest.json", "[]")), /leads out of it/],
    [
      "an archive's links in a circle",
      () => tar(link("a", "b"), link("b", "a"), file("c", "{}"), file("manifest.json", `[{"Config":"c","Layers":["a"]}]`)),
      /in a circle/,
    ],
    [
      "a layer that is not there",
      () => archive(dockerFiles({ layers: [], layerNames: ["x/layer.tar"] })),
      /names the layer `x\/layer.tar`, which is not in it$/,
    ],
    ["a blob that is not there", () => replaced(oci1, layerBlob, undefined), /names the layer `blobs.*, which is not in it$/],
    [
      "a configuration that is not there",
      () => archive({ "manifest.json": `[{"Config":"c","Layers":[]}]` }),
      /names `c`, which is not in it$/,
    ],
    ["a layer that is none", () => layered(Buffer.alloc(4096, "x")), /is no tar archive; it may be encrypted, or packed in another way$/],
    [
      "an encrypted layer",
      () => layered(Buffer.alloc(4096, "x"), "application/vnd.oci.image.layer.v1.tar+gzip+encrypted"),
      /is encrypted$/,
    ],
    [
      "a foreign layer",
      () =>
        replaced(
          ociFiles([{ layers: [tar(file("a"))], media: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip" }]),
          layerBlob,
          undefined,
        ),
      /is a foreign one, whose content is kept elsewhere$/,
    ],
    ["an image for Windows", () => archive(dockerFiles({ layers: [], os: "windows" })), /an image for windows, not for Linux$/],
    ["a manifest that is no JSON", () => replaced(docker1, "manifest.json", "[{"), /`manifest.json` in it is no JSON$/],
    ["a manifest of nothing", () => replaced(docker1, "manifest.json", "[]"), /names no image$/],
    ["an index that is no object", () => replaced(oci1, "index.json", "[]"), /`index.json` in it is no JSON object$/],
    ["a digest that is none", () => replaced(oci1, "index.json", `{"manifests":[{"digest":"sha256:../../etc"}]}`), /is no digest$/],
    [
      "a document that is not what its digest says",
      () =>
        replaced(
          oci1,
          Object.keys(oci1).find((name) => String(oci1[name]).includes("config.v1"))!,
          `{"layers":[],"config":{}}`,
        ),
      /is not what its digest says$/,
    ],
    [
      "a packed layer that is not what its digest says",
      () =>
        replaced(
          ociFiles([{ layers: [gzipSync(tar(file("a")))] }]),
          `blobs/sha256/${sha256(gzipSync(tar(file("a"))))}`,
          gzipSync(tar(file("b"))).toString("latin1"),
        ),
      /digest|gzip|no tar/,
    ],
    [
      "a size beyond the end",
      () => good({ name: "a", content: "x", size: 1 << 20 }),
      /cut off, or lies about a size: `a` goes beyond its end$/,
    ],
    [
      "the same, packed",
      () => packed({ name: "a", content: "x", size: 1 << 20 }),
      /cut off, or lies about a size: `a` goes beyond its end$/,
    ],
    ["a size below zero", () => good({ name: "a", content: "x", size: -512 }), /below zero or beyond every file$/],
    ["a size beyond every file", () => good({ name: "a", content: "x", size: 2 ** 60 }), /below zero or beyond every file$/],
    ["a size that is no number", () => good({ name: "a", content: "x", pax: { size: "12x" } }), /a size in it is no number$/],
    ["a huge header", () => good({ name: "a", type: "x", size: 1 << 30 }), /a tar header in it is larger than 1 MB$/],
    ["a damaged pax header", () => good({ name: "p", type: "x", content: "99 path=x\n" }, file("a")), /a pax header in it is damaged$/],
    ["a damaged header", () => good(file("a", "x".repeat(600)), Buffer.alloc(512, "y")), /no tar header where one must be$/],
    [
      "sparse pieces that overlap",
      () => good({ name: "s", content: "xxxx", pax: { "GNU.sparse.map": "0,2,1,2", "GNU.sparse.size": "100" } }),
      /the map of a sparse file in it is damaged$/,
    ],
    [
      "sparse pieces beyond the end",
      () => good({ name: "s", content: "xxxx", pax: { "GNU.sparse.map": "99,4", "GNU.sparse.size": "100" } }),
      /the map of a sparse file in it is damaged$/,
    ],
    [
      "sparse pieces that are not stored",
      () => good({ name: "s", content: "xxxx", pax: { "GNU.sparse.map": "0,40", "GNU.sparse.size": "100" } }),
      /the map of a sparse file in it is damaged$/,
    ],
    ["one volume of several", () => good({ name: "m", type: "M" }), /one volume of several$/],
    ["a very long name", () => good({ name: "a", pax: { path: "n/".repeat(4000) } }), /is longer than 4096 bytes/],
    ["a very long link", () => good({ name: "a", type: "2", pax: { linkpath: "n".repeat(5000) } }), /is a link longer than 4096 bytes$/],
    ["an archive cut in a layer", () => cut(good(file("a", big)), 200_000), /goes beyond its end$/],
    ["an archive cut in a header", () => cut(good(file("a", "x")), 1300), /cut off/],
    ["a gzip file cut off", () => cut(gzipSync(good(file("a", big))), 900), /its gzip data is cut off$/],
    ["a damaged gzip file", () => gzipSync(good(file("a", big))).fill(0xff, 100, 200), /its gzip data is damaged$/],
    ["a zstd file cut off", () => cut(zstd(good(file("a", big))), 100_000), /its zstd data is cut off$|goes beyond its end$/],
    ["a damaged zstd file", () => zstd(good(file("a", big))).fill(0xff, 65536, 65600), /its zstd data is damaged$|no tar header|cut off/],
  ];
  test.each(cases)("%s", async (_, make, words) => {
    const given = make();
    const at = typeof given === "string" ? given : write(given);
    const error = await open(at).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(words);
    expect(error?.message).toMatch(/^cannot use `[^\n]*` as an image: [^\n]*$/);
  });

  test("what unpacks to too much, or holds too many entries, with the limit", async () => {
    const limits = { gigabytes: 0.05, entries: 1000 };
    const opening = async (bytes: Uint8Array) => image(write(bytes), await imageKeeping(), limits);
    const bomb = /unpacks to more than 0.05 GB and more than 200 times its size, which no real image does$/;
    await expect(opening(zstdZeros(1000))).rejects.toThrow(bomb);
    await expect(opening(archive(dockerFiles({ layers: [zstdZeros(1000)] })))).rejects.toThrow(bomb);
    await expect(opening(archive(dockerFiles({ layers: [gzipSync(tar(file("zeros", Buffer.alloc(100 << 20))))] })))).rejects.toThrow(bomb);
    // A sparse file claims much and stores nothing: what is not gone through does not count.
    const hole = { name: "hole", pax: { "GNU.sparse.map": "", "GNU.sparse.size": String(2 ** 50) } };
    await expect(
      opening(archive(dockerFiles({ layers: [tar({ ...hole, pax: { ...hole.pax, "GNU.sparse.map": "0,0" } })] }))),
    ).resolves.toBeDefined();
    const many = Array.from({ length: 1001 }, (_, index) => file(`f${index}`));
    for (const pack of [packings["plain"]!, packings["gzip"]!])
      await expect(opening(archive(dockerFiles({ layers: [pack(tar(...many))] })))).rejects.toThrow(/it has more than 1000 entries$/);
  });

  test("layouts whose links lead out", async () => {
    const folder = writeFolder(path.join(scratch, "linked"), oci1);
    fs.writeFileSync(path.join(scratch, "secret.tar"), tar(file("a")));
    fs.rmSync(`${folder}/${layerBlob}`);
    fs.symlinkSync(path.join(scratch, "secret.tar"), `${folder}/${layerBlob}`);
    await expect(open(folder)).rejects.toThrow(/is a link that leads out of it$/);
  });
});

/** A zstd frame of blocks of one byte each, 128 KB long: as small as packed data can be. */
function zstdZeros(blocks: number): Buffer {
  const body = Buffer.alloc(blocks * 4);
  for (let index = 0; index < blocks; index += 1) body.writeUInt32LE((index === blocks - 1 ? 1 : 0) | (1 << 1) | (131_072 << 3), index * 4);
  const head = entryBytes({ name: "zeros", size: blocks * 131_072 });
  const first = Buffer.alloc(3);
  first.writeUIntLE(head.length << 3, 0, 3);
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]), first, head, body]);
}

test("old headers whose sum was made of signed bytes are headers", async () => {
  const layer = tar(file("ü", "x"));
  const sum = layer
    .subarray(0, 512)
    .reduce((total, byte, at) => total + (148 <= at && at < 156 ? 0x20 : byte < 128 ? byte : byte - 256), 0);
  layer.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  expect(await treeOf(await docker({ layers: [layer] }))).toEqual(["/ü x"]);
  expect(summed(Buffer.from(layer.subarray(0, 512))).equals(layer.subarray(0, 512))).toBe(false);
});

describe("will it run there?", () => {
  const folder = process.arch === "arm64" ? "usr/lib/aarch64-linux-gnu" : "usr/lib/x86_64-linux-gnu";
  const loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((each) => fs.existsSync(each));
  const driver = (name: string, size = 0) => file(name, Buffer.concat([makeElf({ soname: "libcuda.so.1" }), Buffer.alloc(size)]));
  const check = async (environment: string[], ...more: Entry[]) => {
    const target = await docker({
      layers: [
        tar(
          { name: `${folder}/`, type: "5" },
          file("bin/program", makeElf({ program: true, interpreter: "/ld.so", needed: ["libcuda.so.1"] })),
          ...(loader === undefined ? [] : [file("ld.so", fs.readFileSync(loader))]),
          ...more,
        ),
      ],
      config: { Env: environment },
    });
    const { findings, unknown } = await checkStack(target, { driver: "470.82.01", gpus: ["T4"] }, { programs: [["/bin/program"]] });
    const wrong = findings.filter(({ severity }) => severity !== "info");
    return { wrong, rules: wrong.map(({ rule, subject, severity }) => `${severity} ${rule} ${subject}`), unknown };
  };

  test("the driver's libraries come from the host, whatever the image was built with", needs({ glibc: loader }), async () => {
    expect((await check([])).rules).toEqual([]);
    expect((await check(["LD_LIBRARY_PATH=/usr/local/nvidia/lib:/usr/local/nvidia/lib64"])).rules).toEqual([]);
    const compat = driver("usr/local/cuda-12.4/compat/libcuda.so.550.54.15", 1 << 22);
    const name = link("usr/local/cuda-12.4/compat/libcuda.so.1", "libcuda.so.550.54.15");
    expect((await check([], compat, name)).rules).toEqual([]);
    const stub = driver("usr/local/cuda/lib64/stubs/libcuda.so.1");
    expect((await check(["LD_LIBRARY_PATH=/usr/local/cuda/lib64/stubs"], stub)).rules).toEqual([expect.stringMatching(/^error stub-/)]);
    expect((await check([], stub)).rules).toEqual([]);
  });

  test(
    "also where its loader finds them by its cache only",
    needs({ glibc: loader, ldconfig, "x86-64": process.arch === "x64" }),
    async () => {
      // The cache is of the time when the image was built. This loader does not search /usr/lib64 by itself.
      const built = writeFolder(path.join(scratch, "built"), {
        "opt/driver/libcuda.so.1": makeElf({ soname: "libcuda.so.1" }),
        "etc/ld.so.conf": "/opt/driver\n",
      });
      runLdconfig(built);
      const target = await ofLayers([
        { name: "usr/lib64/", type: "5" },
        file("bin/program", makeElf({ program: true, interpreter: "/ld.so", needed: ["libcuda.so.1"] })),
        file("ld.so", fs.readFileSync(loader!)),
        file("etc/ld.so.cache", fs.readFileSync(`${built}/etc/ld.so.cache`)),
      ]);
      const { findings } = await checkStack(target, { driver: "470.82.01", gpus: ["T4"] }, { programs: [["/bin/program"]] });
      expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    },
  );

  test("but only what the image lets the runtime put into a container", needs({ glibc: loader }), async () => {
    for (const capabilities of ["compute,utility", "utility, compute", "all", "", "graphics,compute"])
      expect((await check([`NVIDIA_DRIVER_CAPABILITIES=${capabilities}`])).rules).toEqual([]);
    const { wrong, rules } = await check(["NVIDIA_DRIVER_CAPABILITIES=graphics,utility"]);
    expect(rules).toEqual(["error driver-not-exposed libcuda.so.1"]);
    expect(wrong[0]!.because[0]).toBe("NVIDIA_DRIVER_CAPABILITIES=graphics,utility leaves out `compute`, and with it libcuda.so.1");
  });

  test("the report says which image it is, and with what it was asked to run", async () => {
    const called = async (plan: Partial<ImagePlan>) => (await docker({ layers: [tar(file("a"))], ...plan })).description.called;
    const labels = { "org.opencontainers.image.title": "trainer", "org.opencontainers.image.version": "2.3" };
    expect(await called({})).toBe(undefined);
    expect(await called({ names: ["acme/trainer:2.3"], config: { Env: ["CUDA_VERSION=12.4.1"], Labels: labels } })).toBe(
      "acme/trainer:2.3 (CUDA 12.4.1)",
    );
    expect(await called({ config: { Labels: { ...labels, "com.nvidia.cudnn.version": "9.1.0.70-1" } } })).toBe(
      "trainer 2.3 (cuDNN 9.1.0.70-1)",
    );
    expect(
      await called({ config: { Env: ["NVIDIA_PRODUCT_NAME=PyTorch", "NVIDIA_PYTORCH_VERSION=24.03", "CUDA_VERSION=12.4.0.041"] } }),
    ).toBe("PyTorch 24.03, CUDA 12.4.0.041");
    const target = await docker({ layers: [tar(file("a"))], names: ["acme/trainer:2.3"] });
    const answer = await checkStack(target, { driver: "525.60.13", gpus: ["T4"] }, {});
    expect(checkReport(answer)).toContain("no framework was found to examine in acme/trainer:2.3 with driver 525.60.13 and T4");
  });

  test("what the image requires of the driver stops it, and that is said", needs({ glibc: loader }), async () => {
    expect((await check(["NVIDIA_REQUIRE_CUDA=cuda>=12.4 brand=tesla,driver>=470,driver<471"])).rules).toEqual([]);
    expect((await check(["NVIDIA_REQUIRE_CUDA=cuda>=12.4"])).rules).toEqual(["error driver-too-old NVIDIA_REQUIRE_CUDA"]);
  });
});

test("a program in an image loads what it loads in a folder, and a snapshot of it says the same", async () => {
  const own = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((each) => fs.existsSync(each));
  const files: { [name: string]: Uint8Array | string } = {
    "bin/program": makeElf({ program: true, interpreter: "/lib/ld.so", needed: ["libone.so", "libtext.so"], runpath: "$ORIGIN/../lib" }),
    "lib/libone.so": makeElf({ soname: "libone.so", needed: ["libcudart.so.12"], runpath: "/cuda" }),
    "lib/libtext.so": "GROUP ( libone.so )",
    "cuda/libcudart.so.12": makeElf({ soname: "libcudart.so.12" }),
    "etc/ld.so.preload": "",
    ...(own === undefined ? {} : { "lib/ld.so": fs.readFileSync(own) }),
  };
  const folder = writeFolder(path.join(scratch, "root"), files);
  const layer = tar(...Object.entries(files).map(([name, content]) => file(name, content)));
  const loads = async (target: Parameters<typeof openTarget>[0]) => {
    for await (const answer of loadsOfEach(await openTarget(target), ["/bin/program"])) return answer;
    return undefined;
  };
  const expected = await loads(root(folder));
  expect(expected!.loads.map((load) => load.file)).toEqual(
    ["/lib/libone.so", ...(expected!.failures.length === 0 ? ["/cuda/libcudart.so.12"] : [])].slice(0, expected!.loads.length),
  );
  for (const pack of Object.values(packings)) {
    const target = await docker({ layers: [pack(layer)], config: { Env: ["PATH=/bin"] } });
    expect(await loads(target)).toEqual(expected);
    const taken = await readSnapshot(serializeSnapshot(await takeSnapshot(await openTarget(target), ["/bin/program"])));
    if ("problem" in taken) throw new Error(taken.problem);
    expect(taken.snapshot.target.kind).toBe("image");
    expect(await loads(taken.snapshot)).toEqual(expected);
  }
});
