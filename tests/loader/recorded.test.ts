// Real loaders that are not here. Each file under recorded/ is what one said of the fixtures, made by record.mjs.
//
//   loader                          answered by
//   x86-64 2.31, 2.41, 2.43               Debian 11, 13 and unstable; 2.36 answers live in machine.test.ts
//   x86-64 2.23, 2.27, 2.35, 2.39, 2.42   Ubuntu 16.04, 18.04, 22.04, 24.04, 25.10
//   aarch64 2.31, 2.36, 2.41              Debian 11, 12 and 13, under qemu
//   any of Fedora, RHEL, SUSE             read from source only: `$LIB` is lib64, a foreign byte order is fatal
//   any up to 2.22; 2.26 and 2.28         read from source only
import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { root as rootTarget } from "../../packages/machine/src/target/index.ts";
import { asUser, ourAnswer } from "./answers.ts";
import { fixtures, makeFor } from "./fixtures.ts";
import { processorFixtures } from "./processors.ts";
import { addRecorded, parse, place, startIn, unpack, type Recording } from "./recording.ts";
import { build, temporary } from "./tree.ts";

const { folder, remove } = temporary();
afterAll(remove);

const recordings = path.join(import.meta.dirname, "recorded");
const isRoot = process.getuid?.() === 0;

/** Where a loader does something that the replay does not follow, and why not. */
const differences: { [file: string]: { [fact: string]: string } } = {
  "2.23.json": {
    "first in the list: an empty dynamic section, as in separate debug files":
      "it reads the section all the same, and with a real debug file reads past its end",
  },
};

const noKernelObject = { "the kernel's object answers to its name": "qemu gives a program no such object" };
for (const version of ["2.31", "2.36", "2.41"]) differences[`aarch64-${version}.json`] = noKernelObject;

const aboutProcessors = new Set(processorFixtures.map(({ fact }) => fact));

for (const file of fs.readdirSync(recordings).sort()) {
  const recording = parse<Recording>(fs.readFileSync(path.join(recordings, file), "utf8"));
  const { machine, cpu, kernel, folders, answers } = recording;

  describe(`the replay does what ${path.basename(file, ".json")} did`, () => {
    fixtures.forEach(({ fact, scene: describeScene, gap }, index) => {
      const recorded = answers[fact];
      // Facts about processors that came later are recorded for many of them: processors.test.ts.
      if (recorded === undefined && aboutProcessors.has(fact)) return;
      test(fact, { fails: gap !== undefined || differences[file]?.[fact] !== undefined }, async (context) => {
        if (recorded === undefined) return context.skip("not recorded with this loader");
        const scene = describeScene(makeFor(place, machine));
        if (scene.unprivileged && !isRoot) context.skip("needs root: files that another user cannot read");
        // The files are the same for every loader of a machine.
        const root = path.join(folder, `${machine}-${index}`);
        if (!fs.existsSync(root)) build(path.join(root, place), scene.files);
        const start = { ...startIn(place, scene), cpu, kernel };
        const { whole: _whole, ...ours } = await asUser(start.user, () =>
          ourAnswer(rootTarget(root), start, ({ files }) => addRecorded(recording, files)),
        );
        const expected = unpack(recorded, folders);
        if (scene.announcesMore) ours.searches = expected.searches;
        expect(ours).toEqual(expected);
      });
    });
  });
}
