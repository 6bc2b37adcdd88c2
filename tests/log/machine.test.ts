import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import type { Explanation } from "../../packages/core/src/model/explain.ts";

/** A text beside a machine of the case book: what is concluded then, and what was without it. */
const beside = (text: string, name?: string) => {
  const where = name === undefined ? [] : ["--target", `cases/${name}/snapshot.json.gz`];
  const { stdout, stderr } = spawnSync(process.execPath, ["dist/cli.js", "explain", "-", "--json", ...where], {
    input: text,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  expect(stderr).toBe("");
  return (JSON.parse(stdout) as Explanation).diagnoses[0]!;
};

const cudnn = (found: string) =>
  `RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (9, 19, 0) but found runtime version (${found}). PyTorch already comes bundled with cuDNN.`;
const dso =
  "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcupti.so.11.2'; dlerror: libcupti.so.11.2: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda-11.4/lib64";

// The machine of h200-healthy: driver 580.159.04, an H200, torch 2.11 for CUDA 13.0 with cuDNN 9.19 of its wheel, cuDNN 9.14 of apt.
test.each<[says: string, text: string, alone: string, name: string, cause: string, message: RegExp]>([
  [
    "its driver is new enough",
    "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).",
    "driver-too-old",
    "h200-healthy",
    "not-a-mismatch",
    /580\.159\.04, which runs CUDA 13\.0/,
  ],
  [
    "its GPU is another",
    "NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
    "arch-unsupported",
    "h200-healthy",
    "not-a-mismatch",
    /no GPU of sm_120, but NVIDIA H200/,
  ],
  [
    "it is not under WSL",
    "E cupti_error_manager.cc:133] cuptiProfilerInitialize: error 44: CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED",
    "profiler-platform-unsupported",
    "h200-healthy",
    "not-a-mismatch",
    /runs Linux itself/,
  ],
  [
    "its torch has CUDA",
    "AssertionError: Torch not compiled with CUDA enabled",
    "wrong-wheel-cpu-only",
    "h200-healthy",
    "not-a-mismatch",
    /torch 2\.11\.0, built for CUDA 13\.0, is in \/opt\/torch\/\.venv/,
  ],
  [
    "its counters are open",
    "failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
    "profiler-permission",
    "h200-healthy",
    "not-a-mismatch",
    /RmProfilingAdminOnly: 0/,
  ],
  [
    "its counters are closed",
    "failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
    "profiler-permission",
    "counters-for-administrators-only",
    "profiler-permission",
    /counters/,
  ],
  [
    "its driver is whole",
    "Failed to initialize NVML: Driver/library version mismatch",
    "kernel-module-mismatch",
    "h200-healthy",
    "not-a-mismatch",
    /both 580\.159\.04/,
  ],
  [
    "the very file that answered",
    cudnn("9, 14, 0"),
    "library-shadowed",
    "h200-healthy",
    "library-shadowed",
    /`\/usr\/lib\/x86_64-linux-gnu\/libcudnn\.so\.9\.14\.0` answered, and the right one lies in `\/opt\/torch/,
  ],
  ["the file that only a tool has", dso, "library-wrong-version", "h200-healthy", "library-not-on-path", /belongs to Nsight Compute/],
  [
    "parts that are mixed, by their files",
    "RuntimeError: cuDNN error: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
    "mixed-cudnn-sublibraries",
    "h200-system-cudnn-first",
    "mixed-cudnn-sublibraries",
    /libcudnn_graph\.so\.9\.14\.0/,
  ],
  [
    "no TensorFlow is there",
    "Num GPUs Available:  0",
    "wrong-wheel-cpu-only",
    "h200-healthy",
    "not-a-mismatch",
    /no tensorflow is in any environment/,
  ],
  [
    "CUPTI is not there",
    "E cupti_tracer.cc:1666] CUPTI could not be loaded or symbol could not be found.",
    "library-not-on-path",
    "cupti-uninstalled",
    "library-wrong-version",
    /libcupti\.so\.13/,
  ],
])("a machine decides: %s", (_, text, alone, name, cause, message) => {
  expect(beside(text).cause).toBe(alone);
  const first = beside(text, name);
  expect(first.cause).toBe(cause);
  expect(first.message).toMatch(message);
});

test("what a machine does not know it does not refute: a text about memory stays what it is", () => {
  expect(beside("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "h200-healthy")).toMatchObject({
    cause: "not-a-mismatch",
    certainty: "certain",
  });
});

test("that it is not under WSL does not rule out a virtual GPU", () => {
  const text = "E cupti_error_manager.cc:133] cuptiProfilerInitialize: error 41: CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED";
  expect(beside(text, "h200-healthy").message).not.toMatch(/WSL/);
});
