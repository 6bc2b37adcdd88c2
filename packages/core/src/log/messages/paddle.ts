import { fix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { noise, type Signature } from "../signature.ts";

/** paddle/phi/backends/dynload/dynamic_loader.cc and dynload/cudnn.cc, gpu_resources.cc (device_context.cc before 2.3). */
export default [
  {
    // Paddle: https://github.com/PaddlePaddle/Paddle paddle/fluid/platform/device_context.cc
    literals: ["runtime api version"],
    pattern:
      /GPU Compute Capability: (?<capability>\d{1,2}\.\d), Driver API Version: (?<driver>\d{1,2}\.\d{1,2}), Runtime API Version: (?<runtime>\d{1,2}\.\d{1,2})/,
    examples: [
      "W0101 00:00:00.000000 10000 device_context.cc:447] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4, Runtime API Version: 10.2",
    ],
    facts: ({ capability, driver, runtime }) => [
      { kind: "gpu", capability: capability! },
      { kind: "driver-cuda", version: driver! },
      { kind: "framework", id: "paddle", cuda: runtime! },
    ],
  },
  {
    // Paddle opens its libraries itself, and tries several names of one.
    literals: ["that paddle depends on is not configured"],
    pattern: /third-party dynamic library \((?<names>[\w.;+-]{5,160})\) that Paddle depends on is not configured correctly/,
    examples: [
      "RuntimeError: (PreconditionNotMet) The third-party dynamic library (cublas64_102.dll;cublas64_10.dll) that Paddle depends on is not configured correctly. (error code is 126)",
    ],
    facts: ({ names }) => ({ kind: "not-found", name: names!.split(";").at(-1)!, by: "paddle" }),
  },
  {
    literals: ["copy cudnn into cuda installation directory"],
    pattern: /Note: \[Recommend\] copy cudnn into CUDA installation directory/,
    examples: ["W0101 00:00:00.000000 10000 dynamic_loader.cc:238] Note: [Recommend] copy cudnn into CUDA installation directory."],
    facts: () => ({ kind: "unable-to-load", library: "cudnn", by: "paddle" }),
  },
  {
    // paddle/cuda/src/hl_cuda_cudnn.cc, before Fluid.
    literals: ["[cudnn init]"],
    pattern: /\[cudnn init\] libcudnn v(?<found>\d{1,2}) with header v(?<required>\d{1,2}) unmatched/,
    examples: ["[cudnn init] libcudnn v6 with header v5 unmatched! PaddlePaddle Requirement: (header v[2-3] with libcudnn v[2-3])"],
    facts: ({ found, required }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: required!,
      found: found!,
      by: "paddle",
      hint: "header",
    }),
  },
  {
    literals: ["installed paddle is compiled with"],
    pattern:
      /device: {1,2}\d{0,2} ?\. The installed Paddle is compiled with CU(?<library>DNN|DA) (?<required>\d{1,2}\.\d{1,2}), but CU\w{2,3} version in your machine is (?<found>\d{1,2}\.\d{1,2})/,
    examples: [
      "WARNING: device: 0. The installed Paddle is compiled with CUDNN 8.2, but CUDNN version in your machine is 8.1, which may cause serious incompatible bug. Please recompile or reinstall Paddle with compatible CUDNN version.",
    ],
    facts: ({ library, required, found }) => ({
      kind: "version-pair",
      library: library === "DNN" ? "cudnn" : "cudart",
      required: required!,
      found: found!,
      by: "paddle",
    }),
  },
  {
    // dynload/cudnn.cc, when the search above ended with nothing.
    literals: ["cannot load cudnn shared library"],
    pattern: /Cannot load cudnn shared library\. Cannot invoke method cudnn\w{3,40}/,
    examples: [
      "Error: Cannot load cudnn shared library. Cannot invoke method cudnnGetVersion at (/paddle/paddle/fluid/platform/dynload/cudnn.cc:63)",
    ],
    facts: () => ({ kind: "unable-to-load", library: "cudnn", by: "paddle" }),
  },
  {
    literals: ["failed to find dynamic library"],
    pattern: /Failed to find dynamic library: (?<name>[\w.+-]{3,80}) ?\(/,
    examples: ["Failed to find dynamic library: libcudnn.so ( libcudnn.so: cannot open shared object file: No such file or directory )"],
    facts: ({ name }) => ({ kind: "not-found", name: name!, by: "paddle" }),
  },
  {
    // pybind: place.cc, tensor_py.h.
    literals: ["installed cpu version paddlepaddle", "in cpu only version"],
    pattern: /you have installed CPU version PaddlePaddle|(?:CUDA|GPU)(?:Pinned)?Place[\w ]{0,40} in CPU only version/,
    examples: [
      "Cannot use GPU because you have installed CPU version PaddlePaddle.",
      "PermissionDeniedError: Cannot use CUDAPlace in CPU only version, Please recompile or reinstall Paddle with CUDA support.",
    ],
    facts: () => ({ kind: "notice", id: "paddle-without-cuda" }),
    notice: "paddle-without-cuda",
    means: builtWithoutCuda(
      "paddlepaddle",
      fix("install the GPU package alone", "pip uninstall -y paddlepaddle", "pip install paddlepaddle-gpu"),
    ),
  },
  noise(
    "Paddle says on which GPU and with which CUDA it runs; the driver's number may be the higher one",
    ["please note: device: ", "cudnn version: "],
    /Please NOTE: device: {1,2}\d{0,3}, {1,2}(?:GPU Compute|CUDA) Capability: [\d.]{2,4}, Driver API Version: [\d.]{3,5}, Runtime API Version: [\d.]{3,5}|\] device: \d{1,3}, cuDNN Version: [\d.]{3,6}/,
    "W0101 00:00:00.000000 10000 device_context.cc:237] Please NOTE: device: 0, CUDA Capability: 61, Driver API Version: 10.1, Runtime API Version: 10.0",
    "W0101 00:00:00.000000 10000 gpu_resources.cc:91] device: 0, cuDNN Version: 8.3.",
  ),
] satisfies Signature[];
