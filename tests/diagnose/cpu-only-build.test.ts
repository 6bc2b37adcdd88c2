import { describe, expect, test } from "vitest";
import { library, module, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import type { Files } from "../loader/tree.ts";
import { findings, healthy, jax, named, packaged } from "./python-stack.ts";
import { needs } from "../needs.ts";

/** torch/version.py of a wheel for processors, and its libraries. */
const torchCpu: Files = {
  ...packaged("torch", "2.6.0+cpu", {
    "torch/_C.so": module({ needed: ["libtorch_python.so"], rpath: "$ORIGIN/lib" }),
    "torch/lib/libtorch_python.so": library("libtorch_python.so"),
    "torch/lib/libtorch_global_deps.so": library("libtorch_global_deps.so"),
  }),
  [`${site}/torch/version.py`]: { text: "__version__ = '2.6.0+cpu'\ncuda: Optional[str] = None\nhip: Optional[str] = None\n" },
};
const buildInfo = (isCuda: boolean): Files => ({
  [`${site}/tensorflow/python/platform/build_info.py`]: {
    text: `build_info = collections.OrderedDict([('is_cuda_build', ${isCuda ? "True" : "False"}), ('is_rocm_build', False)])\n`,
  },
  [`${site}/tensorflow/python/platform/_pywrap_cpu_feature_guard.so`]: module(),
  [`${site}/tensorflow/python/_pywrap_tensorflow_internal.so`]: module(),
});
const asked = (program: string) => ({ programs: [[program]] });

describe("builds without CUDA", needs({ glibc: glibcLoader }), () => {
  const tensorflowCpu = { ...packaged("tensorflow-cpu", "2.20.0"), ...buildInfo(false) };
  const bare: { [program: string]: Files } = {
    torch: torchCpu,
    tensorflow: tensorflowCpu,
    jax: jax("0.7.2", { plugin: false }),
    bitsandbytes: { ...torchCpu, ...packaged("bitsandbytes", "0.50.0", { "bitsandbytes/libbitsandbytes_cpu.so": module() }) },
  };

  test.each(Object.keys(bare))("%s: an error where it is asked for, else only unusual", async (program) => {
    const found = await findings(bare[program]!, asked(program));
    expect(named(found)).toEqual(["error cpu-only-build"]);
    expect(found[0]).toMatchObject({ cause: "wrong-wheel-cpu-only", breaks: [{ framework: program, activity: "device" }] });
    expect(new Set(named(await findings(bare[program]!)))).toEqual(new Set(["info cpu-only-build"]));
  });

  test.each(["torch", "tensorflow", "jax"])("%s: a warning where there is a GPU", async (program) => {
    const found = await findings(bare[program]!, { gpus: ["A100"] });
    expect(named(found)).toEqual(["warning cpu-only-build"]);
    expect(found[0]).toMatchObject({ breaks: [], endangers: [{ framework: program, activity: "device" }] });
    expect(found[0]!.because).toContain("there is a GPU: A100");
  });

  test("who hides the GPU, or has another framework for it, means it", async () => {
    expect(named(await findings(tensorflowCpu, { gpus: ["A100"], environment: { CUDA_VISIBLE_DEVICES: "-1" } }))).toEqual([
      "info cpu-only-build",
    ]);
    expect(named(await findings({ ...healthy(), ...tensorflowCpu }, { gpus: ["A100"], driver: "580.159.04" }))).toEqual([
      "info cpu-only-build",
    ]);
  });

  test("TensorFlow for processors on top of the one with CUDA is an error without being asked for", async () => {
    const files = { ...packaged("tensorflow", "2.20.0"), ...tensorflowCpu };
    expect(named(await findings(files))).toEqual(["error cpu-only-build"]);
  });

  test("half of jax's CUDA is none", async () => {
    const found = await findings(jax("0.7.2", { plugin: "0.7.2", pjrt: false }), asked("jax"));
    expect(found.find(({ rule }) => rule === "cpu-only-build")!.because[0]).toContain("without jax-cuda*-pjrt");
  });

  test("a build for AMD's GPUs, or for TPUs, has no CUDA and is no build for processors", async () => {
    const rocm = {
      ...torchCpu,
      [`${site}/torch/version.py`]: { text: "cuda: Optional[str] = None\nhip: Optional[str] = '6.2.41133'\n" },
    };
    expect(await findings(rocm)).toEqual([]);
    expect(await findings({ ...jax("0.7.2", { plugin: false }), ...packaged("libtpu", "0.0.23") })).toEqual([]);
  });

  test("without a way to the driver, a build without CUDA is still only that", async () => {
    const files = {
      ...torchCpu,
      "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  x\n" },
    };
    expect(named(await findings(files))).toEqual(["info cpu-only-build"]);
  });

  test("torch with CUDA is silent, asked for or not", async () => {
    expect(await findings(healthy(), asked("torch"))).toEqual([]);
  });
});
