// A target that is far away, in time that is counted instead of waited for: what is asked before the last answers came is one journey.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openTarget, listStack, loadsOfProgram, type Target } from "../../packages/core/src/index.ts";
import { createWalker } from "../../packages/core/src/lib/walk.ts";
import type { FileFact } from "../../packages/core/src/model/snapshot.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { makeElf } from "../loader/make-elf.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-distant-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

/** The same target, a journey away; links are followed over there, and what lies at their end need not be travelled to again. */
function farAway(near: Target): { target: Target; journeys: () => number } {
  let count = 0;
  let waiting: (() => void)[] = [];
  const journey = async () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      // All that can be asked without an answer has been asked when nothing else is left to do.
      if (waiting.length === 1)
        setTimeout(() => {
          count += 1;
          const all = waiting;
          waiting = [];
          for (const arrive of all) arrive();
        }, 20);
    });
  const target: Target = {
    ...near,
    async look(paths) {
      await journey();
      return near.look(paths);
    },
    async open(name) {
      const file = await near.open(name);
      if (typeof file === "string") return file;
      const read = async (ranges: Parameters<typeof file.read>[0]) => {
        if (ranges.some(({ offset, length }) => 65536 < offset + length && offset < file.size - 65536)) await journey();
        return file.read(ranges);
      };
      return { size: file.size, read, close: () => file.close() };
    },
    async prefetch(wanted) {
      await journey();
      const facts = new Map<string, FileFact>();
      const walk = createWalker<FileFact>((name) => facts.get(name), { kind: "folder" });
      for (const { path: name } of wanted)
        for (let at = walk(name); "ask" in at; at = walk(name)) facts.set(at.ask, (await near.look([at.ask]))[0]!);
      return facts;
    },
  };
  return { target, journeys: () => count };
}

describe("a distant target", () => {
  test("gives the same answer about a program, for a few journeys", async () => {
    const program = fs.realpathSync(execFileSync("sh", ["-c", "command -v gdb || command -v ssh || command -v python3"]).toString().trim());
    const { target, journeys } = farAway(root("/"));
    const there = await loadsOfProgram(await openTarget(target), program);
    const here = await loadsOfProgram(await openTarget(root("/")), program);
    expect(there).toEqual(here);
    expect(here.loads.length).toBeGreaterThan(2);
    // One for what every question needs, and for each level of libraries where it is and what its middle holds.
    expect(journeys()).toBeLessThan(20);
  });

  test("asks about all environments and libraries side by side", async () => {
    const top = path.join(scratch, "top");
    const homes = Array.from({ length: 12 }, (_, index) => `${top}/opt/env${index}`);
    for (const [index, home] of homes.entries()) {
      const packages = `${home}/lib/python3.12/site-packages`;
      for (const folder of ["torch-2.4.0.dist-info", "nvidia/cudnn/lib", "nvidia_cudnn_cu12-9.1.0.70.dist-info"])
        fs.mkdirSync(`${packages}/${folder}`, { recursive: true });
      fs.mkdirSync(`${home}/bin`);
      fs.writeFileSync(`${home}/pyvenv.cfg`, "home = /usr/bin\nversion = 3.12.1\n");
      fs.symlinkSync("/usr/bin/python3.12", `${home}/bin/python3`);
      fs.writeFileSync(`${packages}/torch-2.4.0.dist-info/METADATA`, "Name: torch\nVersion: 2.4.0\n");
      fs.writeFileSync(`${packages}/nvidia_cudnn_cu12-9.1.0.70.dist-info/METADATA`, "Name: nvidia-cudnn-cu12\nVersion: 9.1.0.70\n");
      fs.writeFileSync(`${packages}/nvidia_cudnn_cu12-9.1.0.70.dist-info/RECORD`, "nvidia/cudnn/lib/libcudnn.so.9,,\n");
      fs.writeFileSync(`${packages}/nvidia/cudnn/lib/libcudnn.so.9`, makeElf({ soname: "libcudnn.so.9", needed: [`libpart${index}.so`] }));
    }
    fs.mkdirSync(`${top}/usr/bin`, { recursive: true });
    fs.writeFileSync(`${top}/usr/bin/python3.12`, makeElf({ needed: ["libm.so.6"] }));
    const { target, journeys } = farAway(root(top));
    const there = await listStack(await openTarget(target), []);
    expect(there).toEqual(await listStack(await openTarget(root(top)), []));
    expect(there.environments).toHaveLength(12);
    expect(there.copies).toHaveLength(12);
    expect(journeys()).toBeLessThan(16);
  });
});
