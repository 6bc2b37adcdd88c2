// Libraries beside CUDA's that decide: libpython and libstdc++ behind LD_LIBRARY_PATH.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { hasTool } from "../elf/readelf.ts";
import { library, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { temporary, type Files } from "../loader/tree.ts";
import { makeElf } from "../loader/make-elf.ts";
import { needs } from "../needs.ts";
import { judge, machineWith, torch } from "./gpu-root.ts";

const { folder, remove } = temporary();
afterAll(remove);

function compiled(source: string, ...flags: string[]): Uint8Array {
  fs.writeFileSync(path.join(folder, "a.c"), source);
  execFileSync("gcc", ["-shared", "-fPIC", "-nostdlib", "-o", "a.so", "a.c", ...flags], { cwd: folder });
  return fs.readFileSync(path.join(folder, "a.so"));
}

const machine: Files = { ...machineWith("570.86.10", ["NVIDIA H100"]), ...torch("2.5.1", "12.4") };

describe("interpreter-shadowed", needs({ glibc: glibcLoader, gcc: hasTool("gcc") }), () => {
  const soname = "libpython3.11.so.1.0";
  const libpython = (...names: string[]) =>
    compiled(names.map((name) => `int ${name}(void){return 0;}\n`).join(""), `-Wl,-soname,${soname}`);
  const files = (): Files => ({
    ...machine,
    "/usr/bin/python3.11": makeElf({ program: true, needed: [soname], runpath: "/opt/py/lib" }),
    [`/opt/py/lib/${soname}`]: libpython("PyModule_Create2", "_PyModule_Add"),
    [`/usr/lib/other/${soname}`]: libpython("PyModule_Create2"),
    [`/usr/lib/same/${soname}`]: libpython("PyModule_Create2", "_PyModule_Add", "PyMore"),
    "/usr/lib/python3.11/lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so": compiled(
      "int PyModule_Create2(void); int _PyModule_Add(void); int PyInit__ssl(void){return PyModule_Create2()+_PyModule_Add();}",
    ),
    "/etc/profile.d/cuda.sh": { text: "export LD_LIBRARY_PATH=/usr/lib/other\n" },
  });
  const ask = async (LD_LIBRARY_PATH: string) =>
    (await judge(files(), { programs: [["torch"]], environment: { LD_LIBRARY_PATH } })).filter(
      ({ rule }) => rule === "interpreter-shadowed",
    );

  test("another libpython that lacks what the interpreter's modules need is blamed on the variable, in the loader's words", async () => {
    const [finding, ...others] = await ask("/usr/lib/other");
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "error", subject: `/usr/lib/other/${soname}` });
    expect(finding!.because).toContain("LD_LIBRARY_PATH=/usr/lib/other, set in /etc/profile.d/cuda.sh:1");
    expect(finding!.because.at(-1)).toMatch(/_ssl\.cpython-311-x86_64-linux-gnu\.so: undefined symbol: _PyModule_Add$/);
  });

  test("one that has it all, and its own, are silent", async () => {
    expect(await ask("/usr/lib/same")).toEqual([]);
    expect(await ask("/opt/py/lib")).toEqual([]);
    expect(await ask("/nowhere")).toEqual([]);
  });
});

describe("a library under Python's own modules", needs({ glibc: glibcLoader }), () => {
  const dynload = "/usr/lib/python3.11/lib-dynload";
  const suffix = ".cpython-311-x86_64-linux-gnu.so";
  const versions = ["OPENSSL_3.2.0"];
  const ssl = "libssl.so.3";
  const files: Files = {
    ...machine,
    [`${dynload}/_ssl${suffix}`]: makeElf({ needed: [ssl], requires: [{ file: ssl, versions }] }),
    [`${dynload}/_ctypes${suffix}`]: makeElf({ needed: ["libffi.so.8"] }),
    [`/usr/lib/${ssl}`]: library(ssl, { provides: versions }),
    "/usr/lib/libffi.so.8": library("libffi.so.8"),
    [`/opt/old/${ssl}`]: library(ssl, { provides: ["OPENSSL_3.0.0"] }),
    [`/opt/new/${ssl}`]: library(ssl, { provides: ["OPENSSL_3.0.0", ...versions] }),
    [`/opt/empty/${ssl}`]: { text: "" },
    // It can be loaded; what it needs itself cannot.
    [`/opt/alone/${ssl}`]: library(ssl, { provides: versions, needed: ["libgone.so.1"] }),
    [`/opt/arm/${ssl}`]: library(ssl, { machine: 183 }),
    "/opt/ffi/libffi.so.8": { text: "" },
    "/etc/profile.d/cuda.sh": { text: "export LD_LIBRARY_PATH=/opt/old\n" },
  };
  const all = async (environment: { [name: string]: string }, given = files) =>
    judge(given, { programs: [["torch"]], environment }).then((found) => found.filter(({ rule }) => rule === "interpreter-shadowed"));

  test("an older libssl is an error, with the loader's words, the variable and its line", async () => {
    const [finding, ...others] = await all({ LD_LIBRARY_PATH: "/opt/old" });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "error", subject: `/opt/old/${ssl}`, short: `${ssl} is shadowed: \`import ssl\` fails` });
    expect(finding!.because).toContain("LD_LIBRARY_PATH=/opt/old, set in /etc/profile.d/cuda.sh:1");
    expect(finding!.because.at(-1)).toBe(`/opt/old/${ssl}: version \`OPENSSL_3.2.0' not found (required by ${dynload}/_ssl${suffix})`);
    expect(finding!.advice[0]!.words).toBe("take /opt/old out of LD_LIBRARY_PATH, in /etc/profile.d/cuda.sh, line 1");
  });

  test("an empty one, one that lacks what it needs, and a preloaded one are to blame", async () => {
    const subjects = async (environment: { [name: string]: string }) => (await all(environment)).map(({ subject }) => subject);
    expect(await subjects({ LD_LIBRARY_PATH: "/opt/empty" })).toEqual([`/opt/empty/${ssl}`]);
    expect(await subjects({ LD_LIBRARY_PATH: "/opt/alone" })).toEqual([`/opt/alone/${ssl}`]);
    expect(await subjects({ LD_PRELOAD: `/opt/old/${ssl}` })).toEqual([`/opt/old/${ssl}`]);
    const preloading: Files = { ...files, "/etc/ld.so.preload": { text: `/opt/old/${ssl}\n` } };
    expect((await all({}, preloading)).map(({ subject }) => subject)).toEqual([`/opt/old/${ssl}`]);
  });

  test("for one command, what else a list names stays in it", async () => {
    const once = async (environment: { [name: string]: string }) => (await all(environment))[0]!.advice.at(-1)!.command!.slice(0, -1);
    expect(await once({ LD_LIBRARY_PATH: "/opt/old" })).toEqual(["env", "-u", "LD_LIBRARY_PATH"]);
    expect(await once({ LD_LIBRARY_PATH: "/opt/old:" })).toEqual(["env", "-u", "LD_LIBRARY_PATH"]);
    expect(await once({ LD_LIBRARY_PATH: "/opt/mine:/opt/old:/opt/arm" })).toEqual(["env", "LD_LIBRARY_PATH=/opt/mine:/opt/arm"]);
    expect(await once({ LD_LIBRARY_PATH: "/opt/old:/opt/arm\r" })).toEqual(["env", "-u", "LD_LIBRARY_PATH"]);
    const preload = { LD_PRELOAD: `/usr/lib/libffi.so.8 /opt/old/${ssl}` };
    expect(await once(preload)).toEqual(["env", "LD_PRELOAD=/usr/lib/libffi.so.8"]);
    const [finding] = await all(preload);
    expect(finding!.advice).toContainEqual({
      words: "in this shell",
      command: ["export", "LD_PRELOAD=/usr/lib/libffi.so.8"],
      scope: "shell",
    });
  });

  test("without ctypes torch is not imported, and that is blamed on the same", async () => {
    const [finding, ...others] = await judge(files, { programs: [["torch"]], environment: { LD_LIBRARY_PATH: "/opt/ffi" } }).then((found) =>
      found.filter(({ severity }) => severity === "error"),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "interpreter-shadowed", subject: "/opt/ffi/libffi.so.8" });
    expect(finding!.breaks).toContainEqual({ framework: "torch", activity: "import" });
  });

  test("one that fits, one of another machine, none of it, and a module that was built in are silent", async () => {
    for (const LD_LIBRARY_PATH of ["/opt/new", "/opt/arm", "/nowhere", ""]) expect(await all({ LD_LIBRARY_PATH })).toEqual([]);
    const { [`${dynload}/_ssl${suffix}`]: _, ...builtIn } = files;
    expect(await all({ LD_LIBRARY_PATH: "/opt/old" }, builtIn)).toEqual([]);
    // What fails without any variable is not their fault.
    const { [`/usr/lib/${ssl}`]: __, ...lacking } = files;
    expect(await all({ LD_LIBRARY_PATH: "/nowhere" }, lacking)).toEqual([]);
  });
});

describe("library-wrong-version", needs({ glibc: glibcLoader }), () => {
  test("an older libstdc++ on LD_LIBRARY_PATH is blamed on the variable and the line that sets it", async () => {
    const name = "libstdc++.so.6";
    const versions = ["GLIBCXX_3.4.30"];
    const files: Files = {
      ...machine,
      [`${site}/torch/lib/libtorch_python.so`]: library("libtorch_python.so", { needed: [name], requires: [{ file: name, versions }] }),
      [`/usr/lib/${name}`]: library(name, { provides: versions }),
      [`/opt/old/${name}`]: library(name, { provides: ["GLIBCXX_3.4.11"] }),
      "/etc/profile.d/cuda.sh": { text: "export PATH=$PATH:/x LD_LIBRARY_PATH=/opt/old\n" },
    };
    const ask = async (LD_LIBRARY_PATH: string) =>
      (await judge(files, { programs: [["torch"]], environment: { LD_LIBRARY_PATH } })).filter(({ subject }) => subject.includes(name));
    const [finding] = await ask("/opt/old");
    expect(finding).toMatchObject({ rule: "library-wrong-version", severity: "error" });
    expect(finding!.because.join("\n")).toContain(`${name}: version \`GLIBCXX_3.4.30' not found (required by `);
    expect(finding!.because).toContain("LD_LIBRARY_PATH=/opt/old, set in /etc/profile.d/cuda.sh:1");
    expect(finding!.advice[0]!.words).toBe("take /opt/old out of LD_LIBRARY_PATH, in /etc/profile.d/cuda.sh, line 1");
    expect(await ask("/nowhere")).toEqual([]);
  });
});
