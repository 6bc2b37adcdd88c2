// The Python code of a package with GPU binaries: imports that run in any case and cannot work, and libraries that it opens by itself.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { pythonLines } from "../../packages/core/src/lib/python-lines.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { packaged, torch as torchOf } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, module, pythonRoot, site } from "./python-root.ts";

const texts = (python: { [path: string]: string }): Files =>
  Object.fromEntries(Object.entries(python).map(([path, text]) => [`${site}/${path}`, { text }]));

function built(name: string, files: { [path: string]: Uint8Array }, python: { [path: string]: string }, requires: string[] = []): Files {
  return {
    ...packaged(name, "1.0", files, requires),
    [`${site}/${name}-1.0.dist-info/WHEEL`]: { text: "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n" },
    ...texts(python),
  };
}

const runtime = packaged("nvidia-cuda-runtime-cu12", "12.4.127", { "rays/libcudart.so.12": library("libcudart.so.12") });
const own = module({ needed: ["libcudart.so.12"], rpath: "$ORIGIN" });

async function found(files: Files) {
  const { folder } = pythonRoot({ ...runtime, ...driver("/opt/driver"), ...files });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check.findings
    .filter(({ severity }) => severity === "error")
    .map(({ rule, evidence, breaks }) => `${rule} ${breaks[0]!.framework}:${breaks[0]!.activity} ${evidence[0]}`);
}

const rays = (init: string, more: { [path: string]: string } = {}, requires: string[] = []) =>
  built("rays", { "rays/_C.so": own }, { "rays/__init__.py": init, ...more }, requires);

describe("imports that cannot work", needs({ loader: glibcLoader !== undefined }), () => {
  test.each([
    ["a module that nobody has", "from . import ops\n", "import os\nimport gone.deep\n"],
    ["the same, from one of its parts", "from .ops import one\n", "from gone import one\n"],
    ["behind other statements of the line", "x = 1; from . import ops\n", "'''import nothing'''\nimport gone as other  # why\n"],
  ])("%s", async (_, init, ops) => {
    expect(await found(rays(init, { "rays/ops.py": ops }))).toEqual(["import-fails rays:import No module named 'gone'"]);
  });

  test.each([
    ["where an error is caught", "try:\n    import gone\nexcept ImportError:\n    gone = None\n"],
    ["in a function", "def later():\n    import gone\n"],
    ["behind a test", "if TYPE_CHECKING:\n    import gone\n"],
    ["in a text", 'words = """\nimport gone\n"""\n'],
    ["in a text with quotes of the other kind in it", `words = '"""'\nothers = """\nimport gone\n"""\n`],
    ["in a comment", "# import gone\n"],
    ["where the path is changed before", "import sys\nsys.path.insert(0, '/elsewhere')\nimport gone\n"],
    ["a module of Python itself, whichever release has it", "import distutils.core, _sysconfigdata, tomllib\n"],
  ])("nothing is said %s", async (_, init) => {
    expect(await found(rays(init))).toEqual([]);
  });

  test("a package in a folder that several share, and what a function imports that its module calls", async () => {
    const core = (init: string) =>
      built(
        "waves_core",
        { "waves/core/_C.so": module({ needed: ["libcudart.so.12"], rpath: "$ORIGIN/../../rays" }) },
        { "waves/core/__init__.py": init },
      );
    const listed = { [`${site}/waves_core-1.0.dist-info/RECORD`]: { text: "waves/core/__init__.py,,\nwaves/core/_C.so,,\n" } };
    const files = (init: string): Files => ({ ...core(init), ...listed });
    const calling = "def _load():\n    from waves import bindings\n    return bindings\n\n_load()\n";
    const missing = ["import-fails waves-core:import cannot import name 'bindings' from 'waves' (unknown location)"];
    expect(await found(files(calling))).toEqual(missing);
    expect(await found({ ...files(calling), ...texts({ "waves/bindings/__init__.py": "" }) })).toEqual([]);
    expect(await found(files(calling.replace("_load():\n", "_load():\n    if never: return\n")))).toEqual([]);
    expect(await found(files(calling.replace("_load():\n", "_load():\n    if never:\n        return\n")))).toEqual([]);
    expect(await found(files(calling.replace("\n_load()", "\nlater = _load")))).toEqual([]);
  });

  test("a hook of a .pth file may bring any module", async () => {
    expect(await found({ ...rays("import gone\n"), ...texts({ "hook.pth": "import finder\n" }) })).toEqual([]);
  });

  const other = (python: { [path: string]: string }) => ({ ...packaged("waves", "2.0"), ...texts(python) });

  test("a module that the installed release of another package does not have", async () => {
    const files = rays("from waves.engine import start\n");
    expect(await found({ ...files, ...other({ "waves/__init__.py": "" }) })).toEqual([
      "import-fails rays:import No module named 'waves.engine'",
    ]);
    expect(await found({ ...files, ...other({ "waves/__init__.py": "", "waves/engine.py": "def start(): pass\n" }) })).toEqual([]);
    // It may be made there: nothing is said.
    expect(await found({ ...files, ...other({ "waves/__init__.py": "import sys\nsys.modules['waves.engine'] = sys\n" }) })).toEqual([]);
    // Of a namespace, no folder has that part; one that several packages have is gone through in all of its folders.
    expect(await found({ ...files, ...other({ "waves/other.py": "" }) })).toEqual([
      "import-fails rays:import No module named 'waves.engine'",
    ]);
    const elsewhere = { [`${site}/more.pth`]: { text: "/srv/more\n" }, "/srv/more/waves/engine.py": { text: "def start(): pass\n" } };
    expect(await found({ ...files, ...other({ "waves/other.py": "" }), ...elsewhere })).toEqual([]);
  });

  test("a name that the installed release of another package does not have", async () => {
    const files = rays("from waves import (\n  start,\n  stop as halt,\n)\n");
    const gone = "import-fails rays:import cannot import name 'stop' from 'waves' (/venv/lib/python3.11/site-packages/waves/__init__.py)";
    expect(await found({ ...files, ...other({ "waves/__init__.py": "def start(): pass\n" }) })).toEqual([gone]);
    for (const init of [
      "def start(): pass\nif start:\n    stop = 1\n",
      "start = 1\nif start:\n    from .all import *\n",
      "start = 1\ndef __getattr__(name):\n    return name\n",
      "start = 1\nglobals().update(more)\n",
    ])
      expect(await found({ ...files, ...other({ "waves/__init__.py": init, "waves/all.py": "" }) })).toEqual([]);
    expect(await found({ ...files, ...other({ "waves/__init__.py": "start = 1\n", "waves/stop.py": "" }) })).toEqual([]);
  });

  test("what another package with GPU binaries imports counts for whoever imports that", async () => {
    const beams = built(
      "beams",
      { "beams/_C.so": own, "beams/libcudart.so.12": library("libcudart.so.12") },
      { "beams/__init__.py": "import rays\n" },
    );
    const errors = await found({ ...beams, ...rays("import gone\n") });
    expect(errors).toEqual(["import-fails beams:import No module named 'gone'"]);
  });

  test("a module for GPUs of another package that is imported by name is opened", async () => {
    const waves = built("waves", { "waves/_solver.so": module({ needed: ["libcusolver.so.11"] }) }, { "waves/__init__.py": "" });
    const errors = await found({ ...rays("from waves import _solver\n"), ...waves });
    expect(errors).toContainEqual(expect.stringContaining("library-missing rays:import libcusolver.so.11: cannot open shared object file"));
  });

  test("what it asks for and is not installed is what to install", async () => {
    const { folder } = pythonRoot({ ...runtime, ...driver("/opt/driver"), ...rays("import gone_far\n", {}, ["gone-far>=2", "numpy"]) });
    const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
    const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
    if ("problem" in answer) throw new Error(answer.problem);
    const [first] = answer.check.findings;
    expect(first).toMatchObject({ rule: "import-fails", certainty: "likely" });
    expect(first!.advice[0]!.command!.slice(-1)).toEqual(["gone-far>=2"]);
  });
});

describe("libraries that a package opens by itself", needs({ loader: glibcLoader !== undefined }), () => {
  const lacking = module({ needed: ["libcudart.so.12", "libcusolver.so.11"], rpath: "$ORIGIN/.." });
  const opening = (init: string) => built("rays", { "rays/_C.so": own, "rays/lib/librays.so": lacking }, { "rays/__init__.py": init });

  test.each([
    ["at its margin", 'import ctypes\nctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", "librays.so"))\n'],
    [
      "by a path that was made before",
      'import torch\nhere = Path(__file__).parent / "lib" / "librays.so"\ntorch.ops.load_library(str(here))\n',
    ],
    ["in a loop", 'for name in ["librays"]:\n    torch.ops.load_library(find(name))\n'],
    [
      "in functions that it calls",
      'def load(name):\n    path = where / f"{name}.so"\n    torch.ops.load_library(path)\n\ndef start():\n    if False:\n        return\n    load("librays")\n\nstart()\n',
    ],
  ])("%s", async (_, init) => {
    expect(await found(opening(init))).toEqual([
      expect.stringContaining("library-missing rays:import libcusolver.so.11: cannot open shared object file"),
    ]);
  });

  test.each([
    ["where an error is caught", 'try:\n    ctypes.CDLL("librays.so")\nexcept OSError:\n    pass\n'],
    ["in a function that nobody calls", 'def load():\n    ctypes.CDLL("librays.so")\n'],
    ["another one", 'ctypes.CDLL("libother.so")\n'],
  ])("not %s", async (_, init) => {
    expect(await found(opening(init))).toEqual([]);
  });
});

test("operators with types that an older torch does not know", async () => {
  const operator =
    '@torch.library.custom_op("rays::conv", mutates_args=())\ndef conv(x: Tensor, stride: list[int]) -> Tensor:\n    return x\n';
  const refused = "import-fails rays:import infer_schema(func): Parameter stride has unsupported type list[int].";
  expect(await found({ ...rays(operator), ...torchOf("2.6.0") })).toContain(refused);
  expect(await found({ ...rays(operator), ...torchOf("2.7.0") })).not.toContain(refused);
  expect(await found({ ...rays(operator.replace("list", "List")), ...torchOf("2.6.0") })).not.toContain(refused);
});

test("logical lines", () => {
  const source = "a = [1,\n  2]  # two\nif a:\n    b = 'x\\\n y'\nc = \\\n  'it''s' \"#\"\nd = r'''\n\\'''  end\n'''\n\te\n";
  expect(pythonLines(source)).toEqual([
    { indent: 0, code: "a = [1,   2]", texts: [] },
    { indent: 0, code: "if a:", texts: [] },
    { indent: 4, code: 'b = ""', texts: ["x\\\n y"] },
    { indent: 0, code: 'c =    """" ""', texts: ["it", "s", "#"] },
    { indent: 0, code: 'd = r""', texts: [] },
    { indent: 1, code: "e", texts: [] },
  ]);
});

test("statements of imports", () => {
  expect(moduleIn("import a.b as c, d; from .e import (f, g as h)\nfrom . import i\nfrom j import *\n")).toEqual({
    imports: ["a.b", "d", ".e:f,g", ".:i", "j:*"],
    open: true,
    stars: true,
  });
});
