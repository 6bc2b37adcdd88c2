import { describe, expect, test } from "vitest";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { library, module, site } from "../frameworks/python-root.ts";
import { cudnn, findings, healthy, loud, named, nvidia, packaged, torch, triton } from "./python-stack.ts";
import { needs } from "../needs.ts";

const gpus = (...names: string[]): Files => ({
  "/proc/driver/nvidia/version": {
    text: "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (dvs-builder)\n",
  },
  "/usr/lib/libcuda.so.580.95.05": library("libcuda.so.1", { pages: 300 }),
  "/usr/lib/libcuda.so.1": { link: "libcuda.so.580.95.05" },
  "/usr/lib/libnvidia-ml.so.1": library("libnvidia-ml.so.1", { pages: 300 }),
  ...Object.fromEntries(
    names.map((name, index) => [
      `/proc/driver/nvidia/gpus/0000:0${index}:00.0/information`,
      { text: `Model: \t\t ${name}\nGPU UUID: \t GPU-0000000${index}-1111-2222-3333-444444444444\n` },
    ]),
  ),
});
const defects = async (files: Files) => (await findings(files)).filter(({ rule }) => rule === "known-bad-combination");

describe("known defects", needs({ glibc: glibcLoader }), () => {
  test("cuDNN 9.10.0 is warned of wherever it is loaded, 9.10.1 is not", async () => {
    const files = (version: string) => ({ ...torch(), ...cudnn(version), ...triton("3.2.0") });
    expect(await defects(files("9.10.0.56"))).toMatchObject([
      { severity: "warning", cause: "upstream-bug", certainty: "likely", endangers: [{ framework: "torch", activity: "convolution" }] },
    ]);
    expect((await defects(files("9.10.0.56")))[0]!.sources).not.toEqual([]);
    expect(await defects(files("9.10.1.4"))).toEqual([]);
  });

  test("triton before 3.3 without setuptools: compile is endangered, and one line installs it", async () => {
    const without = (version: string) => {
      const files = { ...healthy(), ...triton(version) };
      for (const path of Object.keys(files)) if (path.includes("setuptools") || path.includes("triton-3.2.0")) delete files[path];
      return { ...files, ...Object.fromEntries(Object.entries(triton(version)).filter(([path]) => path.includes("triton"))) };
    };
    const [finding, ...others] = await defects(without("3.2.0"));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      severity: "warning",
      certainty: "certain",
      endangers: expect.arrayContaining([{ framework: "torch", activity: "compile" }]) as unknown,
    });
    expect(finding!.advice.map(({ command }) => command)).toEqual([
      ["uv", "pip", "install", "--python", "/venv/bin/python3", "setuptools==80.9.0"],
    ]);
    expect(await defects(healthy())).toEqual([]);
    expect(await defects(without("3.3.0"))).toEqual([]);
  });

  test("transformers that does not use the PyTorch beside it suffers, and PyTorch does not", async () => {
    const text = new TextEncoder().encode("import torch\n");
    const files = (transformers: string) => ({
      ...torch("2.5.1"),
      ...cudnn("9.1.0.70"),
      ...triton("3.1.0"),
      ...packaged("transformers", transformers, { "transformers/__init__.py": text }, ["torch; extra == 'torch'"]),
    });
    expect(await defects(files("5.23.0"))).toMatchObject([
      { severity: "warning", endangers: [{ framework: "transformers", activity: "import" }] },
    ]);
    expect(await defects(files("5.19.0"))).toEqual([]);
  });

  test("what takes two GPUs is silent with one", async () => {
    const files = {
      ...torch(),
      ...cudnn("9.8.0.87"),
      ...triton("3.2.0"),
      ...nvidia("nvidia-cublas-cu12", "12.9.1.4", "cublas", { "libcublasLt.so.12": {} }),
    };
    delete files[`${site}/nvidia_cublas_cu12-12.4.5.8.dist-info/METADATA`];
    delete files[`${site}/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD`];
    expect(await defects({ ...files, ...gpus("NVIDIA A100-SXM4-80GB") })).toEqual([]);
    expect(await defects({ ...files, ...gpus("NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB") })).toMatchObject([
      { subject: "cudnn-plans-on-several-gpus in /venv", severity: "warning" },
    ]);
  });

  test("what takes one architecture is silent on others", async () => {
    const files = {
      ...torch(),
      ...cudnn("9.12.0.46"),
      ...triton("3.2.0"),
      ...nvidia("nvidia-cublas-cu12", "12.8.4.1", "cublas", { "libcublasLt.so.12": {} }),
    };
    delete files[`${site}/nvidia_cublas_cu12-12.4.5.8.dist-info/METADATA`];
    delete files[`${site}/nvidia_cublas_cu12-12.4.5.8.dist-info/RECORD`];
    expect(await defects({ ...files, ...gpus("NVIDIA H200") })).toEqual([]);
    expect(await defects({ ...files, ...gpus("NVIDIA B200") })).toMatchObject([{ subject: "cublas-tensor-memory in /venv" }]);
  });

  test("torch 2.6 with what it pins has none", async () => {
    expect(named(await findings({ ...healthy(), ...gpus("NVIDIA H200", "NVIDIA H200") }))).toEqual([]);
  });

  test("TensorFlow 2.21 does not find the cuSOLVER of its own extra, and its wheel is to blame", async () => {
    const folder = `${site}/tensorflow`;
    const nvidiaFolders = ["cublas", "cudnn", "cufft", "cusparse", "cuda_runtime", "nccl"].map((name) => `$ORIGIN/../nvidia/${name}/lib`);
    const files: Files = {
      ...packaged("tensorflow", "2.21.0"),
      [`${folder}/python/platform/build_info.py`]: {
        text: "build_info = collections.OrderedDict([('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True)])\n",
      },
      [`${folder}/libtensorflow_framework.so.2`]: library("libtensorflow_framework.so.2", { runpath: nvidiaFolders.join(":") }),
      [`${folder}/python/_pywrap_tensorflow_internal.so`]: module({ needed: ["libtensorflow_framework.so.2"], runpath: "$ORIGIN/.." }),
      [`${folder}/python/platform/_pywrap_cpu_feature_guard.so`]: module({
        needed: ["libtensorflow_framework.so.2"],
        runpath: "$ORIGIN/../..",
      }),
      ...nvidia("nvidia-cuda-runtime-cu12", "12.5.82", "cuda_runtime", { "libcudart.so.12": {} }),
      ...nvidia("nvidia-cublas-cu12", "12.5.3.2", "cublas", { "libcublas.so.12": {}, "libcublasLt.so.12": {} }),
      ...nvidia("nvidia-cufft-cu12", "11.2.3.61", "cufft", { "libcufft.so.11": {} }),
      ...nvidia("nvidia-cusolver-cu12", "11.6.3.83", "cusolver", { "libcusolver.so.11": {} }),
      ...nvidia("nvidia-cusparse-cu12", "12.5.1.3", "cusparse", { "libcusparse.so.12": {} }),
      ...cudnn("9.3.0.75"),
    };
    const [found, ...others] = loud(await findings(files));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "known-bad-combination", severity: "error", cause: "upstream-bug" });
    expect(found!.breaks).toContainEqual({ framework: "tensorflow", activity: "device" });
  });
});
