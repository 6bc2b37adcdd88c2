import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openElf, readObject } from "../../packages/core/src/elf/elf.ts";
import { findSymbol, type FoundSymbol } from "../../packages/core/src/elf/symbols.ts";
import { hasTool } from "./readelf.ts";
import { nothingAsked, readFile } from "./reading.ts";
import { needs } from "../needs.ts";

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "symbols-"));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

const folder = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"].find((name) => fs.existsSync(`${name}/libc.so.6`));
const real = ["libc.so.6", "libm.so.6", "libstdc++.so.6", "libcrypto.so.3", "libgcc_s.so.1"]
  .map((name) => `${folder}/${name}`)
  .filter((file) => fs.existsSync(file));

/** Names that readelf lists, with the addresses they are defined at; none for a name that is only used. */
function listed(file: string): Map<string, Set<number>> {
  const names = new Map<string, Set<number>>();
  const text = execFileSync("readelf", ["--dyn-syms", "-W", file], { encoding: "utf8", maxBuffer: 1 << 28 });
  for (const [, value, binding, section, name] of text.matchAll(
    /^ +\d+: ([0-9a-f]+) +\S+ +\S+ +(GLOBAL|WEAK|UNIQUE) +\S+ +(?:\[.*?\] +)?(\S+) (\S+?)(?:@.*)?$/gm,
  )) {
    const addresses = names.get(name!) ?? new Set();
    if (binding !== "LOCAL" && section !== "UND") addresses.add(Number.parseInt(value!, 16));
    names.set(name!, addresses);
  }
  return names;
}

function lookUp(file: string, names: string[]): Map<string, FoundSymbol | undefined> {
  return readFile(file, function* (size) {
    const view = yield* openElf(size);
    const found = new Map<string, FoundSymbol | undefined>();
    if (!("kind" in view)) for (const name of names) found.set(name, yield* findSymbol(view, name));
    return found;
  });
}

function agree(file: string, most = Infinity): void {
  const names = listed(file);
  expect(names.size).toBeGreaterThan(0);
  const every = Math.max(1, Math.floor(names.size / most));
  const asked = [...names.keys()].filter((_, index) => index % every === 0).flatMap((name) => [name, `${name}_`, name.slice(1)]);
  const wrong: string[] = [];
  for (const [name, symbol] of lookUp(file, asked.filter(Boolean))) {
    const addresses = names.get(name) ?? new Set();
    if (symbol ? !addresses.has(symbol.value) : 0 < addresses.size) wrong.push(name);
  }
  expect(wrong).toEqual([]);
}

describe("findSymbol finds exactly what readelf lists as defined", needs({ readelf: hasTool("readelf") }), () => {
  test.each(real)("in %s", (file) => agree(file, 700));

  describe("in a library linked with each kind of hash table", needs({ gcc: hasTool("gcc") }), () => {
    const source = path.join(scratch, "many.c");
    fs.writeFileSync(
      source,
      `${Array.from({ length: 300 }, (_, index) => `int symbol_${index}(void){return ${index};}`).join("\n")}
extern int elsewhere(void); int variable = 7; __attribute__((weak)) int weak_one(void){return elsewhere();}
static int hidden(void){return 1;} int uses_hidden(void){return hidden();}`,
    );
    test.each(["sysv", "gnu", "both"])("--hash-style=%s", (style) => {
      const file = path.join(scratch, `lib${style}.so`);
      execFileSync("gcc", ["-shared", "-fPIC", "-o", file, source, `-Wl,--hash-style=${style}`]);
      agree(file);
      expect(lookUp(file, ["hidden", "elsewhere"])).toEqual(
        new Map([
          ["hidden", undefined],
          ["elsewhere", undefined],
        ]),
      );
      expect(lookUp(file, ["variable", "symbol_3"])).toEqual(
        new Map([
          ["variable", expect.objectContaining({ isData: true, size: 4 })],
          ["symbol_3", expect.objectContaining({ isData: false })],
        ]),
      );
    });
  });

  test("a list of exports is what readelf lists as defined", needs({ glibc: real.length }), () => {
    for (const file of real.slice(0, 3)) {
      const fact = readFile(file, (size) => readObject(size, { symbols: () => ({ exports: true }) }));
      const defined = [...listed(file)].filter(([, addresses]) => 0 < addresses.size).map(([name]) => name);
      expect(fact.kind === "elf" && fact.exports?.toSorted()).toEqual(defined.sort());
    }
  });

  test("undefined symbols come with the version and the object that they are required of", needs({ glibc: real.length }), () => {
    const file = `${folder}/libm.so.6`;
    const fact = readFile(file, (size) =>
      readObject(size, { symbols: () => ({ undefined: (_name: string, file: string | undefined) => file ?? "" }) }),
    );
    const text = execFileSync("readelf", ["--dyn-syms", "-W", file], { encoding: "utf8" });
    const theirs = [...text.matchAll(/ (GLOBAL|WEAK) +DEFAULT +UND (\S+?)(?:@(\S+))?(?: \(\d+\))?$/gm)].map(([, binding, name, version]) =>
      [name, version ?? "", binding === "WEAK"].join(" "),
    );
    const ours =
      fact.kind === "elf" ? fact.undefined!.map(({ name, version, weak }) => [name, version ?? "", weak ?? false].join(" ")) : [];
    expect(ours.sort()).toEqual(theirs.sort());
  });
});

test("one look-up by gnu hash reads hundreds of bytes, not the table", needs({ glibc: real.length }), () => {
  const asked = nothingAsked();
  readFile(
    real[0]!,
    function* (size) {
      const view = yield* openElf(size);
      asked.bytes = 0;
      return "kind" in view ? undefined : yield* findSymbol(view, "printf");
    },
    asked,
  );
  expect(asked.bytes).toBeLessThan(2048);
});
