// What `npm pack` makes: everything that is needed, nothing else, and it installs and runs in an empty folder on every Node.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { nodeOf, supported } from "./nodes.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-packed-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
let names: string[] = [];
const installed = path.join(scratch, "empty/node_modules/culprit");
const env = { ...process.env, HOME: scratch, npm_config_cache: path.join(scratch, "npm"), npm_config_update_notifier: "false" };

beforeAll(() => {
  // Not its scripts: they would build again, under the feet of other tests.
  const answer = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--workspace", "culprit", "--pack-destination", scratch], {
    encoding: "utf8",
    env,
  });
  const [packed] = Object.values(JSON.parse(answer) as { filename: string; files: { path: string }[] }[]);
  names = packed!.files.map((file) => file.path).sort();
  fs.mkdirSync(path.join(scratch, "empty"));
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", path.join(scratch, packed!.filename)], {
    cwd: path.join(scratch, "empty"),
    stdio: "pipe",
    env,
  });
});

test("the package has the command, the library, knowledge, schemas and licences, and no sources, tests or compiled code", () => {
  const knowledge = fs.readdirSync("dist/knowledge").map((name) => `dist/knowledge/${name}`);
  const wanted = ["LICENSE", "README.md", "CHANGELOG.md", "package.json", "dist/THIRD-PARTY-LICENSES.txt", "dist/cli.js", "dist/main.js"];
  expect(names).toEqual(expect.arrayContaining([...wanted, ...knowledge, "dist/index.mjs", "dist/types/packages/core/src/index.d.ts"]));
  expect(knowledge.length).toBeGreaterThan(10);
  expect(names.filter((name) => !/^(bin|dist)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(name))).toEqual([]);
  expect(names.filter((name) => /\.(code|ts|map|bundle\.cjs)$|^dist\/culprit$/.test(name) && !name.endsWith(".d.ts"))).toEqual([]);
  expect(fs.readdirSync(path.join(scratch, "empty/node_modules")).filter((name) => !name.startsWith("."))).toEqual(["culprit"]);
});

describe.each(supported)("on Node %i", (major) => {
  const node = nodeOf(major);
  const run = (command: string, given: string[]) =>
    spawnSync(command, given, {
      encoding: "utf8",
      cwd: path.join(scratch, "empty"),
      env: { HOME: scratch, PATH: `${path.dirname(node!)}:/usr/bin:/bin` },
    });

  test("the command answers", needs({ [`Node ${major}`]: node }), () => {
    const healthy = path.resolve("cases/h200-healthy/snapshot.json.gz");
    for (const given of [["--version"], ["check", "--target", healthy], ["loads", node!], ["explain", path.resolve("README.md")]]) {
      const { status, stdout, stderr } = run(path.join(scratch, "empty/node_modules/.bin/culprit"), given);
      expect({ given, status, stderr }).toEqual({ given, status: 0, stderr: "" });
      expect(stdout).not.toBe("");
    }
  });

  test("the library answers", needs({ [`Node ${major}`]: node }), () => {
    const script = `import { openTarget, loadsOfEach } from "culprit"; import { machine } from "culprit/targets";
      import { createRequire } from "node:module";
      const schema = createRequire(import.meta.url)("culprit/schema/snapshot-1.schema.json");
      const { value: { loads } } = await loadsOfEach(await openTarget(machine()), [process.execPath]).next();
      console.log(typeof schema, loads.length > 1);`;
    const { status, stdout, stderr } = run(node!, ["--input-type=module", "-e", script]);
    expect({ status, stderr, stdout }).toEqual({ status: 0, stderr: "", stdout: "object true\n" });
    expect(fs.existsSync(installed)).toBe(true);
  });
});
