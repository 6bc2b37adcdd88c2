// What was watched decides what is certain: knowledge/watched.json, the table that is made of it, and the models speak of the same.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { frameworks } from "../../packages/core/src/frameworks/index.generated.ts";
import { watched as table } from "../../packages/core/src/frameworks/watched.generated.ts";
import { isWatched } from "../../packages/core/src/frameworks/watched.ts";
import { activities } from "../../packages/core/src/model/activity.ts";
import type { WatchedReleases } from "../../packages/core/src/model/knowledge.ts";

const { watched, unwatched } = JSON.parse(readFileSync("knowledge/watched.json", "utf8")) as WatchedReleases;
const cells = watched.flatMap(({ frameworks: together, activities: done, source }) =>
  Object.entries(together).flatMap(([framework, release]) =>
    Object.entries(done).map(([activity, row]) => ({ framework, release, activity, source, row })),
  ),
);
const isGood = ({ row: { missed = [], wrong = [] } }: (typeof cells)[number]) => missed.length + wrong.length === 0;

test("a release is certain at an activity exactly where every watch saw what was predicted, and one of them got there", () => {
  for (const { framework, release, activity } of cells) {
    const rows = cells.filter((each) => each.framework === framework && each.release === release && each.activity === activity);
    expect(isWatched(framework, release, activity), `${framework} ${release} ${activity}`).toBe(
      rows.every(isGood) && rows.some(({ row }) => row.stopped === undefined),
    );
  }
});

test("the table has nothing that no row of the knowledge says", () => {
  for (const [framework, byActivity] of Object.entries(table))
    for (const [activity, releases] of Object.entries(byActivity))
      for (const release of releases.split(" ").map((text) => text.replace(/^[!=]+/, "")))
        expect(
          cells.some((each) => each.framework === framework && each.activity === activity && each.release === release),
          `${framework} ${release} ${activity}`,
        ).toBe(true);
});

test("what was watched has a model, and what is done with it is an activity", () => {
  const ids = frameworks.map(({ id }) => id as string);
  for (const { framework, activity } of cells) {
    expect(ids).toContain(framework);
    expect(activities).toContain(activity);
  }
  for (const { framework } of unwatched) expect(ids).toContain(framework);
});

test("numbers fit the lists of files, and nothing of the machine that watched is in them", () => {
  for (const { frameworks: together, activities: done, source } of watched.filter((row) => row.source === "watch")) {
    const name = `${JSON.stringify(together)} ${String(source)}`;
    expect(Object.keys(done)[0], name).toBe("import");
    for (const [activity, { mapped, predicted, certain, missed = [], files }] of Object.entries(done)) {
      expect(predicted! + missed.length, `${name} ${activity}`).toBe(mapped);
      expect(certain!, `${name} ${activity}`).toBeLessThanOrEqual(predicted!);
      if (activity === "import") expect(files, name).toHaveLength(mapped!);
      expect([...files!, ...missed].filter((file) => file.startsWith("/"))).toEqual([]);
    }
  }
});

test("what could not be watched was not", () => {
  for (const { framework, release } of unwatched)
    expect(cells.filter((each) => each.framework === framework && each.release === release && each.source === "watch")).toEqual([]);
});

describe("releases that were not watched themselves", () => {
  const made = { torch: { import: "2.4.1 2.5.0 !2.5.2 2.6.0", device: "2.5.0" }, jax: { import: "=0.4.30 =!0.4.35 =0.4.36.post2 0.5.3" } };
  const at = (version: string, activity = "import") => isWatched("torch", version, activity, made);

  test("count by the nearest of their minor release, on either side", () => {
    expect(["2.4.0", "2.4.1", "2.4.9", "2.6.1"].map((version) => at(version))).toEqual([true, true, true, true]);
    expect(at("2.5.0")).toBe(true);
    // Between one that came as predicted and one that did not.
    expect(["2.5.1", "2.5.2", "2.5.3"].map((version) => at(version))).toEqual([false, false, false]);
  });

  test("do not count by others where each patch is a release of its own", () => {
    const jax = ["0.4.30", "0.4.29", "0.4.31", "0.4.35", "0.4.36", "0.4.36.post2+cu1", "0.5.0"].map((version) =>
      isWatched("jax", version, "import", made),
    );
    expect(jax).toEqual([true, false, false, false, false, true, true]);
  });

  test("are only possible in another minor release, at another activity, in another framework, and before their release", () => {
    expect(["2.3.1", "2.7.0", "3.4.1", "2.40.1"].map((version) => at(version))).toEqual([false, false, false, false]);
    expect([at("2.4.1", "device"), at("2.5.0", "device"), isWatched("jax", "2.4.1", "import", made)]).toEqual([false, true, false]);
    expect(["2.4.1+cu124", "2.4.1.post2"].map((version) => at(version))).toEqual([true, true]);
    expect(["2.4.1a0+git", "2.4.2.dev1", "2.4.1rc1", "", "nightly"].map((version) => at(version))).toEqual(Array(5).fill(false));
  });
});
