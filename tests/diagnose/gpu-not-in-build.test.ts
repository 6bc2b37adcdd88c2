import { describe, expect, test } from "vitest";
import { fitOf } from "../../packages/core/src/knowledge/gpu-code.ts";
import { installed, library, module, site } from "../frameworks/python-root.ts";
import { glibcLoader } from "../loader/answers.ts";
import { affects, judge, machineWith, torch, verdicts, withKernels } from "./gpu-root.ts";
import { needs } from "../needs.ts";

// On sm_90 as measured on an H200; the others as the CUDA Programming Guide says.
test.each([
  ["sm_90", ["sm_75"], undefined],
  ["sm_90", ["sm_80"], undefined],
  ["sm_90", ["sm_100"], undefined],
  ["sm_90", ["compute_75"], "ptx"],
  ["sm_90", ["compute_100"], undefined],
  ["sm_90", ["sm_90a"], "cubin"],
  ["sm_89", ["sm_80", "sm_86"], "cubin"],
  ["sm_86", ["sm_87", "sm_89"], undefined],
  // A Jetson is particular.
  ["sm_87", ["sm_80", "sm_86"], undefined],
  ["sm_87", ["sm_80", "sm_87"], "cubin"],
  ["sm_87", ["sm_80", "compute_80"], "ptx"],
  ["sm_72", ["sm_70"], undefined],
  ["sm_100", ["sm_90", "sm_90a"], undefined],
  ["sm_100", ["compute_90a"], undefined],
  ["sm_103", ["sm_100f"], "cubin"],
  ["sm_103", ["sm_100a"], undefined],
  ["sm_103", ["sm_100"], "cubin"],
  ["sm_100", ["sm_103f"], undefined],
  ["sm_120", ["sm_100f", "compute_100f"], undefined],
  ["sm_121", ["compute_120f"], "ptx"],
  ["sm_121", ["compute_90", "sm_120"], "cubin"],
] as const)("on %s, %j is %s", (gpu, architectures, fit) => expect(fitOf(gpu, [...architectures])).toBe(fit));

describe("gpu-not-in-build", needs({ glibc: glibcLoader }), () => {
  // Known of the wheel: sm_70 to sm_120 for 2.9.1 with CUDA 12.8, sm_50 to sm_90 for 2.4.1 with CUDA 12.1.
  const new12 = torch("2.9.1", "12.8", { cudnn: "9.10.2.21" });
  const old12 = torch("2.4.1", "12.1");

  test("a Jetson is not in a build of PyPI, though that has code for its major; nothing is certain of it", async () => {
    const [finding] = await judge(old12, { driver: "540.3.0", gpus: ["Jetson Orin"] });
    expect(finding).toMatchObject({ rule: "gpu-not-in-build", severity: "error", certainty: "likely" });
    expect(finding!.because.join()).toContain("on a Jetson, machine code runs on the very architecture that it was made for only");
  });

  test("an old GPU is not in a new build", async () => {
    const [finding, ...others] = await judge({ ...new12, ...machineWith("570.124.06", ["Tesla P100-PCIE-16GB"]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "gpu-not-in-build", severity: "error", cause: "arch-unsupported" });
    expect(affects(finding!, "torch")).toEqual(["matmul", "convolution", "rnn", "compile", "profile", "train-distributed"]);
    expect(finding!.facts.builds).toMatchObject([{ package: "torch", release: "2.9.1", variant: "cu126" }]);
    expect(finding!.advice[0]!.words).toContain("cu126 of torch 2.9.1");
  });

  test("a new GPU is not in an old build", async () => {
    const [finding, ...others] = await judge({ ...old12, ...machineWith("570.124.06", ["NVIDIA GeForce RTX 5090"]) });
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "gpu-not-in-build", severity: "error", certainty: "certain" });
    expect(finding!.subject).toBe("torch in /venv on sm_120");
  });

  test.each([["NVIDIA GeForce RTX 4090"], ["NVIDIA L4"], ["NVIDIA H200"], ["Tesla V100-SXM2-16GB"]])("%s runs both", async (gpu) => {
    expect(await judge({ ...new12, ...machineWith("570.124.06", [gpu]) })).toEqual([]);
    expect(await judge({ ...old12, ...machineWith("570.124.06", [gpu]) })).toEqual([]);
  });

  test("an old GPU beside one that fits is a warning, and none when it is hidden", async () => {
    const files = { ...new12, ...machineWith("570.124.06", ["NVIDIA GeForce RTX 4090", "NVIDIA GeForce GTX 1080"]) };
    const [finding, ...others] = await judge(files);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "gpu-not-in-build", severity: "warning", breaks: [] });
    expect(await judge(files, { environment: { CUDA_VISIBLE_DEVICES: "GPU-00000000" } })).toEqual([]);
    const ordered = { CUDA_DEVICE_ORDER: "PCI_BUS_ID", CUDA_VISIBLE_DEVICES: "1" };
    expect(verdicts(await judge(files, { environment: ordered }))).toEqual(["gpu-not-in-build error"]);
  });

  test("of several GPUs that are asked about, each must fit", async () => {
    const findings = await judge(new12, { driver: "580.95.05", gpus: ["RTX 4090", "P100-PCIE-16GB", "GTX 1080"] });
    expect(findings.map(({ subject }) => subject).sort()).toEqual(["torch in /venv on sm_60", "torch in /venv on sm_61"]);
    expect(verdicts(findings)).toEqual(["gpu-not-in-build error", "gpu-not-in-build error"]);
  });

  test("what is not known of a build is read from its kernels", async () => {
    const own = torch("2.4.1a0+git1234567", "12.1", { kernels: ["sm_86", "compute_86"] });
    expect(await judge(own, { driver: "580.95.05", gpus: ["RTX 4090"] })).toEqual([]);
    const [finding] = await judge(own, { driver: "580.95.05", gpus: ["T4"] });
    expect(finding).toMatchObject({ rule: "gpu-not-in-build", evidence: [`architectures: ${site}/torch/lib/libtorch_cuda.so`] });
  });

  test("a build of Conda is read, though its number is that of a wheel", async () => {
    const own = {
      ...torch("2.4.1", "12.1", { kernels: ["sm_90"] }),
      "/venv/conda-meta/history": { text: "" },
      "/venv/pyvenv.cfg": { text: "" },
    };
    const findings = await judge(own, { driver: "580.95.05", gpus: ["T4"] });
    expect(verdicts(findings)).toEqual(["gpu-not-in-build error"]);
  });

  // onnxruntime_gpu-1.31.1: no PTX, and machine code for exactly these.
  test("machine code of one architecture alone runs on no sibling", async () => {
    const provider = withKernels(library("libonnxruntime_providers_cuda.so", { needed: ["libcublasLt.so.13"] }), [
      "sm_75",
      "sm_80",
      "sm_86",
      "sm_89",
      "sm_90a",
      "sm_120a",
    ]);
    const files = {
      ...installed("onnxruntime-gpu", "1.31.1"),
      [`${site}/onnxruntime/capi/onnxruntime_pybind11_state.so`]: module(),
      [`${site}/onnxruntime/capi/libonnxruntime_providers_shared.so`]: library("libonnxruntime_providers_shared.so"),
      [`${site}/onnxruntime/capi/libonnxruntime_providers_cuda.so`]: provider,
      "/usr/lib/libcublasLt.so.13": library("libcublasLt.so.13"),
      ...machineWith("580.159.04"),
    };
    expect(await judge(files, { gpus: ["H100", "RTX 5090"] })).toEqual([]);
    expect((await judge(files, { gpus: ["GB10", "B200"] })).map(({ subject }) => subject)).toEqual([
      "onnxruntime-gpu in /venv on sm_100",
      "onnxruntime-gpu in /venv on sm_121",
    ]);
  });
});
