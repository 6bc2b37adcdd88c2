// Undefined symbols of GPU libraries: what the real loader says when an object is bound at once, and what we predict.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTarget, loadsOfEach } from "../packages/core/src/index.ts";
import { machine } from "../packages/machine/src/target/index.ts";
import { needs } from "./needs.ts";

const hasCompiler = spawnSync("gcc", ["--version"]).status === 0;
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "culprit-symbols-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

function compile(output: string, source: string, ...flags: string[]): string {
  const file = path.join(scratch, output);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.c`, source);
  execFileSync("gcc", ["-o", file, `${file}.c`, ...flags], { cwd: scratch });
  return file;
}

const versioned = (soname: string) => {
  const script = path.join(scratch, `${soname}.map`);
  fs.writeFileSync(script, `${soname} { global: *; };\n`);
  return ["-shared", "-fPIC", `-Wl,-soname,${soname}`, `-Wl,--version-script,${script}`];
};

async function failuresOf(program: string, environment: { [name: string]: string }) {
  for await (const { failures } of loadsOfEach(await openTarget(machine(), { environment }), [program])) return failures;
  return [];
}

describe("symbols that must be there at start", needs({ gcc: hasCompiler }), () => {
  test("a versioned symbol that an older copy lacks", async () => {
    const soname = "libnvJitLink.so.12";
    compile(`new/${soname}`, "int __nvJitLinkComplete_12_4(void){return 0;} int nvJitLinkVersion(void){return 0;}", ...versioned(soname));
    compile(`old/${soname}`, "int nvJitLinkVersion(void){return 0;}", ...versioned(soname));
    const program = compile(
      "jit",
      "int __nvJitLinkComplete_12_4(void); int main(void){return __nvJitLinkComplete_12_4();}",
      `new/${soname}`,
      "-Wl,-z,now",
    );
    for (const [folder, ok] of [
      ["new", true],
      ["old", false],
    ] as const) {
      const environment = { LD_LIBRARY_PATH: path.join(scratch, folder) };
      const real = spawnSync(program, { env: environment, encoding: "utf8" });
      const failures = await failuresOf(program, environment);
      expect(real.status === 0).toBe(ok);
      expect(failures.map(({ reason, message }) => ({ reason, message }))).toEqual(
        ok ? [] : [{ reason: "undefined-symbol", message: real.stderr.trim() }],
      );
    }
  });

  test("an unversioned symbol, attributed by its name, that another object in scope may define", async () => {
    const both = "int ncclGetVersion(int*v){*v=22703;return 0;} int ncclCommRegister(void){return 0;}";
    compile("later/libnccl.so.2", both, "-shared", "-fPIC", "-Wl,-soname,libnccl.so.2");
    compile("plain/libnccl.so.2", "int ncclGetVersion(int*v){*v=21805;return 0;}", "-shared", "-fPIC", "-Wl,-soname,libnccl.so.2");
    compile("plain/libextra.so", "int ncclCommRegister(void){return 0;}", "-shared", "-fPIC", "-Wl,-soname,libextra.so");
    const source =
      "int ncclGetVersion(int*); int ncclCommRegister(void); int main(void){int v; return ncclGetVersion(&v)+ncclCommRegister();}";
    const common = ["-Wl,-z,now", "-Wl,--no-as-needed", "later/libnccl.so.2"];
    const environment = { LD_LIBRARY_PATH: path.join(scratch, "plain") };
    const alone = compile("alone", source, ...common);
    const helped = compile("helped", source, ...common, "plain/libextra.so");
    const real = spawnSync(alone, { env: environment, encoding: "utf8" });
    expect(real.stderr).toContain("undefined symbol: ncclCommRegister");
    expect((await failuresOf(alone, environment)).map(({ message }) => message)).toEqual([real.stderr.trim()]);
    expect(spawnSync(helped, { env: environment }).status).toBe(0);
    expect(await failuresOf(helped, environment)).toEqual([]);
  });

  test("a symbol of a framework's own library, which nothing says whose it is", async () => {
    const all = Array.from({ length: 40 }, (_, index) => `c10_part_${index}`);
    const define = (names: string[]) => names.map((name) => `int ${name}(void){return 0;}`).join(" ");
    const flags = (soname: string) => ["-shared", "-fPIC", `-Wl,-soname,${soname}`];
    compile("torch-new/libc10.so", define(all.slice(0, 39)), ...flags("libc10.so"));
    compile("torch-old/libc10.so", define(all.slice(0, 30)), ...flags("libc10.so"));
    for (const folder of ["torch-new", "torch-old"])
      compile(`${folder}/libtorch_cpu.so`, define(all.slice(39)), ...flags("libtorch_cpu.so"));
    const source = `${all.map((name) => `int ${name}(void);`).join(" ")} int main(void){return ${all.map((name) => `${name}()`).join("+")};}`;
    const program = compile("upon", source, "torch-new/libc10.so", "torch-new/libtorch_cpu.so", "-Wl,-z,now");
    for (const folder of ["torch-new", "torch-old"]) {
      const environment = { LD_LIBRARY_PATH: path.join(scratch, folder) };
      const real = spawnSync(program, { env: environment, encoding: "utf8" });
      expect(real.status === 0).toBe(folder === "torch-new");
      const failures = await failuresOf(program, environment);
      expect(failures.map(({ message }) => message)).toEqual(folder === "torch-new" ? [] : [real.stderr.trim()]);
    }
  });

  test("a lazily bound function is no failure at start", async () => {
    const soname = "libcupti.so.12";
    compile(`lazy-new/${soname}`, "int cuptiNew(void){return 0;}", ...versioned(soname));
    compile(`lazy-old/${soname}`, "int cuptiOld(void){return 0;}", ...versioned(soname));
    const program = compile(
      "lazy",
      "int cuptiNew(void); int main(int n){return n > 9 ? cuptiNew() : 0;}",
      `lazy-new/${soname}`,
      "-Wl,-z,lazy",
    );
    const environment = { LD_LIBRARY_PATH: path.join(scratch, "lazy-old") };
    expect(spawnSync(program, { env: environment }).status).toBe(0);
    expect(await failuresOf(program, environment)).toEqual([]);
  });
});
