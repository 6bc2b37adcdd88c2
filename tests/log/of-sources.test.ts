import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);

// Messages as the sources of profilers and frameworks build them, each alone: the cause that comes first, and what it names.
test.each<[text: string, cause: string, named?: { name?: string; required?: string; found?: string }]>([
  // XLA: cupti_tracer.cc, device_tracer_cuda.cc, cuda_dnn.cc, cuda_blas.cc, cuda_diagnostics.cc.
  ["PERMISSION_DENIED: CUPTI needs root access", "profiler-permission"],
  ["Permission denied: CUPTI need root access!", "profiler-permission"],
  [
    "E external/xla/xla/backends/profiler/gpu/device_tracer_cuda.cc:188] Cannot collect, profiler failed to start",
    "cupti-too-old-for-driver",
  ],
  ["UNIMPLEMENTED: Cudnn flash attention only supported with Cudnn >= 9.1.0", "library-wrong-version", { required: "9.1.0" }],
  ["XlaRuntimeError: INTERNAL: No engine configurations found for this opGraph and heuristics.", "library-shadowed"],
  ["E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create cublas handle: the library was not initialized", "not-a-mismatch"],
  ['could not find kernel module information in driver version file contents: ""', "kernel-module-missing"],
  // JAX's plugin.
  [
    "cuBLAS < 13.2 (120900 found) has a known issue where many kernels free TMEM buffers multiple times.",
    "upstream-bug",
    { found: "120900" },
  ],
  // Kineto and XProf.
  [
    "WARNING:2024-01-01 00:00:00 100:100 CuptiActivityApi.cpp:54] Re-enable previous CUPTI callbacks - Failed to initCallbackApi",
    "library-shadowed",
  ],
  ["WARNING:2024-01-01 00:00:00 100:100 CuptiActivityProfiler.cpp:241] GPU trace is empty!", "not-a-mismatch"],
  ["State: CollectTrace stopped by CUPTI. (Buffer size configured is 128MB)", "not-a-mismatch", { name: "the profile" }],
  ["CUPTI PM sampling requires a GPU that supports PM sampling", "profiler-platform-unsupported"],
  ["Failed to prepare CUPTI PM sampling", "profiler-platform-unsupported"],
  ["There is no GPU data to display because there were no kernels in the capture duration.", "not-a-mismatch"],
  // Paddle: gpu_resources.cc, install_check.py.
  [
    "The GPU compute capability in your current machine is 120, which is not supported by Paddle, it is recommended to install the corresponding wheel package",
    "arch-unsupported",
    { required: "12.0" },
  ],
  [
    "The GPU architecture in your current machine is Pascal, which is not compatible with Paddle installation with arch: 70 75 80 86 , it is recommended",
    "arch-unsupported",
    { found: "sm_70 sm_75 sm_80 sm_86" },
  ],
  [
    "WARNING: device: 0. The installed Paddle is compiled with CUDA 12.0, but CUDA runtime version in your machine is 11.4, which may cause serious incompatible bug.",
    "driver-too-old",
    { required: "12.0", found: "11.4" },
  ],
  [
    "The installed Paddle is compiled with CUDA12/cuDNN8,but CUDA/cuDNN version in your machine is CUDA11/cuDNN7. which will cause serious incompatible bug.",
    "driver-too-old",
    { required: "12", found: "11" },
  ],
  ["3. NVIDIA-NCCL2 is not installed correctly on your system. Please follow instruction", "library-missing", { name: "libnccl.so" }],
  // RAPIDS: gpu_utils.py.
  [
    "UnsupportedCUDAError: Detected CUDA Runtime version is 10.2. Please update your CUDA Runtime to 11.0 or above",
    "toolkit-too-old",
    { required: "11.0", found: "10.2" },
  ],
  ["UnSupportedCUDAError: We couldn't detect the GPU driver properly. Please follow the linux installation guide", "driver-too-old"],
  // TensorFlow: self_check.py.
  [
    "ImportError: Could not find the DLL(s) 'msvcp140_1.dll'. TensorFlow requires that these DLLs be installed",
    "library-missing",
    { name: "msvcp140_1.dll" },
  ],
  [
    "ImportError: Found conflicting TensorFlow installations in this environment: tensorflow 2.19.0, tensorflow-cpu 2.16.1. These distributions install",
    "package-conflict",
    { found: "tensorflow-cpu 2.16.1" },
  ],
  ["ImportError: TensorFlow requires a 64-bit Python interpreter, but this interpreter is 32-bit.", "wrong-wheel-platform"],
  ["ImportError: Could not import tensorflow. Do not import tensorflow from its source directory;", "not-a-mismatch"],
  // numba-cuda.
  ["NVIDIA CUDA Python bindings not found. Install the 'cuda' package", "package-conflict", { name: "cuda-bindings" }],
  ["RuntimeError: Link time optimization requires nvJitLink.", "library-missing", { name: "libnvJitLink.so" }],
  ["NvvmSupportError: libNVVM is not available", "library-missing", { name: "libnvvm.so" }],
  [
    "Device compute capability 5.0 is less than the minimum supported by NVRTC 13.0. Supported compute capabilities are 7.5, 8.0, 8.6.",
    "arch-unsupported",
    { required: "7.5 or newer", found: "5.0" },
  ],
])("%s", async (text, cause, named = {}) => {
  const [first] = (await explain(text)).diagnoses;
  expect(first?.cause).toBe(cause);
  for (const [key, value] of Object.entries(named)) expect(first?.[key as keyof typeof named]).toContain(value);
});

test.each([
  "W external/xla/xla/backends/profiler/gpu/cupti_tracer.cc:1678] Fail to use per-thread activity buffer, cupti trace overhead may be big. CUPTI ERROR CODE:1",
  "CUPTI activity HW trace not enabled due to not supported on this platform!",
])("harmless: %s", async (text) => {
  expect((await explain(text)).diagnoses.filter(({ cause }) => cause !== "benign-warning")).toEqual([]);
});

test("on Windows a DLL that does not load is answered with what Windows has", async () => {
  const text = "ImportError: DLL load failed while importing _pywrap_tensorflow_internal: The specified module could not be found.";
  const { diagnoses } = await explain(text);
  expect(diagnoses[0]!.fixes[0]!.commands).toEqual(["winget install --id Microsoft.VCRedist.2015+.x64 -e"]);
});

test("TensorFlow of an old release on a hosted machine: its CUDA is not that of the day", async () => {
  const { diagnoses } = await explain("In Colab I loose the GPU: restart runtime lose GPU device\n!pip install tensorflow==2.4.0");
  expect(diagnoses[0]).toMatchObject({ cause: "library-wrong-version", required: "CUDA 11.0, cuDNN 8.0" });
});

test("on Windows the folder of a DLL is that of the toolkit that is there, and names that a whole major shares are said so", async () => {
  const there =
    "CUDA Root : C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v12.2\nCuPy failed to load cudart64_12.dll: FileNotFoundError: Could not find module 'cudart64_12.dll' (or one of its dependencies).";
  const { diagnoses } = await explain(there);
  expect(diagnoses[0]!.fixes[0]!.commands[0]).toContain("CUDA\\v12.2\\bin");
  const alone = await explain(
    "CuPy failed to load nvrtc64_120_0.dll: FileNotFoundError: Could not find module 'nvrtc64_120_0.dll' (or one of its dependencies).",
  );
  expect(alone.diagnoses[0]!.required).toBe("nvrtc64_120_0.dll (CUDA 12)");
});
