// What an import runs by functions that its modules call: also those of other files, one leading to the next.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { functionsIn } from "../../packages/core/src/lib/python-calls.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, pythonRoot } from "./python-root.ts";

const pure = (name: string, python: { [path: string]: string }): Files =>
  packaged(name, "1.0", Object.fromEntries(Object.entries(python).map(([path, text]) => [path, new TextEncoder().encode(text)])), [
    "torch",
  ]);

async function errors(python: { [path: string]: string }): Promise<string[]> {
  const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...pure("rays", python) });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check.findings.filter(({ severity }) => severity === "error").map(({ rule, evidence }) => `${rule} ${evidence[0]}`);
}

describe("functions that are called at an import", needs({ loader: glibcLoader !== undefined }), () => {
  const gone = ["import-fails No module named 'gone'"];
  const checks = "def check_all():\n    quiet = 1\n    check_gone()\n\ndef check_gone():\n    import gone\n";

  test.each([
    [
      "of another file, which calls one more",
      { "rays/__init__.py": "from ._checks import check_all\ncheck_all()\n", "rays/_checks.py": checks },
    ],
    ["by its full name", { "rays/__init__.py": "from rays._checks import check_all\ncheck_all()\n", "rays/_checks.py": checks }],
    ["by another name", { "rays/__init__.py": "from ._checks import check_all as first\nx = first(1, 2)\n", "rays/_checks.py": checks }],
    ["of a module", { "rays/__init__.py": "from . import _checks\n_checks.check_all()\n", "rays/_checks.py": checks }],
    ["of a module by its full name", { "rays/__init__.py": "import rays._checks\nrays._checks.check_all()\n", "rays/_checks.py": checks }],
    [
      "that another file only hands on",
      {
        "rays/__init__.py": "from .inner import check_all\ncheck_all()\n",
        "rays/inner/__init__.py": "from ._checks import check_all\n",
        "rays/inner/_checks.py": checks,
      },
    ],
    ["of the same file, over two steps, whose value is kept", { "rays/__init__.py": `${checks}x = check_all()\n` }],
    ["in a file that is imported", { "rays/__init__.py": "from . import inner\n", "rays/inner.py": `${checks}check_all()\n` }],
    ["that returns what another one gives", { "rays/__init__.py": `${checks}def get():\n    return check_gone()\nget()\n` }],
  ])("one %s", async (_, python) => {
    expect(await errors(python)).toEqual(gone);
  });

  test.each([
    ["that nobody calls", { "rays/__init__.py": "from ._checks import check_all\n", "rays/_checks.py": checks }],
    [
      "that is called in a function",
      { "rays/__init__.py": "from ._checks import check_all\ndef f():\n    check_all()\n", "rays/_checks.py": checks },
    ],
    ["that is called where something is asked", { "rays/__init__.py": `${checks}x = check_all() if later else 1\n` }],
    ["that is called within a try", { "rays/__init__.py": `${checks}try:\n    check_all()\nexcept ImportError:\n    pass\n` }],
    ["that makes its values one by one", { "rays/__init__.py": "def make():\n    import gone\n    yield 1\nx = make()\n" }],
    ["that something is put around", { "rays/__init__.py": "@lazily\ndef load():\n    import gone\nload()\n" }],
    [
      "of which there are two",
      { "rays/__init__.py": "if x:\n    def load():\n        import gone\nelse:\n    def load():\n        pass\nload()\n" },
    ],
    [
      "that is bound once more",
      { "rays/__init__.py": "from ._checks import check_all\ncheck_all = print\ncheck_all()\n", "rays/_checks.py": checks },
    ],
    [
      "that ends before",
      { "rays/__init__.py": "from ._c import load\nload()\n", "rays/_c.py": "def load():\n    if x:\n        return\n    import gone\n" },
    ],
    ["that calls itself", { "rays/__init__.py": "def load():\n    load()\nload()\n" }],
    [
      "of two files that call each other",
      {
        "rays/__init__.py": "from .a import f\nf()\n",
        "rays/a.py": "from .b import g\ndef f():\n    g()\n",
        "rays/b.py": "from . import a\ndef g():\n    a.f()\n",
      },
    ],
  ])("nothing is said of one %s", async (_, python) => {
    expect(await errors(python)).toEqual([]);
  });

  test("the first statement that ends the import is the one that is told", async () => {
    const init = "from ._checks import check_all\ncheck_all()\nimport lost\n";
    expect(await errors({ "rays/__init__.py": init, "rays/_checks.py": checks })).toEqual(gone);
    expect(await errors({ "rays/__init__.py": `import lost\n${init}`, "rays/_checks.py": checks })).toEqual([
      "import-fails No module named 'lost'",
    ]);
  });
});

test("of a file, the functions of others that it calls in any case, and after how many imports", () => {
  const text =
    "import os\nfrom .a import f as g\nfrom . import b\ng()\nb.h(1)\nimport torch\ntorch.zeros(1)\nos.getcwd()\nx = rays.k()\nimport rays\nrays.k()\n";
  expect(moduleIn(text, "/site/rays/__init__.py").calls).toEqual([
    { to: ".a:f", after: 3 },
    { to: ".b:h", after: 3 },
    { to: "rays:k", after: 4 },
    { to: "rays:k", after: 5 },
  ]);
  expect(functionsIn("def f():\n    import a\n    g()\ndef g():\n    from b import c\n", "/site/rays/__init__.py", ["f", "h"])).toEqual({
    f: { imports: ["a", "b:c"] },
  });
});
