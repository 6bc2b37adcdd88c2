// Real wheels of torch in small: names, needs and search paths as `readelf -d` shows them. What 2.4.1 and 2.6.0 map is what LD_DEBUG showed,
// and so are the sets that 2.7.1 to 2.15.0 map; 1.12.1 was only read, so what it loads is only possible.
import { describe, expect, test } from "vitest";
import torch from "../../packages/core/src/frameworks/torch/model.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import {
  asked,
  compiled,
  driver,
  predict,
  installed,
  library,
  mapped,
  module,
  pythonRoot,
  site,
  wheel,
  without,
  type Question,
} from "./python-root.ts";
import { needs } from "../needs.ts";

async function torchIn(files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return predict(made.folder, "torch", question);
}

const folders = ["cublas", "cuda_cupti", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nccl", "nvtx"];
const rpath = [...folders.map((name) => `$ORIGIN/../../nvidia/${name}/lib`), "$ORIGIN"].join(":");

/** torch-2.6.0-cp311-cp311-manylinux1_x86_64 and, with another version, torch-2.4.1: both carry DT_RPATH. */
function cuda12(version: string): Files {
  const own = (name: string, needed: string[]) => ({ [`${site}/torch/lib/${name}`]: library(name, { needed, rpath }) });
  return {
    ...installed("torch", version, ['nvidia-cudnn-cu12==9.1.0.70 ; platform_system == "Linux"', "nvidia-nccl-cu12 (==2.21.5)"]),
    [`${site}/torch/version.py`]: { text: "from typing import Optional\ncuda: Optional[str] = '12.4'\n" },
    [`${site}/torch/_C.so`]: module({ needed: ["libtorch_python.so"], rpath: `${rpath}:$ORIGIN/lib` }),
    ...own("libtorch_global_deps.so", ["libcudart.so.12", "libnvToolsExt.so.1"]),
    ...own("libtorch_python.so", ["libtorch_cuda.so"]),
    ...own("libtorch_cuda.so", ["libcudart.so.12", "libcusparse.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcudnn.so.9"]),
    // What NVIDIA's wheels say: nvidia_cublas_cu12-12.4.5.8, nvidia_cusparse_cu12-12.3.1.170, nvidia_cudnn_cu12-9.1.0.70.
    ...wheel("cublas", {
      "libcublas.so.12": { needed: ["libcublasLt.so.12"], runpath: "$ORIGIN" },
      "libcublasLt.so.12": { runpath: "$ORIGIN" },
    }),
    ...wheel("cusparse", { "libcusparse.so.12": { needed: ["libnvJitLink.so.12"], runpath: "$ORIGIN:$ORIGIN/../../nvjitlink/lib" } }),
    ...wheel("cudnn", {
      "libcudnn.so.9": { runpath: "$ORIGIN" },
      ...Object.fromEntries(
        ["graph", "ops", "adv", "engines_precompiled", "engines_runtime_compiled", "heuristic"].map((part) => [
          `libcudnn_${part}.so.9`,
          { runpath: "$ORIGIN" },
        ]),
      ),
    }),
    ...wheel("cuda_runtime", { "libcudart.so.12": {} }),
    ...wheel("cuda_nvrtc", { "libnvrtc.so.12": { runpath: "$ORIGIN" }, "libnvrtc-builtins.so.12.4": {} }),
    ...wheel("nvjitlink", { "libnvJitLink.so.12": {} }),
    ...wheel("nvtx", { "libnvToolsExt.so.1": {} }),
    ...wheel("cusolver", { "libcusolver.so.11": {} }),
    ...driver("/opt/driver"),
  };
}

const second: Files = Object.fromEntries(
  ["libcudnn.so.9", "libcudnn_graph.so.9", "libcudart.so.12", "libnvJitLink.so.12"].map((name) => [`/opt/second/${name}`, library(name)]),
);

describe("torch for CUDA 12", needs({ glibc: glibcLoader }), () => {
  test("2.6 loads NVRTC and nvJitLink from their wheels although nothing was missing, and no more", async () => {
    const loads = await torchIn(cuda12("2.6.0"));
    expect(mapped(loads, "certain")).toEqual([
      "~/torch/lib/libtorch_global_deps.so",
      "~/nvidia/cuda_runtime/lib/libcudart.so.12",
      "~/nvidia/nvtx/lib/libnvToolsExt.so.1",
      "~/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
      "~/nvidia/nvjitlink/lib/libnvJitLink.so.12",
      "~/torch/_C.so",
      "~/torch/lib/libtorch_python.so",
      "~/torch/lib/libtorch_cuda.so",
      "~/nvidia/cusparse/lib/libcusparse.so.12",
      "~/nvidia/cublas/lib/libcublas.so.12",
      "~/nvidia/cublas/lib/libcublasLt.so.12",
      "~/nvidia/cudnn/lib/libcudnn.so.9",
    ]);
    expect(loads.failures).toEqual([]);
  });

  test("with a second copy of everything on LD_LIBRARY_PATH, 2.6 takes only cuDNN's parts from there", async () => {
    const loads = await torchIn(
      { ...cuda12("2.6.0"), ...second },
      { do: ["convolution"], environment: { LD_LIBRARY_PATH: "/opt/second:/opt/driver" } },
    );
    expect(mapped(loads).filter((file) => file.startsWith("/opt/second"))).toEqual(["/opt/second/libcudnn_graph.so.9"]);
    expect(mapped(loads)).toContain("~/nvidia/cudnn/lib/libcudnn.so.9");
    expect(asked(loads, "libcudnn_graph.so.9")).toEqual(["libcudnn.so.9"]);
  });

  test("2.4 preloads nothing, so a second nvJitLink on LD_LIBRARY_PATH comes first for cuSPARSE", async () => {
    const loads = await torchIn({ ...cuda12("2.4.1"), ...second }, { environment: { LD_LIBRARY_PATH: "/opt/second" } });
    expect(mapped(loads).filter((file) => /nvJitLink|nvrtc/.test(file))).toEqual(["/opt/second/libnvJitLink.so.12"]);
  });

  test("cuBLASLt brings the driver in while it is initialised; NVML is asked for by ctypes when GPUs are counted", async () => {
    const loads = await torchIn(cuda12("2.6.0"), { do: ["device"], environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(mapped(loads, "certain")).toContain("/opt/driver/libnvidia-ml.so.1");
    expect(asked(loads, "libcuda.so.1")[0]).toBe("libcublasLt.so.12");
    expect(asked(loads, "libnvidia-ml.so.1")).toEqual(["_ctypes.so"]);
    expect(loads.loads.find(({ name }) => name === "libcuda.so.1")?.activity).toBe("import");
  });

  test("without the runtime's wheel torch looks for all libraries, does not find that one, and the import fails", async () => {
    const loads = await torchIn(without(cuda12("2.6.0"), /cuda_runtime/));
    expect(loads.failures.map(({ message }) => message)).toEqual([
      "libcudart.so.12: cannot open shared object file: No such file or directory",
    ]);
    expect(mapped(loads)).toEqual([
      "~/nvidia/cublas/lib/libcublas.so.12",
      "~/nvidia/cublas/lib/libcublasLt.so.12",
      "~/nvidia/cudnn/lib/libcudnn.so.9",
      "~/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    ]);
  });

  test("without nvJitLink's wheel the import fails in _C, and only what was preloaded stays", async () => {
    const loads = await torchIn(without(cuda12("2.6.0"), /nvjitlink/));
    expect(loads.failures[0]?.message).toBe("libnvJitLink.so.12: cannot open shared object file: No such file or directory");
    expect(mapped(loads)).toEqual([
      "~/torch/lib/libtorch_global_deps.so",
      "~/nvidia/cuda_runtime/lib/libcudart.so.12",
      "~/nvidia/nvtx/lib/libnvToolsExt.so.1",
      "~/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
    ]);
  });

  test("what it was compiled for is in version.py and in exact pins", async () => {
    const made = pythonRoot(cuda12("2.6.0"));
    expect(await compiled(made.folder, torch, "torch")).toEqual({
      cuda: { version: "12.4", evidence: `${site}/torch/version.py` },
      cudnn: {
        version: "9.1.0.70",
        evidence: `${site}/torch-2.6.0.dist-info/METADATA: nvidia-cudnn-cu12==9.1.0.70`,
        pin: { package: "nvidia-cudnn-cu12", version: "9.1.0.70" },
      },
      nccl: {
        version: "2.21.5",
        evidence: `${site}/torch-2.6.0.dist-info/METADATA: nvidia-nccl-cu12==2.21.5`,
        pin: { package: "nvidia-nccl-cu12", version: "2.21.5" },
      },
    });
  });
});

const cuda13 = (version: string): Files => ({
  ...installed("torch", version),
  [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = '13.0'\n" },
  [`${site}/torch/_C.so`]: module(),
  [`${site}/torch/lib/libtorch_global_deps.so`]: library("libtorch_global_deps.so", {
    needed: ["libcudart.so.13"],
    rpath: "$ORIGIN/../../nvidia/cu13/lib:$ORIGIN",
  }),
  ...wheel("cu13", { "libcudart.so.13": {}, "libcublas.so.13": {}, "libnvrtc.so.13": {}, "libcurand.so.10": {}, "libcupti.so.13": {} }),
});

const preloaded = async (version: string) => mapped(await torchIn(cuda13(version))).filter((file) => file.includes("/cu13/"));

describe("other releases of torch", needs({ glibc: glibcLoader }), () => {
  test("2.14 passes over what no wheel brings; 2.13 stops at the first", async () => {
    expect(await preloaded("2.13.0")).toEqual(["~/nvidia/cu13/lib/libcudart.so.13"]);
    expect(await preloaded("2.14.0")).toEqual(
      ["libcudart.so.13", "libcublas.so.13", "libnvrtc.so.13", "libcupti.so.13", "libcurand.so.10"].map(
        (name) => `~/nvidia/cu13/lib/${name}`,
      ),
    );
  });

  test("from 2.10 NVTX comes last, where a wheel brings it, and its absence stops nothing; 2.8 left it alone", async () => {
    // What LD_DEBUG showed of 2.10.0 with the wheels for CUDA 12.8, and of 2.8.0.
    const brought = async (version: string, ...missing: string[]) => {
      const names = ["libcublasLt", "libcublas", "libcudnn", "libnvrtc", "libnvrtc-builtins", "libcupti", "libcufft", "libcurand"];
      const more = [
        "libnvJitLink",
        "libcusparse",
        "libcusparseLt",
        "libcusolver",
        "libnccl",
        "libnvshmem_host",
        "libcufile",
        "libnvToolsExt",
      ];
      const there = [...names, ...more].filter((name) => !missing.includes(name));
      const libraries = Object.fromEntries(there.map((name) => [`${name}.so.13`, {}]));
      const { loads } = await torchIn({ ...cuda13(version), ...wheel("cu13", { "libcudart.so.13": {}, ...libraries }) });
      return loads.map(({ name }) => name.slice(name.lastIndexOf("/") + 1)).filter((name) => /^lib(nvToolsExt|cufile)\./.test(name));
    };
    expect(await brought("2.10.0")).toEqual(["libcufile.so.13", "libnvToolsExt.so.13"]);
    expect(await brought("2.10.0", "libnvToolsExt")).toEqual(["libcufile.so.13"]);
    expect(await brought("2.10.0", "libcufft")).toEqual([]);
    expect(await brought("2.8.0")).toEqual([]);
  });

  test("1.12 carries its libraries along with DT_RUNPATH, so LD_LIBRARY_PATH comes first (torch-1.12.1-cp310-cp310-manylinux1_x86_64)", async () => {
    const files = {
      ...installed("torch", "1.12.1"),
      [`${site}/torch/version.py`]: { text: "__version__ = '1.12.1+cu102'\ncuda = '10.2'\n" },
      [`${site}/torch/_C.so`]: module({ needed: ["libtorch_python.so"], runpath: "$ORIGIN:$ORIGIN/lib" }),
      [`${site}/torch/lib/libtorch_global_deps.so`]: library("libtorch_global_deps.so", {
        needed: ["libcublas.so.10"],
        runpath: "$ORIGIN",
      }),
      [`${site}/torch/lib/libtorch_python.so`]: library("libtorch_python.so", {
        needed: ["libcudart-80664282.so.10.2"],
        runpath: "$ORIGIN",
      }),
      [`${site}/torch/lib/libcudart-80664282.so.10.2`]: library("libcudart.so.10.2", { runpath: "$ORIGIN" }),
      [`${site}/torch/lib/libcublas.so.10`]: library("libcublas.so.10", { runpath: "$ORIGIN" }),
      "/opt/second/libcublas.so.10": library("libcublas.so.10"),
    };
    const loads = await torchIn(files, { environment: { LD_LIBRARY_PATH: "/opt/second" } });
    expect(mapped(loads)).toContain("/opt/second/libcublas.so.10");
    expect(mapped(loads)).toContain("~/torch/lib/libcudart-80664282.so.10.2");
    expect(mapped(loads, "certain")).toEqual([]);
    expect(loads.unknown.at(-1)?.subject).toBe("torch 1.12.1");
  });
});
