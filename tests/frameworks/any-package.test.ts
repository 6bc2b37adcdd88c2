// Packages that nobody has made a model of: what their files ask for says that they are programs for a GPU.
import { describe, expect, test } from "vitest";
import { checkTarget, listReport, listStack, loadsOfFrameworks, openTarget } from "../../packages/core/src/index.ts";
import { isOfStandardLibrary } from "../../packages/core/src/diagnose/built-for.ts";
import { moduleIn } from "../../packages/core/src/lib/python-imports.ts";
import { settle } from "../../packages/core/src/ask/settle.ts";
import { packagePrograms } from "../../packages/core/src/frameworks/any-package.ts";
import { nothingTried, tryPackages, type TriedBefore } from "../../packages/core/src/frameworks/run.ts";
import { loadsOf } from "../../packages/core/src/resolve/loads.ts";
import { environmentAt } from "../../packages/core/src/survey/python.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { withKernels } from "../diagnose/gpu-root.ts";
import { packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { needs } from "../needs.ts";
import { driver, library, mapped, module, pythonRoot, site } from "./python-root.ts";

const wanted = "_ZN3c104makeEv";

/** A wheel for one platform. */
function built(name: string, version: string, files: { [path: string]: Uint8Array }, python: { [path: string]: string } = {}): Files {
  const metadata = `${site}/${name.replaceAll("-", "_")}-${version}.dist-info`;
  return {
    ...packaged(name, version, files),
    [`${metadata}/WHEEL`]: { text: "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-manylinux_2_28_x86_64\n" },
    ...Object.fromEntries(Object.entries(python).map(([path, text]) => [`${site}/${path}`, { text }])),
  };
}

const torch = (defines: string[]): Files => ({
  ...packaged("torch", "2.5.1", {
    "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: "$ORIGIN/lib" }),
    "torch/lib/libtorch_global_deps.so": library("libtorch_global_deps.so"),
    "torch/lib/libtorch_python.so": library("libtorch_python.so", { needed: ["libc10.so"], rpath: "$ORIGIN" }),
    "torch/lib/libc10.so": library("libc10.so", { defines }),
  }),
  [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = '12.4'\n" },
  ...driver("/opt/driver"),
});

const opened = async (files: Files) =>
  openTarget(root(pythonRoot(files).folder), { environment: { LD_LIBRARY_PATH: "/opt/driver" }, cwd: "/run", cpu: { level: 1 } });

async function judged(files: Files) {
  const answer = await checkTarget(await opened(files), { programs: [], activities: [], python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer.check;
}

describe("asked again with more facts", needs({ loader: glibcLoader !== undefined }), () => {
  const files = { ...torch([wanted]), ...built("rays", "1.0", { "rays/_C.so": module({ needed: ["libc10.so"], asks: [wanted] }) }) };
  const tried = async () => {
    const examination = await opened(files);
    const environment = (await settle(examination, (view) => environmentAt(view, "/venv")))!;
    const programs = await settle(examination, (view) => packagePrograms(view, environment));
    return { examination, ask: (before?: TriedBefore) => tryPackages(examination.view, environment, programs, before ? { before } : {}) };
  };

  test("what a package stands upon is fetched first; what cannot be had is not waited for", async () => {
    const { examination, ask } = await tried();
    await settle(examination, (view) => loadsOf(view, "/venv/bin/python3"));
    const before = nothingTried();
    expect(ask(before)).toEqual([]);
    expect(ask(before).map(({ program }) => program.id)).toEqual(["rays"]);
  });

  test("what lacked nothing is not tried again, and comes out as if it were", async () => {
    const { examination, ask } = await tried();
    const before = nothingTried();
    const [first] = await settle(examination, () => ask(before));
    expect(first).toBe(ask(before)[0]);
    expect(first!.loads).toEqual(ask()[0]!.loads);
  });
});

describe("a package with GPU binaries is a program", needs({ loader: glibcLoader !== undefined }), () => {
  const upon = module({ needed: ["libc10.so"], asks: [wanted] });

  test("one that fits is judged by its files, after what it is linked with", async () => {
    const { status, judged: programs, findings } = await judged({ ...torch([wanted]), ...built("rays", "1.0", { "rays/_C.so": upon }) });
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(status).toBe("ok");
    expect(programs.find(({ program }) => program === "rays")).toMatchObject({ version: "1.0", activities: ["import"] });
  });

  test.each([
    ["imported at the margin", "from . import ops\n", "from ._C import make\n", "import"],
    [
      "imported where an error is caught",
      "from . import ops\n",
      "try:\n    from ._C import make\nexcept ImportError:\n    make = None\n",
      "device",
    ],
  ])("one of another release, %s: fails at %s", async (_, init, ops, activity) => {
    const python = { "rays/__init__.py": init, "rays/ops.py": ops };
    const { findings } = await judged({ ...torch([]), ...built("rays", "1.0", { "rays/_C.so": upon }, python) });
    const found = findings.find(({ rule }) => rule === "built-for-another-release");
    expect(found).toMatchObject({ severity: "error", subject: `${site}/rays/_C.so` });
    expect(found!.breaks[0]).toEqual({ framework: "rays", activity });
    expect(found!.because.join("\n")).toContain(`undefined symbol: ${wanted}`);
  });

  test("of files for one purpose it is enough that one can be opened; a plug-in for a framework that is not there is nobody's loss", async () => {
    const { findings, status } = await judged({
      ...torch([wanted]),
      ...built("rays", "1.0", {
        "rays/sm90/ops.so": upon,
        "rays/sm100/ops.so": module({ needed: ["libc10.so"], asks: [wanted, "_ZN3c105otherEv"] }),
        "rays/tf/ops.so": module({ needed: ["libtensorflow_framework.so.2"] }),
      }),
    });
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(status).toBe("ok");
  });

  test("but where all that it has for GPUs is linked with what is not there, nothing of that was judged", async () => {
    const files = { "rays/gpu.so": module({ needed: ["librmm.so"] }), "rays/plain.so": module() };
    const { status, unknown } = await judged({ ...torch([wanted]), ...built("rays", "1.0", files) });
    expect(status).toBe("incomplete");
    expect(unknown.find(({ subject }) => subject === "rays 1.0")?.reason).toContain("linked with rmm, which is not installed");
  });

  test("what is linked with a library of another package is asked for every symbol, too: mlx 0.32.4 and mlx-cuda-12 0.30.1", async () => {
    const files = (defines: string[]): Files => ({
      ...torch([wanted]),
      ...built("waves-cu12", "0.30.1", { "waves/lib/libwaves.so": library("libwaves.so", { needed: ["libcuda.so.1"], defines }) }),
      ...built("waves", "0.32.4", {
        "waves/nn.py": new TextEncoder().encode("import waves.core\n"),
        "waves/core.so": module({ needed: ["libwaves.so"], runpath: "$ORIGIN/lib", asks: ["_ZN5waves4sqrtEv"] }),
      }),
      [`${site}/waves-0.32.4.dist-info/METADATA`]: {
        text: "Name: waves\nVersion: 0.32.4\nRequires-Dist: torch\nRequires-Dist: waves-cu12==0.32.4; extra == 'cuda12'\n",
      },
    });
    const { findings } = await judged(files([]));
    const found = findings.find(({ rule }) => rule === "built-for-another-release");
    expect(found).toMatchObject({ severity: "error", subject: `${site}/waves/core.so` });
    expect(found!.message).toContain("built for another waves-cu12: waves-cu12 0.30.1 has no waves::sqrt");
    expect(found!.advice[0]?.command?.at(-1)).toBe("waves-cu12==0.32.4");
    const fitting = await judged(files(["_ZN5waves4sqrtEv"]));
    expect(fitting.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  test("what lies in a wheel and nothing leads to may be loaded by the package itself: that is open, and keeps the tick away", async () => {
    const { findings, status, unknown } = await judged({
      ...torch([wanted]),
      ...built("nvidia-npp-cu12", "12.3.1", { "nvidia/npp/lib/libnppicc.so.12": library("libnppicc.so.12") }),
      ...built("rays", "1.0", { "rays/_C.so": module({ needed: ["libnppicc.so.12"] }) }),
    });
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(status).toBe("incomplete");
    expect(unknown.find(({ subject }) => subject === "rays 1.0")).toMatchObject({
      kind: "package",
      reason: expect.stringContaining("libnppicc.so.12"),
    });
  });

  test("it is judged where it asks for that wheel and has the means: ctypes at its import, or a loader in the wheel", async () => {
    const npp = { "nvidia/npp/lib/libnppicc.so.12": library("libnppicc.so.12") };
    const asking = (files: Files, name: string, wheel: string): Files => ({
      ...files,
      // The licence comes before what it asks for, and goes on over lines of spaces.
      [`${site}/${name}-1.0.dist-info/METADATA`]: {
        text: `Name: ${name}\nVersion: 1.0\nLicense: Anybody may.\n        \n        Nobody must.\nRequires-Dist: ${wheel}\n\nRequires-Dist: words\n`,
      },
    });
    const parts: Files = {
      ...torch([wanted]),
      ...built("nvidia-npp-cu12", "12.3.1", npp),
      ...built("libwaves", "1.0", { "libwaves/lib/libwaves.so": library("libwaves.so") }, { "libwaves/load.py": "import ctypes\n" }),
    };
    const upon = { "rays/_C.so": module({ needed: ["libnppicc.so.12"] }) };
    const loading = { "rays/__init__.py": "from .loader import *\n", "rays/loader.py": "import ctypes\n" };
    const waving = { "waves/_C.so": module({ needed: ["libc10.so", "libwaves.so"] }) };
    const whole = await judged({
      ...parts,
      ...asking(built("rays", "1.0", upon, loading), "rays", "nvidia-npp-cu12"),
      ...asking(built("waves", "1.0", waving), "waves", "libwaves"),
    });
    expect(whole.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(whole.status).toBe("ok");
    for (const other of [
      asking(built("rays", "1.0", upon), "rays", "nvidia-npp-cu12"),
      built("rays", "1.0", upon, loading),
      built("waves", "1.0", waving),
    ])
      expect((await judged({ ...parts, ...other })).status).toBe("incomplete");
  });

  test("a part of another package comes to compiled modules of its own: cupynumeric and legate.core", async () => {
    const text = (source: string) => new TextEncoder().encode(source);
    const files: Files = {
      ...driver("/opt/driver"),
      ...built("legate", "1.0", {
        "legate/__init__.py": text(""),
        "legate/core/__init__.py": text("from ._lib.runtime import get\n"),
        "legate/core/_lib/runtime.abi3.so": module({ needed: ["liblegate.so", "libcuda.so.1"], rpath: "$ORIGIN/../../lib64" }),
        "legate/lib64/liblegate.so": library("liblegate.so", { needed: ["libcudart.so.13"] }),
      }),
      ...built("cunumbers-cu13", "1.0", {
        "cunumbers/__init__.py": text("from .array import ndarray\n"),
        "cunumbers/array.py": text("from legate.core import get\n"),
        "cunumbers/_C.so": module({ needed: ["libcuda.so.1"] }),
      }),
      [`${site}/cunumbers_cu13-1.0.dist-info/METADATA`]: { text: "Name: cunumbers-cu13\nVersion: 1.0\nRequires-Dist: legate\n" },
    };
    const { findings } = await judged(files);
    const broken = findings.flatMap(({ rule, severity, breaks }) =>
      severity === "error" ? breaks.filter(({ activity }) => activity === "import").map(({ framework }) => `${rule} ${framework}`) : [],
    );
    expect(broken).toEqual(["library-missing cunumbers-cu13"]);
    const runtime = built("nvidia-cuda-runtime", "13.0.1", { "nvidia/cu13/lib/libcudart.so.13": library("libcudart.so.13") });
    const leading = {
      [`${site}/legate/lib64/liblegate.so`]: library("liblegate.so", {
        needed: ["libcudart.so.13"],
        rpath: "$ORIGIN/../../nvidia/cu13/lib",
      }),
    };
    expect((await judged({ ...files, ...runtime, ...leading })).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("parts of a framework that is not there are packages of their own, and its libraries those of the wheel that has them", async () => {
    const libraries = (defines: string[], load = "import ctypes\n"): Files =>
      built("libcuvs-cu12", "26.8.1", {
        "libcuvs/lib64/libcuvs.so": library("libcuvs.so", { needed: ["libnvrtc.so.12"], defines }),
        "libcuvs/load.py": new TextEncoder().encode(load),
        "libcuvs/__init__.py": new Uint8Array(),
      });
    const asking = (name: string, file: string, requires: string[]): Files => ({
      [`${site}/${file}.dist-info/METADATA`]: {
        text: [`Name: ${name}`, "Version: 26.8.1", ...requires.map((each) => `Requires-Dist: ${each}`), ""].join("\n"),
      },
    });
    const files = (defines: string[], load?: string): Files => ({
      ...driver("/opt/driver"),
      ...built("nvidia-cuda-nvrtc-cu12", "12.9.86", { "nvidia/cuda_nvrtc/lib/libnvrtc.so.12": library("libnvrtc.so.12") }),
      ...built("cuda-pathfinder", "1.9.0", {}, { "cuda/pathfinder/__init__.py": "" }),
      ...libraries(defines, load),
      ...asking("libcuvs-cu12", "libcuvs_cu12-26.8.1", ["nvidia-cuda-nvrtc-cu12"]),
      ...built("cuvs-cu12", "26.8.1", { "cuvs/cagra.abi3.so": module({ needed: ["libcuvs.so"], asks: ["cuvsCagraBuild"] }) }),
      ...asking("cuvs-cu12", "cuvs_cu12-26.8.1", ["libcuvs-cu12"]),
    });
    const finding = "from cuda.pathfinder import load_nvidia_dynamic_lib\n";
    expect((await judged(files(["cuvsCagraBuild"], finding))).status).toBe("ok");
    // How it would find NVRTC without that is not known.
    expect((await judged(files(["cuvsCagraBuild"]))).unknown.map(({ reason }) => reason.slice(0, 30))).toContain(
      "how it finds libnvrtc.so.12 is",
    );
    const { findings } = await judged(files(["cuvsCagraBuild_v2"], finding));
    expect(findings.filter(({ severity }) => severity === "error").map(({ rule }) => rule)).toEqual(["built-for-another-release"]);
    // Bindings of before CUDA 12.8 are one package, which opens the driver when it runs: nothing of it shows.
    const bindings = { ...driver("/opt/driver"), ...built("cuda-python", "11.8.3", { "cuda/cuda.so": module() }) };
    expect(await judged(bindings)).toMatchObject({ status: "incomplete", unknown: [{ subject: "cuda-python 11.8.3" }] });
  });

  test("a module of others that it imports is helped by what its own package loads: cugraph and pylibcugraph", async () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const asking = (name: string, requires: string[]): Files => ({
      [`${site}/${name}-1.0.dist-info/METADATA`]: {
        text: [`Name: ${name}`, "Version: 1.0", ...requires.map((each) => `Requires-Dist: ${each}`), ""].join("\n"),
      },
    });
    const files: Files = {
      ...torch([wanted]),
      ...built("nvidia-npp-cu12", "12.3.1", { "nvidia/npp/lib/libnppicc.so.12": library("libnppicc.so.12") }),
      ...built("libwaves", "1.0", {
        "libwaves/lib/libwaves.so": library("libwaves.so", { needed: ["libnppicc.so.12"] }),
        "libwaves/load.py": bytes("import ctypes\n"),
      }),
      ...asking("libwaves", ["cuda-pathfinder", "nvidia-npp-cu12"]),
      ...packaged("cuda-pathfinder", "1.9.0"),
      ...built("waves", "1.0", {
        "waves/_ops.so": module({ needed: ["libcuda.so.1", "libwaves.so"] }),
        "waves/__init__.py": bytes("import libwaves\n"),
      }),
      ...asking("waves", ["libwaves"]),
      ...built("rays", "1.0", {
        "rays/_C.so": module({ needed: ["libcuda.so.1"] }),
        "rays/__init__.py": bytes("from . import _C\nfrom waves import _ops\n"),
      }),
      ...asking("rays", ["waves"]),
      [`${site}/waves/__init__.py`]: { text: "import libwaves\n" },
      [`${site}/libwaves/__init__.py`]: { text: "" },
      [`${site}/rays/__init__.py`]: { text: "from . import _C\nfrom waves import _ops\n" },
    };
    const { findings, status } = await judged(files);
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(status).toBe("ok");
    const lacking = Object.fromEntries(Object.entries(files).filter(([path]) => !path.endsWith("libwaves.so")));
    const broken = (await judged(lacking)).findings.filter(({ severity }) => severity === "error");
    expect(broken.map(({ subject }) => subject)).toContain("libwaves.so");
  });

  test("a wheel for any platform may bring binaries all the same", async () => {
    const files = built("rays", "1.0", { "rays/_C.so": module({ needed: ["libnppicc.so.12"] }) });
    files[`${site}/rays-1.0.dist-info/WHEEL`] = { text: "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n" };
    const { findings } = await judged({ ...torch([wanted]), ...files });
    expect(findings.find(({ rule }) => rule === "library-missing")).toMatchObject({ severity: "error", subject: "libnppicc.so.12" });
  });

  test("a module that is called after another torch is nobody's loss", async () => {
    const other = module({ needed: ["libc10.so"], asks: ["_ZN3c105otherEv"] });
    const named = (name: string) =>
      judged({ ...torch([wanted]), ...built("rays", "1.0", { [`rays/${name}.so`]: other, "rays/ops.so": upon }) });
    for (const name of ["ep_torch211", "pg_2_12_1"]) expect((await named(name)).status).toBe("ok");
    for (const name of ["ep_torch25", "pg_2_5_1", "ep"])
      expect((await named(name)).findings.map(({ rule }) => rule)).toContain("built-for-another-release");
  });

  test("what is no GPU's library may be for a part that few use, unless most of it lacks that", async () => {
    const codec = module({ needed: ["libc10.so", "libsound.so.1"] });
    const few = await judged({ ...torch([wanted]), ...built("rays", "1.0", { "rays/a.so": upon, "rays/b.so": codec }) });
    expect(few.status).toBe("ok");
    const most = await judged({
      ...torch([wanted]),
      ...built("rays", "1.0", { "rays/a.so": upon, "rays/b.so": codec, "rays/c.so": codec }),
    });
    expect(most.findings.find(({ rule }) => rule === "library-missing")).toMatchObject({ severity: "error", subject: "libsound.so.1" });
  });

  test("of a wheel of libraries for others, most of them count; of one for all machines, those for GPUs are some of several", async () => {
    const lacking = library("libcurays.so", { needed: ["libnppicc.so.12"] });
    const { findings } = await judged({ ...torch([wanted]), ...built("rays-cu12", "1.0", { "rays/lib/libcurays.so": lacking }) });
    expect(findings.find(({ rule }) => rule === "library-missing")).toMatchObject({ severity: "error", subject: "libnppicc.so.12" });
    const backends = { "rays/librays-cuda.so": lacking, "rays/librays-cpu.so": library("librays-cpu.so") };
    expect((await judged({ ...torch([wanted]), ...built("rays", "1.0", backends) })).status).toBe("ok");
  });

  test("one with the CUDA runtime inside asks for nothing, and is one all the same, by its code for GPUs", async () => {
    const inside = withKernels(module({ pages: 200 }), ["sm_90"]);
    const { judged: programs } = await judged({
      ...torch([wanted]),
      ...built("rays", "1.0", { "rays/_C.so": inside }),
      ...built("waves", "1.0", { "waves/_C.so": module({ pages: 200 }) }),
    });
    expect(programs.map(({ program }) => program)).toEqual(["torch", "rays"]);
  });

  test("one in editable form is judged by what a build left in its source folder", async () => {
    const metadata = `${site}/rays-1.0.dist-info`;
    const editable: Files = {
      [`${metadata}/METADATA`]: { text: "Name: rays\nVersion: 1.0\n" },
      [`${metadata}/WHEEL`]: { text: "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n" },
      [`${metadata}/RECORD`]: { text: "__editable__.rays-1.0.pth,,\n" },
      [`${metadata}/direct_url.json`]: { text: '{"dir_info": {"editable": true}, "url": "file:///src/rays"}' },
      [`${site}/__editable__.rays-1.0.pth`]: { text: "/src/rays\n" },
      "/src/rays/rays/__init__.py": { text: "from ._C import make\n" },
      "/src/rays/rays/_C.cpython-311-x86_64-linux-gnu.so": upon,
    };
    const whole = await judged({ ...torch([wanted]), ...editable });
    expect(whole.judged.map(({ program }) => program)).toContain("rays");
    const { findings } = await judged({ ...torch([]), ...editable });
    expect(findings.find(({ rule }) => rule === "built-for-another-release")).toMatchObject({ severity: "error" });
  });

  test("what helps may need help itself; and where that is nowhere, it is what is missing", async () => {
    const part = (soname: string, needed: string[]) => library(soname, { needed });
    const files = (base: Files): Files => ({
      ...torch([wanted]),
      ...base,
      ...built("libray", "1.0", { "libray/lib/libray.so": part("libray.so", ["libbase.so.0"]) }),
      ...built(
        "rays",
        "1.0",
        { "rays/_C.so": module({ needed: ["libc10.so", "libray.so"] }) },
        { "rays/__init__.py": "from . import _C\n" },
      ),
    });
    const whole = await judged(files(built("base", "1.0", { "base/lib/libbase.so.0": part("libbase.so.0", []) })));
    expect(whole.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    const said = whole.unknown.filter(({ subject }) => subject.startsWith("rays")).map(({ reason }) => reason);
    expect(said.join(" ").match(/libray\.so is not known|libray\.so, libbase/g)).toHaveLength(1);
    const { findings } = await judged(files({}));
    expect(findings.find(({ rule }) => rule === "library-missing")?.message).toContain("libbase.so.0");
  });

  test("a symbol of C++'s own library is no matter of torch", async () => {
    const symbol = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm";
    const { findings } = await judged({
      ...torch([wanted]),
      ...built("rays", "1.0", { "rays/_C.so": module({ needed: ["libc10.so"], asks: [symbol] }) }),
    });
    const found = findings.find(({ rule }) => rule === "built-for-another-release")!;
    expect(found.message).toContain("built for another libstdc++: the libstdc++ that is loaded has no std::");
    expect(found.advice.map(({ words }) => words).join()).toContain("install a newer libstdc++");
    expect(isOfStandardLibrary("_ZNSt6vectorIN2at6TensorESaIS1_EE9push_backERKS1_")).toBe(false);
  });

  test("what it asks for and is not installed is what will bring a library of nobody's", async () => {
    const files = built(
      "rays",
      "1.0",
      { "rays/_C.so": module({ needed: ["libc10.so", "libray_ops.so"] }) },
      { "rays/__init__.py": "from . import _C\n" },
    );
    files[`${site}/rays-1.0.dist-info/METADATA`] = {
      text: 'Name: rays\nVersion: 1.0\nRequires-Dist: ray-ops==1.0\nRequires-Dist: torch>=2\nRequires-Dist: words; extra == "dev"\n',
    };
    const { findings } = await judged({ ...torch([wanted]), ...files });
    const { advice } = findings.find(({ rule }) => rule === "library-missing")!;
    expect(advice[0]!.command).toContain("ray-ops==1.0");
    expect(advice[0]!.command!.join(" ")).not.toContain("words");
  });

  test("what is nowhere is an error", async () => {
    const { findings } = await judged({
      ...torch([wanted]),
      ...built("rays", "1.0", { "rays/_C.so": module({ needed: ["libnppicc.so.12"] }) }),
    });
    expect(findings.find(({ rule }) => rule === "library-missing")).toMatchObject({ severity: "error", subject: "libnppicc.so.12" });
  });

  test("a name that hints at a GPU, with binaries that ask for nothing, is unknown; other packages are none of our business", async () => {
    const plain = library("libinside.so");
    const {
      unknown,
      status,
      judged: programs,
    } = await judged({
      ...torch([wanted]),
      ...built("rays-cuda", "1.0", { "rays_cuda/libinside.so": plain }),
      ...built("letters", "1.0", { "letters/libinside.so": plain }),
      // By `setup.py install`: nothing lists its files.
      [`${site}/waves_cuda-2.0.egg-info/PKG-INFO`]: { text: "Name: waves-cuda\nVersion: 2.0\n" },
    });
    const subjects = unknown.filter(({ kind }) => kind === "package").map(({ subject }) => subject);
    expect(subjects.sort()).toEqual(["rays-cuda 1.0", "waves-cuda 2.0"]);
    expect(status).toBe("incomplete");
    expect(programs.map(({ program }) => program)).toEqual(["torch", "rays-cuda"]);
  });

  test("list shows in full what brings something, and names the others together", async () => {
    const files = {
      ...torch([wanted]),
      ...built("nvidia-cuda-runtime-cu12", "12.4.127", { "nvidia/cuda_runtime/lib/libcudart.so.12": library("libcudart.so.12") }),
      ...built("rays", "1.0", { "rays/_C.so": module({ needed: ["libcudart.so.12"], rpath: "$ORIGIN/../nvidia/cuda_runtime/lib" }) }),
      ...built("waves", "2.0", { "waves/_C.so": module({ needed: ["libcudart.so.12"], rpath: "$ORIGIN/../nvidia/cuda_runtime/lib" }) }),
    };
    const report = listReport(await listStack(await opened(files), ["/venv"]));
    expect(report).toMatch(/^rays 1\.0 in \/venv$/m);
    expect(report).toMatch(/^waves 2\.0 in \/venv: no copy that is not among these$/m);
    expect(report).toMatch(/libcudart\.so\.12 .*rays, waves would load it/);
  });

  test("loads takes its name, and its bundled copies are copies", async () => {
    const files = {
      ...torch([wanted]),
      ...built("rays", "1.0", {
        "rays/_C.so": module({ needed: ["libcudart-0123abcd.so.12.4.127"], rpath: "$ORIGIN/../rays.libs" }),
        "rays.libs/libcudart-0123abcd.so.12.4.127": library("libcudart-0123abcd.so.12.4.127"),
      }),
    };
    const run = { frameworks: ["Rays"], activities: [], python: ["/venv"] };
    const loads = await loadsOfFrameworks(await opened(files), run);
    if ("problem" in loads) throw new Error(loads.problem);
    expect(mapped(loads)).toEqual(["~/rays/_C.so", "~/rays.libs/libcudart-0123abcd.so.12.4.127"]);
    const stranger = await loadsOfFrameworks(await opened(files), { ...run, frameworks: ["stones"] });
    expect(stranger).toMatchObject({ problem: expect.stringContaining("no installed package `stones`") });
    const judgement = await checkTarget(await opened(files), { programs: [], activities: [], python: ["/venv"] });
    if ("problem" in judgement) throw new Error(judgement.problem);
    expect(judgement.stack.inventory.copies).toContainEqual(
      expect.objectContaining({
        library: "cudart",
        file: `${site}/rays.libs/libcudart-0123abcd.so.12.4.127`,
        owner: { kind: "pip", name: "rays", version: "1.0" },
      }),
    );
  });
});

describe("a build without CUDA", needs({ loader: glibcLoader !== undefined }), () => {
  const upon = module({ needed: ["libc10.so"], asks: [wanted] });

  test("says so in its version: nothing but its import is ticked, and who asks for it is told", async () => {
    const files = { ...torch([wanted]), ...built("rays", "1.0+pt25cpu", { "rays/_C.so": upon }) };
    const { judged: programs, findings } = await judged(files);
    expect(programs.find(({ program }) => program === "rays")).toMatchObject({ activities: ["import"], cpuOnly: true });
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    const asked = await checkTarget(await opened(files), { programs: [["rays"]], activities: [], python: ["/venv"] });
    if ("problem" in asked) throw new Error(asked.problem);
    expect(asked.check.findings.find(({ rule }) => rule === "cpu-only-build")).toMatchObject({
      severity: "error",
      because: ["its version is 1.0+pt25cpu"],
    });
  });

  test("whatever stands upon a torch without CUDA has none", async () => {
    const cpu = { [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = None\n" } };
    const { judged: programs } = await judged({ ...torch([wanted]), ...cpu, ...built("rays", "1.0", { "rays/_C.so": upon }) });
    expect(programs.find(({ program }) => program === "rays")).toMatchObject({ cpuOnly: true });
    const { judged: others } = await judged({ ...torch([wanted]), ...built("rays", "1.0", { "rays/_C.so": upon }) });
    expect(others.find(({ program }) => program === "rays")!.cpuOnly).toBeUndefined();
  });
});

test("imports that are run in any case", () => {
  const source = `"""import nothing"""
import os, sys as system
import rays._C  # the core
from . import ops, \\
    more
from .deep.down import (one,  # first
    two as three)
from rays import *
if system:
    import guarded
try:
    from . import _C
except ImportError:
    pass
text = '''
import inside
'''
`;
  expect(moduleIn(source)).toEqual({
    imports: ["os", "sys", "rays._C", ".:ops,more", ".deep.down:one,two", "rays:*"],
    guarded: [{ with: [], caught: ["ImportError"], behind: [], imports: [".:_C"] }],
    open: true,
    stars: true,
  });
});

describe("a library that a package opens itself at its import", needs({ loader: glibcLoader !== undefined }), () => {
  const told = async (files: { [path: string]: Uint8Array }, text: string) => {
    const all = { ...files, "rays/__init__.py": new TextEncoder().encode(text) };
    const { findings } = await judged({ ...torch([wanted]), ...packaged("rays", "1.0", all, ["torch"]) });
    return findings
      .filter(({ severity }) => severity === "error")
      .map(({ rule, breaks }) => `${rule} ${breaks?.map(({ activity }) => activity).join() ?? ""}`);
  };
  const beside = (name: string) => `import ctypes\nfrom os import path\nlib = ctypes.CDLL(path.join(path.dirname(__file__), "${name}"))\n`;
  const lacking = library("x", { needed: ["libgone.so.5"] });

  test("is one by its first bytes, whatever it is called", async () => {
    expect(await told({ "rays/core.bin": lacking }, beside("core.bin"))).toEqual([expect.stringMatching(/^library-missing import/)]);
    expect(await told({ "rays/core.bin": library("x") }, beside("core.bin"))).toEqual([]);
    expect(await told({ "rays/core.bin": new TextEncoder().encode("weights") }, beside("core.bin"))).toEqual([]);
    expect(await told({ "rays/core.bin": lacking }, `def later():\n    ${beside("core.bin").replaceAll("\n", "\n    ")}\n`)).toEqual([]);
  });

  test("so is a large one that no text names, and one with something behind its ending", async () => {
    const gpu = (plan: object) => library("librays", { needed: ["libcudart.so.11.0"], pages: 8, ...plan });
    const wheel = { [`${site}/rays-1.0.dist-info/WHEEL`]: { text: "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_28_x86_64\n" } };
    const judge = async (files: { [path: string]: Uint8Array }) => {
      const all = { ...files, "rays/__init__.py": new Uint8Array() };
      const { findings } = await judged({ ...torch([wanted]), ...packaged("rays", "1.0", all, ["torch"]), ...wheel });
      return findings.filter(({ severity }) => severity === "error").map(({ rule, breaks }) => `${rule} ${breaks?.[0]?.framework}`);
    };
    const missing = [expect.stringMatching(/^library-\S+ rays$/)];
    expect(await judge({ "rays/core.plugin": gpu({}) })).toEqual(missing);
    expect(await judge({ "rays/librays.so.v2": gpu({}) })).toEqual(missing);
    expect(await judge({ "rays/librays.so-cu11": gpu({}) })).toEqual(missing);
    expect(await judge({ "rays/core.bin": gpu({ program: true }) })).toEqual([]);
    expect(await judge({ "rays/core.bin": new TextEncoder().encode("weights".repeat(10_000)) })).toEqual([]);
    expect(await judge({ "rays/librays.so.json": new TextEncoder().encode("{}") })).toEqual([]);
  });

  test("is chosen by the system that it runs on, and opened where it is there", async () => {
    const chosen = (opening: string) =>
      'from ctypes import *\nfrom os import path\nfrom sys import platform\nif platform == "linux":\n    name = "librays.so"\nelse:\n    name = "rays.dll"\n' +
      `if path.exists(path.join(here, name)):\n    ${opening}\nelse:\n    raise RuntimeError("build it")\n`;
    const gpu = library("librays.so", { needed: ["libcusparse.so.9.0"] });
    expect(await told({ "rays/librays.so": gpu }, chosen("lib = CDLL(name)"))).toEqual([expect.stringMatching(/^library-\S+ import/)]);
    expect(await told({ "rays/librays.so": gpu }, chosen("found = name"))).toEqual([expect.stringMatching(/^library-\S+ device/)]);
  });
});
