import { describe, expect, test } from "vitest";
import { library, module, without } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { cudnn, findings, healthy, loud, named, packaged } from "./python-stack.ts";
import { needs } from "../needs.ts";

describe("packages that overwrite each other", needs({ glibc: glibcLoader }), () => {
  test("cuDNN for CUDA 13 on top of the one that torch pins", async () => {
    const [found, ...others] = await findings({ ...healthy(), ...cudnn("9.12.0.46", "13", 3) });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "packages-overwrite-each-other",
      severity: "warning",
      cause: "package-conflict",
      subject: "nvidia-cudnn-cu12 and nvidia-cudnn-cu13 in /venv",
    });
    expect(found!.message).toContain("what is there is of nvidia-cudnn-cu13 9.12.0.46, so nvidia-cudnn-cu12 9.1.0.70 is not");
    expect(found!.because).toContain("torch 2.6.0 asks for nvidia-cudnn-cu12");
  });

  test("the other way round nothing is harmed yet", async () => {
    const found = await findings({ ...cudnn("9.12.0.46", "13", 3), ...healthy() });
    expect(named(found)).toEqual(["info packages-overwrite-each-other"]);
    expect(found[0]!.message).toContain("what is there is of nvidia-cudnn-cu12 9.1.0.70");
  });

  test("an older release on top of the pinned one is what stops torch", async () => {
    const [found, ...others] = await findings({ ...healthy(), ...cudnn("9.0.0.312", "13", 3) });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "packages-overwrite-each-other",
      severity: "error",
      breaks: [{ framework: "torch", activity: "rnn" }],
    });
  });

  test("the same files in both are no conflict", async () => {
    expect(await findings({ ...healthy(), ...cudnn("9.1.0.70", "13") })).toEqual([]);
  });

  test("one of two was uninstalled and took the other's files along", async () => {
    const gone = without(healthy(), /nvidia\/cudnn\/lib/);
    const [found, ...others] = await findings(gone);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ rule: "wheel-files-missing", severity: "error" });
    expect(found!.because[1]).toMatch(/nvidia-cudnn-cu13 fill the same folder/);
  });

  test("one file that is gone was not taken along", async () => {
    const [found] = await findings(without(healthy(), /libcudnn_graph/));
    expect(found!.because.join()).not.toMatch(/same folder/);
  });
});

describe("onnxruntime and onnxruntime-gpu", needs({ glibc: glibcLoader }), () => {
  const capi = "onnxruntime/capi";
  const plain = packaged("onnxruntime", "1.20.1", {
    [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN" }),
    [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
  });
  const gpu = packaged("onnxruntime-gpu", "1.20.2", {
    [`${capi}/onnxruntime_pybind11_state.so`]: module({ runpath: "$ORIGIN", pages: 2 }),
    [`${capi}/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
    [`${capi}/libonnxruntime_providers_cuda.so`]: module({ needed: ["libcuda.so.1"] }),
  });

  test("the one without CUDA on top: the GPU is lost, and one finding says so", async () => {
    const [found, ...others] = await findings({ ...gpu, ...plain });
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      rule: "cpu-only-build",
      severity: "error",
      cause: "wrong-wheel-cpu-only",
      breaks: [{ framework: "onnxruntime", activity: "device" }],
    });
    expect(found!.because[0]).toContain("onnxruntime 1.20.1 was installed over onnxruntime-gpu 1.20.2");
  });

  test("the one with CUDA on top works, until one of them is removed", async () => {
    expect(loud(await findings({ ...plain, ...gpu }))).toEqual([]);
    expect(named(await findings({ ...plain, ...gpu }))).toEqual(["info packages-overwrite-each-other"]);
  });

  test("alone, the one with CUDA is silent and the one without is unusual, or an error where it is asked for", async () => {
    expect(await findings(gpu)).toEqual([]);
    expect(named(await findings(plain))).toEqual(["info cpu-only-build"]);
    expect(named(await findings(plain, { programs: [["onnxruntime"]] }))).toEqual(["error cpu-only-build"]);
  });

  test("of the one with CUDA, its provider can only be lost", async () => {
    expect(named(await findings(without(gpu, /providers_cuda/)))).toEqual(["error wheel-files-missing"]);
  });
});
