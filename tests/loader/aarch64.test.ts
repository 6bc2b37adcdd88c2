import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../../packages/machine/src/target/index.ts";
import { liveAnswer, ourAnswer } from "./answers.ts";
import { fixtures, makeFor } from "./fixtures.ts";
import { machines } from "./make-elf.ts";
import { startIn } from "./recording.ts";
import { build, temporary } from "./tree.ts";
import { needs } from "../needs.ts";

// Where Debian's and Ubuntu's cross compilers have their libraries; the emulator lays it over the root.
const sysroot = "/usr/aarch64-linux-gnu";
const loader = `${sysroot}/lib/ld-linux-aarch64.so.1`;
const emulator = ["qemu-aarch64", "qemu-aarch64-static"].find((name) => spawnSync(name, ["--version"]).status === 0);
const skip =
  process.arch === "arm64"
    ? "machine.test.ts is about this very machine"
    : emulator === undefined
      ? "needs qemu-aarch64"
      : fs.existsSync(loader)
        ? undefined
        : `needs ${sysroot}`;

const { folder, remove } = temporary();
afterAll(remove);

/** Not of the loader but of the emulator. */
const unlike = new Set(["the kernel's object answers to its name"]);

describe("the replay does what an emulated aarch64 glibc does", needs(skip), () => {
  // The rules are the same as on x86-64: one fixture in eight, and everything about machines and subfolders, is enough here.
  const chosen = fixtures.filter(
    ({ fact, gap }, index) =>
      gap === undefined && !unlike.has(fact) && (index % 8 === 0 || /subfolder|copy in|machine|token|PLATFORM|LIB/.test(fact)),
  );
  chosen.forEach(({ fact, scene: describeScene }, index) => {
    test(fact, async (context) => {
      const at = path.join(folder, String(index));
      const scene = describeScene(makeFor(at, machines.aarch64));
      if (scene.unprivileged) context.skip("the emulator runs as this user");
      fs.mkdirSync(at);
      build(at, scene.files);
      const start = { ...startIn(at, scene), cpu: { atomics: true } };
      const live = liveAnswer({ ...start, emulator: [emulator!, "-L", sysroot] });
      const { whole: _whole, ...ours } = await ourAnswer(machine(), start, ({ files }) => {
        // The emulator finds /lib/NAME below its own root first.
        const lib = fs.realpathSync("/lib");
        for (const name of fs.readdirSync(`${sysroot}/lib`)) {
          if (!/\.so(\.\d+)*$/.test(name)) continue;
          for (let above = path.dirname(`${lib}/x`); above !== "/"; above = path.dirname(above)) files[above] ??= { kind: "folder" };
          files[`${lib}/${name}`] = { kind: "link", to: `${sysroot}/lib/${name}` };
        }
        if (lib !== "/lib") files["/lib"] = { kind: "link", to: lib };
      });
      if (scene.announcesMore) ours.searches = live.searches;
      expect(ours).toEqual(live);
    });
  });
});
