// RAPIDS, Paddle, XGBoost, DALI, cuda-bindings, Warp and spaCy. Needs, names, search paths and symbols are those of the wheels on PyPI; what each
// does was watched (docs/packages.md).
import { describe, expect, test } from "vitest";
import { checkTarget, openTarget, type Activity } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, loud, named, nvidia, packaged } from "../diagnose/python-stack.ts";
import { needs } from "../needs.ts";
import { driver, library, mapped, module, predict, pythonRoot, site, without, type Question } from "./python-root.ts";

const environment = { LD_LIBRARY_PATH: "/opt/driver" };
const found = async (files: Files) => loud(await findings({ ...driver("/opt/driver"), ...files }, { environment }));
const loadsIn = (framework: string, files: Files, question: Question = {}) =>
  predict(pythonRoot({ ...driver("/opt/driver"), ...files }).folder, framework, { environment, ...question });

/** With an `__init__`, as a package that comes before others of its name. */
const regular = (module: string): Files => ({ [`${site}/${module}/__init__.py`]: { text: "" } });

describe("RAPIDS", needs({ glibc: glibcLoader }), () => {
  const symbol = "_ZN4cudf24is_runtime_jit_supportedEv";
  const logger: Files = {
    ...packaged("rapids-logger", "0.1.19", { "rapids_logger/lib64/librapids_logger.so": library("librapids_logger.so") }),
    ...regular("rapids_logger"),
  };
  const memory = (holds = true, version = "25.8.0"): Files => ({
    ...packaged(
      "librmm-cu12",
      version,
      holds ? { "librmm/lib64/librmm.so": library("librmm.so", { needed: ["librapids_logger.so"], runpath: "$ORIGIN" }) } : {},
    ),
    ...regular("librmm"),
    ...packaged("rmm-cu12", "25.8.0", { "rmm/pylibrmm/helper.so": module({ needed: ["librmm.so"], runpath: "$ORIGIN" }) }, [
      "librmm-cu12==25.8.*",
    ]),
  });
  const frames = ({ compression = true, kvikio = "25.8.0", asks = [] as string[], pylibcudf = "25.8.0" } = {}): Files => ({
    ...packaged("libkvikio-cu12", kvikio, {
      "libkvikio/lib64/libkvikio.so": library("libkvikio.so"),
      ...(compression ? { "libkvikio/lib64/libnvcomp.so.4": library("libnvcomp.so.4") } : {}),
    }),
    ...regular("libkvikio"),
    ...packaged(
      "libcudf-cu12",
      "25.8.0",
      {
        "libcudf/lib64/libcudf.so": library("libcudf.so", {
          needed: ["librmm.so", "libnvcomp.so.4", "libkvikio.so", "librapids_logger.so"],
          runpath: "$ORIGIN:$ORIGIN/../../libkvikio/lib64",
        }),
      },
      ["libkvikio-cu12==25.8.*", "librmm-cu12==25.8.*"],
    ),
    ...regular("libcudf"),
    ...packaged(
      "pylibcudf-cu12",
      pylibcudf,
      { "pylibcudf/aggregation.abi3.so": module({ needed: ["libcudf.so", "librmm.so"], runpath: "$ORIGIN", asks }) },
      [`libcudf-cu12==${pylibcudf.replace(/\.0$/, ".*")}`],
    ),
    ...packaged("cudf-cu12", "25.8.0", {}, ["pylibcudf-cu12==25.8.*", "rmm-cu12==25.8.*"]),
  });

  test("of one release works: each wheel's own library is loaded before the modules that need it", async () => {
    const files = { ...logger, ...memory(), ...frames() };
    const loads = await loadsIn("cudf", files, { do: ["device"] });
    expect(loads.failures).toEqual([]);
    expect(mapped(loads).filter((file) => file.startsWith("~/lib"))).toEqual([
      "~/librmm/lib64/librmm.so",
      "~/libkvikio/lib64/libnvcomp.so.4",
      "~/libkvikio/lib64/libkvikio.so",
      "~/libcudf/lib64/libcudf.so",
    ]);
    expect(named(await found(files))).toEqual([]);
  });

  test.each([
    ["an older librmm, which holds no library", { ...logger, ...memory(false, "25.2.0"), ...frames() }, "librmm-cu12==25.8.*"],
    [
      "an older libkvikio, which holds no nvCOMP",
      { ...logger, ...memory(), ...frames({ compression: false, kvikio: "25.2.0" }) },
      "libkvikio-cu12==25.8.*",
    ],
    ["an older pylibcudf", { ...logger, ...memory(), ...frames({ asks: [symbol], pylibcudf: "25.6.0" }) }, "pylibcudf-cu12==25.8.*"],
  ])("%s is blamed on what is asked for, and that is what to install", async (_, files, wanted) => {
    const all = await found(files);
    const finding = all.find(({ breaks }) => breaks.some(({ framework, activity }) => framework === "cudf" && activity === "import"));
    expect(finding).toMatchObject({ rule: "pins-not-met", severity: "error" });
    expect(finding!.advice[0]!.command?.at(-1)).toBe(wanted);
  });

  test("says that the library is not there, where what that needs is not", async () => {
    const { failures } = await loadsIn("cudf", { ...logger, ...memory(), ...frames({ compression: false, kvikio: "25.2.0" }) });
    expect(failures).toMatchObject([
      { message: "libcudf.so: cannot open shared object file: No such file or directory", underlying: { name: "libnvcomp.so.4" } },
    ]);
  });

  test("says in its name for which CUDA it is, and the driver must run that", async () => {
    const files = { ...driver("/opt/driver"), ...logger, ...memory(), ...frames() };
    const told = async (version: string) =>
      (await findings(files, { environment, driver: version, gpus: ["A100"] })).map(({ rule }) => rule);
    expect(await told("470.57.02")).toContain("driver-too-old");
    expect(await told("570.86.10")).not.toContain("driver-too-old");
  });

  test("rmm stands alone, and cuml upon cudf and libraft", async () => {
    expect((await loadsIn("rmm", { ...logger, ...memory() }, { do: ["device"] })).failures).toEqual([]);
    const cuml: Files = {
      ...packaged("libraft-cu12", "25.10.0", { "libraft/lib64/libraft.so": library("libraft.so", { needed: ["libcublas.so.12"] }) }),
      ...regular("libraft"),
      ...packaged("pylibraft-cu12", "25.10.0", { "pylibraft/common/handle.so": module({ needed: ["libraft.so"] }) }),
      ...packaged("cuml-cu12", "25.10.0"),
    };
    const { failures } = await loadsIn("cuml", { ...logger, ...memory(), ...cuml });
    expect(failures).toMatchObject([{ name: "libraft.so", underlying: { name: "libcublas.so.12" } }]);
    const blas = { "/opt/driver/libcublas.so.12": library("libcublas.so.12") };
    expect((await loadsIn("cuml", { ...logger, ...memory(), ...cuml, ...blas })).failures).toEqual([]);
  });

  test("a library that was given another name is loaded as before, and one that is gone is missed", async () => {
    const cuml = (libraries: string[]): Files => ({
      ...logger,
      ...memory(),
      ...packaged(
        "libcuml-cu12",
        "26.10.0",
        Object.fromEntries(libraries.map((name) => [`libcuml/lib64/${name}`, library(name, { needed: ["librmm.so"] })])),
      ),
      ...regular("libcuml"),
      ...packaged("cuml-cu12", "26.10.0", { "cuml/internals/logger.abi3.so": module({ needed: ["libcuml.so"] }) }),
    });
    expect((await loadsIn("cuml", cuml(["libcuml.so"]))).failures).toEqual([]);
    expect((await loadsIn("cuml", cuml([]))).failures).toMatchObject([{ name: "libcuml.so" }]);
  });

  test("ucxx has UCX and RMM loaded before, by the wheel of its libraries", async () => {
    const files = (version: string): Files => ({
      ...logger,
      ...memory(),
      ...packaged("libucx-cu12", "1.21.0", { "libucx/lib/libucp.so": library("libucp.so.0") }),
      ...regular("libucx"),
      ...packaged("libucxx-cu12", version, {
        "libucxx/lib64/libucxx.so": library("libucxx.so", {
          needed: ["libucp.so.0"],
          defines: version === "0.52.0" ? ["_ZN4ucxx6Worker3nowEv"] : [],
        }),
      }),
      ...regular("libucxx"),
      ...packaged(
        "ucxx-cu12",
        "0.52.0",
        { "ucxx/_lib/libucxx.abi3.so": module({ needed: ["libucxx.so"], asks: ["_ZN4ucxx6Worker3nowEv"] }) },
        ["libucxx-cu12==0.52.*"],
      ),
    });
    const loads = await loadsIn("ucxx", files("0.52.0"), { do: ["device"] });
    expect(loads.failures).toEqual([]);
    expect(mapped(loads).filter((file) => file.startsWith("~/"))).toEqual([
      "~/rapids_logger/lib64/librapids_logger.so",
      "~/librmm/lib64/librmm.so",
      "~/libucx/lib/libucp.so",
      "~/libucxx/lib64/libucxx.so",
      "~/ucxx/_lib/libucxx.abi3.so",
    ]);
    expect(named(await found(files("0.46.0")))).toEqual(["error built-for-another-release", "warning pins-not-met"]);
  });

  test("numba-cuda-mlir asks for the runtime at its import", async () => {
    const compiler: Files = {
      ...packaged("numba-cuda-mlir", "0.6.0", { "numba_cuda_mlir/_helperlib.cpython-311-x86_64-linux-gnu.so": module() }),
      ...packaged("cuda-bindings", "12.9.10"),
      ...packaged("cuda-pathfinder", "1.9.0"),
    };
    expect((await loadsIn("numba-cuda-mlir", compiler)).failures).toMatchObject([
      { message: 'Failure finding "libcudart.so.13 or libcudart.so.12"' },
    ]);
    const runtime = nvidia("nvidia-cuda-runtime-cu12", "12.9.79", "cuda_runtime", { "libcudart.so.12": {} });
    expect((await loadsIn("numba-cuda-mlir", { ...compiler, ...runtime }, { do: ["device"] })).failures).toEqual([]);
    const { failures } = await loadsIn("numba-cuda-mlir", { ...compiler, ...runtime }, { do: ["compile"] });
    expect(failures).toMatchObject([{ name: "libnvvm.so" }]);
  });
});

describe("what holds the runtime inside", needs({ glibc: glibcLoader }), () => {
  const boost = (tag: string, version = "2.1.3"): Files => ({
    ...packaged("xgboost", version, { "xgboost/lib/libxgboost.so": library("libxgboost.so") }),
    [`${site}/xgboost-${version}.dist-info/WHEEL`]: { text: `Wheel-Version: 1.0\nTag: py3-none-${tag}_x86_64\n` },
  });
  const whole: [name: string, files: Files][] = [
    ["xgboost", { ...boost("manylinux_2_28"), ...nvidia("nvidia-nccl-cu12", "2.32.3", "nccl", { "libnccl.so.2": {} }) }],
    ["dali", packaged("nvidia-dali-cuda120", "2.4.0", { "nvidia/dali/backend_impl.cpython-311-x86_64-linux-gnu.so": module() })],
    ["warp", packaged("warp-lang", "1.10.1", { "warp/bin/warp.so": library("warp.so") })],
  ];
  test.each(whole)("%s needs the driver alone", async (name, files) => {
    expect(named(await found(files))).toEqual([]);
    const loads = await loadsIn(name, files, { do: ["device"] });
    expect(loads.failures).toEqual([]);
    expect(mapped(loads)).toContain("/opt/driver/libcuda.so.580.159.04");
  });

  test("what a program is asked to do and no model says anything about keeps the tick away", async () => {
    const files = {
      ...driver("/opt/driver"),
      ...boost("manylinux_2_28"),
      ...nvidia("nvidia-nccl-cu12", "2.32.3", "nccl", { "libnccl.so.2": {} }),
    };
    const target = await openTarget(root(pythonRoot(files).folder), {
      environment,
      cwd: "/run",
      cpu: { level: 1 },
      driver: "570.86.10",
      gpus: ["A100"],
    });
    const ask = async (activities: Activity[]) => {
      const answer = await checkTarget(target, { programs: [["xgboost"]], activities, python: ["/venv"] });
      if ("problem" in answer) throw new Error(answer.problem);
      return answer.check.unknown.map(({ reason }) => reason).filter((reason) => reason.includes("not modelled"));
    };
    expect(await ask(["device"])).toEqual([]);
    expect(await ask(["compile"])).toEqual(["what it loads at compile is not modelled"]);
  });

  test("XGBoost's wheel for an old glibc has no CUDA", async () => {
    const [finding] = loud(await findings(boost("manylinux2014"), { environment, gpus: ["H100"] }));
    expect(finding).toMatchObject({ rule: "cpu-only-build" });
  });

  test.each([
    ["2.1.3", "470.57.02", false],
    ["3.2.0", "470.57.02", true],
    ["3.2.0", "570.86.10", false],
    ["3.4.1", "570.86.10", true],
    ["3.4.1", "580.65.06", false],
  ])("XGBoost %s on driver %s: too old for its CUDA? %s", async (version, installedDriver, isTooOld) => {
    const files = { ...driver("/opt/driver"), ...boost("manylinux_2_28", version) };
    const all = await findings(files, { environment, driver: installedDriver, gpus: ["A100"] });
    expect(named(loud(all)).includes("error driver-too-old")).toBe(isTooOld);
  });

  test("XGBoost on several GPUs opens NCCL by its name", async () => {
    const { failures } = await loadsIn("xgboost", boost("manylinux_2_28"), { do: ["train-distributed"] });
    expect(failures.map(({ name }) => name)).toEqual(["libnccl.so.2"]);
  });

  test("Warp since 1.18 is made with CUDA 13, for which older drivers do not do", async () => {
    const files = packaged("warp-lang", "1.19.0", { "warp/bin/warp.so": library("warp.so") });
    const all = await findings({ ...driver("/opt/driver"), ...files }, { environment, driver: "570.86.10", gpus: ["H100"] });
    expect(named(loud(all))).toEqual(["error driver-too-old"]);
  });

  test("cuda-bindings opens NVRTC at its first call, of whichever major there is", async () => {
    const bindings = packaged("cuda-bindings", "12.9.4", { "cuda/bindings/driver.cpython-311-x86_64-linux-gnu.so": module() });
    const nvrtc = nvidia("nvidia-cuda-nvrtc-cu12", "12.9.86", "cuda_nvrtc", { "libnvrtc.so.12": {}, "libnvrtc-builtins.so.12.9": {} });
    expect((await loadsIn("cuda-bindings", bindings, { do: ["device"] })).failures).toEqual([]);
    const { failures } = await loadsIn("cuda-bindings", bindings, { do: ["compile"] });
    expect(failures.map(({ message }) => message)).toEqual(['Failure finding "libnvrtc.so.13 or libnvrtc.so.12"']);
    expect((await loadsIn("cuda-bindings", { ...bindings, ...nvrtc }, { do: ["compile"] })).failures).toEqual([]);
  });
});

describe("Paddle", needs({ glibc: glibcLoader }), () => {
  const paddle: Files = {
    ...packaged("paddlepaddle-gpu", "2.6.2", {
      "paddle/base/libpaddle.so": library("libpaddle.so", { needed: ["libphi.so"], runpath: "$ORIGIN/../libs/" }),
      "paddle/libs/libphi.so": library("libphi.so", { runpath: "$ORIGIN" }),
    }),
    [`${site}/paddle/version/__init__.py`]: { text: "cuda_version = '11.8'\ncudnn_version = '8.6.0'\n" },
  };

  test("is imported without cuDNN, and asks for it by its name for compilers, then in /usr/local/cuda", async () => {
    expect((await loadsIn("paddle", paddle, { do: ["device"] })).failures).toEqual([]);
    const { failures } = await loadsIn("paddle", paddle, { do: ["convolution"] });
    expect(failures.map(({ name }) => name)).toEqual(["libcudnn.so"]);
    const there = { "/usr/local/cuda/lib64/libcudnn.so": library("libcudnn.so.8") };
    expect((await loadsIn("paddle", { ...paddle, ...there }, { do: ["convolution"] })).failures).toEqual([]);
  });

  test.each([
    ["8", "is there only with a version in its name", "make a link libcudnn.so to"],
    ["9", "only other versions are", "do not link another version under that name"],
  ])("where a wheel brings libcudnn.so.%s, it %s", async (major, short, advice) => {
    const wheel = nvidia("nvidia-cudnn-cu11", `${major}.6.0.163`, "cudnn", { [`libcudnn.so.${major}`]: {} });
    const finding = (await found({ ...paddle, ...wheel })).find(({ subject }) => subject === "libcudnn.so");
    expect(finding!.short).toContain(short);
    expect(finding!.advice[0]!.words).toContain(advice);
  });
});

describe("spaCy", needs({ glibc: glibcLoader }), () => {
  const cupy = packaged("cupy-cuda12x", "13.6.0", {
    "cupy_backends/cuda/api/runtime.so": module(),
    "cupy_backends/cuda/libs/cublas.so": module({ needed: ["libcublas.so.12"] }),
  });
  const files = { ...packaged("spacy", "3.8.7"), ...cupy };

  test("takes a CuPy without cuBLAS for none, and says so at the first use only", async () => {
    expect((await loadsIn("spacy", files)).failures).toEqual([]);
    const { failures } = await loadsIn("spacy", files, { do: ["device"] });
    expect(failures).toMatchObject([{ message: "Cannot use GPU, CuPy is not installed", underlying: { name: "libcublas.so.12" } }]);
  });

  test("with cuBLAS where the loader looks it works, and without CuPy nothing is said", async () => {
    const blas = { "/opt/driver/libcublas.so.12": library("libcublas.so.12") };
    expect((await loadsIn("spacy", { ...files, ...blas }, { do: ["device"] })).failures).toEqual([]);
    expect(named(await found(without(files, /cupy/)))).toEqual([]);
  });
});
