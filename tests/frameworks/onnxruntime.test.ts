// onnxruntime_gpu-1.31.1-cp311 and onnxruntime_gpu-1.20.2-cp311 in small, as LD_DEBUG showed them; the needs are those of the wheels.
import { describe, expect, test } from "vitest";
import onnxruntime from "../../packages/core/src/frameworks/onnxruntime/model.ts";
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
  type Question,
} from "./python-root.ts";
import { needs } from "../needs.ts";

async function onnxruntimeIn(files: Files, question: Question = {}) {
  const made = pythonRoot(files);
  return predict(made.folder, "onnxruntime", question);
}

const folder = `${site}/onnxruntime/capi`;
const newest: Files = {
  ...installed("onnxruntime-gpu", "1.31.1"),
  [`${folder}/build_and_package_info.py`]: { text: "package_name = 'onnxruntime-gpu'\n__version__ = '1.31.1'\ncuda_version = '13.0'\n" },
  [`${folder}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
  [`${folder}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
  [`${folder}/libonnxruntime_providers_cuda.so`]: module({
    needed: ["libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13", "libcuda.so.1"],
  }),
  [`${folder}/libonnxruntime_providers_tensorrt.so`]: module({ needed: ["libcublas.so.13", "libnvinfer.so.10", "libcudnn.so.9"] }),
  ...wheel("cu13", {
    "libcublas.so.13": { needed: ["libcublasLt.so.13"], runpath: "$ORIGIN" },
    "libcublasLt.so.13": {},
    "libcurand.so.10": {},
    "libcudart.so.13": {},
  }),
  ...driver("/opt/driver"),
};

describe("ONNX Runtime", needs({ glibc: glibcLoader }), () => {
  test("its import opens the shared provider and no library of CUDA's", async () => {
    const loads = await onnxruntimeIn(newest);
    expect(mapped(loads, "certain")).toEqual([
      "~/onnxruntime/capi/onnxruntime_pybind11_state.so",
      "~/onnxruntime/capi/libonnxruntime_providers_shared.so",
    ]);
  });

  test("NVIDIA's wheels beside it do not help the CUDA provider: the session falls back to the CPU", async () => {
    const loads = await onnxruntimeIn(newest, { do: ["device"], environment: { LD_LIBRARY_PATH: "/opt/driver" } });
    expect(loads.failures.map(({ message }) => message)).toEqual([
      "Failed to create CUDAExecutionProvider: libcublasLt.so.13: cannot open shared object file: No such file or directory (the session falls back to the CPU)",
    ]);
  });

  test("on LD_LIBRARY_PATH they are found", async () => {
    const loads = await onnxruntimeIn(newest, { do: ["device"], environment: { LD_LIBRARY_PATH: `${site}/nvidia/cu13/lib:/opt/driver` } });
    expect(loads.failures).toEqual([]);
    expect(mapped(loads, "certain").slice(2)).toEqual([
      "~/onnxruntime/capi/libonnxruntime_providers_cuda.so",
      "~/nvidia/cu13/lib/libcublasLt.so.13",
      "~/nvidia/cu13/lib/libcublas.so.13",
      "~/nvidia/cu13/lib/libcurand.so.10",
      "~/nvidia/cu13/lib/libcudart.so.13",
      "/opt/driver/libcuda.so.580.159.04",
    ]);
    expect(asked(loads, `${folder}/libonnxruntime_providers_cuda.so`)).toEqual(["onnxruntime_pybind11_state.so"]);
  });

  test("before 1.24 a provider is asked for by its name, so another copy on LD_LIBRARY_PATH comes first", async () => {
    const other = { "/opt/other/libonnxruntime_providers_shared.so": library("libonnxruntime_providers_shared.so") };
    const older = Object.fromEntries(Object.entries(newest).filter(([name]) => !name.includes("dist-info")));
    const loads = await onnxruntimeIn(
      { ...older, ...installed("onnxruntime-gpu", "1.20.2"), ...other },
      { environment: { LD_LIBRARY_PATH: "/opt/other" } },
    );
    expect(mapped(loads, "certain").at(-1)).toBe("/opt/other/libonnxruntime_providers_shared.so");
  });

  test("the package for processors has no CUDA provider, and that is no failure", async () => {
    const files = Object.fromEntries(Object.entries(newest).filter(([name]) => !/dist-info|_cuda|_tensorrt/.test(name)));
    const loads = await onnxruntimeIn({ ...files, ...installed("onnxruntime", "1.30.0") }, { do: ["device"] });
    expect(loads.failures).toEqual([]);
    expect(mapped(loads)).toHaveLength(2);
  });

  test("what it was compiled for is in its build info and in the names that its providers need", async () => {
    const made = pythonRoot(newest);
    const versions = await compiled(made.folder, onnxruntime, "onnxruntime-gpu");
    expect(Object.fromEntries(Object.entries(versions).map(([name, { version }]) => [name, version]))).toEqual({
      cuda: "13.0",
      cudart: "13",
      cublas: "13",
      curand: "10",
      tensorrt: "10",
    });
  });
});
