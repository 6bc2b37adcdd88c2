// Imports that end further in: at names that a package gets when they are asked for, and in parts of packages that are judged by themselves.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
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
    ["that are not said to be there", hub("import httpx\ndef get(): ...\n", ["httpx"]), "from hub import other\n"],
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
