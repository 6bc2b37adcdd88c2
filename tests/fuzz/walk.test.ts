import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createWalker, type Entry } from "../../packages/core/src/lib/walk.ts";
import { fuzz, type Dice } from "./fuzz.ts";

const names = ["a", "b", "c", "lib", "..", ".", "", "x".repeat(255), "y".repeat(256)];

function somePath(dice: Dice, most: number): string {
  const parts = Array.from({ length: dice.below(most) }, () => dice.pick(names.slice(0, dice.chance(20) ? 9 : 6)));
  return (dice.chance(2) ? "/" : "") + parts.join("/") + (dice.chance(6) ? "/" : "");
}

test("no farm of links leads the walker astray, or on for ever", async () => {
  await fuzz("link farms", 22_000, (dice) => {
    const entries = new Map<string, Entry>();
    const most = dice.chance(50) ? 1200 : 6;
    let asked = 0;
    // The tree comes into being as it is asked for.
    const entryAt = (at: string): Entry => {
      asked += 1;
      if (!at.startsWith("/") || /\/(\.\.?)?(\/|$)/.test(at)) throw new Error(`asked for \`${at}\``);
      let entry = entries.get(at);
      if (!entry) {
        const kind = dice.pick([
          "folder",
          "folder",
          "folder",
          "file",
          "absent",
          "special",
          "hidden",
          "link",
          "link",
          "link",
          "link",
        ] as const);
        entry = kind === "link" ? { kind, to: somePath(dice, most) } : kind === "hidden" ? { kind, code: "EACCES" } : { kind };
        entries.set(at, entry);
      }
      return entry;
    };
    const walk = createWalker<Entry>(entryAt, { kind: "folder" });
    for (let count = 0; count < 5; count += 1) {
      const from = somePath(dice, most) || "/";
      const result = walk(from);
      if ("ask" in result) throw new Error("asked for what is known");
      if ("found" in result && (result.entry.kind === "link" || result.entry.kind === "absent" || 40 < result.links))
        throw new Error(`${from} ended at ${JSON.stringify(result)}`);
      if (JSON.stringify(walk(from)) !== JSON.stringify(result)) throw new Error(`${from} is answered differently the second time`);
    }
    // Each walk follows 40 links at most, and no path has more than 2048 parts.
    if (5 * 41 * 2048 < asked) throw new Error(`asked ${asked} times`);
  });
});

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "walk-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

function onDisk(at: string): Entry {
  const stat = fs.lstatSync(at, { throwIfNoEntry: false });
  if (!stat) return { kind: "absent" };
  if (stat.isSymbolicLink()) return { kind: "link", to: fs.readlinkSync(at) };
  return { kind: stat.isDirectory() ? "folder" : "file" };
}

function kernelSays(at: string): string {
  try {
    return fs.realpathSync.native(at);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code!;
  }
}

test("links in a row, names and paths are too many or too long where the kernel says so", () => {
  const top = fs.mkdtempSync(path.join(scratch, "rows"));
  fs.writeFileSync(`${top}/link0`, "");
  for (let index = 1; index <= 45; index += 1) fs.symlinkSync(`link${index - 1}`, `${top}/link${index}`);
  fs.mkdirSync(`${top}/folder`);
  fs.symlinkSync(".", `${top}/folder/self`);
  const paths = [
    ...Array.from({ length: 46 }, (_, index) => `${top}/link${index}`),
    ...[1, 39, 40, 41].map((count) => `${top}/folder${"/self".repeat(count)}`),
    ...[254, 255, 256].map((length) => `${top}/${"n".repeat(length)}`),
    ...[4094, 4095, 4096].map((length) => `${top}${"/.".repeat(3000)}`.slice(0, length - 1) + "/"),
  ];
  const walk = createWalker<Entry>(onDisk, { kind: "folder" });
  for (const at of paths) {
    const result = walk(at);
    // realpath(3) counts links by itself; opening is what counts.
    let theirs = "found";
    try {
      fs.closeSync(fs.openSync(at, "r"));
    } catch (error) {
      theirs = (error as NodeJS.ErrnoException).code!;
    }
    expect("error" in result ? result.error : "found", at.slice(0, 300)).toBe(theirs);
  }
});

test("in random trees of links every path leads where the kernel says, or to the same error", async () => {
  await fuzz("trees on disk", 150, (dice) => {
    const top = fs.mkdtempSync(path.join(scratch, "t"));
    const folders = [top];
    for (let count = 0; count < 25; count += 1) {
      const at = path.join(dice.pick(folders), dice.pick(["a", "b", "c", "lib"]));
      if (fs.lstatSync(at, { throwIfNoEntry: false })) continue;
      const kind = dice.below(5);
      if (kind < 2) {
        fs.mkdirSync(at);
        folders.push(at);
      } else if (kind === 2) fs.writeFileSync(at, "");
      else {
        const to = somePath(dice, 5) || ".";
        fs.symlinkSync(to.startsWith("/") ? top + to : to, at);
      }
    }
    const walk = createWalker<Entry>(onDisk, { kind: "folder" });
    for (let count = 0; count < 20; count += 1) {
      const asked = `${top}/${somePath(dice, 6)}`;
      const result = walk(asked);
      const ours = "found" in result ? result.found : "error" in result ? result.error : "?";
      const theirs = kernelSays(asked);
      if (ours !== theirs) throw new Error(`${asked}: ours ${ours}, the kernel's ${theirs}`);
    }
    fs.rmSync(top, { recursive: true });
  });
});
