// What loaders do on processors that are not here. Each file under recorded-processors/ is what one said of the fixtures about them.
//
//   loader                           answered by
//   2.27, 2.27-updated, 2.31, 2.36, 2.41   Ubuntu 18.04 as it came out and as it is, Debian 11, 12 and 13: qemu-x86_64 7.2 up to v3 (it has no
//                                    AVX-512), play-processor.c above; and this machine's own loader, live, wherever the tools are
//   2.26 on others than Intel's      read from source only
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseCpu } from "../../packages/core/src/collect/cpu.ts";
import { openTarget, type CpuFact, type Loads } from "../../packages/core/src/index.ts";
import { processorsOf } from "../../packages/core/src/resolve/hwcaps.ts";
import { machine, root as rootTarget } from "../../packages/machine/src/target/index.ts";
import { cannotBecome, glibcLoader, liveAnswer, ourAnswer, type Answer, type Start } from "./answers.ts";
import { fixtures, makeFor } from "./fixtures.ts";
import { makeElf } from "./make-elf.ts";
import { askCpuid, makePlayer, plans, play, processorFixtures } from "./processors.ts";
import { addRecorded, parse, place, startIn, unpack, type ProcessorRecording } from "./recording.ts";
import { addLoader, ldconfig, runLdconfig } from "./roots.ts";
import { build, temporary } from "./tree.ts";
import { needs } from "../needs.ts";

const { folder, remove } = temporary();
afterAll(remove);

const recordings = path.join(import.meta.dirname, "recorded-processors");
const files = fs.readdirSync(recordings).sort();

/** What we say of a fixture with a loader that was recorded. */
async function recordedAnswer(recording: ProcessorRecording, fact: string, cpu: CpuFact): Promise<Answer & { whole: Loads }> {
  const index = processorFixtures.findIndex((fixture) => fixture.fact === fact);
  const scene = processorFixtures[index]!.scene(makeFor(place, recording.machine));
  const root = path.join(folder, `recorded-${index}`);
  if (!fs.existsSync(root)) build(path.join(root, place), scene.files);
  const start = { ...startIn(place, scene), cpu, kernel: recording.kernel };
  return ourAnswer(rootTarget(root), start, (snapshot) => addRecorded(recording, snapshot.files));
}

for (const file of files) {
  const recording = parse<ProcessorRecording>(fs.readFileSync(path.join(recordings, file), "utf8"));
  const { folders, answers, processors } = recording;
  const said = (fact: string, on: string) => unpack(answers[fact]!.find((each) => each.on.includes(on))!.answer, folders);

  describe(`the replay does what ${path.basename(file, ".json")} did on each processor`, () => {
    test("every fixture about processors was recorded", () => {
      expect(Object.keys(answers)).toEqual(processorFixtures.map(({ fact }) => fact));
      expect(Object.keys(processors)).toEqual(plans.map(({ name }) => name));
    });

    for (const [name, cpuinfo] of Object.entries(processors)) {
      const cpu = parseCpu(cpuinfo);
      test.each(Object.keys(answers))(`${name}: %s`, async (fact) => {
        const { whole, ...ours } = await recordedAnswer(recording, fact, cpu);
        // Builds of 2.27 differ on it; what that leaves certain comes below.
        if (1 < processorsOf(62, cpu, recording.loader.fact).length) return;
        expect(ours).toEqual(said(fact, name));
        expect(whole.loads.filter(({ certainty }) => certainty !== "certain")).toEqual([]);
      });
    }

    // What is not known of a processor is known of none of these: an answer is certain exactly where all of them say it.
    const knowledge: [what: string, cpu: CpuFact, fits: (cpu: CpuFact) => boolean][] = [
      ["nothing is known of it", {}, () => true],
      ...[1, 2, 3, 4].map((level): [string, CpuFact, (cpu: CpuFact) => boolean] => [
        `only its level, ${level}, is known`,
        { level },
        (cpu) => cpu.level === level && cpu.platform !== "xeon_phi",
      ]),
      ...Object.entries(processors).map(([name, cpuinfo]): [string, CpuFact, (cpu: CpuFact) => boolean] => [
        `it is ${name}`,
        parseCpu(cpuinfo),
        (cpu) => JSON.stringify(cpu) === JSON.stringify(parseCpu(cpuinfo)),
      ]),
    ];
    // Two builds of 2.27 differ: what one says, the other may not.
    const builds = files
      .map((other) => parse<ProcessorRecording>(fs.readFileSync(path.join(recordings, other), "utf8")))
      .filter(({ loader }) => loader.fact.version === recording.loader.fact.version);
    test.each(knowledge)("what is certain when %s", async (_what, cpu, fits) => {
      for (const fact of Object.keys(answers)) {
        const { whole } = await recordedAnswer(recording, fact, cpu);
        const consistent = builds.flatMap((build) =>
          Object.entries(build.processors)
            .filter(([, cpuinfo]) => fits(parseCpu(cpuinfo)))
            .map(([name]) => unpack(build.answers[fact]!.find((each) => each.on.includes(name))!.answer, build.folders).loads),
        );
        expect(consistent.length).toBeGreaterThan(0);
        for (const load of whole.loads) {
          const line = load.via === "already-loaded" ? load.path : `${load.name} => ${load.path}`;
          const byAll = consistent.every((loads) => loads.includes(line));
          expect({ fact, line, certainty: load.certainty }).toEqual({ fact, line, certainty: byAll ? "certain" : "possible" });
        }
        const open = whole.unknown.some(({ subject }) => subject === "processor");
        if (whole.loads.some(({ certainty }) => certainty === "possible")) expect({ fact, open }).toEqual({ fact, open: true });
      }
    });
  });
}

test("CPUID and /proc/cpuinfo of this machine say the same", (context) => {
  if (process.arch !== "x64") context.skip("needs an x86-64 machine");
  expect(parseCpu(askCpuid()!)).toEqual(parseCpu(fs.readFileSync("/proc/cpuinfo", "utf8")));
});

const qemu = ["qemu-x86_64", "qemu-x86_64-static"].find((name) => spawnSync(name, ["--version"]).status === 0);
const tools = {
  qemu: qemu === undefined ? undefined : [qemu],
  player: glibcLoader === undefined || process.arch !== "x64" ? "needs glibc on x86-64" : makePlayer(folder, glibcLoader),
};
const noLoader = glibcLoader === undefined || process.arch !== "x64" ? "needs glibc on x86-64" : undefined;
/** Not of the loader but of the emulator. */
const unlike = new Set(["the kernel's object answers to its name"]);
// Those that show every folder that is searched: the rest is recorded.
const telling = /every capability|the best copy|PLATFORM|whatever the processor|ORIGIN/;
// All fixtures on one processor, instead of these on all: CULPRIT_PLAY="Intel v3".
const wholly = process.env["CULPRIT_PLAY"];

for (const plan of plans) {
  if (wholly !== undefined && wholly !== plan.name) continue;
  const played = noLoader ?? play(plan, tools);
  const skip = typeof played === "string" ? played : undefined;
  describe(`the replay does what this machine's glibc does on ${plan.name}`, needs(skip), () => {
    if (typeof played === "string") return;
    const { cpuinfo, emulator, through } = played;
    const by = { ...(emulator ? { emulator } : {}), ...(through ? { through } : {}) };
    const chosen =
      wholly === undefined
        ? processorFixtures.filter(({ fact }) => telling.test(fact))
        : fixtures.filter(({ fact, gap }) => gap === undefined && !unlike.has(fact));
    chosen.forEach(({ fact, scene: describeScene }) => {
      test(fact, async (context) => {
        const at = fs.mkdtempSync(path.join(folder, "live-"));
        const scene = describeScene(makeFor(at));
        if (scene.unprivileged) context.skip("played as this user");
        build(at, scene.files);
        const start: Start = { ...startIn(at, scene), cpu: parseCpu(cpuinfo) };
        const live = liveAnswer({ ...start, ...by });
        const { whole: _whole, ...ours } = await ourAnswer(machine(), start);
        if (scene.announcesMore) ours.searches = live.searches;
        expect(ours).toEqual(live);
      });
    });

    // qemu is not in another root.
    if (!through) return;
    const cannot = cannotBecome() ?? (ldconfig === undefined ? "needs ldconfig" : undefined);
    test("entries of a cache for processors", needs(cannot), async () => {
      const named = makeElf({ soname: "libx.so.1" });
      for (const subfolder of [
        "haswell",
        "xeon_phi",
        "avx512_1",
        "haswell/avx512_1",
        "x86_64",
        "glibc-hwcaps/x86-64-v4",
        "glibc-hwcaps/x86-64-v3",
      ]) {
        const at = fs.mkdtempSync(path.join(folder, "cache-"));
        addLoader(at);
        const [player, ...words] = through;
        build(at, {
          "play-processor": fs.readFileSync(player!),
          "f/prog": makeElf({ program: true, needed: ["libx.so.1"] }),
          "usr/lib/libx.so.1": named,
          [`usr/lib/${subfolder}/libx.so.1`]: named,
          "etc/ld.so.conf": { text: "" },
        });
        runLdconfig(at);
        const start: Start = { program: "/f/prog", cwd: "/", environment: {}, cpu: parseCpu(cpuinfo) };
        const live = liveAnswer({ ...start, root: at, through: ["/play-processor", ...words] });
        const { whole: _whole, ...ours } = await ourAnswer(rootTarget(at), start);
        expect({ subfolder, ...ours }).toEqual({ subfolder, ...live });
      }
    });
  });
}

describe("variables that hide features from the loader", () => {
  const files = {
    prog: makeElf({ program: true, needed: ["libx.so", "liby.so"], rpath: "$ORIGIN/a" }),
    "a/libx.so": makeElf(),
    "a/liby.so": makeElf(),
    "a/glibc-hwcaps/x86-64-v2/libx.so": makeElf(),
  };
  const skip = glibcLoader === undefined || process.arch !== "x64" ? "needs glibc on x86-64" : undefined;
  test.each([
    [{ GLIBC_TUNABLES: "glibc.cpu.hwcaps=-SSE4_2" }, true],
    [{ GLIBC_TUNABLES: "glibc.malloc.check=0:glibc.cpu.hwcaps=-AVX2,-SSSE3" }, true],
    [{ GLIBC_TUNABLES: "glibc.malloc.check=0" }, false],
    [{ LD_HWCAP_MASK: "0" }, false],
    [{}, false],
  ])("%o", needs(skip), async (environment, hides) => {
    const at = fs.mkdtempSync(path.join(folder, "hidden-"));
    build(at, files);
    const start: Start = { program: path.join(at, "prog"), cwd: at, environment: environment as { [name: string]: string } };
    const live = liveAnswer(start);
    const { whole, loads } = await ourAnswer(machine(), start);
    const certainty = Object.fromEntries(whole.loads.map((load) => [load.name, load.certainty]));
    const { cpu } = (await openTarget(machine())).view.snapshot;
    const hangs = hides && 2 <= cpu.level!;
    expect(certainty).toMatchObject({ "libx.so": hangs ? "possible" : "certain", "liby.so": "certain" });
    for (const [index, load] of whole.loads.entries()) if (load.certainty === "certain") expect(live.loads).toContain(loads[index]);
  });
});
