// Where Python looks for modules, and what is installed there: asked of real interpreters.
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { environmentAt } from "../../packages/core/src/survey/python.ts";
import { openTarget } from "../../packages/core/src/index.ts";
import type { PythonEnvironment } from "../../packages/core/src/model/environment.ts";
import { machine } from "../../packages/machine/src/target/index.ts";
import { needs } from "../needs.ts";

const python = ["/usr/bin/python3"].find((file) => fs.existsSync(file));
const scratch = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "culprit-python-")));
afterAll(() => fs.rmSync(scratch, { recursive: true }));

async function predicted(
  place: string,
  environment: { [name: string]: string } = {},
  unset: string[] = ["PYTHONPATH", "HOME"],
): Promise<PythonEnvironment> {
  const { view, collector } = await openTarget(machine(), {
    environment,
    unset: unset.filter((name) => !(name in environment)),
    cwd: scratch,
  });
  for (;;) {
    view.needs.clear();
    const found = environmentAt(view, place);
    if (view.needs.size === 0) {
      if (!found) throw new Error(`no environment at ${place}`);
      return found;
    }
    await collector!.fetch(view.needs.values());
  }
}

function real(interpreter: string, environment: { [name: string]: string } = {}): string[] {
  const program = "import sys, json; print(json.dumps(sys.path))";
  return JSON.parse(
    execFileSync(interpreter, ["-c", program], {
      encoding: "utf8",
      cwd: scratch,
      env: { PATH: "/usr/bin:/bin", HOME: "/nonexistent", ...environment },
    }),
  ) as string[];
}

const canMakeEnvironments = python !== undefined && spawnSync(python, ["-c", "import venv"]).status === 0;

describe("sys.path equals that of the interpreter", needs({ "/usr/bin/python3 with its module venv": canMakeEnvironments }), () => {
  const make = (name: string, ...options: string[]) => {
    const folder = path.join(scratch, name);
    execFileSync(python!, ["-m", "venv", "--without-pip", ...options, folder]);
    return folder;
  };

  test("of the system's Python", async () => {
    expect((await predicted("/usr")).path).toEqual(real(python!));
  });

  test("of a virtual environment", async () => {
    const folder = make("plain");
    const { kind, path: found, python: interpreter } = await predicted(folder);
    expect({ kind, interpreter }).toEqual({ kind: "venv", interpreter: `${folder}/bin/python3` });
    expect(found).toEqual(real(interpreter));
  });

  test("of a virtual environment that shares the system's packages", async () => {
    const folder = make("shared", "--system-site-packages");
    expect((await predicted(folder)).path).toEqual(real(`${folder}/bin/python3`));
  });

  test("with PYTHONPATH, also its relative and missing folders", async () => {
    const folder = make("with-path");
    const environment = { PYTHONPATH: "/nowhere:relative:/usr/share" };
    expect((await predicted(folder, environment)).path).toEqual(real(`${folder}/bin/python3`, environment));
  });

  test("with .pth files: existing folders join, missing ones and comments do not, code is only noted", async () => {
    const folder = make("with-pth");
    const version = (await predicted(folder)).version;
    const site = path.join(folder, `lib/python${version}/site-packages`);
    fs.mkdirSync(path.join(site, "inner"));
    fs.writeFileSync(path.join(site, "b.pth"), `# comment\ninner\n/usr/share\n/nowhere/at/all\n\nimport os\n`);
    fs.writeFileSync(path.join(site, "a.pth"), `${scratch}\n`);
    const found = await predicted(folder);
    expect(found.path).toEqual(real(`${folder}/bin/python3`));
    expect(found.notFollowed).toEqual([{ file: `${site}/b.pth`, reason: expect.stringContaining("runs code") }]);
  });

  test("with a user's own packages, unless PYTHONNOUSERSITE forbids them", async () => {
    const home = path.join(scratch, "home");
    const { version } = await predicted("/usr");
    fs.mkdirSync(path.join(home, `.local/lib/python${version}/site-packages`), { recursive: true });
    for (const environment of [{ HOME: home }, { HOME: home, PYTHONNOUSERSITE: "1" }]) {
      expect((await predicted("/usr", environment)).path).toEqual(real(python!, environment));
    }
  });

  test("packages are found by their metadata, names normalised, the first on the path first", async () => {
    const folder = make("packages");
    const { version } = await predicted(folder);
    const site = path.join(folder, `lib/python${version}/site-packages`);
    for (const name of ["nvidia_cudnn_cu12-9.1.0.70.dist-info", "Torch-2.4.1+cu121.dist-info", "old.thing-1.0-py3.11.egg-info"])
      fs.mkdirSync(path.join(site, name));
    const { packages } = await predicted(folder);
    expect(packages.map(({ name, version: release }) => `${name} ${release}`)).toEqual([
      "torch 2.4.1+cu121",
      "nvidia-cudnn-cu12 9.1.0.70",
      "old-thing 1.0",
    ]);
  });
});

// Files as pip 23.2 and setuptools 68 leave them.
test("what is installed in editable form lies in its source folder; what a hook would do there is not followed, and is said so", async () => {
  const folder = path.join(scratch, "editable");
  const site = path.join(folder, "lib/python3.11/site-packages");
  const [flat, layered, developed] = ["flat source", "layered", "developed"].map((name) => path.join(scratch, name));
  const url = (source: string) => JSON.stringify({ dir_info: { editable: true }, url: `file://${source.replaceAll(" ", "%20")}` });
  const hook = "import __editable___torch_2_8_0_finder; __editable___torch_2_8_0_finder.install()";
  for (const [file, text] of Object.entries({
    [`${folder}/pyvenv.cfg`]: "home = /usr/bin\nversion = 3.11.2\n",
    [`${folder}/bin/python3`]: "",
    [`${site}/__editable__.torch-2.8.0.pth`]: hook,
    [`${site}/torch-2.8.0.dist-info/direct_url.json`]: url(flat!),
    [`${site}/__editable__.triton-3.4.0.pth`]: `${layered}/src`,
    [`${site}/triton-3.4.0.dist-info/direct_url.json`]: url(layered!),
    [`${layered}/src/triton/__init__.py`]: "",
    [`${site}/easy-install.pth`]: developed!,
    [`${site}/jaxlib.egg-link`]: `${developed}\n.`,
    [`${developed}/jaxlib.egg-info/PKG-INFO`]: "Metadata-Version: 2.1\nName: jaxlib\nVersion: 0.4.30.dev0\n",
    // Installed from a folder once, and copied.
    [`${site}/numpy-2.0.0.dist-info/direct_url.json`]: JSON.stringify({ dir_info: {}, url: `file://${flat}` }),
  })) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  const { packages, notFollowed } = await predicted(folder);
  expect(packages.map(({ name, version, folder: place }) => [name, version, place])).toEqual([
    ["numpy", "2.0.0", site],
    ["torch", "2.8.0", flat],
    ["triton", "3.4.0", `${layered}/src`],
    ["jaxlib", "0.4.30.dev0", developed],
  ]);
  expect(notFollowed).toEqual([
    { file: `${site}/__editable__.torch-2.8.0.pth`, reason: expect.stringContaining("runs code") },
    {
      file: `${site}/torch-2.8.0.dist-info/direct_url.json`,
      reason: `torch is installed in editable form from ${flat}; what a hook imports from there is not followed`,
    },
  ]);
});

test("a folder that may not be listed hides names, but proves nothing absent", async () => {
  const folder = path.join(scratch, "locked");
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "there"), "");
  const locked = { ...machine(), list: async (asked: string) => (asked === folder ? { code: "EACCES" } : machine().list(asked)) };
  const { view, collector } = await openTarget(locked);
  await collector!.fetch([
    { path: folder, as: "listing" },
    { path: `${folder}/there`, as: "entry" },
  ]);
  expect(view.names(folder)).toEqual([]);
  expect(view.lookup(`${folder}/there`)).toHaveProperty("found");
  expect(view.lookup(`${folder}/not-asked-for`)).toHaveProperty("ask");
  expect(view.snapshot.unknown).toContainEqual({ subject: folder, reason: "the folder cannot be listed: permission is denied" });
});
