import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tamperAlong, walkAlong } from "./attack-cheap.ts";
import { attack } from "./attack.ts";
import { stage } from "./stage.ts";

const { scratch } = stage("attack");
const folderOf = (name: string) => {
  const folder = path.join(scratch, name);
  fs.mkdirSync(folder, { mode: 0o755 });
  return folder;
};

// Numbers that once found something come first.
const found = [29, 54, 179, 185, 213, 247, 401, 517, 544, 3196, 3298, 3525, 30136, 30368, 30735, 31362, 50828, 50908, 51978, 61373, 61695];
const more = Array.from({ length: 150 }, (_, index) => 100_000 + index);

test("made-up trees, steps, users and accidents: all comes back, nothing is lost, nothing outside is touched", { timeout: 900_000 }, () => {
  const folder = folderOf("whole");
  const problems = [...found, ...more].flatMap((seed) => {
    const own = path.join(folder, String(seed));
    const outcome = attack(seed, own).problems.map((problem) => `${seed}: ${problem}`);
    fs.rmSync(own, { recursive: true, force: true });
    return outcome;
  });
  expect(problems).toEqual([]);
});

test("made-up ways through trees of links never lead out of the root folder", { timeout: 900_000 }, () => {
  const folder = folderOf("ways");
  const problems = Array.from({ length: 60 }, (_, seed) => walkAlong(seed, path.join(folder, String(seed)), 100)).flat();
  expect(problems).toEqual([]);
});

test("journals that somebody has changed lead nowhere else, and are refused in a sentence", { timeout: 900_000 }, () => {
  const folder = folderOf("journals");
  const problems = [1, 2, 3].flatMap((seed) => {
    const own = path.join(folder, String(seed));
    fs.mkdirSync(own);
    return tamperAlong(seed, own, 300);
  });
  expect(problems).toEqual([]);
});
