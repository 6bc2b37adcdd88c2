import { expect, test } from "vitest";
import { openTarget, loadsOfEach, readSnapshot, type Snapshot } from "../../packages/core/src/index.ts";
import { fuzz, mutate, type Dice } from "./fuzz.ts";

const library = { kind: "elf", class: 64, order: "little", machine: 62, type: 3 } as const;
const sound: Snapshot = {
  schema: "culprit/snapshot@1",
  culprit: "0.1.0",
  target: { kind: "machine" },
  environment: { LD_LIBRARY_PATH: "/opt/lib:$ORIGIN", LD_PRELOAD: "libpre.so" },
  cwd: "/",
  user: { uid: 0, gid: 0 },
  cpu: { level: 3 },
  files: {
    "/bin": { kind: "link", to: "usr/bin" },
    "/usr": { kind: "folder", names: ["bin"] },
    "/usr/bin": { kind: "folder", names: ["program"] },
    "/lib": { kind: "folder", names: ["ld.so", "liba.so", "libb.so"] },
    "/x": { kind: "absent" },
    "/etc": { kind: "folder", names: ["ld.so.cache"] },
    "/opt": { kind: "link", to: "/usr/../lib/.." },
    "/etc/ld.so.cache": { kind: "file", size: 100, cache: { entries: [{ name: "libb.so", path: "/lib/libb.so", flags: 771 }] } },
    "/usr/bin/program": {
      kind: "file",
      size: 9000,
      object: {
        ...library,
        interpreter: "/lib/ld.so",
        needed: ["liba.so", "libb.so"],
        runpath: "$ORIGIN/../../lib",
        flags: ["now", "pie"],
      },
    },
    "/lib/ld.so": {
      kind: "file",
      size: 9000,
      object: { ...library, soname: "ld.so", needed: [], provides: ["ld.so", "GLIBC_2.2"] },
      loader: {
        flavour: "glibc",
        version: "2.36",
        folders: ["/lib/", "/usr/lib/"],
        hwcaps: ["x86-64-v3"],
        cache: "/etc/ld.so.cache",
        preload: "/etc/ld.so.preload",
      },
    },
    "/lib/liba.so": { kind: "file", size: 9000, object: { ...library, soname: "liba.so", needed: ["libb.so", "ld.so"], rpath: "/x" } },
    "/lib/libb.so": {
      kind: "file",
      size: 9000,
      id: "1:2",
      object: {
        ...library,
        soname: "libb.so",
        needed: ["liba.so"],
        requires: [{ file: "ld.so", versions: [{ name: "GLIBC_2.2" }, { name: "W", weak: true }] }],
      },
    },
  },
  unknown: [],
};
const text = JSON.stringify(sound);

async function answers(snapshot: Snapshot): Promise<number> {
  let count = 0;
  const programs = ["/bin/program", "/lib/liba.so", "/lib/ld.so", ...Object.keys(snapshot.files).slice(0, 3)];
  for await (const { loads } of loadsOfEach(await openTarget(snapshot), programs)) count += loads.length;
  return count;
}

test("the corpus is sound", async () => {
  const result = await readSnapshot(text);
  expect(result).toEqual({ snapshot: sound });
  expect(await answers(sound)).toBeGreaterThan(2);
});

// Goes with the known failure below.
const lacksLoaderFiles = ({ files }: Snapshot) =>
  Object.values(files).some(
    (fact) =>
      fact.kind === "file" && fact.loader?.flavour === "glibc" && (fact.loader.cache === undefined || fact.loader.preload === undefined),
  );

test("a loader that does not name its cache and preload file, which the schema allows, has the usual ones", async () => {
  const snapshot = structuredClone(sound);
  const loader = snapshot.files["/lib/ld.so"];
  if (loader?.kind === "file") snapshot.files["/lib/ld.so"] = { ...loader, loader: { flavour: "glibc", folders: ["/lib/"], hwcaps: [] } };
  expect(await answers(snapshot)).toBeGreaterThan(2);
});

test("no text makes the reader of snapshots throw, and no snapshot that it accepts makes the loader's replay throw", async () => {
  const corpus = [new TextEncoder().encode(text)];
  let accepted = 0;
  await fuzz("snapshots", 1500, async (dice) => {
    const input = dice.chance(4) ? new TextDecoder().decode(mutate(corpus, dice)) : JSON.stringify(changed(structuredClone(sound), dice));
    const result = await readSnapshot(input);
    if ("problem" in result) {
      if (result.problem === "" || result.problem.includes("\n")) throw new Error(`the problem is \`${result.problem}\``);
      return;
    }
    accepted += 1;
    if (!lacksLoaderFiles(result.snapshot)) await answers(result.snapshot);
  });
  if (!process.env["FUZZ_SEED"]) expect(accepted).toBeGreaterThan(150);
});

const values = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  "",
  "/",
  "..",
  "$ORIGIN",
  "${LIB}",
  "::",
  "/usr",
  "\u0000",
  "\ud800",
  "x".repeat(5000),
  [],
  {},
  "link",
  "folder",
  "elf",
];

/** Some value somewhere is replaced, moved or taken away. */
function changed(value: unknown, dice: Dice): unknown {
  const places: { holder: Record<string, unknown>; key: string }[] = [];
  (function walk(at: unknown): void {
    if (typeof at !== "object" || at === null) return;
    for (const key of Object.keys(at)) {
      places.push({ holder: at as Record<string, unknown>, key });
      walk((at as Record<string, unknown>)[key]);
    }
  })(value);
  for (let rounds = 1 + dice.below(3); 0 < rounds; rounds -= 1) {
    const { holder, key } = dice.pick(places);
    const other = dice.pick(places);
    const kind = dice.below(5);
    if (kind === 0) delete holder[key];
    else if (kind === 1) holder[key] = dice.pick(values);
    else if (kind === 2) holder[key] = structuredClone(other.holder[other.key]);
    else if (kind === 3) {
      // The same kind of value, with other content: this is what passes the schema and reaches the replay.
      const before = holder[key];
      holder[key] =
        typeof before === "string"
          ? dice.pick(["", "/", "liba.so", "/bin/../opt", "$ORIGIN/$LIB", "/lib/liba.so/", "a".repeat(300), "\u0000"])
          : typeof before === "number"
            ? dice.pick([0, 1, 2, 3, 255, 65535])
            : before;
    } else holder[typeof dice.pick(values) === "string" ? String(dice.pick(values)) : "extra"] = dice.pick(values);
  }
  return value;
}
