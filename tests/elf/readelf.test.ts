import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readObject } from "../../packages/core/src/elf/elf.ts";
import type { ElfFact } from "../../packages/core/src/model/snapshot.ts";
import { flag1, machines, makeElf, type Plan } from "../loader/make-elf.ts";
import { asKnown, elfFilesIn, hasTool, readelf } from "./readelf.ts";
import { nothingAsked, readFile } from "./reading.ts";
import { needs } from "../needs.ts";

const folders = ["/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"];

describe("our reader says what readelf says", needs({ readelf: hasTool("readelf") }), () => {
  test.each(folders.filter((folder) => fs.existsSync(folder) && !fs.lstatSync(folder).isSymbolicLink()))(
    "about every program and library in %s",
    (folder) => {
      const files = elfFilesIn(folder);
      const theirs = readelf(files);
      const wrong: unknown[] = [];
      for (const file of files) {
        const ours = readFile(file, (size) => readObject(size));
        try {
          expect(ours.kind === "elf" ? asKnown(ours) : ours).toEqual(theirs.get(file));
        } catch (error) {
          wrong.push(`${file}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      expect(wrong).toEqual([]);
      expect(theirs.size).toBe(files.length);
    },
  );

  // readelf goes by sections, which these files do not have; so what it is not asked about here was checked on real files of
  // armel, powerpc and s390x.
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "elf-"));
  afterAll(() => fs.rmSync(scratch, { recursive: true }));
  const kinds: [string, Plan][] = [
    ["32 bits, little-endian", { class: 32, machine: machines.i386 }],
    ["32 bits, big-endian", { class: 32, machine: 20, order: "big" }],
    ["64 bits, big-endian", { machine: machines.s390, order: "big" }],
    ["64 bits, little-endian", { machine: machines.aarch64 }],
  ];
  test.each(kinds)("about a made file of %s", (name, kind) => {
    const plan: Plan = {
      ...kind,
      soname: "libmade.so.1",
      needed: ["libfirst.so.2", "libsecond.so", "libc.so.6"],
      runpath: "$ORIGIN/../lib:/opt/ünï",
      flags1: flag1.nodeflib | flag1.noopen,
      flags: 8,
      requires: [
        { file: "libc.so.6", versions: ["GLIBC_2.2", { weak: "GLIBC_2.99" }] },
        { file: "libsecond.so", versions: ["SECOND_1"] },
      ],
      provides: ["MADE_1", "MADE_2"],
      kernel: [4, 15, 0],
      stack: "executable",
    };
    const file = path.join(scratch, name.replaceAll(/\W+/g, "-"));
    fs.writeFileSync(file, makeElf(plan));
    const ours = readFile(file, (size) => readObject(size)) as ElfFact;
    const { requires: _requires, provides: _provides, ...known } = asKnown(ours);
    const { requires: _sections, provides: _too, ...theirs } = readelf([file]).get(file)!;
    expect(known).toEqual(theirs);
    expect(ours.defect).toBeUndefined();
    expect(ours.requires).toEqual([
      { file: "libc.so.6", versions: [{ name: "GLIBC_2.2" }, { name: "GLIBC_2.99", weak: true }] },
      { file: "libsecond.so", versions: [{ name: "SECOND_1" }] },
    ]);
    expect(ours.provides).toEqual(expect.arrayContaining(["MADE_1", "MADE_2"]));
  });
});

test("a library of hundreds of megabytes costs kilobytes", () => {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "elf-"));
  const file = path.join(scratch, "libhuge.so.1");
  const handle = fs.openSync(file, "w");
  fs.writeSync(handle, makeElf({ soname: "libhuge.so.1", needed: ["libc.so.6"] }));
  fs.ftruncateSync(handle, 700 << 20);
  fs.closeSync(handle);
  const asked = nothingAsked();
  const fact = readFile(file, (size) => readObject(size), asked);
  fs.rmSync(scratch, { recursive: true });
  expect(fact).toMatchObject({ kind: "elf", soname: "libhuge.so.1", needed: ["libc.so.6"] });
  expect(asked.bytes).toBeLessThan(64 << 10);
});
