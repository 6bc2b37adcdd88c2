import step from "../../../packages/core/src/log/causes/onnxruntime.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "package-conflict > wrong-wheel-cpu-only",
    "I installed both `onnxruntime` and `onnxruntime-gpu`\nSpecified provider 'CUDAExecutionProvider' is not in available provider names. Available providers: 'CPUExecutionProvider'",
  ],
  ["library-wrong-version", "I have CUDA 12.1 and cuDNN 8.9 here. Why does onnxruntime-gpu==1.19.2 not work?"],
  ["wrong-wheel-cuda-version", "CUDA 11.8 is installed, why does onnxruntime-gpu==1.19.2 fail?"],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    'LoadLibrary failed with error 126 "" when trying to load "C:\\venv\\onnxruntime\\capi\\onnxruntime_providers_cuda.dll"',
  ],
  // microsoft/onnxruntime, docs/execution-providers/CUDA-ExecutionProvider.md: 1.16 is built for CUDA 11.8, 1.20 for CUDA 12.
  [
    "wrong-wheel-cuda-version > library-missing > library-not-on-path > library-wrong-version",
    'LoadLibrary failed with error 126 "" when trying to load "C:\\app\\onnxruntime_providers_cuda.dll"\nMicrosoft.ML.OnnxRuntime.GPU (nuget package VERSION 1.16.0)\nNVIDIA CUDA Tool Kit (VERSION 12.2)',
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    'LoadLibrary failed with error 126 "" when trying to load "C:\\app\\onnxruntime_providers_cuda.dll"\nonnxruntime-gpu==1.20.0\nCUDA 12.4',
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "Failed to load onnxruntime_providers_cuda.dll, error code: 126",
  ],
  [
    "library-wrong-version > library-not-on-path > upstream-bug > wrong-wheel-cuda-version",
    "Failed to load onnxruntime_providers_cuda.dll, error code: 1114",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > wrong-wheel-cuda-version",
    "CreateExecutionProviderInstance] Failed to create CUDAExecutionProvider.",
  ],
  // Both distributions hold the folder onnxruntime/.
  [
    "package-conflict > wrong-wheel-cpu-only",
    "Specified provider 'CUDAExecutionProvider' is not in available provider names.\nonnxruntime              1.19.0\nonnxruntime-gpu          1.19.0",
  ],
]);
