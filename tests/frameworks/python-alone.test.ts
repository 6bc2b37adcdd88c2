// Packages without binaries that ask for a framework: their import is followed, also through others, and a plain check tells where it ends.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, pythonRoot, site } from "./python-root.ts";

const pure = (name: string, python: { [path: string]: string }, requires: string[] = []): Files => ({
  ...packaged(
    name,
    "1.0",
    Object.fromEntries(Object.entries(python).map(([path, text]) => [path, new TextEncoder().encode(text)])),
    requires,
  ),
});

async function check(files: Files, programs: string[][] = []) {
  const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...files });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs, activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check;
}

async function errors(files: Files, programs: string[][] = []): Promise<string[]> {
  const { findings } = await check(files, programs);
  return findings
    .filter(({ severity }) => severity === "error")
    .map(({ rule, evidence, breaks }) => `${rule} ${[...new Set(breaks.map(({ framework }) => framework))].join()} ${evidence[0]}`);
}

describe("packages in Python alone", needs({ loader: glibcLoader !== undefined }), () => {
  const rays = (init: string, requires = ["torch"]) => pure("rays", { "rays/__init__.py": init }, requires);

  test("a plain check follows those that ask for a framework, and counts them among what was judged", async () => {
    expect(await errors(rays("import gone\n"))).toEqual(["import-fails rays No module named 'gone'"]);
    const { judged, status } = await check(rays("import os\n"));
    expect(judged).toContainEqual(expect.objectContaining({ program: "rays", activities: ["import"] }));
    expect(status).toBe("ok");
  });

  test("also one that is known to have nothing for a GPU itself; and NVIDIA's own that are no wheels of libraries", async () => {
    const xgrammar = (requires: string[]) => pure("xgrammar", { "xgrammar/__init__.py": "import gone\n" }, requires);
    expect(await errors(xgrammar(["torch"]))).toEqual(["import-fails xgrammar No module named 'gone'"]);
    expect(await errors(xgrammar(["torch; extra == 'light'"]))).toEqual([]);
    expect(await errors(pure("nvidia-modelopt", { "modelopt/__init__.py": "import gone\n" }, ["torch"]))).toEqual([
      "import-fails nvidia-modelopt No module named 'gone'",
    ]);
  });

  test("and those that ask for one of these; what asks for no framework is none of its business", async () => {
    const waves = (requires: string[]) => pure("waves", { "waves/__init__.py": "import gone\n" }, requires);
    expect(await errors({ ...rays(""), ...waves(["rays"]) })).toEqual(["import-fails waves No module named 'gone'"]);
    expect(await errors({ ...rays(""), ...waves(["rays; extra == 'light'"]) })).toEqual([]);
    expect(await errors({ ...rays(""), ...waves([]) })).toEqual([]);
  });

  test("the import is followed through packages that lack what they ask for, and the way there is told", async () => {
    const files = { ...rays("from waves import crest\n", ["torch", "waves"]) };
    const waves = (requires: string[]) =>
      pure("waves", { "waves/__init__.py": "from .crest import crest\n", "waves/crest.py": "import foam\ncrest = 1\n" }, requires);
    const { findings } = await check({ ...files, ...waves(["foam>=2"]) });
    expect(findings).toMatchObject([{ rule: "import-fails", subject: "foam" }]);
    expect(findings[0]!.because.at(-1)).toMatch(
      /the import of rays comes to that of waves: .*rays\/__init__\.py → .*waves\/__init__\.py → .*crest\.py$/,
    );
    expect(findings[0]!.advice[0]).toMatchObject({ command: ["uv", "pip", "install", "--python", "/venv/bin/python3", "foam>=2"] });
    const foam = pure("foam", { "foam/__init__.py": "" });
    expect(await errors({ ...files, ...waves(["foam>=2"]), ...foam })).toEqual([]);
  });

  test("a part of a sound package may need more than that asks for", async () => {
    const extension = {
      [`${site}/torch/utils/__init__.py`]: { text: "" },
      [`${site}/torch/utils/extension.py`]: { text: "import compiler\n" },
    };
    expect(await errors({ ...rays("import torch.utils.extension\n"), ...extension, [`${site}/torch/__init__.py`]: { text: "" } })).toEqual([
      "import-fails rays No module named 'compiler'",
    ]);
  });

  test.each([
    [
      "a name that a module of others does not have",
      "import waves.crest\nx = waves.crest.foam()\n",
      "module 'waves.crest' has no attribute 'foam'",
    ],
    [
      "the same by another name",
      "from waves import crest as top\nclass Foam(top.foam):\n    pass\n",
      "module 'waves.crest' has no attribute 'foam'",
    ],
  ])("%s, taken in any case", async (_, init, message) => {
    const waves = pure("waves", { "waves/__init__.py": "", "waves/crest.py": "spray = 1\n" });
    expect(await errors({ ...rays(init), ...waves })).toEqual([`import-fails rays ${message}`]);
  });

  test.each([
    ["behind a question", "import waves.crest\nx = waves.crest.foam if hasattr(waves.crest, 'foam') else None\n"],
    ["in a function", "import waves.crest\ndef f():\n    return waves.crest.foam()\n"],
    ["in an annotation", "import waves.crest\nx: waves.crest.foam = None\n"],
    ["of a name that was bound once more", "import waves.crest as top\ntop = object()\nx = top.foam\n"],
    ["of one that the module makes as it is asked", "import waves.maker\nx = waves.maker.foam\n"],
    [
      "that was tried before, and something put in its place",
      "try:\n    import gone\nexcept ImportError:\n    from . import shim\nimport gone\n",
    ],
    ["where a context swallows errors", "with suppress(ImportError):\n    import gone\n"],
    ["where only some errors are raised again", "try:\n    import gone\nexcept ImportError:\n    if strict:\n        raise\n"],
  ])("nothing is said of a use %s", async (_, init) => {
    const waves = pure("waves", {
      "waves/__init__.py": "",
      "waves/crest.py": "spray = 1\n",
      "waves/maker.py": "def __getattr__(name):\n    return 1\n",
    });
    expect(await errors({ ...rays(init), ...waves })).toEqual([]);
  });

  test("an error that is only raised again is none that is caught", async () => {
    const init = "try:\n    import gone\nexcept ImportError as error:\n    raise ImportError('install it') from error\n";
    expect(await errors(rays(init))).toEqual(["import-fails rays No module named 'gone'"]);
  });

  test("of several modules, the one that has the name of the package is its import", async () => {
    const files = pure("rays", { "rays/__init__.py": "", "rays_src/__init__.py": "import gone\n", "examples/one.py": "import gone\n" }, [
      "torch",
    ]);
    expect(await errors(files)).toEqual([]);
  });

  test("of several modules without its name, one that fails is told, and is not the whole", async () => {
    const files = pure("light-toolkit", { "waves/__init__.py": "", "foam/__init__.py": "import gone\n" }, ["torch"]);
    expect(await errors(files)).toEqual([]);
    const { unknown, status } = await check(files);
    expect(unknown.map(({ subject, reason }) => `${subject}: ${reason}`)).toContain(
      "light-toolkit 1.0: of its modules foam cannot be imported (No module named 'gone'), and others can: whether that is used is not known",
    );
    expect(status).toBe("incomplete");
  });

  test("a part that its import does not come to may miss what the package asks for: that is told", async () => {
    const files = (requires: string[]) =>
      pure("rays", { "rays/__init__.py": "", "rays/torch/__init__.py": "from . import inner\n", "rays/torch/inner.py": "import gone\n" }, [
        "torch",
        ...requires,
      ]);
    expect((await check(files(["gone"]))).unknown.map(({ subject, reason }) => `${subject}: ${reason}`)).toContain(
      "rays 1.0: of its modules rays.torch cannot be imported (No module named 'gone'), and others can: whether that is used is not known",
    );
    expect((await check(files(["gone"]))).status).toBe("incomplete");
    // What it does not ask for is for few.
    expect((await check(files([]))).status).toBe("ok");
  });

  test("or be made for another release of what is there", async () => {
    const files = pure("rays", { "rays/__init__.py": "", "rays/deep/__init__.py": "from torch.version import gone\n" }, ["torch"]);
    const { unknown, status } = await check(files);
    expect(unknown.map(({ reason }) => reason)).toContainEqual(
      expect.stringMatching(/^of its modules rays\.deep cannot be imported \(cannot import name 'gone' from 'torch\.version'/),
    );
    expect(status).toBe("incomplete");
  });

  test("what protobuf's compiler made asks for a runtime that is no older", async () => {
    const made =
      'from google.protobuf import runtime_version as r\nr.ValidateProtobufRuntimeVersion(\n    r.Domain.PUBLIC,\n    6,\n    31,\n    1,\n    "",\n    "x.proto"\n)\n';
    const protobuf = (version: string) => ({
      ...packaged("protobuf", version, {
        "google/protobuf/__init__.py": new Uint8Array(),
        "google/protobuf/runtime_version.py": new Uint8Array(),
      }),
    });
    const message = "import-fails rays Detected incompatible Protobuf Gencode/Runtime versions: gencode 6.31.1 runtime 5.29.6";
    expect(await errors({ ...rays(made), ...protobuf("5.29.6") })).toEqual([message]);
    expect(await errors({ ...rays(made), ...protobuf("6.31.1") })).toEqual([]);
    expect(await errors({ ...rays(made), ...protobuf("7.0.0") })).toEqual([]);
  });

  test("a path that is changed brings nothing that is asked for as a package, nor what everybody knows", async () => {
    const meddling = "import sys\nsys.path.insert(0, 'inside')\n";
    expect(await errors(rays(`${meddling}import gone\n`, ["torch", "gone"]))).toEqual(["import-fails rays No module named 'gone'"]);
    expect(await errors(rays(`${meddling}import numpy\n`))).toEqual(["import-fails rays No module named 'numpy'"]);
    expect(await errors(rays(`${meddling}import gone\n`))).toEqual([]);
  });

  test("a function that is called at the margin goes on behind a clause that only an error comes to", async () => {
    const init = "def need():\n    try:\n        import torch\n    except ImportError:\n        raise\n    import gone\n\nneed()\n";
    expect(await errors(rays(init))).toEqual(["import-fails rays No module named 'gone'"]);
  });

  test("what a package has by the name of one of its folders may be from elsewhere", async () => {
    const files = {
      "waves/__init__.py": "from waves._api import crest\n",
      "waves/_api/__init__.py": "",
      "waves/_api/crest.py": "foam = 1\n",
      "waves/crest/__init__.py": "",
    };
    expect(await errors({ ...rays("import waves\nx = waves.crest.foam\n"), ...pure("waves", files) })).toEqual([]);
  });

  test("triton before 3.3 without setuptools: a warning, unless something imports it or asks about it", async () => {
    const without = { [`${site}/setuptools-80.9.0.dist-info/METADATA`]: undefined, [`${site}/setuptools/__init__.py`]: undefined };
    const stack = Object.fromEntries(Object.entries(healthy()).filter(([path]) => !(path in without) && !path.includes("/setuptools")));
    const judge = async (files: Files, programs: string[][] = []) => {
      const { folder } = pythonRoot({ ...stack, ...driver("/opt/driver"), ...files });
      const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
      const answer = await checkTarget(target, { programs, activities: [], python: ["/venv"] });
      if ("problem" in answer) throw new Error(answer.problem);
      return answer.check.findings.map(({ rule, severity }) => `${rule} ${severity}`);
    };
    expect(await judge({})).toEqual(["known-bad-combination warning"]);
    expect(await judge({}, [["triton"]])).toEqual(["known-bad-combination error"]);
    const triton = { [`${site}/triton/__init__.py`]: { text: "" } };
    expect(await judge({ ...rays("import triton\n", ["torch", "triton"]), ...triton })).toEqual(["known-bad-combination error"]);
  });
});

test("who asks which modules there are changes none; who adds one does", () => {
  const meddles = (text: string) => moduleIn(text).meddles === true;
  expect(
    ["x = 'a' in sys.modules\n", "sys.modules[__name__] = Lazy()\n", "for m in iter_modules(__path__):\n    pass\n"].map(meddles),
  ).toEqual([false, false, false]);
  expect(
    ["sys.modules['a'] = b\n", "sys.path.clear()\n", "__path__ += ['y']\n", "__path__ = extend_path(__path__, __name__)\n"].map(meddles),
  ).toEqual([true, true, true, true]);
  // What comes behind all others hides nothing.
  expect(moduleIn("sys.path.append('x')\n")).toEqual({ imports: [], adds: true });
  expect(moduleIn("sys.path.insert(0, 'x')\n")).toEqual({ imports: [], adds: true, puts: true });
});
