// A snapshot over another one shows all that both know, to whoever lists it.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { openTarget } from "../packages/core/src/ask/examination.ts";
import { factsIn, filesOf, overlay, pathsIn } from "../packages/core/src/model/overlay.ts";
import type { Snapshot } from "../packages/core/src/model/snapshot.ts";
import { withoutFile, withText } from "../packages/core/src/plan/simulate.ts";
import { redactSnapshot } from "../packages/core/src/snapshot/redact.ts";
import { serializeSnapshot } from "../packages/core/src/snapshot/serialize.ts";

const below = (): Snapshot => ({
  schema: "culprit/snapshot@1",
  culprit: "0",
  target: { kind: "machine" },
  environment: {},
  cwd: "/",
  user: { uid: 0, gid: 0 },
  cpu: {},
  files: {
    "/": { kind: "folder", names: ["etc"] },
    "/etc": { kind: "folder", names: ["a", "b"] },
    "/etc/a": { kind: "file", size: 1 },
    "/etc/b": { kind: "file", size: 2 },
  },
  unknown: [],
});
const layered = () => withText(withoutFile(overlay(below()), "/etc/a"), "/etc/c", "see");
const seen = {
  "/": { kind: "folder", names: ["etc"] },
  "/etc": { kind: "folder", names: ["b", "c"] },
  "/etc/a": { kind: "absent" },
  "/etc/b": { kind: "file", size: 2 },
  "/etc/c": { kind: "file", size: 3, text: "see" },
};

test("a listing shows every layer; what was deleted is absent", () => {
  const snapshot = layered();
  expect(Object.keys(snapshot.files), "the topmost layer alone").not.toContain("/etc/b");
  expect(pathsIn(snapshot).sort()).toEqual(Object.keys(seen));
  expect(Object.fromEntries(factsIn(snapshot))).toEqual(seen);
  expect(filesOf(snapshot)).toEqual(seen);
});

test("what is added below is seen above, and a change above is not seen below", () => {
  const lower = below();
  const upper = withoutFile(lower, "/etc/a");
  lower.files["/etc/late"] = { kind: "file", size: 4 };
  expect(pathsIn(upper)).toContain("/etc/late");
  expect(lower.files["/etc/a"]).toEqual({ kind: "file", size: 1 });
  filesOf(lower)["/etc/b"] = { kind: "absent" };
  expect(lower.files["/etc/b"]).toEqual({ kind: "file", size: 2 });
});

test("who copies, writes or cleans a snapshot of several layers takes them all along", async () => {
  const snapshot = layered();
  expect(pathsIn((await openTarget(snapshot)).view.snapshot).sort()).toEqual(Object.keys(seen));
  expect(Object.keys(JSON.parse(serializeSnapshot(snapshot)).files).sort()).toEqual(Object.keys(seen));
  expect(pathsIn(redactSnapshot(snapshot))).toEqual(expect.arrayContaining(["/etc/b", "/etc/c"]));
});

// The raw document has one layer; a collector fills the lowest.
const exempt = new Set(["model/overlay.ts", "snapshot/validate.ts"]);
/** Ways to see the topmost layer only. */
const shortSighted =
  /Object\.(?:keys|values|entries|assign|getOwnPropertyNames)\([^()]*?\bfiles\b|\{ \.\.\.(?:\w+[.!]+)*files\b|hasOwn\((?:\w+[.!]+)*files\b/;

test.each([
  "Object.keys(snapshot.files)",
  "Object.entries(view.snapshot.files)",
  "const a = { ...snapshot.files, b }",
  "{ ...files }",
  "Object.hasOwn(snapshot.files, path)",
])("the scan sees %s", (source) => {
  expect(source).toMatch(shortSighted);
});

const folder = "packages/core/src";
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
  // Files of knowledge/ are no files of a snapshot.
  (file) => file.endsWith(".ts") && !exempt.has(file) && !/^knowledge\/(?:laws\/|part\.ts)/.test(file),
);
test.each(files)("%s lists a snapshot's files by pathsIn, factsIn or filesOf", (file) => {
  expect(readFileSync(`${folder}/${file}`, "utf8")).not.toMatch(shortSighted);
});
