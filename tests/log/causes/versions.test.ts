import { expect, test } from "vitest";
import step from "../../../packages/core/src/log/causes/versions.ts";
import { contextOf } from "../../../packages/core/src/log/context.ts";
import { factsOf } from "../../../packages/core/src/log/fact.ts";
import { logReader } from "../../../packages/core/src/log/read.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "[enforce fail at common_cudnn.h:118] version_match. cuDNN compiled (7005) and runtime (7003) versions mismatch",
  ],
  ["library-shadowed > library-wrong-version", "cudnnGetVersion() : 7102 , CUDNN_VERSION from cudnn.h : 7401 (7.4.1)"],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "CUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8906, which is newer. The copy of cuDNN that is installed must be at least as new as the version against which JAX was built.",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > library-shadowed > wrong-wheel-cuda-version",
    "CUDA backend failed to initialize: Unable to load cuDNN. Is it installed?",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > library-shadowed > wrong-wheel-cuda-version",
    "RuntimeError: Unable to load cuSPARSE. Is it installed?",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "NCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.5.",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "cuDNN reports version 7.6 which is not compatible with the version 8.2 with which OpenCV was built",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "CUDART version 10020 does not match with the version 11010 with which OpenCV was built",
  ],
  [
    "library-missing > library-not-on-path > library-wrong-version > library-shadowed",
    "W0101 00:00:00.000000 10000 dynamic_loader.cc:238] Note: [Recommend] copy cudnn into CUDA installation directory.",
  ],
  [
    "library-shadowed > library-wrong-version",
    "[cudnn init] libcudnn v6 with header v5 unmatched! PaddlePaddle Requirement: (header v[2-3] with libcudnn v[2-3])",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "WARNING: device: 0. The installed Paddle is compiled with CUDNN 8.2, but CUDNN version in your machine is 8.1, which may cause serious incompatible bug. Please recompile or reinstall Paddle with compatible CUDNN version.",
  ],
  [
    "library-wrong-version > library-shadowed > cupti-too-old-for-driver",
    "Why is TensorBoard Profiler using an incompatible libcupti version?",
  ],
  ["library-wrong-version > library-shadowed > upstream-bug", "Is this because of a version problem of nvjpeg on my machine?"],
  ["library-wrong-version > library-shadowed", "Why does the CuDNN version mismatch?"],
  [
    "library-shadowed > library-wrong-version > package-conflict",
    "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 5, 0) but found runtime version (8, 4, 1). PyTorch already comes bundled with cuDNN. One option to resolving this error is to ensure PyTorch can find the bundled cuDNN. Looks like your LD_LIBRARY_PATH contains incompatible version of cudnn. Please either remove it from the path or install cudnn (8, 5, 0)",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "RuntimeError: cuDNN version mismatch: PyTorch was compiled against 7102 but linked against 7605",
  ],
  ["library-missing > library-not-on-path > library-wrong-version > library-shadowed", "UNIMPLEMENTED: DNN library is not found."],
  [
    "library-missing > library-not-on-path > library-wrong-version > library-shadowed",
    "Internal: cudaGetDevice() failed. Status: cudaGetErrorString symbol not found.",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict > benign-warning",
    "[W] [TRT] TensorRT was linked against cuDNN 8.6.0 but loaded cuDNN 8.3.2",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "These bindings are for CUDNN 5.x (5005 <= cudnn.version > 6000) , while the loaded CuDNN is version: 7005",
  ],
  [
    "library-wrong-version > library-shadowed > package-conflict",
    "E tensorflow/stream_executor/cuda/cuda_dnn.cc:359] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\n[enforce fail at common_cudnn.h:118] version_match. cuDNN compiled (7005) and runtime (7003) versions mismatch",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\nCUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8906, which is newer. The copy of cuDNN that is installed must be at least as new as the version against which JAX was built.",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\nNCCL WARN NCCL library is too old. This application was compiled with NCCL version 2.29.2, but is running with NCCL library version 2.27.5.",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\ncuDNN reports version 7.6 which is not compatible with the version 8.2 with which OpenCV was built",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\nCUDART version 10020 does not match with the version 11010 with which OpenCV was built",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\nWARNING: device: 0. The installed Paddle is compiled with CUDNN 8.2, but CUDNN version in your machine is 8.1, which may cause serious incompatible bug. Please recompile or reinstall Paddle with compatible CUDNN version.",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed > benign-warning",
    "torch 2.4.1+cpu\n[W] [TRT] TensorRT was linked against cuDNN 8.6.0 but loaded cuDNN 8.3.2",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\nThese bindings are for CUDNN 5.x (5005 <= cudnn.version > 6000) , while the loaded CuDNN is version: 7005",
  ],
  [
    "package-conflict > library-wrong-version > library-shadowed",
    "torch 2.4.1+cpu\nE tensorflow/stream_executor/cuda/cuda_dnn.cc:359] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
  ],
  [
    "library-wrong-version > library-shadowed > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "Cuda compilation tools, release 11.3, V11.3.109\nCUDA backend failed to initialize: Unable to load cuDNN. Is it installed?",
  ],
  [
    "library-wrong-version > library-shadowed > library-missing > library-not-on-path > wrong-wheel-cuda-version",
    "Cuda compilation tools, release 11.3, V11.3.109\nRuntimeError: Unable to load cuSPARSE. Is it installed?",
  ],
  [
    "library-wrong-version > library-shadowed > library-missing > library-not-on-path",
    "Cuda compilation tools, release 11.3, V11.3.109\nW0101 00:00:00.000000 10000 dynamic_loader.cc:238] Note: [Recommend] copy cudnn into CUDA installation directory.",
  ],
  [
    "library-wrong-version > library-shadowed > library-missing > library-not-on-path",
    "Cuda compilation tools, release 11.3, V11.3.109\nUNIMPLEMENTED: DNN library is not found.",
  ],
  [
    "library-wrong-version > library-shadowed > library-missing > library-not-on-path",
    "Cuda compilation tools, release 11.3, V11.3.109\nInternal: cudaGetDevice() failed. Status: cudaGetErrorString symbol not found.",
  ],
  [
    "not-a-mismatch > mixed-cudnn-sublibraries",
    "E tensorflow/stream_executor/cuda/cuda_dnn.cc:377] Loaded runtime CuDNN library: 8.4.0 but source was compiled with: 8.2.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
  ],
  [
    "library-wrong-version > library-shadowed",
    "a TensorFlow that was built against CuDNN 8.2.0\nColab has CuDNN 7.6.5 installed\ncuDNN version mismatch",
  ],
]);

test("a cuDNN that did not start was found", () => {
  const said = (text: string) => {
    const reader = logReader();
    reader.push(new TextEncoder().encode(text));
    const facts = factsOf(reader.end().facts);
    return step(facts, contextOf(facts)).length;
  };
  const refused = "Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\n";
  expect(said("UNIMPLEMENTED: DNN library is not found.")).toBe(1);
  expect(said(`${refused}UNIMPLEMENTED: DNN library is not found.`)).toBe(0);
  // JAX says so of the file itself, before anything could start.
  expect(said(`${refused}RuntimeError: Unable to load cuDNN. Is it installed?`)).toBe(1);
});
