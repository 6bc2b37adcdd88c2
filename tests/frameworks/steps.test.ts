// What a program does with one framework before the next: `--for tensorflow:device,torch:import`, `--for onnxruntime:preload`.
import { describe, expect, test } from "vitest";
import { checkTarget, loadsOfFrameworks, openTarget } from "../../packages/core/src/index.ts";
import { root } from "../../packages/machine/src/target/index.ts";
import { nvidia, packaged } from "../diagnose/python-stack.ts";
import { glibcLoader } from "../loader/answers.ts";
import { needs } from "../needs.ts";
import { driver, library, mapped, module, pythonRoot, without } from "./python-root.ts";

// onnxruntime_gpu-1.22.0 in small: what the provider needs lies in wheels that nothing leads to.
const capi = "onnxruntime/capi";
const onnxruntime = {
  ...packaged("onnxruntime-gpu", "1.22.0", {
    [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
    [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
    [`${capi}/libonnxruntime_providers_cuda.so`]: module({ needed: ["libcublas.so.12", "libcudnn.so.9"] }),
    [`${capi}/build_and_package_info.py`]: new TextEncoder().encode("package_name = 'onnxruntime-gpu'\ncuda_version = '12.8'\n"),
  }),
  ...nvidia("nvidia-cublas-cu12", "12.8.4.1", "cublas", { "libcublas.so.12": { needed: ["libcublasLt.so.12"] }, "libcublasLt.so.12": {} }),
  ...nvidia("nvidia-cudnn-cu12", "9.7.1.26", "cudnn", { "libcudnn.so.9": {} }),
  ...driver("/usr/lib"),
};

const opened = async () => openTarget(root(pythonRoot(onnxruntime).folder), { cpu: { level: 1 }, environment: {} });
const run = async (frameworks: string[], activities: ("device" | "import")[] = []) => {
  const answer = await loadsOfFrameworks(await opened(), { frameworks, activities, python: ["/venv"] });
  if ("problem" in answer) throw new Error(answer.problem);
  return answer;
};

describe("steps of a program", needs({ glibc: glibcLoader }), () => {
  test("onnxruntime.preload_dlls() loads NVIDIA's wheels by their paths, in its own order, and the provider finds them there", async () => {
    const plain = await run(["onnxruntime"], ["device"]);
    expect(plain.failures.map(({ name }) => name)).toEqual(["libcublas.so.12"]);
    const preloaded = await run(["onnxruntime:preload"]);
    expect(mapped(preloaded).filter((file) => file.includes("/nvidia/"))).toEqual([
      "~/nvidia/cublas/lib/libcublasLt.so.12",
      "~/nvidia/cublas/lib/libcublas.so.12",
      "~/nvidia/cudnn/lib/libcudnn.so.9",
    ]);
    expect((await run(["onnxruntime:preload"], ["device"])).failures).toEqual([]);
  });

  test("with all its libraries and no driver onnxruntime 1.22 dies", async () => {
    const kernel = { "/proc/driver/nvidia/version": { text: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  x\n" } };
    const files = without({ ...onnxruntime, ...kernel }, /libcuda\.so/);
    const examination = await openTarget(root(pythonRoot(files).folder), { cpu: { level: 1 }, environment: {} });
    const answer = await loadsOfFrameworks(examination, { frameworks: ["onnxruntime:preload"], activities: ["device"], python: ["/venv"] });
    if ("problem" in answer) throw new Error(answer.problem);
    expect(answer.failures.map(({ message }) => message)).toEqual([expect.stringMatching(/no CUDA driver.*segmentation fault$/)]);
  });

  test("what a name says that a program does is what is judged; what it cannot do is one sentence", async () => {
    const judged = await checkTarget(await opened(), { programs: [["onnxruntime:preload"]], activities: ["device"], python: ["/venv"] });
    if ("problem" in judged) throw new Error(judged.problem);
    expect(judged.check.findings.filter(({ rule }) => rule === "library-not-on-path")).toEqual([]);
    const named = await checkTarget(await opened(), { programs: [["onnxruntime:device"]], activities: [], python: ["/venv"] });
    if ("problem" in named) throw new Error(named.problem);
    expect(named.check.judged).toMatchObject([{ program: "onnxruntime", activities: ["device"] }]);
    expect(named.check.findings).toMatchObject([{ rule: "library-not-on-path", breaks: [{ activity: "device" }] }]);
    const wrong = await checkTarget(await opened(), { programs: [["onnxruntime:dance"]], activities: [], python: ["/venv"] });
    expect(wrong).toMatchObject({
      code: "bad-question",
      problem: expect.stringMatching(/^onnxruntime does no `dance`; it does import, .*, preload$/),
    });
  });
});
