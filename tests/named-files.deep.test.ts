// Bombs of every kind as files that a user names.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "./needs.ts";

const cli = path.resolve("dist/cli.js");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-named-")));
const at = (name: string) => path.join(scratch, name);
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const culprit = (...given: string[]) =>
  spawnSync(process.execPath, ["--max-old-space-size=700", cli, ...given], { encoding: "utf8", timeout: 60_000, cwd: scratch });

describe("bombs", needs({ "dist/": fs.existsSync(cli) }), () => {
  test.each([
    ["brackets", "[".repeat(64 << 20), /nested more than 500 levels/],
    ["objects", '{"a":'.repeat(8 << 20), /nested more than 500 levels/],
    ["many values", `[${"[],".repeat(21 << 20)}0]`, /more than 20000000 values/],
    ["one long text", `"${"\\n".repeat(32 << 20)}"`, /not an object/],
    ["one long number", "9".repeat(64 << 20), /not an object/],
  ])(
    "64 MB of %s",
    (_, text, reason) => {
      fs.writeFileSync(at("bomb.json"), text);
      const plain = culprit("loads", "/bin/true", "--target", at("bomb.json"));
      expect([plain.signal, plain.status, plain.stderr.trim().split("\n").length]).toEqual([null, 2, 1]);
      expect(plain.stderr).toMatch(reason);
      fs.writeFileSync(at("bomb.json.gz"), gzipSync(text));
      expect(culprit("loads", "/bin/true", "--target", at("bomb.json.gz")).stderr).toMatch(reason);
      for (const name of ["nb.ipynb", "Pipfile.lock", "devcontainer.json", "culprit.json"]) {
        fs.writeFileSync(at(name), text.slice(0, 15 << 20));
        const words = name === "culprit.json" ? ["check", "--config", at(name)] : ["check", at(name)];
        const { status, stderr, signal } = culprit(...words);
        // A number, however long, is a Pipfile.lock that names nothing.
        expect([name, signal, status === 0 || status === 2, stderr.trim().split("\n").length]).toEqual([name, null, true, 1]);
        fs.rmSync(at(name));
      }
    },
    120_000,
  );

  test("what unpacks without end", () => {
    execFileSync("bash", ["-c", `head -c 1100M /dev/zero | gzip -1 > '${at("endless.gz")}'`]);
    const { status, stderr, signal } = culprit("check", "--target", at("endless.gz"));
    expect([signal, status]).toEqual([null, 2]);
    expect(stderr).toBe(`culprit: \`${at("endless.gz")}\` is no snapshot: unpacked it is larger than 256 MB\n`);
    const log = culprit("explain", at("endless.gz"));
    expect([log.status, log.stderr]).toEqual([2, `culprit: \`${at("endless.gz")}\` unpacks to more than 200 times its size\n`]);
    fs.writeFileSync(at("head.json"), '{"traceEvents": [');
    execFileSync("bash", ["-c", `(cat head.json; head -c 1100M /dev/zero | tr '\\0' ' ') | gzip -1 > a.pt.trace.json.gz`], {
      cwd: scratch,
    });
    const profile = culprit("trace", "--json", at("a.pt.trace.json.gz"));
    expect([profile.signal, profile.status]).toEqual([null, 0]);
    expect(profile.stdout).toContain("unpacks to more than 200 times its size");
  }, 180_000);
});
