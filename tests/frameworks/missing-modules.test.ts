// Python modules without which an import ends, though no text of the package says so. CuPy 13.6.0 without fastrlock really ends so: its compiled
// modules import it; numba-cuda 0.30.4 without numba; tensorstore 0.1.86 without numpy. And what is only asked for is left open.
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget } from "../../packages/core/src/index.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, module, pythonRoot, site } from "./python-root.ts";

async function check(program: string, files: Files) {
  const { folder } = pythonRoot({ ...driver("/opt/driver"), ...files });
  const target = await openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
  const answer = await checkTarget(target, { programs: [[program]], activities: ["import"], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check;
}

const errors = async (program: string, files: Files) =>
  (await check(program, files)).findings
    .filter(({ severity }) => severity === "error")
    .map(({ rule, evidence }) => `${rule} ${evidence[0]}`);

/** A compiled module that names another one. */
const naming = (name: string) => Uint8Array.from([...module(), 0, ...new TextEncoder().encode(name), 0]);
const text = (path: string, source = "") => ({ [`${site}/${path}`]: { text: source } });

const cupy = (files: { [path: string]: Uint8Array }): Files => ({
  ...packaged("cupy-cuda11x", "13.6.0", files, ["fastrlock>=0.5", 'scipy; extra == "all"']),
  ...text("cupy/__init__.py"),
  ...text("cupy_backends/__init__.py"),
});
const memory = "cupy/cuda/memory.cpython-311-x86_64-linux-gnu.so";
const lock: Files = { ...packaged("fastrlock", "0.8.3"), ...text("fastrlock/__init__.py") };

describe("modules that are not there", needs({ loader: glibcLoader !== undefined }), () => {
  test("one that a framework asks for and that its compiled modules name; a distribution's name means its framework", async () => {
    const missing = ["import-fails No module named 'fastrlock'"];
    expect(await errors("cupy", cupy({ [memory]: naming("fastrlock") }))).toEqual(missing);
    expect(await errors("cupy-cuda11x", cupy({ [memory]: naming("fastrlock.rlock") }))).toEqual(missing);
    expect(await errors("cupy", { ...cupy({ [memory]: naming("fastrlock") }), ...lock })).toEqual([]);
  });

  test.each([
    ["that no compiled module names", naming("fastrlocker")],
    ["of an extra", naming("scipy")],
    ["that nobody asks for", naming("elsewhere")],
  ])("nothing is said of one %s", async (_, bytes) => {
    const files = bytes === undefined ? {} : { [memory]: bytes };
    expect(await errors("cupy", cupy(files))).toEqual([]);
  });

  test("the framework's own: numba-cuda is of no use without numba", async () => {
    const numba = { ...packaged("numba-cuda", "0.30.4", {}, ["numba>=0.60"]), ...text("numba_cuda/__init__.py") };
    expect(await errors("numba", numba)).toEqual(["import-fails No module named 'numba'"]);
    const runtime = { [`${site}/nvidia/cu13/lib/libcudart.so.13`]: library("libcudart.so.13") };
    const both = { ...numba, ...packaged("numba", "0.61.0"), ...text("numba/__init__.py") };
    expect(await errors("numba", both)).toEqual(['library-missing Failure finding "libcudart.so.13 or libcudart.so.12"']);
    expect(await errors("numba", { ...both, ...runtime })).toEqual([]);
  });

  test("what a package asks for and its import does not come to is no error; where that was not wholly followed, it is left open", async () => {
    const rays = packaged("rays", "1.0", {}, ["waves"]);
    rays[`${site}/rays-1.0.dist-info/RECORD`] = { text: "rays/__init__.py,,\n" };
    const later = "def later():\n    import waves\n";
    const followed = await check("rays", { ...rays, ...text("rays/__init__.py", later) });
    expect(followed).toMatchObject({ status: "ok", findings: [] });
    const own = { ...rays, ...text("rays/__init__.py", `import sys\nsys.path.insert(0, "inside")\n${later}`) };
    const { findings, unknown, status } = await check("rays", own);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(unknown.map(({ subject, reason }) => `${subject}: ${reason}`)).toContain(
      "rays 1.0: it asks for waves, and that is not installed; whether rays comes there after its import was not followed",
    );
    expect(status).toBe("incomplete");
  });
});

test("a library that is opened where an error is only raised again is opened in any case", () => {
  const source = (end: string) => `def load(name):
    try:
        torch.ops.load_library(name)
    except Exception as error:
        log(error)
        ${end}
for library in ["one", "two"]:
    load(f"{library}.so")
`;
  expect(moduleIn(source("raise error")).opens).toContain("one");
  expect(moduleIn(source("return None")).opens).toBeUndefined();
});

describe("numba-cuda before 0.21, which does not ask pip for the bindings", needs({ loader: glibcLoader !== undefined }), () => {
  // The words and the order of 0.15.2 to 0.20.1, each really imported with numba 0.61.2.
  const numba = (version: string): Files => ({
    ...packaged("numba-cuda", version, {}, ["numba>=0.60"]),
    ...packaged("numba", "0.61.2"),
    ...text("numba/__init__.py"),
    ...text("numba_cuda/__init__.py"),
  });
  const bindings = { ...packaged("cuda-bindings", "12.9.4"), ...text("cuda/bindings/__init__.py") };
  const core = (part: string) => ({ ...packaged("cuda-core", "0.7.0"), ...text("cuda/core/__init__.py"), ...text(`cuda/core/${part}`) });

  test.each([
    ["0.20.1", {}, ["import-fails CUDA bindings not found. Please pip install the cuda-bindings package."]],
    ["0.12.1", {}, []],
    ["0.15.2", bindings, []],
    ["0.20.1", bindings, ["import-fails No module named 'cuda.core'"]],
    ["0.20.1", { ...bindings, ...core("utils.py") }, ["import-fails No module named 'cuda.core.experimental'"]],
    ["0.20.1", { ...bindings, ...core("experimental/__init__.py") }, []],
  ] as const)("%s", async (version, files, expected) => {
    expect(await errors("numba", { ...numba(version), ...files })).toEqual(expected);
  });
});
