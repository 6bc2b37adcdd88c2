// Combinations that nobody thought of: small random trees, the same ones every time, settle by the live loader.
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../../packages/machine/src/target/index.ts";
import { glibcLoader, liveAnswer, ourAnswer } from "./answers.ts";
import { dice } from "./dice.ts";
import { damaged, flag1, machines, makeElf, type Plan } from "./make-elf.ts";
import { build, temporary, type Entry, type Files } from "./tree.ts";
import { needs } from "../needs.ts";

const { folder, remove } = temporary();
afterAll(remove);

const folders = ["1", "2", "3", "1/glibc-hwcaps/x86-64-v2", "2/haswell", "3/tls"];
const names = ["liba.so", "libb.so", "libc0.so", "libd.so", "libe.so"];

function scene(at: string, seed: number): { files: Files; environment: { [name: string]: string }; cwd: string } {
  const roll = dice(seed);
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)]!;
  const some = <T>(list: readonly T[], chance: number): T[] => list.filter(() => roll(100) < chance);
  const elements = [
    `${at}/1`,
    `${at}/2/`,
    `${at}/3`,
    "$ORIGIN",
    "${ORIGIN}/../2",
    "$ORIGIN/../3//",
    `${at}/missing`,
    "",
    "1",
    `${at}/prog`,
    `${at}/linked`,
    "$LIB/x",
    `${at}/1:${at}/1`,
  ];
  const list = () => Array.from({ length: 1 + roll(3) }, () => pick(elements)).join(":");
  const paths = (): Plan => {
    const kind = roll(6);
    return kind < 2 ? { rpath: list() } : kind < 4 ? { runpath: list() } : kind === 4 ? {} : { rpath: list(), runpath: list() };
  };
  const needed = (chance: number) => [
    ...some(names, chance),
    ...(roll(12) === 0 ? [`${at}/${pick(folders)}/${pick(names)}`] : []),
    ...(roll(20) === 0 ? ["$ORIGIN/libb.so"] : []),
    ...(roll(30) === 0 ? ["libc.so.6"] : []),
  ];
  const library = (): Uint8Array =>
    makeElf({
      // Not in the program: what is auxiliary to it stands before it in the loader's list, where trace mode does not look.
      needed: [...needed(25), ...(roll(20) === 0 ? [{ auxiliary: pick(names) }] : [])],
      ...paths(),
      ...(roll(2) === 0 ? { soname: pick(names) } : {}),
      ...(roll(12) === 0 ? { flags1: flag1.nodeflib } : {}),
    });
  const entry = (): Entry => {
    switch (roll(24)) {
      case 0:
        return { link: "nowhere" };
      case 1:
        return makeElf({ class: 32, machine: machines.i386 });
      case 2:
        return makeElf({ machine: machines.ppc64 });
      case 3:
        return { link: `${at}/${pick(["1", "2", "3"])}/${pick(names)}` };
      case 4:
        return roll(3) === 0 ? { text: "" } : library();
      case 5:
        return roll(3) === 0 ? damaged(library(), 7, 9) : library();
      case 6:
        return roll(2) === 0 ? { link: pick(names) } : library();
      default:
        return library();
    }
  };
  const files: Files = {
    prog: makeElf({ program: true, needed: [pick(names), ...needed(35)], ...paths() }),
    linked: { link: pick(["1", "2", "linked"]) },
  };
  for (const place of folders) for (const name of some(names, place.length === 1 ? 50 : 15)) files[`${place}/${name}`] = entry();
  for (const name of some(names, 10)) files[name] = entry();
  const environment: { [name: string]: string } = {};
  if (roll(2) === 0) environment["LD_LIBRARY_PATH"] = list().replaceAll(":", () => pick([":", ";"]));
  if (roll(5) === 0) environment["LD_PRELOAD"] = `${at}/${pick(["1", "2"])}/${pick(names)}${pick([" ", ":"])}${pick(names)}`;
  return { files, environment, cwd: pick([at, `${at}/1`]) };
}

describe("random trees", needs({ glibc: glibcLoader }), () => {
  const seeds = Array.from({ length: Number(process.env["CULPRIT_TREES"] ?? 150) }, (_, index) => index + 1);
  test.each(seeds)("tree %d", async (seed) => {
    const at = path.join(folder, String(seed));
    const { files, environment, cwd } = scene(at, seed);
    fs.mkdirSync(`${at}/1`, { recursive: true });
    build(at, files);
    const start = { program: `${at}/prog`, cwd, environment };
    const live = liveAnswer(start);
    const { whole: _whole, ...ours } = await ourAnswer(machine(), start);
    // A cache entry that NODEFLIB forbids is announced all the same, and a missing auxiliary library is listed out of turn.
    const comparable = (answer: typeof live) => ({
      ...answer,
      missing: answer.missing.toSorted(),
      searches: answer.searches.filter(({ name }) => name !== "libc.so.6"),
    });
    expect(comparable(ours)).toEqual(comparable(live));
    fs.rmSync(at, { recursive: true });
  });
});
