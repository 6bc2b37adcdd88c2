import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { parseLoader } from "../../packages/core/src/elf/loader-strings.ts";
import { needs } from "../needs.ts";

/** What a loader carries, between bytes that are no text. */
const carrying = (...texts: string[]) => Buffer.from(`\x01\x02\xff\0${texts.join("\0")}\0\x90\x90ends without a NUL\xff`, "latin1");
const glibc = ["/etc/ld.so.cache", "/etc/ld.so.preload", "/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/"];
const said = (version: string) => `ld.so (Debian GLIBC ${version}-9) stable release version ${version}.`;

const legacy = (version: string, ...texts: string[]) => parseLoader(carrying(said(version), ...texts, ...glibc), "/lib/ld.so").legacy;

describe("what a loader says about itself", () => {
  test("its folders in their order, its version and its $LIB", () => {
    const fact = parseLoader(
      carrying("lib/x86_64-linux-gnu", "x86-64-v4:x86-64-v3:x86-64-v2", said("2.36"), ...glibc),
      "/lib64/ld-linux-x86-64.so.2",
    );
    expect(fact).toEqual({
      flavour: "glibc",
      version: "2.36",
      folders: glibc.slice(2),
      hwcaps: ["x86-64-v4", "x86-64-v3", "x86-64-v2"],
      lib: "lib/x86_64-linux-gnu",
      cache: "/etc/ld.so.cache",
      preload: "/etc/ld.so.preload",
    });
  });

  test("glibc up to 2.36 searches older subfolders; in later ones `tls` is a word of LD_DEBUG", () => {
    expect(legacy("2.36", "tls", "haswell")).toBe("haswell");
    expect(legacy("2.36", "tls")).toBe("platform");
    expect(legacy("2.43", "tls", "haswell")).toBeUndefined();
    expect(legacy("2.36")).toBeUndefined();
  });

  test("before 2.33 only the file's name says the version", () => {
    expect(parseLoader(carrying(...glibc), "/lib/x86_64-linux-gnu/ld-2.31.so").version).toBe("2.31");
    expect(parseLoader(carrying(...glibc), "/lib64/ld-linux-x86-64.so.2").version).toBeUndefined();
  });

  test("one that lost its constants still searches what every loader of its age searches", () => {
    const header = Buffer.alloc(64);
    [header[4], header[5], header[18]] = [2, 1, 62];
    const bare = (...symbols: string[]) =>
      parseLoader(Buffer.concat([header, carrying(...symbols)]), "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2");
    expect(bare("GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.35")).toMatchObject({
      folders: glibc.slice(2),
      hwcaps: ["x86-64-v4", "x86-64-v3", "x86-64-v2"],
    });
    expect(bare("GLIBC_2.2.5", "GLIBC_2.30").hwcaps).toEqual([]);
    expect(parseLoader(carrying("x"), "/usr/lib64/ld-linux-x86-64.so.2").folders).toEqual(["/lib64/", "/usr/lib64/"]);
  });

  test("musl is known by its words, whatever its file is called", () => {
    const words = carrying(
      "musl libc (x86_64)\nVersion %s\nDynamic Program Loader",
      "1.2.3",
      "/usr/share/zoneinfo/",
      "/share/zoneinfo/",
      "/etc/zoneinfo/",
    );
    expect(parseLoader(words, "/usr/lib/libc.so")).toEqual({ flavour: "musl", version: "1.2.3", folders: [], hwcaps: [] });
    expect(parseLoader(carrying("1.2.5"), "/lib/ld-musl-aarch64.so.1").flavour).toBe("musl");
  });

  test("texts without end, or without NULs, take linear time", () => {
    // Of a processor: a machine that stood still in between proves nothing.
    const start = process.cpuUsage();
    for (const text of ["/", "/a", "lib/", "x86-64-v3:", " ", "2.", "z15:"])
      parseLoader(Buffer.from(text.repeat((4 << 20) / text.length)), "/ld.so");
    expect(process.cpuUsage(start).user).toBeLessThan(60_000_000);
  });

  const own = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].find((file) => fs.existsSync(file));
  test("this machine's own loader: version and folders as `--help` and `--version` print them", needs({ glibc: own }), () => {
    const file = fs.realpathSync(own!);
    const fact = parseLoader(fs.readFileSync(file), file);
    const help = spawnSync(own!, ["--help"], { encoding: "utf8" }).stdout;
    const folders = [...help.matchAll(/^ {2}(\/\S+) \(system search path\)$/gm)].map(([, folder]) => `${folder}/`);
    expect(fact.folders).toEqual(folders);
    expect(spawnSync(own!, ["--version"], { encoding: "utf8" }).stdout).toContain(`version ${fact.version}`);
    const hwcaps = [...help.matchAll(/^ {2}(x86-64-v\d)/gm)].map(([, name]) => name);
    expect(fact.hwcaps).toEqual(hwcaps);
  });
});
