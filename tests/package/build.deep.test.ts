// Two builds of the same sources are the same bytes, wherever they are made and whatever Node makes them.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { nodeOf, supported } from "./nodes.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-build-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

/** Every file with its rights and a digest of its bytes. */
const portrait = (folder: string) =>
  Object.fromEntries(
    fs
      .readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => fs.statSync(path.join(folder, name)).isFile())
      .sort()
      .map((name) => {
        const mode = fs.statSync(path.join(folder, name)).mode & 0o111;
        return [
          name,
          `${mode.toString(8)} ${createHash("sha256")
            .update(fs.readFileSync(path.join(folder, name)))
            .digest("hex")}`,
        ];
      }),
  );

const first = path.join(scratch, "first");
const build = (node: string, sources: string, out: string) => {
  execFileSync(node, [path.join(sources, "tools/build.mjs"), "--types", "--out", out], { cwd: scratch, stdio: "pipe" });
  return portrait(out);
};

/** A copy of the sources, as another checkout would have them. */
function checkout(name: string, modules: "copied" | "linked"): string {
  const folder = path.join(scratch, name);
  for (const part of ["packages", "tools", "knowledge", "schema", "package.json", "tsconfig.json", "tsconfig.types.json"])
    fs.cpSync(part, path.join(folder, part), { recursive: true, filter: (from) => path.basename(from) !== "node_modules" });
  const own = path.join(folder, "node_modules");
  if (modules === "linked") fs.symlinkSync(path.resolve("node_modules"), own);
  else fs.cpSync("node_modules", own, { recursive: true, filter: (from) => path.basename(from) !== ".cache", verbatimSymlinks: true });
  return folder;
}

test("twice here, into two folders", () => {
  const one = build(process.execPath, path.resolve("."), first);
  expect(build(process.execPath, path.resolve("."), path.join(scratch, "a/second one"))).toEqual(one);
  // What was there before is gone.
  fs.writeFileSync(path.join(first, "main-v20.0.0-x64.code"), "stale");
  fs.writeFileSync(path.join(first, "types/stale.d.ts"), "stale");
  expect(build(process.execPath, path.resolve("."), first)).toEqual(one);
  expect(Object.keys(one).filter((name) => !/\.(css|js|mjs|json|txt|1|d\.ts)$/.test(name))).toEqual([]);
  expect(Object.keys(one)).toEqual(
    expect.arrayContaining(["cli.js", "main.js", "index.mjs", "types/packages/core/src/index.d.ts", "knowledge/gpus.json"]),
  );
});

test("from other places", () => {
  const one = portrait(first);
  expect(build(process.execPath, checkout("another checkout", "linked"), path.join(scratch, "from-link"))).toEqual(one);
  expect(build(process.execPath, checkout("x/y/z", "copied"), path.join(scratch, "from-copy"))).toEqual(one);
});

for (const major of supported) {
  const node = nodeOf(major);
  test(`by Node ${major}`, needs({ [`Node ${major}`]: node }), () => {
    expect(build(node!, path.resolve("."), path.join(scratch, String(major)))).toEqual(portrait(first));
  });
}
