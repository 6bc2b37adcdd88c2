// A package with a module for a GPU, laid out in every way that pip, setuptools and people leave one. Each was made for real with setuptools 65.5
// and pip, and really imported: without the runtime all fail in the loader's words, with it all import.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "../loader/answers.ts";
import { makeElf } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, module, pythonRoot, site } from "./python-root.ts";

const extension = module({ needed: ["libcudart.so.12"] });
const name = "_C.cpython-311-x86_64-linux-gnu.so";
const rays = (folder: string): Files => ({
  [`${folder}/rays/__init__.py`]: { text: "from . import _C\n" },
  [`${folder}/rays/deep/${name}`]: extension,
  [`${folder}/rays/${name}`]: extension,
});
const info = (folder: string, files: { [file: string]: string }): Files =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, { text }]));
const metadata = "Name: rays-box\nVersion: 1.0\n";
const wheel = "Tag: cp311-cp311-linux_x86_64\n";
const record = `rays/__init__.py,,\nrays/${name},,\nrays/deep/${name},,\n`;
const made = `${site}/rays_box-1.0.dist-info`;
const egg = `${site}/rays_box-1.0-py3.11-linux-x86_64.egg`;

const layouts: { [layout: string]: Files } = {
  "from a wheel": { ...rays(site), ...info(made, { METADATA: metadata, WHEEL: wheel, RECORD: record, INSTALLER: "pip\n" }) },
  "without INSTALLER and WHEEL": { ...rays(site), ...info(made, { METADATA: metadata, RECORD: record }) },
  "without RECORD": { ...rays(site), ...info(made, { METADATA: metadata, WHEEL: wheel, "top_level.txt": "rays\n" }) },
  "with an empty RECORD": { ...rays(site), ...info(made, { METADATA: "", WHEEL: "", RECORD: "", "top_level.txt": "rays\n" }) },
  "by setup.py develop": {
    ...rays("/src/box"),
    ...info("/src/box/rays_box.egg-info", { "PKG-INFO": metadata, "top_level.txt": "rays\n" }),
    ...info(site, { "easy-install.pth": "/src/box\n", "rays-box.egg-link": "/src/box\n.\n" }),
  },
  "in editable form, by a finder": {
    ...rays("/src/box"),
    ...info(site, {
      "__editable__.rays_box-1.0.pth": "import __editable___rays_box_1_0_finder; __editable___rays_box_1_0_finder.install()\n",
      "__editable___rays_box_1_0_finder.py": "MAPPING = {'rays': '/src/box/rays'}\n",
    }),
    ...info(made, {
      METADATA: metadata,
      WHEEL: wheel,
      RECORD: "__editable__.rays_box-1.0.pth,,\n__editable___rays_box_1_0_finder.py,,\n",
      "top_level.txt": "rays\n",
      "direct_url.json": '{"url": "file:///src/box", "dir_info": {"editable": true}}',
    }),
  },
  "in editable form, by a path and without top_level.txt": {
    ...rays("/src/box/src"),
    ...info(site, { "_rays_box.pth": "/src/box/src\n" }),
    ...info(made, {
      METADATA: metadata,
      WHEEL: wheel,
      RECORD: "_rays_box.pth,,\n",
      "direct_url.json": '{"url": "file:///src/box", "dir_info": {"editable": true}}',
    }),
  },
  "as an egg that is a folder": {
    ...rays(egg),
    ...info(`${egg}/EGG-INFO`, { "PKG-INFO": metadata, "top_level.txt": "rays\n" }),
    ...info(site, { "easy-install.pth": "./rays_box-1.0-py3.11-linux-x86_64.egg\n" }),
  },
  "in a folder that a .pth file names": {
    ...rays("/srv/target"),
    ...info("/srv/target/rays_box-1.0.dist-info", { METADATA: metadata, WHEEL: wheel, RECORD: record }),
    ...info(site, { "mine.pth": "/srv/target\n" }),
  },
  "beside what an older release left": {
    ...rays(site),
    ...info(`${site}/rays_box-0.9.dist-info`, { METADATA: "Name: rays-box\nVersion: 0.9\n", WHEEL: wheel, RECORD: record }),
    ...info(made, { METADATA: metadata, WHEEL: wheel, RECORD: record }),
  },
};

async function judged(files: Files, programs: string[][] = [], python: string = "/venv") {
  const { folder } = pythonRoot({ ...driver("/opt/driver"), ...files });
  const environment = { LD_LIBRARY_PATH: "/opt/driver:/opt/runtime" };
  const target = await openTarget(root(folder), { environment, cwd: "/run", cpu: { level: 1 } });
  return checkTarget(target, { programs, activities: [], python: [python] });
}

describe("a package with a module for a GPU, however it is laid out", needs({ loader: glibcLoader !== undefined }), () => {
  test.each(Object.entries(layouts))("%s", async (_, files) => {
    const runtime = { "/opt/runtime/libcudart.so.12": library("libcudart.so.12") };
    for (const programs of [[], [["rays-box"]]]) {
      const broken = await judged(files, programs);
      if ("problem" in broken) throw new Error(broken.problem);
      const errors = broken.check.findings.filter(({ severity }) => severity === "error");
      expect(errors.map(({ rule, subject, breaks }) => [rule, subject, breaks[0]])).toEqual([
        ["library-missing", "libcudart.so.12", { framework: "rays-box", activity: "import" }],
      ]);
      const whole = await judged({ ...files, ...runtime }, programs);
      if ("problem" in whole) throw new Error(whole.problem);
      expect(whole.check.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
      expect(whole.check.judged.map(({ program, version }) => `${program} ${version}`)).toEqual(["rays-box 1.0"]);
      expect(whole.check.status).toBe("ok");
    }
  });

  test.each<[string, Files]>([
    ["without any metadata", rays(site)],
    ["without any metadata, deep inside", { [`${site}/rays/deep/${name}`]: extension }],
    ["as a module beside the packages", { [`${site}/${name}`]: extension }],
    ["with a RECORD of noise", { ...rays(site), ...info(made, { METADATA: metadata, WHEEL: wheel, RECORD: "\u0000\u0001,,x\n" }) }],
    [
      "with a RECORD that leaves it out",
      { ...rays(site), ...info(made, { METADATA: metadata, WHEEL: wheel, RECORD: "rays/__init__.py,,\n" }) },
    ],
    [
      "in a folder that a .pth file names, without any metadata",
      { ...rays("/srv/target"), ...info(site, { "mine.pth": "/srv/target\n" }) },
    ],
    [
      "in a folder that code in a .pth file adds",
      { ...rays("/srv/target"), ...info(site, { "mine.pth": 'import sys; sys.path.append("/srv/target")\n' }) },
    ],
  ])("what no package lists is unknown, by name: %s", async (_, files) => {
    const answer = await judged({ ...files, "/opt/runtime/libcudart.so.12": library("libcudart.so.12") });
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.check.status).toBe("incomplete");
    expect(answer.check.unknown.map(({ reason }) => reason)).toContain(
      `no package lists ${name}, which asks for libcudart.so.12: whose it is, and whether it fits, was not judged`,
    );
  });

  test("the same where Python itself and its packages share a prefix, as in conda and in images", async () => {
    const prefix = "/opt/env";
    const own = `${prefix}/lib/python3.11`;
    const answer = await judged(
      {
        [`${prefix}/bin/python3`]: makeElf({ program: true }),
        [`${prefix}/conda-meta/history`]: { text: "" },
        [`${own}/os.py`]: { text: "" },
        [`${own}/lib-dynload/_ctypes.so`]: module(),
        ...rays(`${own}/site-packages`),
        "/opt/runtime/libcudart.so.12": library("libcudart.so.12"),
      },
      [],
      prefix,
    );
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.check.unknown.map(({ subject }) => subject)).toContain(`${own}/site-packages/rays`);
  });

  // zipimport finds no compiled module in any of them; what Python they hold is imported.
  test.each<[string, Files, string]>([
    [
      "an archive that a .pth file names",
      { "/srv/rays.zip": { text: "PK" }, ...info(site, { "mine.pth": "/srv/rays.zip\n" }) },
      "/srv/rays.zip",
    ],
    [
      "an egg of any name that is one file",
      { [`${site}/box-1.0-py3.11.egg`]: { text: "PK" }, ...info(site, { "easy-install.pth": "./box-1.0-py3.11.egg\n" }) },
      `${site}/box-1.0-py3.11.egg`,
    ],
    [
      "a .pth file that adds what nobody can tell",
      info(site, { "mine.pth": "import os, sys; sys.path.append(os.environ['MINE'])\n" }),
      `${site}/mine.pth`,
    ],
  ])("what nobody looks into keeps the tick away: %s", async (_, files, subject) => {
    const answer = await judged({ ...layouts["from a wheel"], ...files, "/opt/runtime/libcudart.so.12": library("libcudart.so.12") });
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.check.status).toBe("incomplete");
    expect(answer.check.unknown).toContainEqual(expect.objectContaining({ subject, kind: "file" }));
  });

  test("code at the start that brings nothing, and Spark's own archives, are no reason to doubt", async () => {
    const moved =
      "import sys; new=sys.path[sys.__plen:]; del sys.path[sys.__plen:]; p=getattr(sys,'__egginsert',0); sys.path[p:p]=new; sys.__egginsert = p+len(new)";
    const answer = await judged({
      ...layouts["from a wheel"],
      "/opt/runtime/libcudart.so.12": library("libcudart.so.12"),
      "/opt/spark/py4j-0.10.9.7-src.zip": { text: "PK" },
      ...info(site, {
        "easy-install.pth": `import sys; sys.__plen = len(sys.path)\n/opt/spark/py4j-0.10.9.7-src.zip\n${moved}\n`,
        "distutils-precedence.pth": "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'\n",
      }),
    });
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.check.status).toBe("ok");
  });

  test("an egg that is one file is unknown, by name, and what it may bring is not missed", async () => {
    const packed: Files = {
      [`${site}/rays_cuda-1.0-py3.11-linux-x86_64.egg`]: { text: "PK" },
      ...info(site, { "easy-install.pth": "./rays_cuda-1.0-py3.11-linux-x86_64.egg\n" }),
      ...layouts["from a wheel"],
      [`${site}/rays/__init__.py`]: { text: "import rays_cuda\nfrom . import _C\n" },
      "/opt/runtime/libcudart.so.12": library("libcudart.so.12"),
    };
    const answer = await judged(packed);
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.check.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(answer.check.status).toBe("incomplete");
    expect(answer.check.unknown.find(({ subject }) => subject === "rays-cuda 1.0")?.reason).toContain("an egg that is one file");
    const asked = await judged(packed, [["rays-cuda"]]);
    expect("problem" in asked && asked.problem).toContain("in an egg that is one file");
  });
});
