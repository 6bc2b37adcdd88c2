// Faults made for real, cured by the command, confirmed by the real loader, and taken back byte for byte.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Check } from "../../packages/core/src/model/check.ts";
import type { Plan } from "../../packages/core/src/model/fix.ts";
import { portrait } from "../apply/portrait.ts";
import { library, module, site } from "../frameworks/python-root.ts";
import { cudnn, cudnnParts, nvidia, packaged, torch, triton } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import { addLoader, ldconfig, runLdconfig } from "../loader/roots.ts";
import { build, type Files } from "../loader/tree.ts";
import { makeElf } from "../loader/make-elf.ts";
import { needs } from "../needs.ts";

const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-cures-")));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));
const wheels = path.join(scratch, "wheels");

const works = (command: string, ...given: string[]) => spawnSync(command, given).status === 0;
const tools = {
  glibc: glibcLoader,
  "x86-64": process.arch === "x64",
  "python3 with venv and pip": works("python3", "-c", "import venv, pip"),
  bash: works("bash", "-c", "true"),
};

interface Answer {
  status: number | null;
  stdout: string;
  stderr: string;
}

interface Place {
  folder: string;
  /** What a shell reads before it starts anything. */
  startup?: string;
  environment: { [name: string]: string };
}

/** A clean process: nothing of the one that runs the tests but where programs are. */
function start({ environment, startup }: Place, program: string, given: string[]): Answer {
  const env = { PATH: process.env["PATH"] ?? "", ...environment };
  const options = { encoding: "utf8", env, cwd: scratch } as const;
  if (startup === undefined) return spawnSync(program, given, options);
  return spawnSync("bash", ["--norc", "-c", '. "$0" && exec "$@"', startup, program, ...given], options);
}

const command = path.resolve("dist/cli.js");
const culprit = (place: Place, ...given: string[]) => start(place, process.execPath, [command, ...given]);

function json<T>({ stdout, stderr, status }: Answer): T {
  expect(status, stderr).not.toBe(2);
  return JSON.parse(stdout) as T;
}

const loudly = (check: Check) =>
  check.findings.filter(({ severity }) => severity !== "info").map(({ rule, subject }) => `${rule} ${subject}`);

interface Cure {
  place: Place;
  /** Options of check and fix, as a new shell would have them. */
  where: () => string[];
  /** Rules that speak before. */
  rules: string[];
  /** One kind of fix, or several that are applied one after the other. */
  fix: string | string[];
  /** What must come back. */
  tree: string;
  portray?: (tree: string) => string;
  /** The real thing: fails before, works after. */
  confirm: () => { ok: boolean; said: string };
  /** A variable in a new shell. */
  variableIn?: (name: string) => string | undefined;
}

/** Diagnose, fix, confirm, check, undo: what every cure goes through. Says what was planned. */
function prove({ place, where, rules, fix, tree, portray = portrait, confirm, variableIn }: Cure): Plan {
  const before = portray(tree);
  const promises = new Map<string, string | undefined>();
  expect(confirm()).toMatchObject({ ok: false });
  const check = json<Check>(culprit(place, "check", ...where(), "--json"));
  const found = loudly(check);
  expect(found.map((each) => each.split(" ")[0])).toEqual(rules);
  const plan = json<Plan>(culprit(place, "fix", ...where(), "--json"));
  expect(plan.chosen.map((each) => each.fix)).toEqual([fix].flat());
  expect(plan.proof).toEqual({ removes: found, adds: [], leaves: [] });
  expect(portray(tree), "planning changes nothing").toBe(before);

  for (const { variables = [] } of plan.chosen) for (const { name, value } of variables) promises.set(name, value);
  const applied = culprit(place, "fix", ...where(), "--apply", "--yes");
  expect(applied.status, applied.stdout + applied.stderr).toBe(0);
  expect(portray(tree)).not.toBe(before);
  expect(confirm()).toMatchObject({ ok: true });
  for (const [name, value] of promises) expect(variableIn?.(name), name).toBe(value);
  // The proof was honest: what is found now is what the simulation promised.
  const promised = found.filter((each) => !plan.proof.removes.includes(each));
  const after = loudly(json<Check>(culprit(place, "check", ...where(), "--json")));
  expect(after).toEqual([...promised, ...plan.proof.adds]);
  expect(after).toEqual([]);

  const undone = culprit(place, "fix", "--undo");
  expect(undone.status, undone.stderr).toBe(0);
  expect(portray(tree)).toBe(before);
  expect(loudly(json<Check>(culprit(place, "check", ...where(), "--json")))).toEqual(found);
  return plan;
}

/** Packages of python-stack, as wheels. */
function makeWheels(): void {
  const specs = [torch(), cudnn("9.1.0.70"), cudnn("9.0.0.312", "13", 3), triton("3.2.0"), packaged("setuptools", "80.9.0")].flatMap(
    wheelsOf,
  );
  fs.mkdirSync(wheels, { recursive: true });
  const program = `
import base64, json, sys, zipfile
for wheel in json.load(sys.stdin):
    with zipfile.ZipFile(wheel["file"], "w") as out:
        for name, data in wheel["files"].items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            out.writestr(entry, base64.b64decode(data))`;
  const { status, stderr } = spawnSync("python3", ["-c", program], { input: JSON.stringify(specs), encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

function wheelsOf(files: Files): { file: string; files: { [name: string]: string } }[] {
  const below = Object.entries(files).map(([name, entry]) => [name.slice(site.length + 1), entry] as const);
  const bytes = (entry: Files[string]) => Buffer.from(entry instanceof Uint8Array ? entry : (entry as { text: string }).text);
  return below
    .filter(([name]) => name.endsWith(".dist-info/METADATA"))
    .map(([name]) => {
      const metadata = name.slice(0, name.indexOf("/"));
      const record = bytes(below.find(([each]) => each === `${metadata}/RECORD`)![1]).toString();
      const own = record.split("\n").flatMap((line) => (line === "" ? [] : [line.split(",")[0]!]));
      const made: { [name: string]: Buffer } = Object.fromEntries(own.map((each) => [each, bytes(files[`${site}/${each}`]!)]));
      if (metadata.startsWith("torch-")) {
        made["torch/version.py"] = bytes(files[`${site}/torch/version.py`]!);
        // What torch's own start does, as far as the loader is concerned.
        made["torch/__init__.py"] = Buffer.from(
          'import ctypes, os\nhere = os.path.dirname(__file__)\nctypes.CDLL(here + "/lib/libtorch_global_deps.so", ctypes.RTLD_GLOBAL)\nctypes.CDLL(here + "/_C.so")\n',
        );
      }
      // Triton before 3.3 imports it.
      if (metadata.startsWith("setuptools-")) made["setuptools/__init__.py"] = Buffer.alloc(0);
      made[`${metadata}/METADATA`] = Buffer.concat([Buffer.from("Metadata-Version: 2.1\n"), bytes(files[`${site}/${name}`]!)]);
      made[`${metadata}/WHEEL`] = Buffer.from("Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
      const hash = (data: Buffer) => createHash("sha256").update(data).digest("base64url");
      const lines = Object.entries(made).map(([each, data]) => `${each},sha256=${hash(data)},${data.length}`);
      made[`${metadata}/RECORD`] = Buffer.from([...lines, `${metadata}/RECORD,,`, ""].join("\n"));
      return {
        file: path.join(wheels, `${metadata.replace(".dist-info", "")}-py3-none-any.whl`),
        files: Object.fromEntries(Object.entries(made).map(([each, data]) => [each, data.toString("base64")])),
      };
    });
}

let count = 0;
/** A copy of the healthy environment, with a home of its own. */
function venv(): Place & { venv: string; site: string } {
  count += 1;
  const folder = path.join(scratch, `place-${count}`);
  const environment = {
    HOME: path.join(folder, "home"),
    XDG_STATE_HOME: path.join(folder, "state"),
    XDG_CACHE_HOME: path.join(folder, "cache"),
    PIP_NO_INDEX: "1",
    PIP_FIND_LINKS: wheels,
    PIP_NO_CACHE_DIR: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    NO_COLOR: "1",
  };
  fs.mkdirSync(environment.HOME, { recursive: true });
  if (spawnSync("cp", ["-a", path.join(scratch, "healthy"), path.join(folder, "venv")]).status !== 0) throw new Error("cp failed");
  const lib = path.join(folder, "venv/lib");
  const packages = path.join(
    lib,
    fs.readdirSync(lib).find((name) => name.startsWith("python3"))!,
    "site-packages",
  );
  return { folder, environment, venv: path.join(folder, "venv"), site: packages };
}

/** `import torch` for real; `-B`: nothing is written beside it. */
const importTorch =
  ({ venv: prefix, ...place }: Place & { venv: string }) =>
  () => {
    const { status, stderr } = start(place, path.join(prefix, "bin/python"), ["-B", "-c", "import torch"]);
    return { ok: status === 0, said: stderr };
  };

describe("wheels", needs(tools), () => {
  beforeAll(() => {
    makeWheels();
    const healthy = path.join(scratch, "healthy");
    const made = spawnSync("python3", ["-m", "venv", "--without-pip", healthy], { encoding: "utf8" });
    if (made.status !== 0) throw new Error(made.stderr);
    const python = path.join(healthy, "bin/python");
    // The pip of this machine, put there as a package: a bundled one takes seconds to unpack.
    const packages = spawnSync(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], {
      encoding: "utf8",
    }).stdout.trim();
    const from = spawnSync("python3", ["-c", "import pip, os; print(os.path.dirname(os.path.dirname(pip.__file__)))"], {
      encoding: "utf8",
    }).stdout.trim();
    for (const name of fs.readdirSync(from).filter((each) => each === "pip" || /^pip-.*\.dist-info$/.test(each)))
      fs.symlinkSync(path.join(from, name), path.join(packages, name));
    const names = ["torch==2.6.0", "nvidia-cudnn-cu12==9.1.0.70", "setuptools"];
    const given = ["-m", "pip", "install", "--no-index", "--no-compile", "--find-links", wheels, ...names, "nvidia-cuda-runtime-cu12"];
    const { status, stderr } = spawnSync(python, given, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  });

  test("a healthy environment is silent, and nothing is to be mended", () => {
    const place = venv();
    expect(importTorch(place)()).toMatchObject({ ok: true });
    expect(loudly(json<Check>(culprit(place, "check", "--python", place.venv, "--json")))).toEqual([]);
    expect(json<Plan>(culprit(place, "fix", "--python", place.venv, "--json"))).toMatchObject({ findings: [], chosen: [] });
  });

  test("files of a wheel are gone", () => {
    const place = venv();
    fs.rmSync(path.join(place.site, "nvidia/cudnn/lib"), { recursive: true });
    prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["wheel-files-missing"],
      fix: "install-wheel",
      tree: place.venv,
      confirm: importTorch(place),
    });
  });

  test("a library is damaged", () => {
    const place = venv();
    fs.truncateSync(path.join(place.site, "nvidia/cudnn/lib/libcudnn.so.9"), 100);
    prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["library-damaged"],
      fix: "install-wheel",
      tree: place.venv,
      confirm: importTorch(place),
    });
  });

  test("a package is installed over another one", () => {
    const place = venv();
    const given = ["-m", "pip", "install", "--no-deps", "--no-compile", "nvidia-cudnn-cu13==9.0.0.312"];
    expect(start(place, path.join(place.venv, "bin/python"), given).status).toBe(0);
    const wanted = fs.readFileSync(path.join(scratch, "healthy", path.relative(place.venv, place.site), "nvidia/cudnn/lib/libcudnn.so.9"));
    const plan = prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["packages-overwrite-each-other"],
      fix: "remove-wheel",
      tree: place.venv,
      // Both load: whose bytes they are decides.
      confirm: () => {
        const ok = fs.readFileSync(path.join(place.site, "nvidia/cudnn/lib/libcudnn.so.9")).equals(wanted);
        return { ok: ok && importTorch(place)().ok, said: "" };
      },
    });
    expect(plan.chosen[0]!.title).toMatch(/^remove nvidia-cudnn-cu13 /);
  });

  /** A second cuDNN that ~/.bashrc leads to, in real shells throughout. */
  function withOldCudnn() {
    const made = venv();
    const { HOME } = made.environment as { HOME: string };
    const old = path.join(made.folder, "old");
    const startup = path.join(HOME, ".bashrc");
    build("/", oldCudnn(old));
    fs.writeFileSync(startup, `# mine\nexport LD_LIBRARY_PATH="${old}:$LD_LIBRARY_PATH"\nexport EDITOR=vi`, { mode: 0o600 });
    const confirm = () => {
      const list = sourced([startup], "LD_LIBRARY_PATH");
      const said = graphFor(path.join(made.site, "nvidia/cudnn/lib"), list === undefined ? {} : { LD_LIBRARY_PATH: list });
      return { ok: said.startsWith(made.site), said };
    };
    return { ...made, startup, confirm, variableIn: (name: string) => sourced([startup], name) };
  }

  test("LD_LIBRARY_PATH in ~/.bashrc of this machine", () => {
    const { confirm, variableIn, ...place } = withOldCudnn();
    prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["cudnn-parts-from-two-releases"],
      fix: "drop-from-path",
      tree: place.folder + "/home",
      variableIn,
      confirm,
    });
  });

  test("a fault that hides another one: both are cured by one plan, in one journal", () => {
    const { confirm, variableIn, ...place } = withOldCudnn();
    fs.truncateSync(path.join(place.site, "nvidia/cuda_runtime/lib/libcudart.so.12"), 100);
    const plan = prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["library-damaged"],
      fix: ["install-wheel", "drop-from-path"],
      tree: place.folder,
      // Programs that pip asks for their versions leave things in the home folder.
      portray: () => portrait(place.startup) + portrait(place.venv),
      variableIn,
      confirm: () => ({ ok: confirm().ok && importTorch(place)().ok, said: "" }),
    });
    expect(plan.findings[0]!.fixes[0]).toMatchObject({ fix: "together", proof: { adds: [] } });
    expect(fs.readdirSync(path.join(place.folder, "state/culprit/journal"))).toHaveLength(1);
  });

  const canMount =
    process.getuid?.() === 0 && works("unshare", "-m", "sh", "-c", "mount --bind /mnt /mnt && mount -o remount,bind,ro /mnt");
  test("an environment that cannot be written: said before anything is begun", needs({ "root and mounts": canMount }), () => {
    const place = venv();
    fs.rmSync(path.join(place.site, "nvidia/cudnn/lib/libcudnn_graph.so.9"));
    const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    const given = [process.execPath, command, "fix", "--python", place.venv, "--apply", "--yes"];
    const answer = start(place, "unshare", ["-m", "sh", "-c", script, place.venv, ...given]);
    expect(answer.stderr).toMatch(/cannot be written: .*nothing was changed/);
    expect(answer.status).toBe(2);
    expect(fs.existsSync(path.join(place.folder, "state/culprit/journal"))).toBe(false);
  });

  test("PYTHONPATH with a second torch that cannot be loaded: only that element goes", () => {
    const made = venv();
    const { HOME } = made.environment as { HOME: string };
    const [second, other] = ["second", "other"].map((name) => path.join(made.folder, name)) as [string, string];
    fs.cpSync(path.join(made.site, "torch"), path.join(second, "torch"), { recursive: true });
    fs.cpSync(path.join(made.site, "torch-2.6.0.dist-info"), path.join(second, "torch-2.6.0.dist-info"), { recursive: true });
    fs.mkdirSync(other);
    const startup = path.join(HOME, ".bashrc");
    fs.writeFileSync(startup, `export PYTHONPATH=${other}:${second}\n`);
    const place = { ...made, startup };
    const plan = prove({
      place,
      where: () => ["--python", made.venv],
      // Its libraries look for NVIDIA's beside themselves, and there are none.
      rules: ["library-not-on-path"],
      fix: "unset-variable",
      tree: startup,
      variableIn: (name) => sourced([startup], name),
      confirm: importTorch(place),
    });
    expect(plan.chosen[0]!.variables).toEqual([{ name: "PYTHONPATH", value: other }]);
  });

  test("killed with pip at any moment of two steps, and taken back", { timeout: 60_000 }, async () => {
    for (const delay of [0, 150, 350, 600]) {
      const place = venv();
      const python = path.join(place.venv, "bin/python");
      const second = start(place, python, ["-m", "pip", "install", "--no-deps", "--no-compile", "nvidia-cudnn-cu13==9.0.0.312"]);
      expect(second.status).toBe(0);
      const before = portrait(place.venv);
      const given = [command, "fix", "--python", place.venv, "--apply", "--yes"];
      const child = spawn(process.execPath, given, {
        env: { PATH: process.env["PATH"] ?? "", ...place.environment },
        detached: true,
        stdio: "ignore",
      });
      const ended = new Promise((resolve) => child.on("exit", resolve));
      const journals = path.join(place.folder, "state/culprit/journal");
      const begun = () =>
        fs.existsSync(journals) && fs.readdirSync(journals, { recursive: true }).some((name) => String(name).endsWith(".process"));
      await expect.poll(begun, { timeout: 10_000, interval: 5 }).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, delay));
      // The whole group: culprit, and whatever it runs at this moment. On a fast machine it may be through, which is undone as well.
      if (child.exitCode === null) process.kill(-child.pid!, "SIGKILL");
      await ended;
      await expect.poll(() => culprit(place, "fix", "--undo").stderr, { timeout: 5000 }).toBe("");
      expect(portrait(place.venv), `after ${delay} ms`).toBe(before);
    }
  });
});

describe("an environment that uv made, without pip", needs({ ...tools, uv: works("uv", "--version") }), () => {
  /** Hard links to a cache, as uv makes them where it can. */
  function uvPlace(): Place & { venv: string; site: string } {
    if (!fs.existsSync(wheels)) makeWheels();
    count += 1;
    const folder = path.join(scratch, `uv-${count}`);
    const environment = {
      HOME: path.join(folder, "home"),
      XDG_STATE_HOME: path.join(folder, "state"),
      XDG_CACHE_HOME: path.join(folder, "cache"),
      UV_CACHE_DIR: path.join(folder, "cache"),
      UV_NO_INDEX: "1",
      UV_OFFLINE: "1",
      UV_FIND_LINKS: wheels,
      NO_COLOR: "1",
    };
    fs.mkdirSync(environment.HOME, { recursive: true });
    const prefix = path.join(folder, "venv");
    const place = { folder, environment, venv: prefix, site: "" };
    const names = ["torch==2.6.0", "nvidia-cudnn-cu12==9.1.0.70", "nvidia-cuda-runtime-cu12", "setuptools"];
    for (const given of [
      ["venv", "--python", "python3", prefix],
      ["pip", "install", "--python", path.join(prefix, "bin/python"), ...names],
    ]) {
      const { status, stderr } = start(place, "uv", given);
      if (status !== 0) throw new Error(stderr);
    }
    const lib = path.join(prefix, "lib");
    return {
      ...place,
      site: path.join(
        lib,
        fs.readdirSync(lib).find((name) => name.startsWith("python3"))!,
        "site-packages",
      ),
    };
  }

  // How many names a file has is uv's affair: its cache has some of them.
  const portray = (tree: string) => portrait(tree).replace(/^(.* file \w+) \d+$/gm, "$1");

  test("a damaged library, in the cache as well; the cache is left as it is", () => {
    const place = uvPlace();
    const file = path.join(place.site, "nvidia/cudnn/lib/libcudnn.so.9");
    expect(fs.statSync(file).nlink).toBe(2);
    fs.truncateSync(file, 100);
    const cache = portray(path.join(place.folder, "cache"));
    const plan = prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["library-damaged"],
      fix: "install-wheel",
      tree: place.venv,
      portray,
      confirm: importTorch(place),
    });
    expect(plan.chosen[0]!.commands[0]).toMatch(/^uv pip install --python /);
    expect(portray(path.join(place.folder, "cache"))).toBe(cache);
  });

  test("a package installed over another one", () => {
    const place = uvPlace();
    const given = ["pip", "install", "--python", path.join(place.venv, "bin/python"), "--no-deps", "nvidia-cudnn-cu13==9.0.0.312"];
    expect(start(place, "uv", given).status).toBe(0);
    const size = () => fs.statSync(path.join(place.site, "nvidia/cudnn/lib/libcudnn.so.9")).size;
    const wrong = size();
    prove({
      place,
      where: () => ["--python", place.venv],
      rules: ["packages-overwrite-each-other"],
      fix: "remove-wheel",
      tree: place.venv,
      portray,
      confirm: () => ({ ok: size() !== wrong && importTorch(place)().ok, said: "" }),
    });
  });
});

/** What a variable is after a real shell has read some files. */
function sourced(files: string[], name: string): string | undefined {
  const program = `unset ${name}; for file in "$@"; do . "$file" || exit 1; done; [ -z "\${${name}+set}" ] || printf 'set %s' "$${name}"`;
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", program, "bash", ...files], { encoding: "utf8" });
  // A file that is not valid any more would be damage.
  if (stderr !== "") throw new Error(`${status} ${stderr}`);
  return stdout.startsWith("set ") ? stdout.slice(4) : undefined;
}

const oldCudnn = (folder: string): Files =>
  Object.fromEntries(
    ["libcudnn", ...cudnnParts.map((part) => `libcudnn_${part}`)].flatMap((name) => [
      [`${folder}/${name}.so.9.0.0`, library(`${name}.so.9`)],
      [`${folder}/${name}.so.9`, { link: `${name}.so.9.0.0` }],
    ]),
  ) as Files;

/** Where the real loader finds a part of cuDNN for the library that asks for it: as that library, it looks into its own folder last. */
function graphFor(folder: string, environment: { [name: string]: string }): string {
  const probe = path.join(scratch, `probe-${(count += 1)}.so`);
  fs.writeFileSync(probe, makeElf({ needed: ["libcudnn_graph.so.9"], runpath: folder }), { mode: 0o755 });
  const program = `import ctypes; ctypes.CDLL("${probe}"); print([line.split()[-1] for line in open("/proc/self/maps") if "cudnn_graph" in line][0])`;
  const { stdout, stderr } = spawnSync("python3", ["-c", program], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", ...environment },
  });
  return stdout.trim() || stderr;
}

/** A root folder with torch in /venv and an older cuDNN in /opt/old. */
function rootPlace(files: Files): Place & { root: string } {
  count += 1;
  const folder = path.join(scratch, `root-${count}`);
  const root = path.join(folder, "root");
  build(root, {
    "/usr/lib/python3.11/lib-dynload/_ctypes.so": module(),
    "/usr/bin/python3.11": makeElf({ program: true }),
    "/opt/other": { folder: true },
    "/opt/more": { folder: true },
    ...files,
  });
  addLoader(root);
  return {
    folder,
    root,
    environment: {
      HOME: path.join(folder, "home"),
      XDG_STATE_HOME: path.join(folder, "state"),
      XDG_CACHE_HOME: path.join(folder, "cache"),
      NO_COLOR: "1",
    },
  };
}

const inVenv: Files = {
  "/venv/bin/python3": { link: "/usr/bin/python3.11" },
  "/venv/pyvenv.cfg": { text: "home = /usr/bin\nversion = 3.11.2\n" },
};
const onnxruntime = packaged("onnxruntime-gpu", "1.20.2", {
  "onnxruntime/capi/onnxruntime_pybind11_state.so": module({ runpath: "$ORIGIN" }),
  "onnxruntime/capi/libonnxruntime_providers_shared.so": library("libonnxruntime_providers_shared.so"),
  "onnxruntime/capi/libonnxruntime_providers_cuda.so": module({ needed: ["libcurand.so.10", "libcuda.so.1"] }),
});
const healthyRoot: Files = {
  ...torch(),
  ...cudnn("9.1.0.70"),
  ...triton("3.2.0"),
  ...packaged("setuptools", "80.9.0"),
  ...inVenv,
  ...oldCudnn("/opt/old"),
};

const below = (root: string, list: string) =>
  list
    .split(":")
    .map((each) => (each === "" ? "" : root + each))
    .join(":");

/** Options for a root folder whose start-up files a real shell has read. */
function whereOf(root: string, python: string, files: string[], name: string, more: string[] = []): () => string[] {
  return () => {
    const value = sourced(files, name);
    return ["--root", root, "--python", python, ...more, ...(value === undefined ? [] : ["--env", `${name}=${value}`])];
  };
}

describe("variables", needs(tools), () => {
  test.each([
    ["/etc/profile.d/cuda.sh", 'export LD_LIBRARY_PATH="/opt/other:/opt/old:/opt/more"\n', "/opt/other:/opt/more", "machine"],
    ["/etc/environment", "LD_LIBRARY_PATH=/opt/other:/opt/old:\n", "/opt/other:", "machine"],
    ["/root/.bashrc", "if true; then\n  export LD_LIBRARY_PATH=/opt/old:$LD_LIBRARY_PATH\nfi\n", undefined, "user"],
    [
      "/root/.bashrc",
      "export CUDA_HOME=/opt/old\nexport LD_LIBRARY_PATH=$CUDA_HOME:${LD_LIBRARY_PATH}\nexport LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/opt/more\n",
      "/opt/more",
      "user",
    ],
    ["/root/.bashrc", 'BASE="/opt"\nexport LD_LIBRARY_PATH="${BASE}/old/${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"\n', undefined, "user"],
    ["/venv/etc/conda/activate.d/cudnn.sh", "export LD_LIBRARY_PATH='/opt/old:/opt/other'\n", "/opt/other", "environment"],
  ])("LD_LIBRARY_PATH in %s", (at, text, left, reach) => {
    const place = rootPlace({ ...healthyRoot, [at]: { text } });
    const files = [path.join(place.root, at)];
    const variableIn = (name: string) => sourced(files, name);
    const plan = prove({
      place,
      where: whereOf(place.root, "/venv", files, "LD_LIBRARY_PATH", ["--env", "HOME=/root"]),
      rules: ["cudnn-parts-from-two-releases"],
      fix: "drop-from-path",
      tree: place.root,
      variableIn,
      confirm: () => {
        const list = below(place.root, variableIn("LD_LIBRARY_PATH") ?? "");
        const said = graphFor(`${place.root}${site}/nvidia/cudnn/lib`, { LD_LIBRARY_PATH: list });
        return { ok: said.startsWith(`${place.root}${site}/`), said };
      },
    });
    const name = "LD_LIBRARY_PATH";
    expect(plan.chosen).toMatchObject([{ reach, variables: [left === undefined ? { name } : { name, value: left }] }]);
  });

  test("behind the folder that is to blame waits another one: both go, in one change", () => {
    const at = "/etc/profile.d/cuda.sh";
    const text = "export LD_LIBRARY_PATH=/opt/old:/opt/other:/opt/older\n";
    const place = rootPlace({ ...healthyRoot, ...oldCudnn("/opt/older"), [at]: { text } });
    const files = [path.join(place.root, at)];
    const variableIn = (name: string) => sourced(files, name);
    const plan = prove({
      place,
      where: whereOf(place.root, "/venv", files, "LD_LIBRARY_PATH"),
      rules: ["cudnn-parts-from-two-releases"],
      fix: "drop-from-path",
      tree: place.root,
      variableIn,
      confirm: () => {
        const said = graphFor(`${place.root}${site}/nvidia/cudnn/lib`, {
          LD_LIBRARY_PATH: below(place.root, variableIn("LD_LIBRARY_PATH")!),
        });
        return { ok: said.startsWith(`${place.root}${site}/`), said };
      },
    });
    expect(plan.chosen[0]!.variables).toEqual([{ name: "LD_LIBRARY_PATH", value: "/opt/other" }]);
  });

  test("/etc/ld.so.preload: one name goes, the other stays", () => {
    const at = "/etc/ld.so.preload";
    const place = rootPlace({
      ...healthyRoot,
      "/opt/innocent.so": library("innocent.so"),
      [at]: { text: "/opt/innocent.so /opt/old/libcudnn_graph.so.9\n" },
    });
    const file = path.join(place.root, at);
    const listed = () => fs.readFileSync(file, "utf8").trim().split(" ");
    prove({
      place,
      where: () => ["--root", place.root, "--python", "/venv"],
      rules: ["cudnn-parts-from-two-releases"],
      fix: "preload-file",
      tree: place.root,
      // The file itself counts for the root only: the loader here is told the same by its variable.
      confirm: () => {
        const value = listed()
          .map((each) => place.root + each)
          .join(":");
        const said = graphFor(`${place.root}${site}/nvidia/cudnn/lib`, { LD_PRELOAD: value });
        return { ok: said.startsWith(`${place.root}${site}/`), said };
      },
    });
    expect(listed()).toHaveLength(2);
  });

  test("an element with `~`, which no shell replaces in /etc/environment, is written in full", () => {
    const at = "/etc/environment";
    const place = rootPlace({
      ...inVenv,
      ...onnxruntime,
      "/root/lib/libcurand.so.10": library("libcurand.so.10"),
      [at]: { text: "LD_LIBRARY_PATH=/opt/other:~/lib\n" },
    });
    // What reads this file takes everything behind the sign as it is.
    const variableIn = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(fs.readFileSync(path.join(place.root, at), "utf8"))?.[1];
    prove({
      place,
      where: () => [
        "--root",
        place.root,
        "--python",
        "/venv",
        "--env",
        "HOME=/root",
        "--env",
        `LD_LIBRARY_PATH=${variableIn("LD_LIBRARY_PATH")}`,
      ],
      rules: ["library-path-malformed"],
      fix: "mend-path",
      tree: place.root,
      variableIn,
      confirm: () => {
        const { status, stderr } = spawnSync("python3", ["-c", 'import ctypes; ctypes.CDLL("libcurand.so.10")'], {
          encoding: "utf8",
          env: { PATH: process.env["PATH"] ?? "", LD_LIBRARY_PATH: below(place.root, variableIn("LD_LIBRARY_PATH")!) },
        });
        return { ok: status === 0, said: stderr };
      },
    });
  });

  test("CUDA_HOME that leads nowhere is changed where it is set, unless something is made of it", () => {
    const at = "/root/.bashrc";
    const cuda: Files = {
      "/usr/local/cuda-12.4/bin/nvcc": makeElf({ program: true }),
      "/usr/local/cuda-12.4/version.json": { text: '{"cuda":{"version":"12.4.1"}}' },
    };
    const place = rootPlace({ ...healthyRoot, ...cuda, [at]: { text: 'export CUDA_HOME="/opt/gone" # build\n' } });
    const files = [path.join(place.root, at)];
    const variableIn = (name: string) => sourced(files, name);
    const where = whereOf(place.root, "/venv", files, "CUDA_HOME", ["--env", "HOME=/root"]);
    prove({
      place,
      where,
      rules: ["cuda-home-wrong"],
      fix: "export-cuda-home",
      tree: place.root,
      variableIn,
      confirm: () => ({ ok: fs.existsSync(`${place.root}${variableIn("CUDA_HOME")}/bin/nvcc`), said: "" }),
    });
    fs.appendFileSync(files[0]!, "export LD_LIBRARY_PATH=$CUDA_HOME/lib64\n");
    expect(json<Plan>(culprit(place, "fix", ...where(), "--json")).chosen).toEqual([]);
  });

  test("a folder that ldconfig is told of: the real one agrees with the proof", needs({ ldconfig }), () => {
    const at = "/usr/local/cuda-12.4/lib64/libcurand.so.10";
    const capi = `${site}/onnxruntime/capi`;
    const place = rootPlace({
      ...inVenv,
      ...onnxruntime,
      [at]: library("libcurand.so.10"),
      "/etc/ld.so.conf": { text: "include /etc/ld.so.conf.d/*.conf\n" },
    });
    expect(fs.existsSync(place.root + capi)).toBe(true);
    const where = ["--root", place.root, "--python", "/venv", "--json"];
    const plan = json<Plan>(culprit(place, "fix", ...where));
    const fix = plan.findings[0]!.fixes.find((each) => each.fix === "ldconfig-entry")!;
    expect(fix.proof).toEqual({ removes: ["library-not-on-path libcurand.so.10"], adds: [] });
    const [, folder, file] = /^sudo chroot \S+ sh -c 'echo (\S+) \| tee -a (\S+)'$/.exec(fix.commands[0]!)!;
    fs.mkdirSync(path.dirname(place.root + file!), { recursive: true });
    fs.writeFileSync(place.root + file!, `${folder}\n`);
    runLdconfig(place.root);
    expect(loudly(json<Check>(culprit(place, "check", ...where)))).toEqual([]);
  });

  test("a start-up file that is a link in a root folder: what it leads to in there is changed, not what lies outside", () => {
    const outside = path.join(scratch, "outside.sh");
    const text = "export LD_LIBRARY_PATH=/opt/old\n";
    fs.writeFileSync(outside, text);
    const place = rootPlace({ ...healthyRoot, [outside]: { text }, "/etc/profile.d/cuda.sh": { link: outside } });
    const files = [place.root + outside];
    const before = portrait(place.root);
    const where = whereOf(place.root, "/venv", files, "LD_LIBRARY_PATH");
    const applied = culprit(place, "fix", ...where(), "--apply", "--yes");
    expect(applied.status, applied.stdout + applied.stderr).toBe(0);
    expect(fs.readFileSync(outside, "utf8")).toBe(text);
    expect(fs.readFileSync(place.root + outside, "utf8")).toBe("");
    expect(fs.readlinkSync(path.join(place.root, "etc/profile.d/cuda.sh"))).toBe(outside);
    expect(culprit(place, "fix", "--undo").status).toBe(0);
    expect(portrait(place.root)).toBe(before);
  });

  test.each([
    ["alone", "/opt/old/libcudnn_graph.so.9", undefined],
    ["beside one that is innocent", "/opt/innocent.so:/opt/old/libcudnn_graph.so.9", "/opt/innocent.so"],
  ])("LD_PRELOAD: %s", (_title, list, left) => {
    const at = "/etc/profile.d/preload.sh";
    const text = `export LD_PRELOAD="${list}"\n`;
    const place = rootPlace({ ...healthyRoot, "/opt/innocent.so": library("innocent.so"), [at]: { text } });
    const files = [path.join(place.root, at)];
    const variableIn = (name: string) => sourced(files, name);
    const plan = prove({
      place,
      where: whereOf(place.root, "/venv", files, "LD_PRELOAD"),
      rules: ["cudnn-parts-from-two-releases"],
      fix: "unset-variable",
      tree: place.root,
      variableIn,
      confirm: () => {
        const value = variableIn("LD_PRELOAD");
        const said = graphFor(`${place.root}${site}/nvidia/cudnn/lib`, value === undefined ? {} : { LD_PRELOAD: below(place.root, value) });
        return { ok: said.startsWith(`${place.root}${site}/`), said };
      },
    });
    expect(plan.chosen[0]!.variables).toEqual([left === undefined ? { name: "LD_PRELOAD" } : { name: "LD_PRELOAD", value: left }]);
  });

  test("CUDA_VISIBLE_DEVICES", () => {
    const at = "/etc/profile.d/gpu.sh";
    const place = rootPlace({ ...healthyRoot, [at]: { text: "# tests run without\nexport CUDA_VISIBLE_DEVICES=-1\n" } });
    const files = [path.join(place.root, at)];
    const variableIn = (name: string) => sourced(files, name);
    prove({
      place,
      where: whereOf(place.root, "/venv", files, "CUDA_VISIBLE_DEVICES", ["--driver", "580.65.06", "--gpu", "L4"]),
      rules: ["gpus-hidden"],
      fix: "unset-variable",
      tree: place.root,
      variableIn,
      confirm: () => ({ ok: variableIn("CUDA_VISIBLE_DEVICES") === undefined, said: "" }),
    });
  });

  test.each([
    ["conda", "/opt/conda/envs/gpu"],
    ["venv", "/opt/venvs/gpu"],
  ])("a library of an environment that nothing leads to: %s", (kind, prefix) => {
    const capi = "onnxruntime/capi";
    const moved = Object.fromEntries(
      Object.entries({
        ...packaged("onnxruntime-gpu", "1.20.2", {
          [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
          [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
          [`${capi}/libonnxruntime_providers_cuda.so`]: module({ needed: ["libcublasLt.so.12", "libcurand.so.10"] }),
        }),
        ...nvidia("nvidia-cublas-cu12", "12.4.5.8", "cublas", { "libcublasLt.so.12": {} }),
        ...nvidia("nvidia-curand-cu12", "10.3.5.147", "curand", { "libcurand.so.10": {} }),
      }).map(([name, entry]) => [name.replace("/venv/", `${prefix}/`), entry]),
    ) as Files;
    const place = rootPlace({
      ...moved,
      [`${prefix}/bin/python3.11`]: makeElf({ program: true }),
      [`${prefix}/bin/python3`]: { link: "python3.11" },
      ...(kind === "conda"
        ? { [`${prefix}/conda-meta/history`]: { text: "" } }
        : {
            [`${prefix}/pyvenv.cfg`]: { text: "home = /usr/bin\nversion = 3.11.2\n" },
            [`${prefix}/bin/activate`]: { text: `VIRTUAL_ENV=${prefix}\nexport VIRTUAL_ENV\nhash -r 2> /dev/null\n` },
          }),
      [`${prefix}/lib/python3.11/lib-dynload/_ctypes.so`]: module(),
    });
    const hooks = path.join(place.root, prefix, kind === "conda" ? "etc/conda/activate.d" : "bin");
    const isHook = (each: string) => kind === "conda" || each === "activate";
    const variableIn = (name: string) =>
      sourced(
        fs.existsSync(hooks)
          ? fs
              .readdirSync(hooks)
              .filter(isHook)
              .map((each) => path.join(hooks, each))
          : [],
        name,
      );
    const provider = `${place.root}${prefix}/lib/python3.11/site-packages/${capi}/libonnxruntime_providers_cuda.so`;
    prove({
      place,
      where: () => {
        const list = variableIn("LD_LIBRARY_PATH");
        return ["--root", place.root, "--python", prefix, ...(list === undefined ? [] : ["--env", `LD_LIBRARY_PATH=${list}`])];
      },
      rules: ["library-not-on-path"],
      fix: "search-folder",
      tree: place.root,
      variableIn,
      confirm: () => {
        const { status, stderr } = spawnSync("python3", ["-c", `import ctypes; ctypes.CDLL("${provider}")`], {
          encoding: "utf8",
          env: { PATH: process.env["PATH"] ?? "", LD_LIBRARY_PATH: below(place.root, variableIn("LD_LIBRARY_PATH") ?? "") },
        });
        return { ok: status === 0, said: stderr };
      },
    });
  });
});
