import { expect, test } from "vitest";
import {
  differingPaths,
  joinTold,
  manifestDigest,
  readRoots,
  serializeSnapshot,
  splitTold,
  Unjoinable,
  type FileFact,
  type Snapshot,
} from "../../packages/core/src/index.ts";
import { joinLimits as limits, sha256 } from "../../packages/fleet/src/store/facts.ts";
import { bomb, caseNames, caseSnapshot, caseText } from "./cases.ts";

const reader = (texts: Map<string, string>) => async (digests: string[]) =>
  new Map(digests.flatMap((each) => (texts.has(each) ? [[each, texts.get(each)!] as const] : [])));

test.each(caseNames)("%s is the same, byte for byte, after it was split and joined", async (name) => {
  const text = serializeSnapshot(JSON.parse(caseText(name)) as Snapshot);
  const { stack, texts, own } = splitTold(JSON.parse(text) as Snapshot, sha256);
  expect(serializeSnapshot((await joinTold(stack, own, reader(texts), limits)) as Snapshot)).toBe(text);
});

test("names that mean something to JavaScript, to JSON or to nobody come back as they were", async () => {
  const snapshot = caseSnapshot("h200-healthy");
  const odd: FileFact = { kind: "link", to: "</script>'; drop table node; --" };
  for (const path of [
    "/",
    "/__proto__",
    "/constructor/toString",
    "/1/2",
    "/10",
    "/a//b",
    "/end/",
    "relative",
    "",
    "/\u202e\n",
    "/a/../b",
    "/a/.",
  ])
    snapshot.files[path] = odd;
  const text = serializeSnapshot(snapshot);
  const { stack, texts, own } = splitTold(JSON.parse(text) as Snapshot, sha256);
  expect(serializeSnapshot((await joinTold(stack, own, reader(texts), limits)) as Snapshot)).toBe(text);
});

const information = (uuid: string, irq: number) => {
  const text = `Model: \t\t NVIDIA H200\nIRQ:   \t\t ${irq}\nGPU UUID: \t ${uuid}\nVideo BIOS: \t 96.00\n`;
  return { kind: "file" as const, size: text.length, text };
};
const place = "/proc/driver/nvidia/gpus/0000:00:06.0/information";
const [one, two] = ["GPU-01234567-89ab-cdef-0123-456789abcdef", "GPU-aaaaaaaa-89ab-cdef-0123-456789abcdef"];

test("nodes that differ only in the identity of their GPUs share a stack, and keep their own", async () => {
  const [a, b] = [caseSnapshot("h200-healthy"), caseSnapshot("h200-healthy")];
  a.files[place] = information(one, 41);
  b.files[place] = information(two, 141);
  const [first, second] = [splitTold(a, sha256), splitTold(b, sha256)];
  expect(first.stack).toBe(second.stack);
  expect(first.own).not.toEqual(second.own);
  expect(await joinTold(second.stack, second.own, reader(first.texts), limits)).toEqual(b);
});

test("where a variable names a GPU by its identity, that decides: the stacks differ", () => {
  const [a, b] = [caseSnapshot("h200-healthy"), caseSnapshot("h200-healthy")];
  for (const [each, uuid] of [
    [a, one],
    [b, two],
  ] as const) {
    each.files[place] = information(uuid, 41);
    each.environment["CUDA_VISIBLE_DEVICES"] = one;
  }
  expect(splitTold(a, sha256).stack).not.toBe(splitTold(b, sha256).stack);
});

test("the number of the process that took the facts is not the node's", async () => {
  const [a, b] = ["41", "4242"].map((pid) => {
    const snapshot = caseSnapshot("h200-healthy");
    snapshot.files["/proc/self"] = { kind: "link", to: pid };
    snapshot.files[`/proc/${pid}`] = { kind: "folder" };
    snapshot.files[`/proc/${pid}/status`] = { kind: "file", size: 0, text: "CapEff:\t000001fffeffffff" };
    return snapshot;
  });
  const [first, second] = [splitTold(a!, sha256), splitTold(b!, sha256)];
  expect(first.stack).toBe(second.stack);
  expect(manifestDigest(first.stack, first.own, "", sha256)).toBe(manifestDigest(second.stack, second.own, "", sha256));
  expect(serializeSnapshot((await joinTold(second.stack, second.own, reader(first.texts), limits)) as Snapshot)).toBe(
    serializeSnapshot(b!),
  );
});

test("a change in one file changes that fact, its folders and the stack, and nothing else", () => {
  const [a, b] = [caseSnapshot("h200-healthy"), caseSnapshot("h200-healthy")];
  b.files["/etc/ld.so.conf"] = { kind: "file", size: 200, text: "/opt/other/lib\n".repeat(14) };
  const [before, after] = [splitTold(a, sha256), splitTold(b, sha256)];
  const added = [...after.texts.keys()].filter((each) => !before.texts.has(each));
  expect(added.length).toBeGreaterThan(1);
  expect(added.length).toBeLessThan(6);
});

test("texts that grow without end are refused, and so is what does not go together", async () => {
  const { stack, texts, keep } = bomb();
  await expect(joinTold(stack, undefined, reader(texts), { facts: 100_000, characters: 1 << 20 })).rejects.toThrow(Unjoinable);
  // Each name is short; each path has all of those above it.
  let folder = keep(Array.from({ length: 300 }, (_, index) => [`f${index}`, { kind: "absent" }, null]));
  for (let depth = 0; depth < 100; depth++) folder = keep([["x".repeat(100) + depth, null, folder]]);
  const long = keep([{}, folder]);
  await expect(joinTold(long, undefined, reader(texts), { facts: 100_000, characters: 1 << 20 })).rejects.toThrow(
    "more than a snapshot may",
  );
  // Nothing is in these folders, and their texts are long all the same.
  const blank = (index: number) => {
    const text = `[${" ".repeat(100_000 + index)}]`;
    texts.set(sha256(text), text);
    return sha256(text);
  };
  const wide = keep([{}, Array.from({ length: 20 }, (_, index) => [`a${index}`, null, blank(index)])]);
  await expect(joinTold(wide, undefined, reader(texts), { facts: 100_000, characters: 1 << 20 })).rejects.toThrow(
    "more than a snapshot may",
  );
  const lacking = keep([{}, "0".repeat(64)]);
  await expect(joinTold(lacking, undefined, reader(texts), limits)).rejects.toThrow("is not there");
  for (const wrong of [[1, 2], [{}, [["name", 1, null]]], {}, [{}, [[1, null, null]]], "text"])
    await expect(joinTold(keep(wrong), undefined, reader(texts), limits)).rejects.toThrow(Unjoinable);
  texts.set(sha256("no JSON"), "no JSON");
  await expect(joinTold(sha256("no JSON"), undefined, reader(texts), limits)).rejects.toThrow(Unjoinable);
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  texts.set(sha256(deep), deep);
  await expect(joinTold(sha256(deep), undefined, reader(texts), limits)).rejects.toThrow(Unjoinable);
});

test("where two stacks differ is found without reading what they share", async () => {
  const pairs: [Snapshot, Snapshot][] = [
    [caseSnapshot("h200-healthy"), caseSnapshot("h200-healthy")],
    [caseSnapshot("h200-healthy"), caseSnapshot("h200-healthy")],
    [caseSnapshot("h200-healthy"), caseSnapshot("h200-system-cudnn-first")],
    [caseSnapshot("cupy-13-and-nvrtc-wheel"), caseSnapshot("h200-healthy")],
  ];
  pairs[1]![1].files["/etc/ld.so.conf.d/zz.conf"] = { kind: "file", size: 5, text: "/opt\n" };
  pairs[1]![1].files["/etc"] = { kind: "folder", names: ["ld.so.conf.d"] };
  delete pairs[1]![1].files["/etc/ld.so.cache"];
  const texts = new Map<string, string>();
  const stacks = pairs.map((pair) =>
    pair.map((snapshot) => {
      const split = splitTold(snapshot, sha256);
      for (const [name, text] of split.texts) texts.set(name, text);
      return split.stack;
    }),
  );
  const read: string[] = [];
  const reading = async (digests: string[]) => {
    read.push(...digests);
    return reader(texts)(digests);
  };
  const roots = await readRoots([...new Set(stacks.flat())], reader(texts));
  const found = await differingPaths(
    stacks.map(([a, b]) => [roots.get(a!)!, roots.get(b!)!]),
    reading,
    limits,
  );
  // What goes through every fact of both is right, and slow.
  for (const [index, pair] of stacks.entries()) {
    const [a, b] = await Promise.all(pair.map(async (each) => (await joinTold(each, undefined, reader(texts), limits)).files));
    const paths = [...new Set([...Object.keys(a!), ...Object.keys(b!)])].sort();
    expect(found[index]).toEqual(paths.filter((path) => JSON.stringify(a![path]) !== JSON.stringify(b![path])));
  }
  expect(found[0]).toEqual([]);
  expect(found[1]).toEqual(expect.arrayContaining(["/etc", "/etc/ld.so.cache", "/etc/ld.so.conf.d/zz.conf"]));
  expect(
    found
      .map(({ length }) => length)
      .slice(2)
      .every((length) => 10 < length),
  ).toBe(true);
  expect(new Set(read).size).toBe(read.length);
  read.length = 0;
  await differingPaths([stacks[1]!.map((each) => roots.get(each)!) as never], reading, limits);
  expect(read.length).toBeLessThan(8);
});
