import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import { installed, library, module, site } from "../frameworks/python-root.ts";
import type { Files } from "../loader/tree.ts";
import { judge, machineWith, verdicts } from "./gpu-root.ts";
import { needs } from "../needs.ts";

// tensorflow-2.20.0: what build_info.py says; `compute_90` stands for PTX and for machine code.
const tensorflow: Files = {
  ...installed("tensorflow", "2.20.0"),
  [`${site}/tensorflow/python/platform/build_info.py`]: {
    text: "build_info = collections.OrderedDict([('cuda_compute_capabilities', ['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90']), ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n",
  },
  [`${site}/tensorflow/python/platform/_pywrap_cpu_feature_guard.so`]: module(),
  [`${site}/tensorflow/python/_pywrap_tensorflow_internal.so`]: module({ needed: ["libtensorflow_framework.so.2"], rpath: "$ORIGIN/.." }),
  [`${site}/tensorflow/libtensorflow_framework.so.2`]: library("libtensorflow_framework.so.2", { rpath: "/opt/cuda" }),
  ...Object.fromEntries(
    [
      "cudart.so.12",
      "cublas.so.12",
      "cublasLt.so.12",
      "cufft.so.11",
      "cusolver.so.11",
      "cusparse.so.12",
      "cudnn.so.9",
      "cudnn_graph.so.9",
      "cudnn_ops.so.9",
      "cudnn_engines_precompiled.so.9",
      "cudnn_engines_runtime_compiled.so.9",
      "cudnn_heuristic.so.9",
      "cupti.so.12",
    ].map((name) => [`/opt/cuda/lib${name}`, library(`lib${name}`, { rpath: "$ORIGIN" })]),
  ),
  ...machineWith("580.159.04"),
};

describe("kernels-compiled-at-start", needs({ glibc: glibcLoader }), () => {
  test("a GPU newer than the build gets PTX, which takes its time", async () => {
    const [finding, ...others] = await judge(tensorflow, { gpus: ["RTX 5090"] });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "kernels-compiled-at-start", severity: "warning", breaks: [] });
    expect(finding!.endangers).toContainEqual({ framework: "tensorflow", activity: "matmul" });
  });

  test.each([["H100"], ["T4"], ["RTX 4090"], ["V100"]])("%s has machine code there", async (gpu) => {
    expect(await judge(tensorflow, { gpus: [gpu] })).toEqual([]);
  });

  test("a GPU older than the build has nothing", async () => {
    expect(verdicts(await judge(tensorflow, { gpus: ["GTX 980"] }))).toEqual(["gpu-not-in-build error"]);
  });

  test("an older driver of the same major cannot compile that PTX at all", async () => {
    // 550.54.15 knows PTX 8.4; that of CUDA 12.5 is 8.5. The architecture is given, so that no driver is too old for it.
    const findings = await judge(tensorflow, { driver: "550.54.15", gpus: ["sm_110"] });
    expect(verdicts(findings)).toEqual(["ptx-newer-than-driver error"]);
  });
});
