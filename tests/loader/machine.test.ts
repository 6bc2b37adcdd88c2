import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../../packages/machine/src/target/index.ts";
import { asUser, cannotBecome, glibcLoader, liveAnswer, ourAnswer } from "./answers.ts";
import { fixtures, makeFor } from "./fixtures.ts";
import { startIn } from "./recording.ts";
import { build, temporary } from "./tree.ts";
import { needs } from "../needs.ts";

const { folder, remove } = temporary();
afterAll(remove);

const noUsers = cannotBecome();

describe("the replay does what this machine's glibc does", needs({ glibc: glibcLoader }), () => {
  fixtures.forEach(({ fact, scene: describeScene, gap }, index) => {
    test(fact, { fails: gap !== undefined }, async (context) => {
      const at = path.join(folder, String(index));
      const scene = describeScene(makeFor(at));
      if (scene.unprivileged && noUsers !== undefined) context.skip(noUsers);
      fs.mkdirSync(at);
      build(at, scene.files);
      const start = startIn(at, scene);
      const live = liveAnswer(start);
      const { whole: _whole, ...ours } = await asUser(start.user, () => ourAnswer(machine(), start));
      if (scene.announcesMore) ours.searches = live.searches;
      expect(ours).toEqual(live);
    });
  });
});
