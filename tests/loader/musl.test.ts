import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../../packages/machine/src/target/index.ts";
import { asUser, cannotBecome, muslLoader, ourAnswer, run, type Start } from "./answers.ts";
import { fixtures, makeFor } from "./fixtures.ts";
import { startIn } from "./recording.ts";
import { build, temporary } from "./tree.ts";
import { needs } from "../needs.ts";

const loader = muslLoader;
const { folder, remove } = temporary();
afterAll(remove);

interface MuslAnswer {
  /** `name => path` of what is loaded beside the program and the loader, in load order. */
  loads: string[];
  says: string[];
  ends: number | string;
}

function liveAnswer(start: Start): MuslAnswer {
  const list = run({ ...start, through: [loader!, "--list"] }, start.environment);
  const real = run(start, start.environment);
  return {
    loads: list.output
      .split("\n")
      // Names of libc's parts are the loader itself.
      .filter((line) => line.includes(" => ") && !line.includes(` => ${loader} (`))
      .map((line) => line.slice(1).replace(/ \((0x[0-9a-f]+|0)\)$/, "")),
    says: real.errors.split("\n").filter((line) => line !== ""),
    ends: real.signal ?? real.status ?? "not started",
  };
}

const unlooked = "it is mapped without a look at its machine; a real one, which has relocations, then fails in them";
const given = "`--list` takes the path it was given for the program's origin";
/** Where the replay does not follow, and why not. */
const differences: { [fact: string]: string } = {
  "NEEDED of a wrong-machine file by path": unlooked,
  "first in the list: an ELF class that there is not": unlooked,
  "first in the list: a library of another machine": unlooked,
  "first in the list: e_version 2 of another machine": unlooked,
  "32 bits in one list and another machine in the next": unlooked,
  "a preload that is a library of another machine": unlooked,
  "$ORIGIN of a linked program is the folder of the file": given,
  "$ORIGIN of a program in a linked folder is the real folder": given,
  "a program started by a relative path": given,
  "first in the list: an empty dynamic section, as in separate debug files": "it reads the section all the same",
  "first in the list: an executable at a fixed address without a dynamic section": "the facts do not say that the section is missing",
  "first in the list: nothing to load": "refused with another word (Out of memory)",
  "first in the list: a library cut in the last page, which the kernel fills with zeros": "as with glibc: see its gap",
};

describe("the replay does what this machine's musl does", needs({ musl: loader }), () => {
  const noUsers = cannotBecome();
  fixtures.forEach(({ fact, scene: describeScene }, index) => {
    test(fact, { fails: differences[fact] !== undefined }, async (context) => {
      const at = path.join(folder, String(index));
      const make = makeFor(at);
      const scene = describeScene({ ...make, interpreter: loader!, program: (plan) => make.program({ interpreter: loader!, ...plan }) });
      if (scene.unprivileged && noUsers !== undefined) context.skip(noUsers);
      fs.mkdirSync(at);
      build(at, scene.files);
      const start = startIn(at, scene);
      const { whole } = await asUser(start.user, () => ourAnswer(machine(), start));
      const loads = whole.loads.filter(({ via }) => via !== "already-loaded").map(({ name, path: file }) => `${name} => ${file}`);
      const killed = whole.failures.some(({ reason }) => reason === "truncated");
      // Every failure is told before the end.
      const says = killed ? [] : whole.failures.map(({ message }) => message);
      expect({ loads, says, ends: killed ? "SIGBUS" : 0 < says.length ? 127 : 0 }).toEqual(liveAnswer(start));
    });
  });
});
