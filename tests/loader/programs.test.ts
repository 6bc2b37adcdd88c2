// What happens before the loader has a say: the kernel starts a program, or does not; and what `ldd` is asked about libraries.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { FailureReason } from "../../packages/core/src/index.ts";
import { machine } from "../../packages/machine/src/target/index.ts";
import { glibcLoader, ourAnswer, readTrace } from "./answers.ts";
import { makeElf } from "./make-elf.ts";
import { build, temporary, type Files } from "./tree.ts";
import { needs } from "../needs.ts";

const { folder, remove } = temporary();
afterAll(remove);
const place = () => fs.mkdtempSync(path.join(folder, "p"));

describe("programs that the kernel starts, or does not", needs({ glibc: glibcLoader }), () => {
  const refused: [fact: string, files: (at: string) => Files, reason: FailureReason][] = [
    ["a loader that is not there", () => ({ prog: makeElf({ program: true, interpreter: "/nowhere/ld.so" }) }), "no-interpreter"],
    ["a loader that is a folder", (at) => ({ prog: makeElf({ program: true, interpreter: at }) }), "no-interpreter"],
    [
      "a loader that is a text",
      (at) => ({
        prog: makeElf({ program: true, interpreter: `${at}/text` }),
        text: { bytes: Buffer.from("text".repeat(99)), mode: 0o755 },
      }),
      "no-interpreter",
    ],
    ["a folder", () => ({ "prog/x": { text: "" } }), "is-a-folder"],
    ["nothing", () => ({}), "not-found"],
  ];
  test.each(refused)("%s", async (_fact, files, reason) => {
    const at = place();
    build(at, files(at));
    expect(spawnSync(`${at}/prog`, { env: {} }).error).toBeDefined();
    const { whole } = await ourAnswer(machine(), { program: `${at}/prog`, cwd: at, environment: {} });
    expect(whole.failures.map((failure) => failure.reason)).toEqual([reason]);
    expect(whole.loads).toEqual([]);
  });

  test.each([
    ["a static program", { fixed: true, dynamicSegment: "absent" as const }],
    ["a static position-independent program", {}],
  ])("%s loads nothing", async (_fact, plan) => {
    const at = place();
    build(at, { prog: makeElf({ program: true, interpreter: null, ...plan }) });
    expect(spawnSync(`${at}/prog`, { env: {} }).status).toBe(0);
    const { whole } = await ourAnswer(machine(), { program: `${at}/prog`, cwd: at, environment: {} });
    expect([whole.loads, whole.failures]).toEqual([[], []]);
  });

  test("a loader behind a link is named by the link", async () => {
    const at = place();
    build(at, { ld: { link: glibcLoader! }, prog: makeElf({ program: true, interpreter: `${at}/ld`, needed: ["libc.so.6"] }) });
    const start = { program: `${at}/prog`, cwd: at, environment: {} };
    const { stdout } = spawnSync(start.program, { env: { LD_TRACE_LOADED_OBJECTS: "1" }, encoding: "utf8" });
    expect((await ourAnswer(machine(), start)).loads).toEqual(readTrace(stdout).loads);
  });

  test.each(["liba.so", "link.so", "./liba.so", "far/../liba.so"])("a library by itself, as `ldd` asks: %s", async (name) => {
    const at = place();
    build(at, {
      "liba.so": makeElf({ needed: ["libb.so", "libabsent.so"], runpath: "$ORIGIN/more" }),
      "more/libb.so": makeElf({ needed: ["liba.so"] }),
      "far/link.so": makeElf({ needed: ["libb.so"], rpath: "$ORIGIN/more" }),
      "far/more/libb.so": makeElf(),
      "link.so": { link: "far/link.so" },
    });
    const program = name.startsWith(".") ? name : `${at}/${name}`;
    const { stdout } = spawnSync(glibcLoader!, [program], { cwd: at, env: { LD_TRACE_LOADED_OBJECTS: "1" }, encoding: "utf8" });
    const ours = await ourAnswer(machine(), { program, cwd: at, environment: {} });
    expect({ loads: ours.loads, missing: ours.missing }).toEqual(readTrace(stdout));
  });
});
