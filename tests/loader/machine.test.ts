import fs from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { machine } from "../../src/target/index.ts";
import { cannotBecome, glibcLoader, liveAnswer, ourAnswer, type Start } from "./answers.ts";
import { fixtures, makeFor, nobody, type Scene } from "./fixtures.ts";
import { build, temporary } from "./tree.ts";

const { folder, remove } = temporary();
afterAll(remove);

const noUsers = cannotBecome();

export function startOf(at: string, scene: Scene): Start {
  const { program = path.join(at, "prog"), cwd = "", environment = {}, unprivileged } = scene;
  return {
    // A program below the fixture's folder is started by its absolute path, one with leading dots as it is.
    program: program.startsWith(".") || program.startsWith("/") ? program : path.join(at, program),
    cwd: path.join(at, cwd),
    environment,
    ...(unprivileged ? { user: nobody } : {}),
  };
}

// A target reads with the rights of whoever asks.
async function asUser<T>(user: number | undefined, work: () => Promise<T>): Promise<T> {
  if (user === undefined) return work();
  process.setegid!(user);
  process.seteuid!(user);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

describe.skipIf(glibcLoader === undefined)("the replay does what this machine's glibc does", () => {
  fixtures.forEach(({ fact, scene: describeScene, gap }, index) => {
    test(fact, { fails: gap !== undefined }, async (context) => {
      const at = path.join(folder, String(index));
      const scene = describeScene(makeFor(at));
      if (scene.unprivileged && noUsers !== undefined) context.skip(noUsers);
      fs.mkdirSync(at);
      build(at, scene.files);
      const start = startOf(at, scene);
      const live = liveAnswer(start);
      const { whole: _whole, ...ours } = await asUser(start.user, () => ourAnswer(machine(), start));
      if (scene.announcesMore) ours.searches = live.searches;
      expect(ours).toEqual(live);
    });
  });
});
