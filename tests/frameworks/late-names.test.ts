// Imports that end further in: at names that a package gets when they are asked for, and in parts of packages that are judged by themselves.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, pythonRoot } from "./python-root.ts";

const pure = (name: string, python: { [path: string]: string }, asks: string[]): Files =>
  packaged(name, "1.0", Object.fromEntries(Object.entries(python).map(([path, text]) => [path, new TextEncoder().encode(text)])), asks);

async function errors(files: Files): Promise<string[]> {
  const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...files });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check.findings
    .filter(({ severity }) => severity === "error")
    .map(({ evidence, facts }) => `${facts?.packages?.[0]?.name ?? ""}: ${String(evidence[0])}`);
}

describe("names that a package gets when they are asked for", needs({ loader: glibcLoader !== undefined }), () => {
  const late =
    "import sys\ndef __getattr__(name):\n    pkg = sys.modules[name]\n    return getattr(pkg, name)\nif TYPE_CHECKING:\n    from .api import get\n";
  const hub = (api: string, asks: string[], init = late) => pure("hub", { "hub/__init__.py": init, "hub/api.py": api }, asks);
  const rays = (text: string) => pure("rays", { "rays/__init__.py": text }, ["torch", "hub"]);

  test("end an import for want of what their package asks for in any case", async () => {
    const got = { ...hub("import httpx\ndef get(): ...\n", ["httpx"]), ...rays("from hub import get\n") };
    expect(await errors(got)).toEqual(["rays: No module named 'httpx'"]);
  });

  test.each([
    ["for want of what nobody asks for", hub("import extra\ndef get(): ...\n", ["httpx"]), "from hub import get\n"],
    ["that nobody takes", hub("import httpx\ndef get(): ...\n", ["httpx"]), "import hub\n"],
    [
      "that come from who knows where",
      hub("import httpx\ndef get(): ...\n", ["httpx"], `old = {"other": 1}\n${late}`),
      "from hub import other\n",
    ],
    ["where all is there", hub("def get(): ...\n", []), "from hub import get\n"],
    ["that are caught", hub("import httpx\n", ["httpx"]), "try:\n    from hub import get\nexcept ImportError:\n    get = None\n"],
    [
      "where it may change what can be imported",
      hub("import httpx\n", ["httpx"], `${late}sys.modules["a"] = b\n`),
      "from hub import get\n",
    ],
  ])("say nothing %s", async (_, files, text) => {
    expect(await errors({ ...files, ...rays(text) })).toEqual([]);
  });
});

describe("a part of another package", needs({ loader: glibcLoader !== undefined }), () => {
  const mid = (asks: string[]) =>
    pure(
      "mid",
      {
        "mid/__init__.py": "",
        "mid/tasks/__init__.py": "from .deep import f\n",
        "mid/tasks/deep.py": "from .deeper import f\n",
        "mid/tasks/deeper.py": "import gone\n",
      },
      asks,
    );
  const rays = pure("rays", { "rays/__init__.py": "from mid.tasks import f\n" }, ["torch", "mid"]);

  test("is gone through where that is judged, too, though it has all that it asks for", async () => {
    expect(await errors({ ...mid(["torch"]), ...rays })).toEqual(["rays: No module named 'gone'"]);
  });
});

describe("what a package gets late and lists for type checkers", needs({ loader: glibcLoader !== undefined }), () => {
  const hub = (init: string) => pure("hub", { "hub/__init__.py": init, "hub/api.py": "def get(): ...\n" }, []);
  const listing = "def __getattr__(name):\n    ...\nif TYPE_CHECKING:\n    from .api import get\n";
  const asked = async (init: string, text = "from hub import cached\n") =>
    (await errors({ ...hub(init), ...pure("rays", { "rays/__init__.py": text }, ["torch", "hub"]) })).map((each) =>
      each.replace(/ \(.*/, ""),
    );
  const gone = ["rays: cannot import name 'cached' from 'hub'"];

  test("has no other names", async () => {
    expect(await asked(listing)).toEqual(gone);
    expect(
      await asked(
        listing.replace("def __getattr__(name):\n    ...\n", "import sys\nsys.modules[__name__] = _LazyModule(__name__, globals())\n"),
      ),
    ).toEqual(gone);
    const standIns = "    try:\n        pass\n    except ImportError:\n        from .utils.dummy_x_objects import *\n";
    expect(await asked(`${listing}${standIns}`)).toEqual(gone);
    expect(await asked(listing.replace("def __getattr__(name):\n    ...\n", "__getattr__, __dir__ = _attach(__name__)\n"))).toEqual(gone);
  });

  test.each([
    ["a name that it lists", listing, "from hub import get\n"],
    ["a name that stands in it", `old = {"cached": 1}\n${listing}`, undefined],
    ["a part of it", listing, "from hub import api\n"],
    ["one of compiled types", "", "import torch\ndef f(x: torch.version.HalfTensor): ...\n"],
    ["a star beside", `from .api import *\n${listing}`, undefined],
    ["names that it makes of nothing", "def __getattr__(name):\n    ...\n", undefined],
    ["a list for others alone", "if TYPE_CHECKING:\n    from .api import get\nglobals()[name] = 1\n", undefined],
  ])("may have %s", async (_, init, text) => {
    expect(await asked(init, text)).toEqual([]);
  });
});

test("of a module, whether its names may be made otherwise than by a statement", () => {
  const isOpen = (text: string) => moduleIn(text).open === true;
  expect(
    [
      "globals()[name] = 1\n",
      "from .a import *\n",
      "def f():\n    setattr(sys.modules[__name__], name, 1)\n",
      "x, y = lazy.attach(__name__, names)\n",
      "if later:\n    _LazyModule(__name__)\n",
      "exec(text)\n",
      "module = importlib.import_module(__name__)\nsetattr(module, name, 1)\n",
    ].map(isOpen),
  ).toEqual([true, true, true, true, true, true, true]);
  expect(
    [
      "def f(self):\n    setattr(self, name, 1)\n    self.model.eval()\n",
      "class C:\n    def eval(self):\n        return vars(self), self.__dict__\n",
      "from .a import lazy_load\ndef f():\n    lazy_load()\n",
      "def f(cls):\n    return sys.modules[cls.__module__].__file__\n",
    ].map(isOpen),
  ).toEqual([false, false, false, false]);
});

describe("imports by a text, and folders that are added", needs({ loader: glibcLoader !== undefined }), () => {
  const said = async (text: string, asks: string[] = []) => errors(pure("rays", { "rays/__init__.py": text }, ["torch", ...asks]));

  test("a module that is named is imported", async () => {
    expect(await said('__import__("pkg_resources").declare_namespace(__name__)\n')).toEqual(["rays: No module named 'pkg_resources'"]);
    expect(await said('import importlib\nx = importlib.import_module("gone.part")\n')).toEqual(["rays: No module named 'gone'"]);
    expect(await said('def f():\n    __import__("gone")\n')).toEqual([]);
    expect(await said("__import__(name)\n")).toEqual([]);
  });

  test("behind all others they bring what is not there, and take no name of what is", async () => {
    const add = "import sys\nsys.path.append(cache)\n";
    expect(await said(`${add}import gone\n`)).toEqual([]);
    expect(await said(`${add}from torch.version import gone\n`)).toHaveLength(1);
    expect(await said("import sys\nsys.path.insert(0, cache)\nfrom torch.version import gone\n")).toEqual([]);
  });
});

test("a name that a module says it no longer has, in its words", needs({ loader: glibcLoader !== undefined }), async () => {
  const core =
    '_deprecations = {\n    "old": ("hub.old was "  # why\n            "removed.", None),\n    "late": ("hub.late is deprecated.", _other.late),\n}\nimport typing\nif typing.TYPE_CHECKING:\n    late = old = 1\nelse:\n    __getattr__ = made(_deprecations)\n';
  const asked = async (text: string) =>
    errors({ ...pure("hub", { "hub/__init__.py": core }, []), ...pure("rays", { "rays/__init__.py": text }, ["torch", "hub"]) });
  expect(await asked("import hub\nx = hub.old\n")).toEqual(["rays: hub.old was removed."]);
  expect(await asked("import hub\nx = hub.late\n")).toEqual([]);
  expect(await asked("from hub import old\n")).toEqual([expect.stringMatching(/^rays: cannot import name 'old' from 'hub'/)]);
  expect(await asked("from hub import late\n")).toEqual([]);
});
