// Whatever a user names as a file: it is read to its end within bounds, or refused in one sentence.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const cli = path.resolve("dist/cli.js");
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-named-")));
const at = (name: string) => path.join(scratch, name);
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const culprit = (...given: string[]) =>
  spawnSync(process.execPath, ["--max-old-space-size=700", cli, ...given], { encoding: "utf8", timeout: 60_000, cwd: scratch });
const shell = (script: string) => spawnSync("bash", ["-c", script], { encoding: "utf8", timeout: 60_000, cwd: scratch });

describe.skipIf(!fs.existsSync(cli))("files that are none (skipped without dist/)", () => {
  const server = net.createServer();
  beforeAll(async () => {
    execFileSync("mkfifo", [at("pipe")]);
    await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
    fs.mkdirSync(at("folder"));
    const sparse = fs.openSync(at("sparse"), "w");
    fs.ftruncateSync(sparse, 2 ** 40);
    fs.closeSync(sparse);
    fs.symlinkSync("sparse", at("requirements.txt"));
  }, 60_000);
  afterAll(() => server.close());

  const places = [
    ["a snapshot", (file: string) => ["check", "--target", file]],
    ["a target by its word", (file: string) => ["check", file]],
    ["an error text", (file: string) => ["explain", file]],
    ["a profile", (file: string) => ["trace", file]],
    ["an image", (file: string) => ["check", `image:${file}`]],
    ["hosts", (file: string) => ["check", "--hosts", file]],
    ["a project file", (file: string) => ["check", "--config", file, at("nowhere.txt")]],
    ["one side of a difference", (file: string) => ["diff", file, at("nowhere.txt")]],
  ] as const;
  const files = ["/dev/zero", "/dev/urandom", at("pipe"), at("socket")];

  test.each(places.flatMap(([name, words]) => files.map((file) => [name, path.basename(file), words(file)] as const)))(
    "as %s: %s",
    (_, __, words) => {
      const { status, stderr, signal } = culprit(...words);
      expect([signal, status, stderr.trim().split("\n").length, stderr.slice(0, 9)]).toEqual([null, 2, 1, "culprit: "]);
      expect(stderr).not.toMatch(/EACCES|ENXIO|EAGAIN|undefined|at async/);
    },
  );

  test("a project file that only lies there is no pipe to wait for", () => {
    execFileSync("mkfifo", [at("folder/culprit.json")]);
    const { status, stderr } = spawnSync(process.execPath, [cli, "check"], { encoding: "utf8", timeout: 30_000, cwd: at("folder") });
    expect([status, stderr]).toEqual([2, "culprit: `culprit.json` cannot be read: it is not a plain file\n"]);
  });

  test("a pipe that somebody writes into is read to its end", () => {
    const text = "ImportError: libcudnn.so.9: cannot open shared object file: No such file or directory";
    const quoted = `"${process.execPath}" "${cli}"`;
    const explained = shell(`${quoted} explain <(echo "${text}")`);
    expect([explained.status, explained.stderr]).toEqual([0, ""]);
    expect(explained.stdout).toContain("libcudnn.so.9");
    const late = shell(`mkfifo late; (sleep 0.5; echo "${text}") >late & ${quoted} explain late`);
    expect([late.status, late.stdout]).toEqual([0, explained.stdout]);
    const hosts = shell(`${quoted} check --hosts <(echo '-bad')`);
    expect(hosts.stderr).toBe("culprit: `ssh:-bad` does not name a host\n");
    const snapshot = path.resolve("cases");
    const name = fs.readdirSync(snapshot).find((each) => fs.existsSync(`${snapshot}/${each}/snapshot.json.gz`));
    const plain = shell(`${quoted} list --json --target '${snapshot}/${name}/snapshot.json.gz'`);
    const piped = shell(`${quoted} list --json --target <(zcat '${snapshot}/${name}/snapshot.json.gz')`);
    expect([piped.stderr, piped.stdout]).toEqual(["", plain.stdout]);
  });

  test("64 MB of brackets", () => {
    fs.writeFileSync(at("bomb.json"), "[".repeat(64 << 20));
    const { status, stderr, signal } = culprit("loads", "/bin/true", "--target", at("bomb.json"));
    expect([signal, status, stderr]).toEqual([
      null,
      2,
      `culprit: \`${at("bomb.json")}\` is not a snapshot: it is nested more than 500 levels deep\n`,
    ]);
  });

  test("a file of a terabyte that holds nothing", () => {
    for (const words of [
      ["check", at("sparse")],
      ["check", "--target", at("sparse")],
      ["check", "--hosts", at("sparse")],
      ["check", at("requirements.txt")],
    ]) {
      const { status, stderr, signal } = culprit(...words);
      expect([words, signal, status, stderr.trim().split("\n").length]).toEqual([words, null, 2, 1]);
    }
  });
});
