// The start on every Node, and where code that was compiled is kept: only where nobody else can write.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { keeping, nodeOf, supported } from "./nodes.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-start-")));
// Another user has to get here, too.
fs.chmodSync(scratch, 0o755);
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const nobody = 65534;
let count = 0;
const fresh = (): string => {
  count += 1;
  const folder = path.join(scratch, String(count));
  fs.mkdirSync(folder, { mode: 0o755 });
  return folder;
};
const cli = path.resolve("dist/cli.js");

interface Run {
  env?: { [name: string]: string | undefined };
  user?: number;
  command?: string;
  cwd?: string;
}
const start = (node: string, given: string[], { env = {}, user, command = cli, cwd = scratch }: Run = {}) =>
  spawnSync(node, [command, ...given], {
    encoding: "utf8",
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });

/** Everything below a folder, with rights. */
const below = (folder: string): string[] =>
  fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => fs.lstatSync(path.join(folder, name)).isFile());

describe.each([12, 18])("on Node %i", (major) => {
  const node = nodeOf(major);
  test("one sentence, exit code 2, and nothing is kept", needs({ [`Node ${major}`]: node }), () => {
    const home = fresh();
    for (const given of [[], ["--version"], ["check", "--json"], ["help"]]) {
      const { status, stdout, stderr } = start(node!, given, { env: { HOME: home } });
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/^culprit: this is Node \d+\.\d+\.\d+, and culprit needs Node 20 or newer: [^\n]+\n$/);
    }
    expect(fs.readdirSync(home)).toEqual([]);
  });

  test("building says so as well", needs({ [`Node ${major}`]: node }), () => {
    const { status, stdout, stderr } = start(node!, [], { command: path.resolve("tools/old-node.cjs") });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^culprit: this is Node [\d.]+, and building culprit needs Node 20 or newer: [^\n]+\n$/);
  });
});

const healthy = path.resolve("cases/h200-healthy/snapshot.json.gz");
const questions: string[][] = [
  ["--version"],
  ["--help"],
  ["help", "rules"],
  ["check", "--target", healthy],
  ["check", "--target", healthy, "--json"],
  ["check", "--target", healthy, "--markdown"],
  ["check", "--target", healthy, "--sarif"],
  ["list", "--target", healthy],
  ["fix", "--target", healthy],
  ["loads", "torch", "--target", healthy],
  ["why", "libcudnn.so.9", "--for", "torch", "--target", healthy],
  ["diff", healthy, healthy],
  ["loads", process.execPath],
  ["list", "--root", "/"],
  ["explain", path.resolve("README.md")],
  ["solve", "torch==2.4.*", "--driver", "535"],
  ["check", path.resolve("tests/package/requirements.txt")],
  ["check", "/nonexistent"],
];

describe.each(supported)("on Node %i", (major) => {
  const node = nodeOf(major);
  test(
    "every command answers as on this one, without a word of Node's, and again from what was kept",
    needs({ [`Node ${major}`]: node }),
    () => {
      const home = fresh();
      for (const given of questions) {
        const here = start(process.execPath, given, { env: { HOME: home, NODE_DISABLE_COMPILE_CACHE: "1" } });
        expect(here.stderr).toMatch(/^(culprit: [^\n]+\n)?$/);
        for (const round of [1, 2]) {
          const { status, stderr, stdout } = start(node!, given, { env: { HOME: home } });
          expect({ given, round, status, stderr }).toEqual({ given, round, status: here.status, stderr: here.stderr });
          expect(stdout).toBe(here.stdout);
        }
      }
    },
  );
});

describe.each(keeping)("what Node %i compiled is kept", (major) => {
  const node = nodeOf(major);
  const there = needs({ [`Node ${major}`]: node });
  const version = (run: Run) => {
    const { status, stdout, stderr } = start(node!, ["--version"], run);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^culprit \d/);
  };

  test("in the user's own cache, which others cannot enter, and nowhere else", there, () => {
    const home = fresh();
    version({ env: { HOME: home } });
    expect(fs.readdirSync(home)).toEqual([".cache"]);
    expect(fs.readdirSync(`${home}/.cache`)).toEqual(["culprit"]);
    expect(fs.statSync(`${home}/.cache/culprit`).mode & 0o7777).toBe(0o700);
    const kept = below(home);
    expect(kept.length).toBeGreaterThan(0);
    version({ env: { HOME: home } });
    expect(below(home)).toEqual(kept);
    const cache = path.join(fresh(), "mine");
    version({ env: { HOME: "/nonexistent", XDG_CACHE_HOME: cache } });
    expect(fs.readdirSync(cache)).toEqual(["culprit"]);
    // A cache that lies elsewhere, behind a link of the user's own.
    const linked = fresh();
    fs.mkdirSync(`${linked}/large`);
    fs.symlinkSync("large", `${linked}/.cache`);
    version({ env: { HOME: linked } });
    expect(below(linked).length).toBeGreaterThan(0);
    // Behind the sticky bit nobody else can replace what is ours.
    const sticky = fresh();
    fs.chmodSync(sticky, 0o1777);
    version({ env: { HOME: "/nonexistent", XDG_CACHE_HOME: `${sticky}/mine` } });
    expect(below(sticky).length).toBeGreaterThan(0);
  });

  test("not where the user said so, to Node or to us", there, () => {
    const home = fresh();
    version({ env: { HOME: home, NODE_DISABLE_COMPILE_CACHE: "1" } });
    expect(fs.readdirSync(home)).toEqual([]);
    const chosen = fresh();
    version({ env: { HOME: home, NODE_COMPILE_CACHE: chosen } });
    expect(fs.readdirSync(home)).toEqual([]);
    expect(below(chosen).length).toBeGreaterThan(0);
  });

  test("not without a home", there, () => {
    const cwd = fresh();
    for (const HOME of [undefined, "", ".", "relative", `${cwd}/absent`, `${cwd}/absent/more`, "/dev/null", "/proc/self"])
      for (const XDG_CACHE_HOME of [undefined, "", "relative", `${cwd}/none/cache`, "/dev/null"])
        version({ cwd, env: { HOME, XDG_CACHE_HOME } });
    expect(fs.readdirSync(cwd)).toEqual([]);
  });

  const unsafe: [what: string, prepare: (home: string) => void][] = [
    ["others can write to the home", (home) => fs.chmodSync(home, 0o777)],
    ["its group can write to the home", (home) => fs.chmodSync(home, 0o775)],
    [
      "others can write to the cache",
      (home) => {
        fs.mkdirSync(`${home}/.cache`);
        fs.chmodSync(`${home}/.cache`, 0o777);
      },
    ],
    [
      "others can write to what is already there",
      (home) => {
        fs.mkdirSync(`${home}/.cache/culprit`, { recursive: true });
        fs.chmodSync(`${home}/.cache/culprit`, 0o777);
      },
    ],
    [
      "a link leads to where others can write",
      (home) => {
        fs.mkdirSync(`${home}/open/.cache`, { recursive: true });
        fs.chmodSync(`${home}/open`, 0o777);
        fs.symlinkSync("open/.cache", `${home}/.cache`);
      },
    ],
    [
      "a link stands in its place",
      (home) => {
        fs.mkdirSync(`${home}/.cache`);
        fs.mkdirSync(`${home}/elsewhere`);
        fs.symlinkSync("../elsewhere", `${home}/.cache/culprit`);
      },
    ],
    [
      "a file stands in its place",
      (home) => {
        fs.mkdirSync(`${home}/.cache`);
        fs.writeFileSync(`${home}/.cache/culprit`, "mine");
      },
    ],
  ];
  test.each(unsafe)("not where %s", there, (_, prepare) => {
    const home = fresh();
    prepare(home);
    const before = fs.readdirSync(home, { recursive: true }).sort();
    version({ env: { HOME: home } });
    expect(fs.readdirSync(home, { recursive: true }).sort()).toEqual(before);
  });

  const foreign: [what: string, prepare: (home: string) => void][] = [
    ["the home", (home) => fs.chownSync(home, nobody, nobody)],
    [
      "the cache",
      (home) => {
        fs.mkdirSync(`${home}/.cache`);
        fs.chownSync(`${home}/.cache`, nobody, nobody);
      },
    ],
    [
      "what is already there",
      (home) => {
        fs.mkdirSync(`${home}/.cache/culprit`, { recursive: true });
        fs.chownSync(`${home}/.cache/culprit`, nobody, nobody);
      },
    ],
  ];
  test.each(foreign)(
    "by the administrator not where %s is another user's",
    needs({ root: isRoot, [`Node ${major}`]: node }),
    (_, prepare) => {
      const home = fresh();
      prepare(home);
      const before = fs.readdirSync(home, { recursive: true });
      version({ env: { HOME: home } });
      expect(fs.readdirSync(home, { recursive: true })).toEqual(before);
    },
  );

  // The repository may lie where only the administrator gets in.
  const reachable =
    isRoot &&
    node !== undefined &&
    spawnSync("/bin/sh", ["-c", `test -r ${cli} && test -x ${node}`], { uid: nobody, gid: nobody }).status === 0;
  test(
    "by an ordinary user, with a home that may be written and one that may not",
    needs({ root: isRoot, [`Node ${major}`]: node, "a checkout that others can read": reachable }),
    () => {
      const home = fresh();
      fs.chownSync(home, nobody, nobody);
      version({ env: { HOME: home }, user: nobody });
      const kept = below(home);
      expect(kept.length).toBeGreaterThan(0);
      fs.chmodSync(home, 0o555);
      version({ env: { HOME: home }, user: nobody });
      expect(below(home)).toEqual(kept);
      const closed = fresh();
      fs.chmodSync(closed, 0o555);
      version({ env: { HOME: closed }, user: nobody });
      expect(fs.readdirSync(closed)).toEqual([]);
    },
  );

  test("for this very source: another one is not answered by it, and damage is not run", there, () => {
    const dist = path.join(fresh(), "dist");
    fs.cpSync("dist", dist, { recursive: true, filter: (name) => path.basename(name) !== "culprit" });
    const home = fresh();
    const help = () => {
      const { status, stdout, stderr } = start(node!, ["--help"], { command: `${dist}/cli.js`, env: { HOME: home } });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    };
    const main = fs.readFileSync(`${dist}/main.js`, "utf8");
    const sentence = "which library is to blame";
    expect(main.includes(sentence)).toBe(true);
    const original = help();
    fs.writeFileSync(`${dist}/main.js`, main.replaceAll(sentence, sentence.toUpperCase()));
    const other = help();
    expect(other).not.toBe(original);
    expect(help()).toBe(other);
    fs.writeFileSync(`${dist}/main.js`, main);
    expect(help()).toBe(original);
    for (const name of below(home)) {
      const file = path.join(home, name);
      const bytes = fs.readFileSync(file);
      for (let at = 64; at < bytes.length; at += 97) bytes[at] = bytes[at]! ^ 0x55;
      fs.writeFileSync(file, bytes);
    }
    expect(help()).toBe(original);
    for (const name of below(home)) fs.writeFileSync(path.join(home, name), "");
    expect(help()).toBe(original);
  });
});
