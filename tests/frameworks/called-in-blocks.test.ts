// Functions that an import calls in blocks: within a `try`, behind a question for another module, in a context.
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

/** Errors, and what is unknown of rays. */
async function told(init: string, more: { [path: string]: string } = {}): Promise<string[]> {
  const { folder } = pythonRoot({
    ...healthy(),
    ...driver("/opt/driver"),
    ...packaged("numpy", "2.2.6", bytes({ "numpy/__init__.py": "" })),
    ...packaged("rays", "1.0", bytes({ "rays/__init__.py": init, ...more }), ["torch"]),
  });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  const { findings, unknown } = answer.check;
  return [
    ...findings.filter(({ severity }) => severity === "error").map(({ rule, evidence }) => `${rule} ${String(evidence[0])}`),
    ...unknown.filter(({ subject, kind }) => subject.startsWith("rays") && kind === "package").map(({ reason }) => reason),
  ];
}

const loads = "def load():\n    import gone\n\n";
const old = 'import numpy as np\ndef check():\n    if np.__version__ > "1.9":\n        raise RuntimeError("too new")\n\n';
const gone = ["import-fails No module named 'gone'"];
const tooNew = ["import-fails too new"];

describe("a function that is called in a block", needs({ loader: glibcLoader !== undefined }), () => {
  test.each([
    ["in a try that only raises again", `${loads}try:\n    load()\nexcept ImportError:\n    raise\n`, gone],
    [
      "in one that says it in other words",
      `${loads}try:\n    x = load()\nexcept ImportError as e:\n    raise OSError("no") from e\n`,
      gone,
    ],
    ["in one that catches something else", `${old}try:\n    check()\nexcept ImportError:\n    pass\n`, tooNew],
    ["behind modules of Python itself there", `${old}try:\n    import os\n    check()\nexcept ImportError:\n    pass\n`, tooNew],
    ["in a context", `${loads}with warnings.catch_warnings():\n    load()\n`, gone],
    ["in the body of a class", `${loads}class Body:\n    x = load()\n`, gone],
    ["where what comes after it is caught", `${loads}try:\n    pass\nfinally:\n    load()\n`, gone],
    ["behind a module that is there", `${loads}if importlib.util.find_spec("torch"):\n    load()\n`, gone],
    ["in a try of a function", `${loads}def all():\n    try:\n        load()\n    except ImportError:\n        raise\n\nall()\n`, gone],
  ])("%s", async (_, init, expected) => {
    expect(await told(init)).toEqual(expected);
  });

  test("of another file", async () => {
    const init = "from ._load import load\ntry:\n    load()\nexcept ImportError:\n    raise\n";
    expect(await told(init, { "rays/_load.py": loads })).toEqual(gone);
  });

  test("behind a question, it is unknown by name", async () => {
    expect(await told(`${loads}if is_torch_available():\n    load()\n`)).toEqual([
      "rays cannot be imported (No module named 'gone'), where it goes by torch being there, as it is: what it asks besides is not known",
    ]);
  });

  test.each([
    ["in a try that catches it", `${loads}try:\n    load()\nexcept ImportError:\n    pass\n`],
    ["in one that catches all", `${old}try:\n    check()\nexcept Exception:\n    pass\n`],
    ["where the try may have ended before", `${old}try:\n    import other\n    check()\nexcept ImportError:\n    pass\n`],
    ["where something else is done before", `${old}try:\n    prepare()\n    check()\nexcept ImportError:\n    pass\n`],
    [
      "where its own import may have ended it",
      `${old.replace("    if", "    import other\n    if")}try:\n    check()\nexcept ImportError:\n    pass\n`,
    ],
    ["behind a clause", `${loads}try:\n    pass\nexcept ImportError:\n    load()\n`],
    ["behind another question", `${loads}if fast:\n    load()\n`],
    ["in a method", `${loads}class Body:\n    def f(self):\n        load()\n`],
    ["in a loop that may not be run", `${loads}for each in all:\n    load()\n`],
    [
      "in a try of a function that catches it",
      `${loads}def all():\n    try:\n        load()\n    except ImportError:\n        pass\n\nall()\n`,
    ],
  ])("nothing is said of one %s", async (_, init) => {
    expect(await told(init)).toEqual([]);
  });
});

test("of a file, what its blocks call", () => {
  expect(moduleIn("from .a import f\ntry:\n    f()\nexcept OSError:\n    pass\n", "/x/rays/__init__.py").guarded).toEqual([
    { with: [], caught: ["OSError"], behind: [], imports: [], calls: [{ to: ".a:f", after: 0 }] },
  ]);
});
