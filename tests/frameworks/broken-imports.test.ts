// Packages whose import comes to that of another one which cannot be imported, as vLLM's did to torchvision's, through transformers' late imports.
// The files are those of vllm 0.7.3 and transformers 4.48.3 in small; with torchvision 0.21.0 on torch 2.5.1 `import vllm` really ended so.
import { describe, expect, test } from "vitest";
import { checkTarget, loadsOfFrameworks, openTarget } from "../../packages/core/src/index.ts";
import { boundIn, moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, module, pythonRoot, site } from "./python-root.ts";

const own = "_ZN3c1010TensorImpl17set_autograd_metaEv";
const foreign = "_ZN2at7Context21alertNotDeterministicERKSt17basic_string_viewIcSt11char_traitsIcEE";

const torch: Files = {
  ...packaged("torch", "2.5.1", {
    "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: "$ORIGIN/lib" }),
    "torch/lib/libtorch_global_deps.so": library("libtorch_global_deps.so"),
    "torch/lib/libtorch_python.so": library("libtorch_python.so", { needed: ["libc10.so"], rpath: "$ORIGIN" }),
    "torch/lib/libc10.so": library("libc10.so", { defines: [own] }),
  }),
  [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = '12.4'\n" },
};

const vision = (version: string, wanted: string, asks: string): Files => ({
  ...packaged("torchvision", version, { "torchvision/_C.so": module({ needed: ["libc10.so"], asks: [asks] }) }, [`torch==${wanted}`]),
  [`${site}/torchvision/version.py`]: { text: `__version__ = '${version}+cu124'\n` },
});
const broken = vision("0.21.0", "2.6.0", foreign);
const fitting = vision("0.20.1", "2.5.1", own);

/** A package in Python alone, with its modules in its list of files. */
function python(name: string, requires: string[], texts: { [path: string]: string }): Files {
  const files = packaged(name, "1.0", {}, requires);
  files[`${site}/${name}-1.0.dist-info/RECORD`] = {
    text: Object.keys(texts)
      .map((path) => `${path},,\n`)
      .join(""),
  };
  return { ...files, ...Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${site}/${path}`, { text }])) };
}

const late = `from .utils import _LazyModule
_import_structure = {"processing_utils": ["ProcessorMixin"], "others": ["Other"]}
if TYPE_CHECKING:
    from .processing_utils import ProcessorMixin
else:
    sys.modules[__name__] = _LazyModule(__name__)
`;
const images = `from .utils import is_torchvision_available
if is_vision_available():
    import PIL.Image
    if is_torchvision_available():
        from torchvision.transforms import InterpolationMode
`;
const transformers = (text: { [path: string]: string } = {}) =>
  python("transformers", ['torchvision; extra == "vision"'], {
    "transformers/__init__.py": late,
    "transformers/utils.py": "",
    "transformers/processing_utils.py": "from .image_utils import one\n",
    "transformers/image_utils.py": images,
    "PIL/__init__.py": "",
    "PIL/Image.py": "",
    ...text,
  });

const vllm = (init: string): Files => {
  const files = packaged("vllm", "0.7.3", { "vllm/_C.abi3.so": module({ needed: ["libc10.so"], asks: [own] }) }, [
    "torch==2.5.1",
    "transformers",
  ]);
  return { ...files, [`${site}/vllm/__init__.py`]: { text: init } };
};

async function open(files: Files) {
  const { folder } = pythonRoot({ ...torch, ...driver("/opt/driver"), ...files });
  return openTarget(root(folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });
}

async function check(files: Files, ...programs: string[]) {
  const answer = await checkTarget(await open(files), { programs: [programs], activities: ["import"], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check;
}

const broke = async (files: Files, program: string) =>
  (await check(files, program)).findings
    .filter(({ severity }) => severity === "error")
    .map(({ rule, subject, breaks }) => `${rule} ${subject}: ${breaks.map((each) => `${each.framework} ${each.activity}`).join()}`);

const blamed = (program: string) => [`pins-not-met torchvision in /venv: ${program} import`];

describe("an import that comes to one that cannot work", needs({ loader: glibcLoader !== undefined }), () => {
  test("vLLM's, through names that transformers gets when they are asked for", async () => {
    const files = { ...vllm("from transformers import ProcessorMixin\n"), ...transformers() };
    expect(await broke({ ...files, ...broken }, "vllm")).toEqual(blamed("vllm"));
    const { findings } = await check({ ...files, ...broken }, "vllm");
    expect(findings[0]!.because.at(-1)).toBe(
      `the import of vllm comes to that of torchvision: … → ${["__init__", "processing_utils", "image_utils"]
        .map((name, index) => `${site}/${index === 0 ? "vllm" : "transformers"}/${name}.py`)
        .join(" → ")}`.replace("… → ", ""),
    );
    expect(await broke({ ...files, ...fitting }, "vllm")).toEqual([]);
    const loads = await loadsOfFrameworks(await open({ ...files, ...broken }), {
      frameworks: ["vllm"],
      activities: ["import"],
      python: ["/venv"],
    });
    if ("problem" in loads) throw new Error(loads.problem);
    expect(loads.failures.map(({ message }) => message)).toEqual(["operator torchvision::nms does not exist"]);
  });

  test.each([
    ["nothing of transformers is taken", "import transformers\n", {}],
    ["another name is taken", "from transformers import Other\n", {}],
    ["it stands in a function", "def later():\n    from transformers import ProcessorMixin\n", {}],
    ["whatever comes is caught", "try:\n    from transformers import ProcessorMixin\nexcept Exception:\n    pass\n", {}],
    ["Pillow is not there", "from transformers import ProcessorMixin\n", { "PIL/__init__.py": undefined, "PIL/Image.py": undefined }],
    [
      "nobody can tell",
      "from transformers import ProcessorMixin\n",
      { "transformers/image_utils.py": "if x():\n    import torchvision\n" },
    ],
  ])("it does not where %s, and what comes later is left open", async (_, init, text) => {
    const all = { ...vllm(init), ...transformers(), ...broken };
    for (const [path, source] of Object.entries(text))
      if (source === undefined) delete all[`${site}/${path}`];
      else all[`${site}/${path}`] = { text: source };
    expect(await broke(all, "vllm")).toEqual([]);
  });

  test("what catches a missing module does not catch torchvision's error", async () => {
    const init = "try:\n    from transformers import ProcessorMixin\nexcept ImportError:\n    pass\n";
    expect(await broke({ ...vllm(init), ...transformers(), ...broken }, "vllm")).toEqual(blamed("vllm"));
  });

  test("a package in Python alone is followed where it is asked about, and torchvision is to blame", async () => {
    const timm = python("timm", ["torch", "torchvision"], {
      "timm/__init__.py": "from .data import x\n",
      "timm/data.py": "import torchvision\n",
    });
    expect(await broke({ ...timm, ...broken }, "timm")).toEqual(blamed("timm"));
    expect(await broke({ ...timm, ...fitting }, "timm")).toEqual([]);
    const { unknown, findings } = await check({ ...transformers(), ...broken }, "transformers");
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(unknown.map(({ subject }) => subject)).toContain("what transformers 1.0 does with torchvision");
  });
});

test("blocks of a file whose imports are run where others are there, and what is caught around them", () => {
  const source = `if is_a_available() and b.find_spec("b.c") is not None:
    import one
    try:
        from .two import x
    except (ImportError, builtins.OSError) as error:
        import never
    else:
        import never
if other():
    import never
elif is_a_available():
    import never
class Body:
    import three
def later():
    import never
try:
    import four
except:
    pass
`;
  expect(moduleIn(source).guarded).toEqual([
    { with: ["a", "b.c"], supposed: true, caught: [], imports: ["one"] },
    { with: ["a", "b.c"], supposed: true, caught: ["ImportError", "OSError"], imports: [".two:x"] },
    { with: [], caught: [], imports: ["three"] },
    { with: [], caught: ["*"], imports: ["four"] },
  ]);
  expect(boundIn("from .margin import a\nif TYPE_CHECKING:\n    from .deep import (a,\n        b as c)\n", ["a", "b", "d"])).toEqual({
    a: ".deep",
    b: ".deep",
  });
});
