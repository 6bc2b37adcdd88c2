// At which symbol the loader stops where several are missing: random libraries, the same ones every time, settled by real loaders.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkTarget, loadsOfEach, openTarget } from "../../packages/core/src/index.ts";
import { machine, root } from "../../packages/machine/src/target/index.ts";
import { hasTool } from "../elf/readelf.ts";
import { needs } from "../needs.ts";
import { dice } from "./dice.ts";
import { temporary } from "./tree.ts";

const { folder, remove } = temporary();
afterAll(remove);

const soname = "libnccl.so.2";
const symbols = ["ncclZero", "ncclYield", "ncclXor", "ncclWait", "ncclVary", "ncclUse"];

/** A program that needs no C library, which a cross compiler may not have. */
const exit = `void _start(void){
#ifdef __aarch64__
__asm__("mov x0, 0; mov x8, 93; svc 0");
#else
__asm__("mov $0, %edi; mov $60, %eax; syscall");
#endif
}
`;

interface Scene {
  at: string;
  /** Where libraries are found that lack some symbols. */
  environment: { [name: string]: string };
}

/** A program, libraries that need each other in any way and refer to symbols in every way, and a provider that lacks some of them. */
function scene(compiler: string, at: string, seed: number): Scene {
  const roll = dice(seed);
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)]!;
  const some = <T>(list: readonly T[], chance: number): T[] => list.filter(() => roll(100) < chance);
  fs.mkdirSync(path.join(at, "new"), { recursive: true });
  fs.mkdirSync(path.join(at, "old"));
  const compile = (output: string, source: string, ...flags: string[]) => {
    fs.writeFileSync(path.join(at, "source.c"), source);
    execFileSync(compiler, ["-O1", "-nostdlib", "-o", output, "source.c", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", ...flags], {
      cwd: at,
    });
  };
  fs.writeFileSync(path.join(at, "versions"), `${soname} { global: *; };\n`);
  const versioned = roll(2) === 0 ? ["-Wl,--version-script,versions"] : [];
  const provider = (output: string, names: string[]) =>
    compile(
      output,
      names.map((name) => `int ${name}(void){return 0;}\n`).join(""),
      "-shared",
      "-fPIC",
      `-Wl,-soname,${soname}`,
      ...versioned,
    );
  provider(`new/${soname}`, symbols);
  provider(`old/${soname}`, seed % 6 === 0 ? symbols : some(symbols, 50));

  const uses = (name: string) => {
    const used = some(symbols, 55).toSorted(() => roll(3) - 1);
    return used
      .map((symbol, index) => {
        const own = `${name}_${index}`;
        const way = [
          `int (*${own})(void) = ${symbol};`,
          `int ${own}(void){return ${symbol}();}`,
          `void *${own}(void){return (void*)${symbol};}`,
        ];
        return `int ${symbol}(void); ${pick(way)}\n`;
      })
      .join("");
  };
  const binding = () => pick(["-Wl,-z,now", "-Wl,-z,lazy"]);
  const libraries = ["liba", "libb", "libd", "libe"];
  const library = (name: string, source: string, needed: string[]) =>
    compile(`new/${name}.so`, source, "-shared", "-fPIC", `-Wl,-soname,${name}.so`, binding(), ...needed, `new/${soname}`);
  for (const name of libraries) library(name, "", []);
  for (const name of libraries) {
    const needed = some(libraries, 40).filter((other) => other !== name);
    library(
      name,
      uses(name),
      needed.map((other) => `new/${other}.so`),
    );
  }
  const program = some(libraries, 50).map((name) => `new/${name}.so`);
  compile("prog", `${exit}${uses("prog")}`, binding(), ...program, `new/${soname}`);
  return {
    at,
    environment: { LD_LIBRARY_PATH: `${at}/old:${at}/new`, ...(roll(4) === 0 ? { LD_BIND_NOW: "1" } : {}) },
  };
}

async function predicted(target: Parameters<typeof openTarget>[0], program: string, environment: { [name: string]: string }) {
  for await (const { failures } of loadsOfEach(await openTarget(target, { environment }), [program]))
    return failures.map(({ message }) => message).join("\n");
  return "nothing";
}

const seeds = Array.from({ length: Number(process.env["CULPRIT_TREES"] ?? 30) }, (_, index) => index + 1);

describe("the symbol that the loader names", needs({ gcc: hasTool("gcc") }), () => {
  test.each(seeds)("of libraries %d", async (seed) => {
    const { at, environment } = scene("gcc", path.join(folder, `own-${seed}`), seed);
    const real = spawnSync(`${at}/prog`, { env: environment, encoding: "utf8" });
    expect(await predicted(machine(), `${at}/prog`, environment)).toBe(real.stderr.trim());
  });

  test("where the table of relocations was left out of a copy, that a symbol is missing is told all the same", async () => {
    const at = path.join(folder, "holes");
    fs.mkdirSync(at);
    const compile = (output: string, source: string, ...flags: string[]) => {
      fs.writeFileSync(path.join(at, "source.c"), source);
      execFileSync("gcc", ["-O1", "-nostdlib", "-o", output, "source.c", "-Wl,-z,now", ...flags], { cwd: at });
    };
    const shared = ["-shared", "-fPIC", `-Wl,-soname,${soname}`];
    compile(soname, "int ncclXor(void){return 0;} int ncclWait(void){return 0;}", ...shared);
    compile("prog", `${exit}int ncclXor(void), ncclWait(void); int both(void){return ncclXor() + ncclWait();}`, soname);
    compile(soname, "", ...shared);
    const environment = { LD_LIBRARY_PATH: at };
    const whole = await predicted(machine(), `${at}/prog`, environment);
    expect(whole).toBe(spawnSync(`${at}/prog`, { env: environment, encoding: "utf8" }).stderr.trim());
    const bytes = fs.readFileSync(`${at}/prog`);
    for (const line of execFileSync("readelf", ["-SW", `${at}/prog`], { encoding: "utf8" }).split("\n")) {
      const [, start, size] = /\.rela\.\w+ +RELA +\S+ (\S+) (\S+)/.exec(line) ?? [];
      if (start !== undefined) bytes.fill(0, Number.parseInt(start, 16), Number.parseInt(start, 16) + Number.parseInt(size!, 16));
    }
    fs.writeFileSync(`${at}/prog`, bytes);
    expect(await predicted(machine(), `${at}/prog`, environment)).toMatch(/undefined symbol: ncclX?W?\w+/);
  });

  test.each([
    ["a function of a newer release, bound at its first call", "int ncclXor(void); int end(void){return ncclXor();}", ["old", "new"], 127],
    ["the same, with the library that it was linked against", "int ncclXor(void); int end(void){return ncclXor();}", ["new", "old"], 0],
    [
      "one that may be absent",
      "__attribute__((weak)) int ncclXor(void); int end(void){return ncclXor ? ncclXor() : 0;}",
      ["old", "new"],
      0,
    ],
  ])("%s", async (name, uses, folders, status) => {
    const at = path.join(folder, name.replaceAll(/\W+/g, "-"));
    for (const each of folders) fs.mkdirSync(path.join(at, each), { recursive: true });
    const compile = (output: string, source: string, ...flags: string[]) => {
      fs.writeFileSync(path.join(at, "source.c"), source);
      execFileSync("gcc", ["-O1", "-o", output, "source.c", "-Wl,--no-as-needed", "-Wl,-z,lazy", ...flags], { cwd: at });
    };
    const shared = ["-shared", "-fPIC", `-Wl,-soname,${soname}`];
    compile(`old/${soname}`, "int ncclWait(void){return 0;}", ...shared);
    compile(`new/${soname}`, "int ncclWait(void){return 0;} int ncclXor(void){return 0;}", ...shared);
    compile("prog", `${uses} int main(void){return end();}`, `new/${soname}`);
    const environment = { LD_LIBRARY_PATH: folders.map((each) => path.join(at, each)).join(":") };
    const real = spawnSync(`${at}/prog`, { env: environment, encoding: "utf8" });
    expect(real.status).toBe(status);
    const answer = await checkTarget(await openTarget(machine(), { environment }), {
      programs: [[`${at}/prog`]],
      activities: [],
      python: [],
    });
    const lacking = "problem" in answer ? [answer] : answer.check.findings.filter(({ rule }) => rule === "library-wrong-version");
    expect(lacking).toMatchObject(
      status === 0
        ? []
        : [{ certainty: "likely", subject: `${at}/old/${soname}`, breaks: [{ framework: `${at}/prog`, activity: "device" }] }],
    );
    if (status !== 0) expect(JSON.stringify(lacking)).toContain(real.stderr.trim());
  });

  test("the libraries have faults, and some have none", () => {
    const statuses = seeds.map((seed) => {
      const at = path.join(folder, `own-${seed}`);
      return spawnSync(`${at}/prog`, { env: { LD_LIBRARY_PATH: `${at}/old:${at}/new` } }).status;
    });
    expect(new Set(statuses)).toEqual(new Set([0, 127]));
  });
});

const sysroot = "/usr/aarch64-linux-gnu";
describe(
  "the symbol that an emulated aarch64 loader names",
  needs({
    "aarch64-linux-gnu-gcc": hasTool("aarch64-linux-gnu-gcc"),
    "qemu-aarch64": hasTool("qemu-aarch64"),
    sysroot: fs.existsSync(sysroot),
  }),
  () => {
    test.each(seeds.slice(0, 10))("of libraries %d", async (seed) => {
      const { at, environment } = scene("aarch64-linux-gnu-gcc", path.join(folder, `aarch64-${seed}`), seed);
      const given = Object.entries(environment).flatMap(([name, value]) => ["-E", `${name}=${value}`]);
      const real = spawnSync("qemu-aarch64", ["-L", sysroot, ...given, `${at}/prog`], { encoding: "utf8", env: {} });
      const top = path.join(folder, `top-${seed}`);
      fs.mkdirSync(path.join(top, path.dirname(at)), { recursive: true });
      fs.cpSync(`${sysroot}/lib`, path.join(top, "lib"), {
        recursive: true,
        verbatimSymlinks: true,
        filter: (file) => !file.endsWith(".a"),
      });
      fs.renameSync(at, path.join(top, at));
      expect(await predicted(root(top), `${at}/prog`, environment)).toBe(real.stderr.trim());
    });
  },
);
