// Imports that end where the text leaves something open: behind a question for a module that is there, and where a package changes the path before.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, pythonRoot } from "./python-root.ts";

const pure = (name: string, python: { [path: string]: string }, requires: string[] = []): Files =>
  packaged(name, "1.0", Object.fromEntries(Object.entries(python).map(([path, text]) => [path, new TextEncoder().encode(text)])), requires);

/** Errors, and what is unknown of rays. */
async function told(python: { [path: string]: string }, beside: Files = {}): Promise<string[]> {
  const { folder } = pythonRoot({ ...healthy(), ...driver("/opt/driver"), ...beside, ...pure("rays", python, ["torch"]) });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  const { findings, unknown, status } = answer.check;
  const errors = findings.filter(({ severity }) => severity === "error").map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`);
  const open = unknown.filter(({ subject, kind }) => subject.startsWith("rays") && kind === "package").map(({ reason }) => reason);
  return [...errors, ...open, ...(errors.length === 0 && status !== (open.length === 0 ? "ok" : "incomplete") ? [status] : [])];
}

const loader = needs({ loader: glibcLoader !== undefined });
const waves = (init: string, more: { [path: string]: string } = {}) => pure("waves", { "waves/__init__.py": init, ...more }, ["gone"]);

describe("a package that a part of it fills", loader, () => {
  const filled = (part: string) =>
    pure("waves", { "waves/__init__.py": '"""Mirrors another."""\n\nfrom . import _build\n', "waves/_build.py": part });

  test.each(["from waves import crest\n", "import waves\nx = waves.crest(1)\n", "import waves.crest\n"])(
    "may have any name: %s",
    async (text) => {
      const python = { "rays/__init__.py": text };
      expect(await told(python, filled('import sys\nsys.modules["waves"].crest = 1\n'))).toEqual([]);
      expect(await told(python, filled("x = 1\n"))).toHaveLength(1);
    },
  );
});

describe("behind a question for a module that is there", loader, () => {
  const question = "if is_waves_available():\n    import waves\n";
  const open = [
    "rays cannot be imported (No module named 'gone'), where it goes by waves being there, as it is: what it asks besides is not known",
  ];

  test.each([
    ["an import", { "rays/__init__.py": question }],
    [
      "of one of its parts",
      { "rays/__init__.py": "if is_waves_available():\n    from . import inner\n", "rays/inner.py": "import waves\n" },
    ],
    ["within one of its parts", { "rays/__init__.py": "from .inner import one\n", "rays/inner.py": `${question}one = 1\n` }],
    ["asked by a module", { "rays/__init__.py": "if utils.is_waves_available():\n    from waves import crest\n" }],
    ["kept in a name", { "rays/__init__.py": "if _waves_available:\n    import waves\n" }],
  ])("%s is unknown by name and reason", async (_, python) => {
    expect(await told(python, waves("import gone\n"))).toEqual(open);
  });

  test("behind one that asks for nothing besides, it ends the import", async () => {
    const plain = 'import importlib.util\nif importlib.util.find_spec("waves") is not None:\n    import waves\n';
    expect(await told({ "rays/__init__.py": plain }, waves("import gone\n"))).toEqual(["import-fails No module named 'gone'"]);
  });

  test("an error that comes in any case goes before", async () => {
    const both = `${question}import other\n`;
    expect(await told({ "rays/__init__.py": both }, waves("import gone\n"))).toEqual(["import-fails No module named 'other'"]);
  });

  test.each([
    ["is not there", question, {}],
    ["is there and imports", question, pure("waves", { "waves/__init__.py": "" })],
    ["is asked for beside something else", "if is_waves_available() and fast:\n    import waves\n", waves("import gone\n")],
    ["is asked not to be there", "if not is_waves_available():\n    import gone\n", pure("waves", { "waves/__init__.py": "" })],
    [
      "is tried",
      "if is_waves_available():\n    try:\n        import waves\n    except ImportError:\n        pass\n",
      waves("import gone\n"),
    ],
  ])("nothing is said where it %s", async (_, init, beside) => {
    expect(await told({ "rays/__init__.py": init }, beside)).toEqual([]);
  });
});

describe("where the path is changed before", loader, () => {
  const first = "import sys\nsys.path.insert(0, '/elsewhere')\n";
  const unless = (message: string) => [`rays cannot be imported (${message}), unless that is in a folder that it adds to sys.path`];

  test("what is nowhere is unknown by name", async () => {
    expect(await told({ "rays/__init__.py": `${first}import gone\n` })).toEqual(unless("No module named 'gone'"));
    expect(await told({ "rays/__init__.py": "import sys\nsys.path[:0] = folders\nimport gone\n" })).toEqual(
      unless("No module named 'gone'"),
    );
    expect(await told({ "rays/__init__.py": "import sys\nsys.path = [folder] + sys.path\nimport gone\n" })).toEqual(
      unless("No module named 'gone'"),
    );
  });

  test("so is a name that another package does not have: one of that name may lie there", async () => {
    const [reason = ""] = await told(
      { "rays/__init__.py": `${first}from waves import crest\n` },
      pure("waves", { "waves/__init__.py": "" }),
    );
    expect(reason).toMatch(/^rays cannot be imported \(cannot import name 'crest' from 'waves' \(.*\)\), unless that is in a folder/);
  });

  test("and what a package that is imported misses", async () => {
    expect(await told({ "rays/__init__.py": "import waves\n" }, waves(`${first}import gone\n`))).toEqual([
      "rays cannot be imported (No module named 'gone'), unless that is in a folder that waves adds to sys.path",
    ]);
    expect(await told({ "rays/__init__.py": "import waves\n" }, waves(`${first}import gone\n`, { "waves/deep/gone.py": "" }))).toEqual([]);
  });

  test("so is what is missed where modules are put in place", async () => {
    const stub = "import sys\nsys.modules[name] = stub\n";
    expect(await told({ "rays/__init__.py": `${stub}import gone\n` })).toEqual([
      "rays cannot be imported (No module named 'gone'), unless it brings that itself: it may change where modules come from",
    ]);
    expect(await told({ "rays/__init__.py": "import waves\n" }, waves(`${stub}import gone\n`))).toEqual([
      "rays cannot be imported (No module named 'gone'), unless waves brings that itself: it may change where modules come from",
    ]);
    expect(await told({ "rays/__init__.py": `${stub}import torch\n` })).toEqual([]);
    expect(await told({ "rays/__init__.py": `${stub}import gone\n`, "rays/_vendor/gone/__init__.py": "" })).toEqual([]);
  });

  test("what is there is found", async () => {
    expect(await told({ "rays/__init__.py": `${first}import torch, waves\n` }, pure("waves", { "waves/__init__.py": "" }))).toEqual([]);
    expect(await told({ "rays/__init__.py": `${first}import gone\n`, "rays/vendored/gone/__init__.py": "" })).toEqual([]);
  });
});

test("who only looks at sys.modules and sys.path changes nothing", () => {
  const changes = (text: string) => {
    const { meddles, adds, puts } = moduleIn(text);
    return [meddles && "meddles", adds && "adds", puts && "puts"].filter(Boolean).join();
  };
  expect(
    [
      "path = sys.modules[name].__file__\n",
      "for module in list(sys.modules.values()):\n    pass\n",
      "known = [x for x in sys.modules if x]\n",
      "first = sys.path[0]\n",
      "same = sys.modules[name] == module\n",
      "for folder in sys.path:\n    pass\n",
    ].map(changes),
  ).toEqual(["", "", "", "", "", ""]);
  expect(
    [
      "del sys.modules[name]\n",
      "sys.modules[name] = stub\n",
      "a = sys.modules[name] = stub\n",
      "known = sys.modules\n",
      "sys.modules.pop(name)\n",
      "sys.modules[name]: Any = stub\n",
      "sys.path.remove(folder)\n",
      "sys.path[0] = folder\n",
    ].map(changes),
  ).toEqual(Array.from({ length: 8 }, () => "meddles"));
  expect(
    ["sys.path.insert(0, x)\n", "sys.path[0:0] = [x]\n", "sys.path = [x] + sys.path\n", "sys.path = [x, *sys.path]\n"].map(changes),
  ).toEqual(Array.from({ length: 4 }, () => "adds,puts"));
});
