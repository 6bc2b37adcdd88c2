// vLLM, sgl-kernel, TransformerEngine, TensorRT, llama-cpp-python and DeepSpeed. Needs, names, search paths and symbols are those of the wheels
// on PyPI; what each does was watched with torch 2.5.1 (docs/packages.md). The wheel of TensorRT's libraries and llama-cpp-python's builds
// with CUDA could not be had: their layout is that of their sources.
import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Plan } from "../loader/make-elf.ts";
import type { Files } from "../loader/tree.ts";
import { findings, loud, named, nvidia, packaged } from "../diagnose/python-stack.ts";
import { needs } from "../needs.ts";
import { driver, library, mapped, module, predict, pythonRoot, site, without, type Question } from "./python-root.ts";

const old = "_ZNK3c1010TensorImpl27throw_data_ptr_access_errorEv";
/** At this one the loader stopped vLLM 0.8.5, which was built for torch 2.6. */
const fresh = "_ZNK3c1011StorageImpl27throw_data_ptr_access_errorEv";

const torch: Files = {
  ...packaged("torch", "2.5.1", {
    "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: "$ORIGIN/lib" }),
    "torch/lib/libtorch_global_deps.so": library("libtorch_global_deps.so"),
    "torch/lib/libtorch_python.so": library("libtorch_python.so", { needed: ["libtorch_cpu.so", "libc10.so"], rpath: "$ORIGIN" }),
    "torch/lib/libtorch_cpu.so": library("libtorch_cpu.so", { rpath: "$ORIGIN" }),
    "torch/lib/libc10.so": library("libc10.so", { defines: [old], rpath: "$ORIGIN" }),
  }),
  [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = '12.4'\n" },
  ...driver("/opt/driver"),
};

const upon = (asks: string[], plan: Plan = {}) => module({ needed: ["libtorch_cpu.so", "libc10.so"], asks, ...plan });

const vllm = (version: string, wanted: string, asks: string[], name = "_C"): Files =>
  packaged(
    "vllm",
    version,
    {
      [`vllm/${name}.abi3.so`]: upon(asks, { needed: ["libtorch_cpu.so", "libc10.so", "libcuda.so.1"] }),
      "vllm/_moe_C.abi3.so": upon(asks),
      "vllm/vllm_flash_attn/_vllm_fa2_C.abi3.so": upon(asks),
    },
    [`torch==${wanted}`],
  );

const environment = { LD_LIBRARY_PATH: "/opt/driver" };
const found = async (files: Files, more: { [name: string]: string } = {}) =>
  loud(await findings(files, { environment: { ...environment, ...more } }));
const loadsIn = (framework: string, files: Files, question: Question = {}) =>
  predict(pythonRoot(files).folder, framework, { environment, ...question });

describe("vLLM", needs({ glibc: glibcLoader }), () => {
  test("for this torch is silent: its operators come at the import, where NVML finds a GPU", async () => {
    const files = { ...torch, ...vllm("0.7.2", "2.5.1", [old]) };
    expect(named(await found(files))).toEqual([]);
    expect(mapped(await loadsIn("vllm", files))).toContain("~/vllm/_C.abi3.so");
  });

  test("for another torch ends at the import, in the loader's words", async () => {
    const files = { ...torch, ...vllm("0.8.5", "2.6.0", [old, fresh]) };
    const { failures } = await loadsIn("vllm", files);
    expect(failures.map(({ message }) => message)).toEqual([`${site}/vllm/_C.abi3.so: undefined symbol: ${fresh}`]);
    const [finding] = await found(files);
    expect(finding).toMatchObject({ severity: "error", breaks: [{ framework: "vllm", activity: "import" }, { activity: "device" }] });
    expect(finding!.advice[0]!.command?.slice(-2)).toEqual(["torch==2.5.1", "vllm==0.7.3"]);
  });

  test("for another torch whose symbols are all there is no error", async () => {
    const [finding, ...others] = await found({ ...torch, ...vllm("0.6.3", "2.4.0", [old]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "pins-not-met", severity: "warning" });
  });

  test("without a driver it is imported, whatever its operators are for", async () => {
    const files = without({ ...torch, ...vllm("0.8.5", "2.6.0", [old, fresh]) }, /^\/opt\/driver/);
    const { failures, loads } = await loadsIn("vllm", files);
    expect(failures).toEqual([]);
    expect(loads.find(({ file }) => file.endsWith("/vllm/_C.abi3.so"))).toMatchObject({ unmapped: true });
  });

  test("since 0.27 its operators have another name", async () => {
    const { failures } = await loadsIn("vllm", { ...torch, ...vllm("0.32.0", "2.13.0", [fresh], "_C_stable_libtorch") });
    expect(failures.map(({ name }) => name)).toEqual([fresh]);
  });
});

describe("sgl-kernel", needs({ glibc: glibcLoader }), () => {
  const nvrtc = nvidia("nvidia-cuda-nvrtc-cu12", "12.4.127", "cuda_nvrtc", { "libnvrtc.so.12": {} });
  const kernel = (version: string, folder: string): Files =>
    packaged("sgl-kernel", version, {
      [`sgl_kernel/${folder}common_ops.abi3.so`]: upon([old], { needed: ["libtorch_cpu.so", "libc10.so", "libnvrtc.so.12"] }),
    });

  test.each([
    ["0.1.0", ""],
    ["0.3.21", "sm100/"],
  ])("%s needs NVRTC, which torch 2.5 has not loaded, and finds it where the loader is led to it", async (version, folder) => {
    const files = { ...torch, ...nvrtc, ...kernel(version, folder) };
    const [finding] = await found(files);
    expect(finding).toMatchObject({ rule: "library-not-on-path", severity: "error" });
    const told = await loadsIn("sgl-kernel", files, { environment: { LD_LIBRARY_PATH: `/opt/driver:${site}/nvidia/cuda_nvrtc/lib` } });
    expect(told.failures).toEqual([]);
    expect(mapped(told)).toContain(`~/sgl_kernel/${folder}common_ops.abi3.so`);
  });

  test("a second fault behind the first is told with it, and advice names the folders that are needed", async () => {
    const cublas = nvidia("nvidia-cublas-cu12", "12.4.5.8", "cublas", { "libcublas.so.12": {} });
    const nvjitlink = nvidia("nvidia-nvjitlink-cu12", "12.4.127", "nvjitlink", { "libnvJitLink.so.12": {} });
    const asking = packaged("sgl-kernel", "0.3.21", {
      "sgl_kernel/sm100/common_ops.abi3.so": upon([fresh], {
        needed: ["libtorch_cpu.so", "libc10.so", "libnvrtc.so.12", "libcublas.so.12"],
      }),
    });
    const all = await found({ ...torch, ...nvrtc, ...cublas, ...nvjitlink, ...asking });
    expect(all.map(({ rule }) => rule).sort()).toEqual(["built-for-another-release", "library-not-on-path"]);
    const advice = all.find(({ rule }) => rule === "library-not-on-path")!.advice.map(({ command = [] }) => command.join(" "));
    expect(advice[0]).toContain(`LD_LIBRARY_PATH=${site}/nvidia/cuda_nvrtc/lib:${site}/nvidia/cublas/lib `);
  });
});

describe("TransformerEngine", needs({ glibc: glibcLoader }), () => {
  const core = { needed: ["libcublas.so.12", "libcudart.so.12", "libnccl.so.2", "libcudnn.so.9"] };
  const engine = (version: string): Files => ({
    ...packaged("transformer-engine", version),
    ...packaged("transformer-engine-cu12", version, {
      "transformer_engine/wheel_lib/libtransformer_engine.so": library("libtransformer_engine.so", core),
    }),
  });
  const wheels: Files = {
    ...nvidia("nvidia-cudnn-cu12", "9.12.0.46", "cudnn", { "libcudnn.so.9": {} }),
    ...nvidia("nvidia-cublas-cu12", "12.8.4.1", "cublas", { "libcublas.so.12": {} }),
    ...nvidia("nvidia-cuda-nvrtc-cu12", "12.8.93", "cuda_nvrtc", { "libnvrtc.so.12": {} }),
    ...nvidia("nvidia-curand-cu12", "10.3.9.90", "curand", { "libcurand.so.10": {} }),
    ...nvidia("nvidia-cuda-runtime-cu12", "12.8.90", "cuda_runtime", { "libcudart.so.12": {} }),
    ...nvidia("nvidia-nccl-cu12", "2.27.3", "nccl", { "libnccl.so.2": {} }),
  };

  test("since 2.12 does not find the runtime's wheel for CUDA 12; the advice makes it be imported", async () => {
    const files = { ...driver("/opt/driver"), ...engine("2.20.2"), ...wheels };
    const { failures } = await loadsIn("transformer-engine", files);
    expect(failures.map(({ message }) => message)).toEqual(["cudart shared object not found."]);
    const [finding, ...others] = await found(files);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "library-only-from-toolkit", severity: "error" });
    const command = finding!.advice[0]!.command!;
    const told = Object.fromEntries(command.slice(1, -1).map((word) => word.split("=") as [string, string]));
    expect(Object.keys(told)).toEqual(["CUDA_HOME", "LD_LIBRARY_PATH"]);
    expect((await loadsIn("transformer-engine", files, { environment: told })).failures).toEqual([]);
  });

  test("before, all that it needs and loads itself must lie where the loader looks: NCCL did not", async () => {
    const { failures } = await loadsIn("transformer-engine", { ...driver("/opt/driver"), ...engine("2.10.0"), ...wheels });
    expect(failures.map(({ name }) => name)).toEqual(["libnccl.so.2"]);
  });

  test("wheels of CUDA 13 are found", async () => {
    const files = {
      ...packaged("transformer-engine-cu13", "2.20.2", {
        "transformer_engine/wheel_lib/libtransformer_engine.so": library("libtransformer_engine.so"),
      }),
      ...wheels,
      ...nvidia("nvidia-cuda-runtime", "13.0.96", "cu13", {
        "libcudart.so.13": {},
        "libnvrtc.so.13": {},
        "libcurand.so.10": {},
        "libcublas.so.13": {},
      }),
    };
    expect((await loadsIn("transformer-engine", files)).failures).toEqual([]);
  });
});

describe("TensorRT", needs({ glibc: glibcLoader }), () => {
  const bindings = packaged("tensorrt-cu12-bindings", "10.13.3.9", {
    "tensorrt_bindings/tensorrt.so": module({
      needed: ["libnvinfer.so.10", "libnvonnxparser.so.10"],
      runpath: "$ORIGIN:$ORIGIN/../tensorrt_libs",
    }),
  });
  const libraries: Files = {
    ...packaged("tensorrt-cu12-libs", "10.13.3.9", {
      "tensorrt_libs/libnvinfer.so.10": library("libnvinfer.so.10"),
      "tensorrt_libs/libnvonnxparser.so.10": library("libnvonnxparser.so.10"),
    }),
    [`${site}/tensorrt_libs/__init__.py`]: { text: "" },
  };

  test("without the wheel of its libraries is not imported", async () => {
    const { failures } = await loadsIn("tensorrt", { ...driver("/opt/driver"), ...bindings });
    expect(failures.map(({ message }) => message)).toEqual(["libnvinfer.so.10: cannot open shared object file: No such file or directory"]);
    expect(named(await found({ ...driver("/opt/driver"), ...bindings }))).toEqual(["error library-missing"]);
  });

  test("with it, it is", async () => {
    const files = { ...driver("/opt/driver"), ...bindings, ...libraries };
    expect((await loadsIn("tensorrt", files, { do: ["device"] })).failures).toEqual([]);
    expect(named(await found(files))).toEqual([]);
  });
});

describe("llama-cpp-python", needs({ glibc: glibcLoader }), () => {
  const build = (gpu: boolean): Files =>
    packaged("llama-cpp-python", "0.3.16", {
      "llama_cpp/lib/libllama.so": library("libllama.so", {
        needed: ["libggml-cpu.so", ...(gpu ? ["libggml-cuda.so"] : [])],
        runpath: "$ORIGIN",
      }),
      "llama_cpp/lib/libggml-cpu.so": library("libggml-cpu.so"),
      ...(gpu ? { "llama_cpp/lib/libggml-cuda.so": library("libggml-cuda.so", { needed: ["libcudart.so.12", "libcuda.so.1"] }) } : {}),
    });

  test("a build with CUDA needs the runtime where the loader looks", async () => {
    const runtime = { "/opt/driver/libcudart.so.12": library("libcudart.so.12") };
    const files = { ...driver("/opt/driver"), ...build(true) };
    expect((await loadsIn("llama-cpp-python", files)).failures.map(({ name }) => name)).toEqual(["libcudart.so.12"]);
    expect((await loadsIn("llama-cpp-python", { ...files, ...runtime }, { do: ["device"] })).failures).toEqual([]);
  });

  test("what pip compiles is for processors, and said to be where a GPU is seen", async () => {
    const seen = await findings({ ...driver("/opt/driver"), ...build(false) }, { environment, gpus: ["H100"] });
    expect(named(loud(seen))).toContain("warning cpu-only-build");
  });
});

test("DeepSpeed loads nothing of its own, and cannot go on without torch", needs({ glibc: glibcLoader }), async () => {
  const files = { ...torch, ...packaged("deepspeed", "0.16.4", {}, ["torch"]) };
  expect(named(await found(files))).toEqual([]);
  const lost = without(files, /libc10\.so/);
  expect((await loadsIn("deepspeed", lost)).failures.map(({ name }) => name)).toEqual(["libc10.so"]);
});
