// Which errors of an import a `try` around it catches, and packages that import all that lies in their folder.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { isCaught } from "../../packages/core/src/lib/python-exceptions.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, pythonRoot } from "./python-root.ts";

const bytes = (files: { [path: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));

/** What Cython made with the headers of NumPy 1. */
const forNumpyOne = Buffer.concat([
  library("_made.so"),
  Buffer.from("\0numpy.core._multiarray_umath\0%s size changed, may indicate binary incompatibility\0"),
]);

async function told(python: { [path: string]: string }, beside: Files = {}): Promise<string[]> {
  const { folder } = pythonRoot({
    ...healthy(),
    ...driver("/opt/driver"),
    ...packaged("numpy", "2.2.6", bytes({ "numpy/__init__.py": "" })),
    ...beside,
    ...packaged("rays", "1.0", bytes(python), ["torch"]),
  });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check.findings.filter(({ severity }) => severity === "error").map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`);
}

/** A package that is installed beside a NumPy for which it was not made. */
const frames = (init: string, more: { [path: string]: string } = {}): Files =>
  packaged("frames", "2.1.4", { ...bytes({ "frames/__init__.py": init, ...more }), "frames/_made.abi3.so": forNumpyOne }, ["numpy<2"]);

const old = 'import numpy as np\nif np.__version__ > "1.9":\n    raise KIND("too new")\n';
const measured =
  "import-fails numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject";

describe("an error that a try around an import does not catch", needs({ loader: glibcLoader !== undefined }), () => {
  const caught = (clause: string, first = "") => ({
    "rays/__init__.py": `try:\n${first}    import frames\n${clause}\n    frames = None\n`,
  });
  const cython = frames("from . import _made\n");

  test.each([
    ["a ValueError of Cython's", "except ImportError:", cython, [measured]],
    ["by two that do not", "except (ImportError, OSError) as error:", cython, [measured]],
    ["by two clauses", "except ModuleNotFoundError:\n    pass\nexcept OSError:", cython, [measured]],
    ["a RuntimeError of its own", "except ImportError:", frames(old.replace("KIND", "RuntimeError")), ["import-fails too new"]],
    [
      "an AttributeError",
      "except ImportError:",
      frames("import numpy as np\nx = np.float_\n"),
      ["import-fails module 'numpy' has no attribute 'float_'"],
    ],
    ["a missing module, where only another error is", "except OSError:", frames("import gone\n"), ["import-fails No module named 'gone'"]],
    [
      "of a module two steps away, past a clause for something else",
      "except ImportError:",
      frames("try:\n    from . import low\nexcept ImportError as error:\n    raise ImportError('not built') from error\n", {
        "frames/low.py": "from frames import _made\n",
      }),
      [measured],
    ],
  ])("%s", async (_, clause, beside, expected) => {
    expect(await told(caught(clause), beside)).toEqual(expected);
  });

  test.each([
    ["by its name", "except ValueError:", cython],
    ["beside another one", "except (ImportError, ValueError):", cython],
    ["by what it is a kind of", "except Exception:", cython],
    ["bare", "except:", cython],
    ["by a second clause", "except ImportError:\n    pass\nexcept ValueError:", cython],
    ["by names that nobody knows", "except failures:", cython],
    ["a kind of ImportError", "except ImportError:", frames(old.replace("KIND", "ModuleNotFoundError"))],
    ["an error of the package's own, which may be any", "except ImportError:", frames(old.replace("KIND", "TooNew"))],
    ["an error that is bound before", "except ImportError:", frames(old.replace('KIND("too new")', "error"))],
    ["a missing module", "except ImportError:", frames("import gone\n")],
    ["a missing name", "except ImportError:", frames("from numpy import gone\n")],
    [
      "what became an ImportError on the way",
      "except ImportError:",
      frames("try:\n    from . import _made\nexcept ValueError as error:\n    raise ImportError('not built') from error\n"),
    ],
    ["what NumPy 1 would do", "except ImportError:", packaged("frames", "2.1.4", bytes({ "frames/__init__.py": "" }))],
  ])("nothing is said of what is caught: %s", async (_, clause, beside) => {
    expect(await told(caught(clause), beside)).toEqual([]);
  });

  test("nothing is said where the try may have ended before", async () => {
    const said = async (first: string) => told(caught("except ImportError:", first), cython);
    expect(await said("    import os\n    from frames import a\n")).toEqual([measured]);
    expect(await said("    import other\n")).toEqual([]);
    expect(await said("    if not wanted:\n        raise ImportError\n")).toEqual([]);
    expect(await said("    from . import other\n")).toEqual([]);
  });
});

describe("a package that imports all of its folder", needs({ loader: glibcLoader !== undefined }), () => {
  const star =
    'import os\n__all__ = []\nfor filename in os.listdir(os.path.dirname(__file__)):\n    filename = os.path.basename(filename)\n    if filename.endswith(".py") and not filename.startswith("__"):\n        __all__.append(filename[:-3])\nfrom . import *  # noqa\n';
  const parts = (text: string) => ({ "rays/__init__.py": "from . import parts\n", "rays/parts/a.py": "", "rays/parts/b.py": text });
  const all = async (init: string, text = "import gone\n") => told({ ...parts(text), "rays/parts/__init__.py": init });
  const gone = ["import-fails No module named 'gone'"];

  test.each([
    ["by a star behind a list", star],
    [
      "by a star behind a glob",
      'from os.path import dirname, basename, isfile, join\nimport glob\nmodules = glob.glob(join(dirname(__file__), "*.py"))\n__all__ = [basename(f)[:-3] for f in modules if isfile(f) and not f.endswith("__init__.py")]\nfrom . import *\n',
    ],
    [
      "one by one",
      'import importlib, pkgutil\nfor _, name, _ in pkgutil.iter_modules(__path__):\n    importlib.import_module("." + name, __name__)\n',
    ],
    [
      "one by one, by their files",
      'import os, importlib\nfor each in os.listdir(os.path.dirname(__file__)):\n    if each.endswith(".py") and not each.startswith("_"):\n        importlib.import_module("rays.parts." + each[:-3])\n',
    ],
  ])("%s", async (_, init) => {
    expect(await all(init)).toEqual(gone);
    expect(await all(init, "import numpy\n")).toEqual([]);
    expect(await all(init, "def f():\n    import gone\n")).toEqual([]);
  });

  test.each([
    ["within a try", star.replace("from . import *", "try:\n    from . import *\nexcept ImportError:\n    pass")],
    ["but some that it names", star.replace('startswith("__")', 'startswith("b")')],
    ["but what something else decides", star.replace("not filename", "wanted(filename) and not filename")],
    ["in a function", `def all():\n${star.replace("from . import *", "").replaceAll(/^/gm, "    ")}`],
    ["that lists what lies elsewhere", star.replace("os.path.dirname(__file__)", "other")],
    ["that names its parts itself", star.replace("from . import *", '__all__ = ["a"]\nfrom . import *')],
    ["that lists it for something else", `import os\nlisted = os.listdir(os.path.dirname(__file__))\n__all__ = ["a"]\nfrom . import *\n`],
    ["that leaves out some before", star.replace("    if filename", "    if filename in least:\n        continue\n    if filename")],
    ["that lists and does nothing", star.replace("from . import *", "")],
  ])("nothing is said of one %s", async (_, init) => {
    expect(await all(init)).toEqual([]);
  });
});

test(
  "what is nowhere, unless in a folder that the package adds, is unknown by name",
  needs({ loader: glibcLoader !== undefined }),
  async () => {
    const unknown = async (python: { [path: string]: string }) => {
      const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...packaged("rays", "1.0", bytes(python), ["torch"]) });
      const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
      const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
      if ("problem" in answer) throw new Error(answer.problem);
      expect(answer.check.findings.filter(({ severity }) => severity === "error")).toEqual([]);
      return answer.check.unknown
        .filter(({ subject, kind }) => subject.startsWith("rays") && kind === "package")
        .map(({ reason }) => reason);
    };
    const init = { "rays/__init__.py": "import sys\ndef later():\n    sys.path.append(folder)\nimport gone\n" };
    expect(await unknown(init)).toEqual([
      "rays cannot be imported (No module named 'gone'), unless that is in a folder that it adds to sys.path",
    ]);
    expect(await unknown({ ...init, "rays/more/gone.py": "" })).toEqual([]);
    expect(await unknown({ "rays/__init__.py": "import sys\ndef later():\n    sys.path.append(folder)\nimport torch\n" })).toEqual([]);
  },
);

test("which errors clauses catch", () => {
  expect(isCaught("ModuleNotFoundError", ["ImportError"])).toBe(true);
  expect(isCaught("ImportError", ["ModuleNotFoundError"])).toBe(false);
  expect(isCaught("ValueError", ["ImportError", "IOError"])).toBe(false);
  expect(isCaught("OSError", ["IOError"])).toBe(true);
  expect(isCaught("ValueError", ["Exception"])).toBe(true);
  expect(isCaught("ValueError", ["ImportError", "Own"])).toBe(true);
  expect(isCaught("NotImplementedError", ["RuntimeError"])).toBe(true);
  expect(isCaught(undefined, ["ImportError"])).toBe(true);
  expect(isCaught("ValueError", [])).toBe(false);
  expect(isCaught(undefined, [])).toBe(false);
});

test("of a try, what comes before an import and what its clauses turn into another error", () => {
  const text =
    "try:\n    import a, os\n    import a.b\n    f()\n    import c\nexcept KeyError:\n    raise ValueError\nexcept OSError:\n    raise\n";
  expect(moduleIn(text).guarded).toEqual([
    { with: [], caught: [], turned: ["KeyError"], imports: ["a", "os"] },
    { with: [], caught: [], turned: ["KeyError"], imports: ["a.b"] },
    { with: [], caught: [], turned: ["KeyError"], imports: ["c"] },
  ]);
  const kept = text.replace("raise ValueError", "pass");
  expect(moduleIn(kept).guarded).toEqual([
    { with: [], caught: ["KeyError"], behind: [], imports: ["a", "os"] },
    { with: [], caught: ["KeyError"], behind: ["a", "os"], imports: ["a.b"] },
    { with: [], caught: ["KeyError"], imports: ["c"] },
  ]);
});
