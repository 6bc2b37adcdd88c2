import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openTarget, loadsOfEach, imageKeeping, type Target } from "../../packages/core/src/index.ts";
import type { OpenFile } from "../../packages/core/src/model/target.ts";
import { host, image, machine, pid, root } from "../../packages/machine/src/target/index.ts";
import { kinds } from "../../packages/machine/src/target/kinds.ts";
import { hasTool } from "../elf/readelf.ts";
import { asUser, cannotBecome } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import { archive, dockerFiles, packings } from "./make-image.ts";
import { needs } from "../needs.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "target-")));
const top = path.join(scratch, "top");
const outside = path.join(scratch, "outside");

beforeAll(() => {
  fs.chmodSync(scratch, 0o755);
  for (const folder of [top, outside, `${top}/folder`, `${top}/closed`, `${top}/unlisted`]) fs.mkdirSync(folder);
  fs.writeFileSync(`${top}/file`, "0123456789");
  fs.writeFileSync(`${top}/empty`, "");
  fs.writeFileSync(`${top}/secret`, "x", { mode: 0o000 });
  fs.writeFileSync(`${top}/closed/inside`, "x");
  fs.writeFileSync(`${outside}/secret`, "outside");
  fs.linkSync(`${top}/file`, `${top}/hard`);
  fs.writeFileSync(`${top}/folder/ünï cødé`, "");
  fs.writeFileSync(`${top}/setuid`, "", { mode: 0o755 });
  fs.chmodSync(`${top}/setuid`, 0o4755);
  fs.writeFileSync(`${top}/setgid`, "");
  fs.chmodSync(`${top}/setgid`, 0o2755);
  fs.writeFileSync(`${top}/locking`, "");
  fs.chmodSync(`${top}/locking`, 0o2644); // Mandatory locking, not a set-group-ID program.
  for (const [name, to] of [
    ["link", "file"],
    ["absolute", `${outside}/secret`],
    ["up", "../outside/secret"],
    ["dangling", "nowhere"],
    ["loop", "loop"],
    ["to-folder", "folder"],
    ["to-pipe", "pipe"],
  ] as const)
    fs.symlinkSync(to, `${top}/${name}`);
  execFileSync("mkfifo", [`${top}/pipe`]);
  fs.chmodSync(`${top}/closed`, 0o000);
  fs.chmodSync(`${top}/unlisted`, 0o311);
});
afterAll(() => {
  // Only root removes what it may not list.
  for (const name of ["closed", "unlisted"]) fs.chmodSync(`${top}/${name}`, 0o755);
  fs.rmSync(scratch, { recursive: true, force: true });
});

// In the place of ssh: runs its last word with a shell, as another user where one is named.
function shellAs(shell: string, user?: number): string[] {
  const file = path.join(scratch, `${path.basename(shell)}-${user ?? "self"}`);
  const become = user === undefined ? "" : `setpriv --reuid=${user} --regid=${user} --clear-groups `;
  fs.writeFileSync(
    file,
    `#!/bin/sh\necho "Welcome, have a nice day"\nfor word; do last=$word; done\nset -- $last\nexec ${become}${shell}\n`,
    { mode: 0o755 },
  );
  return [file];
}

// Every target passes this. A new one needs a line here: what it is, and how it calls a path below `top`.
interface Door {
  /** The file of its kind. */
  of: string;
  name: string;
  make: () => Target | Promise<Target>;
  at: (name: string) => string;
  /** Where becoming another user in this process is not enough. */
  makeAs?: (user: number) => Promise<Target>;
}
const targets: Door[] = [
  { of: "machine", name: "machine", make: machine, at: (name) => `${top}/${name}` },
  { of: "root", name: "root", make: () => root(top), at: (name) => `/${name}` },
  { of: "pid", name: "pid", make: () => pid(process.pid), at: (name) => `${top}/${name}` },
  ...["sh", "bash", "busybox sh"]
    .filter((shell) => hasTool(shell.split(" ")[0]!))
    .map((shell) => ({
      of: "ssh",
      name: `ssh (${shell})`,
      make: () => host("there", shellAs(shell)),
      at: (name: string) => `${top}/${name}`,
      makeAs: (user: number) => host("there", shellAs(shell, user)),
    })),
  ...["plain", "gzip", "zstd"].map((packing) => ({
    of: "image",
    name: `image, ${packing}`,
    make: async () => image(imageOf(packing), await imageKeeping()),
    at: (name: string) => `/${name}`,
    makeAs: async (user: number) => image(imageOf(packing, user), await imageKeeping()),
  })),
];

function imageOf(packing: string, user = 0): string {
  const at = path.join(scratch, `${packing}-${user}.tar`);
  if (!fs.existsSync(at)) {
    // Without the rights of root, tar leaves out what it may not read.
    const { stdout } = spawnSync("tar", ["-C", top, "--numeric-owner", "-c", "."], { maxBuffer: 1 << 26 });
    fs.writeFileSync(at, archive(dockerFiles({ layers: [packings[packing]!(stdout)], config: { User: `${user}:${user}` } })));
  }
  return at;
}

/** Kinds that nothing is asked of while they are looked at. */
const withoutContract: { [kind: string]: string } = { snapshot: "it is facts already: tests/snapshot.test.ts reads them" };

test.each(kinds.map((kind) => kind.id))("the target %s keeps the contract", (kind) => {
  expect(
    kind in withoutContract || targets.some(({ of }) => of === kind),
    `target/kinds/${kind}.ts does not pass the contract: tests/target/contract.test.ts needs a line that makes one`,
  ).toBe(true);
});

const id = (fact: unknown) => (fact as { id?: string }).id;

// What comes along with one journey must be what would have been answered one by one.
describe.each(["sh", "bash", "busybox sh"].filter((shell) => hasTool(shell.split(" ")[0]!)))("asked ahead (%s)", (shell) => {
  const inside = (name: string) => `${top}/${name}`;

  test("every step on the way to a path is told as `look` tells it, links followed", async () => {
    fs.symlinkSync("to-folder/../to-folder", inside("twice"));
    fs.symlinkSync(`${top}/twice/`, inside("folder/round"));
    fs.writeFileSync(inside('folder/it\'s\n"odd"'), "odd");
    fs.symlinkSync('it\'s\n"odd"', inside("folder/line\n"));
    const target = await host("there", shellAs(shell));
    const told = await target.prefetch!(
      ["link", "twice/round/line\n", "loop/below", "dangling", "nowhere/at/all", "file/below", "pipe", ".", "folder/..", "up"].map(
        (name) => ({
          path: inside(name),
          as: "entry",
        }),
      ),
    );
    const paths = [...told.keys()];
    for (const name of ["link", "file", "twice", "to-folder", "folder", "folder/round", "folder/line\n", "loop", "nowhere", "pipe", "up"])
      expect(paths).toContain(inside(name));
    expect(told.get(inside('folder/it\'s\n"odd"'))).toMatchObject({ kind: "file", size: 3 });
    expect(told.get(inside("nowhere/at"))).toBe(undefined);
    expect([...told.values()]).toEqual(await target.look(paths));
    for (const name of ["twice", "folder/round", "folder/line\n", 'folder/it\'s\n"odd"']) fs.rmSync(inside(name));
  });

  test("a folder's names and a file's bytes come along", async () => {
    const large = Buffer.from(Array.from({ length: 400_001 }, (_, index) => (index * 7 + (index >> 8)) & 255));
    fs.writeFileSync(inside("large"), large);
    const target = await host("there", shellAs(shell));
    await target.prefetch!([
      { path: inside("to-folder"), as: "listing" },
      { path: inside("link"), as: "whole" },
      { path: inside("large"), as: "parts" },
      { path: inside("secret"), as: "parts" },
      { path: inside("folder"), as: "parts" },
    ]);
    expect(await target.list(inside("folder"))).toEqual(["ünï cødé"]);
    expect(await target.open(inside("folder"))).toBe("EISDIR");
    const bytes = async (name: string, offset: number, length: number) => {
      const file = await target.open(inside(name));
      return typeof file === "string" ? file : Buffer.from((await file.read([{ offset, length }]))[0]!);
    };
    expect(await bytes("file", 2, 100)).toEqual(Buffer.from("23456789"));
    for (const [offset, length] of [
      [0, 100],
      [65_530, 20],
      [200_000, 100_000],
      [399_000, 5_000],
      [0, 400_001],
    ] as const)
      expect(await bytes("large", offset, length)).toEqual(large.subarray(offset, offset + length));
    fs.rmSync(inside("large"));
  });

  test("the heads of a chain of records come in one answer", async () => {
    // Each record: a mark, how long its head is, how long what follows is.
    const records = [70_000, 9, 300_000, 64, 100_000].map((length, index) => {
      const record = Buffer.alloc(16 + length, index + 1);
      record.write("REC!", "latin1");
      record.writeUInt16LE(16, 4);
      record.writeUInt32LE(length, 8);
      return record;
    });
    const content = Buffer.concat([Buffer.alloc(100_000), ...records, Buffer.alloc(70_000)]);
    fs.writeFileSync(inside("records"), content);
    const file = await (await host("there", shellAs(shell))).open(inside("records"));
    if (typeof file === "string") throw new Error(file);
    const kinds = [
      {
        begins: [..."REC!"].map((letter) => letter.charCodeAt(0)),
        sum: [
          { at: 4, size: 2 },
          { at: 8, size: 4 },
        ],
      },
    ];
    for (let offset = 100_000, index = 0; index < records.length; offset += records[index]!.length, index += 1) {
      const [head] = await file.read([{ offset, length: 16, chain: { end: content.length, kinds } }]);
      expect(Buffer.from(head!)).toEqual(content.subarray(offset, offset + 16));
    }
    fs.rmSync(inside("records"));
  });
});

describe.each(targets)("the target `$name`", ({ make, at, makeAs }) => {
  const look = async (name: string) => (await (await make()).look([at(name)]))[0]!;
  const opened = async (name: string): Promise<OpenFile> => {
    const file = await (await make()).open(at(name));
    if (typeof file === "string") throw new Error(file);
    return file;
  };

  test("tells files, folders, pipes and what is not there apart, many at once and in order", async () => {
    const facts = await (await make()).look(["file", "folder", "pipe", "nowhere", "empty"].map(at));
    expect(facts.map(({ kind }) => kind)).toEqual(["file", "folder", "special", "absent", "file"]);
    expect(facts[0]).toMatchObject({ size: 10 });
    expect(facts[4]).toMatchObject({ size: 0 });
    expect(await look("file/below")).toEqual({ kind: "hidden", code: "ENOTDIR" });
  });

  test("says of a link where it leads, and does not go there", async () => {
    expect(await look("link")).toEqual({ kind: "link", to: "file" });
    expect(await look("absolute")).toEqual({ kind: "link", to: `${outside}/secret` });
    expect(await look("dangling")).toEqual({ kind: "link", to: "nowhere" });
    expect(await look("loop")).toEqual({ kind: "link", to: "loop" });
    expect(await look("to-folder")).toEqual({ kind: "link", to: "folder" });
  });

  test("knows two names of one file as one, and two files of one content as two", async () => {
    const [file, hard, empty] = await (await make()).look([at("file"), at("hard"), at("empty")]);
    expect(id(file)).toBe(id(hard));
    expect(id(file)).not.toBe(id(empty));
  });

  test("says whose rights a program gets", async () => {
    const { uid, gid } = fs.statSync(`${top}/setuid`);
    expect(await look("setuid")).toMatchObject({ setuid: uid });
    expect(await look("setgid")).toMatchObject({ setgid: gid });
    expect(await look("locking")).not.toHaveProperty("setgid");
    expect(await look("file")).not.toHaveProperty("setuid");
  });

  test("opens no link, wherever it leads", async () => {
    for (const name of ["link", "absolute", "up", "dangling", "loop", "to-pipe"]) expect(await (await make()).open(at(name))).toBe("ELOOP");
  });

  test("gives the code of what cannot be opened", async () => {
    expect(await (await make()).open(at("nowhere"))).toBe("ENOENT");
    expect(await (await make()).open(at("file/below"))).toBe("ENOTDIR");
  });

  test("gives many pieces at once, fewer bytes at the end of the file and none beyond it", async () => {
    const file = await opened("file");
    expect(file.size).toBe(10);
    const pieces = await file.read([
      { offset: 2, length: 3 },
      { offset: 8, length: 100 },
      { offset: 10, length: 5 },
      { offset: 2 ** 40, length: 5 },
      { offset: 0, length: 10 },
    ]);
    expect(pieces.map((bytes) => Buffer.from(bytes).toString())).toEqual(["234", "89", "", "", "0123456789"]);
    file.close();
  });

  test("does not wait for a pipe that nobody writes to, nor for a folder", async () => {
    for (const name of ["pipe", "folder"]) {
      const file = await (await make()).open(at(name));
      if (typeof file === "string") continue;
      const read = await file.read([{ offset: 0, length: 10 }]).catch((error: NodeJS.ErrnoException) => error.code);
      if (Array.isArray(read)) expect(read[0]!.length).toBe(0);
      file.close();
    }
  });

  test("lists names as they are, and gives a code for what is no folder or not there", async () => {
    expect(await (await make()).list(at("folder"))).toEqual(["ünï cødé"]);
    expect(await (await make()).list(at("nowhere"))).toEqual({ code: "ENOENT" });
    expect(await (await make()).list(at("file"))).toEqual({ code: "ENOTDIR" });
  });

  test("gives codes for what this user may not read", needs(cannotBecome()), async () => {
    const become = makeAs ? (act: () => Promise<void>) => act() : (act: () => Promise<void>) => asUser(65534, act);
    await become(async () => {
      const target = makeAs ? await makeAs(65534) : await make();
      expect(await target.open(at("secret"))).toBe("EACCES");
      expect(await target.look([at("secret"), at("closed"), at("closed/inside")])).toEqual([
        expect.objectContaining({ kind: "file", size: 1 }),
        { kind: "folder" },
        { kind: "hidden", code: "EACCES" },
      ]);
      expect(await target.list(at("unlisted"))).toEqual({ code: "EACCES" });
      expect(await target.list(at("closed"))).toEqual({ code: "EACCES" });
      expect(await target.open(at("closed/inside"))).toBe("EACCES");
    });
  });

  test("says how a program would begin there", async () => {
    const { environment, cwd, user } = await (await make()).process();
    expect(cwd.startsWith("/")).toBe(true);
    expect(Object.values(environment).every((value) => typeof value === "string")).toBe(true);
    expect(user).toEqual({ uid: expect.any(Number), gid: expect.any(Number) });
  });
});

test("a disk that fails on another host is an error there, not the end of a file", async () => {
  const bin = path.join(scratch, "failing");
  fs.mkdirSync(bin);
  fs.writeFileSync(`${bin}/dd`, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const target = await host("there", shellAs(`env PATH=${bin}:$PATH sh`));
  expect(await target.open(`${top}/file`)).toBe("EIO");
  expect(typeof (await target.open(`${top}/empty`))).toBe("object");
});

describe("the target `machine`", () => {
  test("reads what /proc calls empty, and never more than was asked of a device", async () => {
    const file = await machine().open("/proc/self/status");
    if (typeof file === "string") throw new Error(file);
    expect((await file.read([{ offset: 0, length: 65536 }]))[0]!.length).toBeGreaterThan(100);
    file.close();
    expect((await machine().look(["/dev/zero"]))[0]).toEqual({ kind: "special" });
    const zero = await machine().open("/dev/zero");
    if (typeof zero === "string") return;
    expect((await zero.read([{ offset: 0, length: 7 }]))[0]!.length).toBe(7);
    zero.close();
  });
});

/** A root whose every way leads out: each name that a loader asks for is a link to the real system or to `outside`. */
function hostileRoot(name: string): string {
  const at = path.join(scratch, name);
  const library = makeElf({ soname: "libout.so", needed: ["libc.so.6"] });
  fs.writeFileSync(`${outside}/libout.so`, library);
  fs.mkdirSync(`${at}/bin`, { recursive: true });
  fs.mkdirSync(`${at}/etc`);
  fs.mkdirSync(`${at}/farm`);
  fs.writeFileSync(
    `${at}/bin/program`,
    makeElf({
      program: true,
      interpreter: "/loader/ld.so",
      needed: ["libout.so", "libup.so", "libloop.so", "libfarm.so", "/way/out.so", "../../../../../../outside/libout.so"],
      runpath: `${outside}:$ORIGIN/../../../outside:/lib:/farm:/up/up/up`,
    }),
  );
  fs.mkdirSync(`${at}/loader`);
  const own = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((file) => fs.existsSync(file));
  if (own) fs.copyFileSync(own, `${at}/loader/ld.so`);
  for (const [link, to] of [
    ["lib", "/usr/lib"],
    ["up", "../../.."],
    ["way", outside],
    ["etc/ld.so.cache", "/etc/ld.so.cache"],
    ["etc/ld.so.preload", `${outside}/secret`],
    ["farm/libout.so", `../../../../../../..${outside}/libout.so`],
    ["farm/libup.so", "../up/up/outside/libout.so"],
    ["farm/libloop.so", "libloop.so"],
    ["farm/a0", `${outside}/libout.so`],
    ...Array.from({ length: 60 }, (_, index) => [`farm/a${index + 1}`, `a${index}`] as const),
    ["farm/libfarm.so", "a60"],
  ] as const)
    fs.symlinkSync(to, `${at}/${link}`);
  return at;
}

describe("nothing outside a root is read", () => {
  test("by any call, whatever the links in it say", async () => {
    const at = hostileRoot("hostile");
    const calls: string[] = [];
    const names = [
      "openSync",
      "lstatSync",
      "statSync",
      "readlinkSync",
      "readdirSync",
      "readFileSync",
      "existsSync",
      "realpathSync",
    ] as const;
    const target = root(at);
    const spies = names.map((name) => {
      const before = fs[name] as (...words: unknown[]) => unknown;
      return vi.spyOn(fs, name as "openSync").mockImplementation(((...words: unknown[]) => {
        calls.push(String(words[0]));
        return before(...words);
      }) as typeof fs.openSync);
    });
    try {
      for (const program of ["/bin/program", "/way/libout.so", "/up/../outside/libout.so", "/../../outside/libout.so", "/farm/libfarm.so"])
        for await (const answer of loadsOfEach(await openTarget(target), [program]))
          expect(answer.loads.filter(({ file }) => file.includes("libout"))).toEqual([]);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(calls.length).toBeGreaterThan(20);
    // A path below the root, with no `..` in it, and with no link among its folders.
    expect(calls.filter((call) => (call !== at && !call.startsWith(`${at}/`)) || call.split("/").includes(".."))).toEqual([]);
    expect(calls.filter((call) => fs.existsSync(path.dirname(call)) && fs.realpathSync(path.dirname(call)) !== path.dirname(call))).toEqual(
      [],
    );
  });

  const cli = path.resolve("dist/cli.js");
  test("by the command either, as the kernel sees it", needs({ strace: hasTool("strace"), "dist/cli.js": fs.existsSync(cli) }), () => {
    const harmless = path.join(scratch, "harmless");
    fs.mkdirSync(`${harmless}/bin`, { recursive: true });
    fs.copyFileSync(`${hostileRoot("traced")}/bin/program`, `${harmless}/bin/program`);
    /** Paths that the kernel was asked about (the first text of each call), without the command's own files. */
    const touched = (at: string): Set<string> => {
      const log = path.join(scratch, "strace");
      const { error } = spawnSync("strace", [
        "-f",
        "-e",
        "trace=%file",
        "-s",
        "4096",
        "-o",
        log,
        process.execPath,
        cli,
        "loads",
        "/bin/program",
        "--root",
        at,
        "--json",
      ]);
      if (error) throw error;
      const paths = [...fs.readFileSync(log, "utf8").matchAll(/^[^"\n]*"(\/[^"]*)"/gm)].map(([, name]) => name!);
      return new Set(paths.filter((name) => !name.startsWith(at) && !name.startsWith(path.dirname(cli)) && !/^\/(proc|sys)\//.test(name)));
    };
    const usual = touched(harmless);
    expect([...touched(path.join(scratch, "traced"))].filter((name) => !usual.has(name))).toEqual([]);
  });

  test("a root that is a link is followed once, by whoever named it; one that is no folder is refused in one sentence", async () => {
    fs.symlinkSync(top, path.join(scratch, "named"));
    expect((await root(path.join(scratch, "named")).look(["/file"]))[0]).toMatchObject({ kind: "file", size: 10 });
    expect(() => root(`${top}/file`)).toThrow(/is not a folder$/);
    expect(() => root(`${top}/nowhere`)).toThrow(/there is no such folder$/);
  });
});
