// Errors that a package raises at its own import, as another one is of a release that it does not take.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { functionsIn } from "../../packages/core/src/lib/python-calls.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, pythonRoot } from "./python-root.ts";

const pure = (name: string, version: string, python: { [path: string]: string }, asks: string[]): Files =>
  packaged(name, version, Object.fromEntries(Object.entries(python).map(([path, text]) => [path, new TextEncoder().encode(text)])), asks);

async function errors(python: { [path: string]: string }, release = "2.2.6", asks: string[] = []) {
  const beside = {
    ...pure("numpy", release, { "numpy/__init__.py": "" }, []),
    ...pure(
      "packaging",
      "26.0",
      { "packaging/__init__.py": "", "packaging/version.py": "Version = parse = LooseVersion = digit_version = require_version = None\n" },
      [],
    ),
  };
  const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...beside, ...pure("rays", "1.0", python, ["torch", ...asks]) });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check.findings.filter(({ severity }) => severity === "error");
}

const told = async (...asked: Parameters<typeof errors>) =>
  (await errors(...asked)).map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`);

const np = "import numpy as np\n";
const raised = '    raise ImportError("too new")\n';

describe("a release that is refused", needs({ loader: glibcLoader !== undefined }), () => {
  const tooNew = ["import-fails too new"];

  test.each([
    ["by a reader of releases", `${np}from packaging.version import Version\nif Version(np.__version__) >= Version("2"):\n${raised}`],
    [
      "by packaging.version.parse",
      `${np}from packaging import version\nif version.parse(np.__version__) > version.parse("1.26.4"):\n${raised}`,
    ],
    [
      "by its distribution",
      `from importlib.metadata import version\nfrom packaging.version import parse\nif parse(version("numpy")).major >= 2:\n${raised}`,
    ],
    [
      "by names that are kept",
      `${np}from packaging import version\nmost = version\nhave = LooseVersion(np.__version__)\nmost = "1.26"\nif have > LooseVersion(most):\n${raised}`,
    ],
    ["by its numbers", `${np}have = tuple(map(int, np.__version__.split(".")[:2]))\nif have > (1, 26):\n${raised}`],
    ["by its numbers, one by one", `${np}have = tuple(int(x) for x in np.__version__.split(".")[:2])\nif not have < (2, 0):\n${raised}`],
    ["by its first number", `${np}if int(np.__version__.split(".")[0]) == 2:\n${raised}`],
    [
      "within two bounds",
      `${np}from packaging.version import parse\nif not (parse("1.20") <= parse(np.__version__) < parse("2")):\n${raised}`,
    ],
    ["as a text", `${np}if np.__version__ > "1.9":\n${raised}`],
    ["in the second branch", `${np}if np.__version__ < "1":\n    raise ImportError("too old")\nelif np.__version__ > "1.9":\n${raised}`],
    [
      "in the last branch",
      `${np}from packaging.version import Version\nif Version(np.__version__) < Version("2"):\n    x = 1\nelse:\n${raised}`,
    ],
    ["where something else may be so, too", `${np}import sys\nif sys.version_info < (3,) or np.__version__ > "1.9":\n${raised}`],
    [
      "within another test",
      `${np}if np.__version__ > "1":\n    if np.__version__ > "1.9":\n        pass\n        raise ImportError("too new")\n`,
    ],
    ["by a function", `def check():\n    import numpy as np\n    if np.__version__ > "1.9":\n    ${raised}check()\n`],
    [
      "by a function, behind another test, with a function of its own",
      `def check():\n    """Why."""\n    import numpy as np\n    def two(mod):\n        return tuple(map(int, mod.__version__.split('.')[:2]))\n    have = two(np)\n    if have < (1, 22):\n        raise ImportError("old")\n    elif have > (1, 26):\n    ${raised}check()\n`,
    ],
  ])("%s", async (_, text) => {
    expect(await told({ "rays/__init__.py": text })).toEqual(tooNew);
  });

  test("by an assert, in its own words", async () => {
    const text = `${np}from packaging.version import digit_version\nmost = "2.0"\nhave = digit_version(np.__version__)\nassert (have >= digit_version("1.0")\n    and have < digit_version(most)), \\\n    f"NumPy=={np.__version__} is not {most}: " \\\n    f"{len(most)}"\n`;
    expect(await told({ "rays/__init__.py": text })).toEqual(["import-fails NumPy==2.2.6 is not 2.0: …"]);
  });

  test("by a function of another file", async () => {
    const checks = `${np}def check():\n    if np.__version__ > "1.9":\n        msg = "not " "this"\n        raise RuntimeError(msg)\n`;
    expect(await told({ "rays/__init__.py": "from ._c import check\ncheck()\n", "rays/_c.py": checks })).toEqual(["import-fails not this"]);
  });

  test("in the way of transformers, by what it asks for itself; with the release to install", async () => {
    const checks =
      'from .table import deps\npkgs = "python numpy".split()\nfor pkg in pkgs:\n    if pkg in deps:\n        require_version_core(deps[pkg])\n';
    const python = { "rays/__init__.py": "from . import checks\n", "rays/checks.py": checks, "rays/table.py": "deps = {}\n" };
    const said = "numpy<2 is required for a normal functioning of this module, but found numpy==2.2.6.";
    const [finding] = await errors(python, "2.2.6", ["numpy<2"]);
    expect(finding?.evidence[0]).toBe(said);
    expect(finding?.advice[0]?.command).toContain("numpy<2");
    expect(await told(python, "1.26.4", ["numpy<2"])).toEqual([]);
    expect(await told(python)).toEqual([]);
    const plain = { "rays/__init__.py": 'from packaging.version import require_version\nrequire_version("numpy>=1.20,<2", "To fix")\n' };
    expect(await told(plain)).toEqual([
      "import-fails numpy>=1.20,<2 is required for a normal functioning of this module, but found numpy==2.2.6.",
    ]);
  });

  test.each([
    ["where the release is another one", `${np}if np.__version__ > "3":\n${raised}`],
    ["where more is asked", `${np}import sys\nif np.__version__ > "1.9" and sys.platform == "win32":\n${raised}`],
    ["in a branch behind a test that nobody can tell", `${np}if x:\n    pass\nelif np.__version__ > "1.9":\n${raised}`],
    ["where it may have been bound otherwise", `${np}if x:\n    np = other\nif np.__version__ > "1.9":\n${raised}`],
    ["within a try", `${np}try:\n    if np.__version__ > "1.9":\n    ${raised}except ImportError:\n    pass\n`],
    ["in a function that nobody calls", `${np}def check():\n    if np.__version__ > "1.9":\n    ${raised}`],
    [
      "in a function that may end before",
      `${np}def check():\n    if x:\n        return\n    if np.__version__ > "1.9":\n    ${raised}check()\n`,
    ],
    [
      "where a branch may end before",
      `${np}def check():\n    if np.__version__ > "1.9":\n        if x:\n            return\n    ${raised}check()\n`,
    ],
    ["of what it was given", `${np}def check(np):\n    if np.__version__ > "1.9":\n    ${raised}check(other)\n`],
    ["of a package that is not there", `import other\nif other.__version__ > "1.9":\n${raised}`],
    ["where it only warns", `${np}import warnings\nif np.__version__ > "1.9":\n    warnings.warn("new")\n`],
    ["for type checkers", `${np}if TYPE_CHECKING and np.__version__ > "1":\n${raised}`],
    ["as a text that is alike up to its end", `${np}if np.__version__ == "2.2.6":\n${raised}`],
  ])("nothing is said %s", async (_, text) => {
    const files = { "rays/__init__.py": text };
    expect((await told(files)).filter((each) => each.includes("too new"))).toEqual([]);
  });

  test("a label of a wheel, which metadata may not have, decides nothing", async () => {
    const text = `import torch\nfrom packaging.version import Version\nif Version(torch.__version__) OP Version("2.6.0"):\n${raised}`;
    const asked = async (by: string, than = "2.6.0") => told({ "rays/__init__.py": text.replace("OP", by).replace("2.6.0", than) });
    expect(await asked(">=", "2.5.1")).toEqual(["import-fails too new"]);
    expect(await asked("==")).toEqual([]);
    expect(await asked("!=")).toEqual([]);
    expect(await asked("<")).toEqual([]);
  });
});

test("of a file and of its functions, what they refuse, and after how many imports", () => {
  const text =
    'import a\nimport numpy\ndef f():\n    import b\n    if numpy.__version__ >= "3":\n        raise ValueError\nf()\nraise OSError("never")\n';
  const when = [{ of: "numpy", by: ">=", than: "3", as: "text" }];
  expect(moduleIn(text).refuses).toEqual([
    { when, raises: "ValueError", after: 3 },
    { when: [], said: "never", raises: "OSError", after: 3 },
  ]);
  expect(functionsIn(text, "", ["f"])).toEqual({ f: { imports: ["b"], refuses: [{ when, raises: "ValueError", after: 1 }] } });
});

test("names that a function or a class binds are its own, unless it says that they are the file's", () => {
  const refused = (within: string) =>
    moduleIn(`import torch\nrelease = torch.__version__\n${within}\nif release < "2":\n    raise OSError\n`).refuses?.length ?? 0;
  expect(refused("def f():\n    release = 1")).toBe(1);
  expect(refused("class A:\n    release = 1")).toBe(1);
  expect(refused("def f():\n    global release\n    release = 1")).toBe(0);
  expect(refused("for each in x:\n    release = 1")).toBe(0);
});

test("what heads of functions name, where Python looks at it", () => {
  const text =
    "import jax.numpy as jnp\ndef f(x: jnp.A, y=jnp.B) -> jnp.C:\n    def g(z: jnp.D): ...\nclass K:\n    def h(self, v: jnp.E): ...\n";
  expect(moduleIn(text).signatures).toEqual(["jax.numpy.A", "jax.numpy.B", "jax.numpy.C", "jax.numpy.E"]);
  expect(moduleIn(`from __future__ import annotations\n${text}`).signatures).toBeUndefined();
});

describe("NumPy 2", needs({ loader: glibcLoader !== undefined }), () => {
  const refused =
    "import-fails numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject";
  const elf = (...names: string[]) => Buffer.concat([library("_made.so"), Buffer.from(`\0${names.join("\0")}\0`)]);
  const one = "numpy.core._multiarray_umath\0%s size changed, may indicate binary incompatibility";
  const two = "numpy._core._multiarray_umath";
  const made = async (bytes: Uint8Array, text: string, release = "2.2.6") => {
    const files = packaged("rays", "1.0", { "rays/__init__.py": new TextEncoder().encode(text), "rays/_made.abi3.so": bytes }, ["torch"]);
    const { folder } = pythonRoot({
      ...healthy(),
      ...driver("/opt/driver"),
      ...pure("numpy", release, { "numpy/__init__.py": "" }, []),
      ...files,
    });
    const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
    const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
    if ("problem" in answer) throw new Error(answer.problem);
    return answer.check.findings
      .filter(({ severity }) => severity === "error")
      .map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`);
  };

  test("refuses what was compiled for NumPy 1, where an import comes to it", async () => {
    expect(await made(elf(one), "from . import _made\n")).toEqual([refused]);
    expect(await made(elf(one), "import rays._made as m\n")).toEqual([refused]);
    expect(await made(elf(one, two), "from . import _made\n")).toEqual([]);
    expect(await made(elf("numpy"), "from . import _made\n")).toEqual([]);
    // What Cython did not make may go on without.
    expect(await made(elf("numpy.core._multiarray_umath"), "from . import _made\n")).toEqual([]);
    expect(await made(elf(one), "def f():\n    from . import _made\n")).toEqual([]);
    expect(await made(elf(one), "from . import _made\n", "1.26.4")).toEqual([]);
  });

  test("has not all names that NumPy 1 had", async () => {
    const text = (name: string) => ({ "rays/__init__.py": `${np}x = np.${name}\n` });
    expect(await told(text("float_"))).toEqual(["import-fails module 'numpy' has no attribute 'float_'"]);
    expect(await told(text("float_"), "1.26.4")).toEqual([]);
    expect(await told(text("bool"))).toEqual([]);
    expect(await told(text("bool"), "1.26.4")).toEqual(["import-fails module 'numpy' has no attribute 'bool'"]);
    expect(await told(text("float64"))).toEqual([]);
  });
});
