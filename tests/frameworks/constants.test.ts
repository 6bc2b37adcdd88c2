// What a file runs behind a name that it has bound itself, once: `JAX_MODE = True`; and what it takes of other modules in statements by themselves.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { healthy, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { driver, pythonRoot } from "./python-root.ts";

const bytes = (files: { [path: string]: string }) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)]));

async function errors(init: string, more: { [path: string]: string } = {}): Promise<string[]> {
  const waves = { "waves/__init__.py": "from waves import crest\n", "waves/crest.py": "spray = {}\n", ...more };
  const { folder } = pythonRoot({
    ...healthy(),
    ...driver("/opt/driver"),
    ...packaged("waves", "1.0", bytes(waves)),
    ...packaged("rays", "1.0", bytes({ "rays/__init__.py": init }), ["torch", "waves"]),
  });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check.findings.filter(({ severity }) => severity === "error").map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`);
}

const foam = ["import-fails module 'waves.crest' has no attribute 'foam'"];
const loader = needs({ loader: glibcLoader !== undefined });

describe("behind a name that is always so", loader, () => {
  test.each([
    ["an import", "MODE = True\nif MODE:\n    import gone\n", ["import-fails No module named 'gone'"]],
    ["behind what is never so", "MODE: bool = False\nif not MODE:\n    import gone\n", ["import-fails No module named 'gone'"]],
    ["a use of what is imported there", "MODE = True\nif MODE:\n    import waves\nif MODE:\n    x = waves.crest.foam\n", foam],
    ["a use behind two imports of a line", "import os; import waves\nx = waves.crest.foam\n", foam],
  ])("%s", async (_, init, expected) => {
    expect(await errors(init)).toEqual(expected);
  });

  test.each([
    ["that is never so", "MODE = False\nif MODE:\n    import gone\n"],
    ["that is bound twice", "MODE = True\nMODE = False\nif MODE:\n    import gone\n"],
    ["that is bound once more further in", "MODE = True\nfor MODE in all:\n    pass\nif MODE:\n    import gone\n"],
    ["that a function may change", "MODE = True\ndef f():\n    global MODE\n    MODE = False\nf()\nif MODE:\n    import gone\n"],
    ["that is asked for with something else", "MODE = True\nif MODE and fast:\n    import gone\n"],
    ["in its other branch", "MODE = True\nif MODE:\n    pass\nelse:\n    import gone\n"],
  ])("nothing is said behind one %s", async (_, init) => {
    expect(await errors(init)).toEqual([]);
  });
});

describe("a statement by itself", loader, () => {
  test.each([
    ["that calls", "import waves\nwaves.crest.foam(1)\n"],
    ["that puts something into what it takes", "import waves\nwaves.crest.foam[int] = 1\n"],
    ["that takes what it puts", "import waves\nwaves.crest.spray[int] = waves.crest.foam[str]\n"],
  ])("%s needs what it names", async (_, init) => {
    expect(await errors(init)).toEqual(foam);
  });

  test.each([
    ["is bound there before", "import waves\nwaves.crest.foam = 1\nx = waves.crest.foam\n"],
    ["may be bound there before", "import waves\nif not hasattr(waves.crest, 'foam'):\n    waves.crest.foam = dict\nwaves.crest.foam()\n"],
    ["is bound by its name", "import waves\nsetattr(waves.crest, 'foam', dict)\nwaves.crest.foam()\n"],
    ["is put into a module", "import waves\nwaves.crest.foam = 1\n"],
  ])("nothing is said of what %s", async (_, init) => {
    expect(await errors(init)).toEqual([]);
  });
});

test("a part for a framework may need more than its package asks for", loader, async () => {
  const files = { "waves/torch/__init__.py": "from . import inner\n", "waves/torch/inner.py": "import gone\n" };
  expect(await errors("from waves.torch import x\n", files)).toEqual(["import-fails No module named 'gone'"]);
});

test("of a file, what it takes", () => {
  expect(moduleIn("import a\nif T:\n    a.b(1)\na.c.d(a.e)\na.f = a.g\n").uses).toEqual(["a.c.d", "a.e", "a.g"]);
});
