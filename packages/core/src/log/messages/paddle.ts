import { weights } from "../cause.ts";
import { fix } from "../fixes.ts";
import { builtWithoutCuda } from "../meaning.ts";
import { noise, notice, type Signature } from "../signature.ts";

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
      /device: {1,2}\d{0,2} ?\. The installed Paddle is compiled with CUDNN (?<required>\d{1,2}\.\d{1,2}), but CU\w{2,3} version in your machine is (?<found>\d{1,2}\.\d{1,2})/,
    examples: [
      "WARNING: device: 0. The installed Paddle is compiled with CUDNN 8.2, but CUDNN version in your machine is 8.1, which may cause serious incompatible bug. Please recompile or reinstall Paddle with compatible CUDNN version.",
    ],
    facts: ({ required, found }) => ({
      kind: "version-pair",
      library: "cudnn",
      required: required!,
      found: found!,
      by: "paddle",
    }),
  },
  {
    // dynload/cudnn.cc, when the search above ended with nothing.
    literals: ["cannot load cudnn shared library"],
    pattern: /Cannot load cudnn shared library(?:\. Cannot invoke method cudnn\w{3,40})?/,
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
  {
    // gpu_resources.cc: the code that the wheel holds against the GPU.
    literals: ["which is not compatible with paddle installation", "which is not supported by paddle"],
    pattern:
      /The GPU (?:architecture in your current machine is (?<generation>\w{4,12}), which is not compatible with Paddle installation with arch: (?<supported>[\d ]{2,80}\d)|compute capability in your current machine is (?<capability>\d{2,3}), which is not supported by Paddle)/,
    examples: [
      "W0101 00:00:00.000000 10000 gpu_resources.cc:106] The GPU architecture in your current machine is Pascal, which is not compatible with Paddle installation with arch: 70 75 80 86 , it is recommended to install the corresponding wheel package according to the installation information on the official Paddle website.",
      "W0101 00:00:00.000000 10000 gpu_resources.cc:114] The GPU compute capability in your current machine is 120, which is not supported by Paddle, it is recommended to install the corresponding wheel package according to the installation information on the official Paddle website.",
    ],
    facts: ({ generation, supported, capability }) => ({
      kind: "gpu-unsupported",
      ...(generation === undefined ? {} : { gpu: `a GPU of the ${generation} generation` }),
      ...(capability === undefined ? {} : { capability: `${capability.slice(0, -1)}.${capability.slice(-1)}` }),
      ...(supported === undefined
        ? {}
        : {
            supported: supported
              .split(" ")
              .map((each) => `sm_${each}`)
              .join(" "),
          }),
      by: "paddle",
    }),
  },
  {
    // gpu_resources.cc compares what the driver runs, although it says "runtime".
    literals: ["installed paddle is compiled with cuda"],
    pattern:
      /The installed Paddle is compiled with CUDA ?(?<required>\d{1,2}(?:\.\d{1,2})?)(?:\/cuDNN\d{1,2},|, )but CUDA(?: runtime|\/cuDNN)? version in your machine is (?:CUDA ?)?(?<found>\d{1,2}(?:\.\d{1,2})?)/,
    examples: [
      "WARNING: device: 0. The installed Paddle is compiled with CUDA 12.0, but CUDA runtime version in your machine is 11.4, which may cause serious incompatible bug. Please recompile or reinstall Paddle with compatible CUDA version.",
      "The installed Paddle is compiled with CUDA12/cuDNN8,but CUDA/cuDNN version in your machine is CUDA11/cuDNN7. which will cause serious incompatible bug.",
    ],
    facts: ({ required, found }) => [
      { kind: "needs-has", product: "cuda", required: required!, found: found!, relation: "least", about: "driver" },
      { kind: "voice", id: "paddle" },
    ],
  },
  {
    ...notice(
      "paddle-nccl",
      "nvidia-nccl2 is not installed correctly",
      /NVIDIA-NCCL2 is not installed correctly on your system/,
      "PaddlePaddle meets some problem with 2 GPUs. This may be caused by: 3. NVIDIA-NCCL2 is not installed correctly on your system.",
    ),
    means: {
      weight: weights.hint,
      symptom: "Paddle works with one GPU, and not with several",
      name: "libnccl.so",
      library: "nccl",
      required: "NCCL where Paddle looks",
      unless: (facts) => facts.has("not-found") || facts.has("unable-to-load"),
      next: ["python -c 'import paddle; paddle.utils.run_check()'", "pip list | grep -i nccl"],
      may: [
        {
          cause: "library-missing",
          message: "NCCL is not installed",
          fixes: [fix("install NCCL for the CUDA of this Paddle", "pip install nvidia-nccl-cu12")],
        },
        { cause: "library-not-on-path", message: "or it lies where Paddle does not look", fixes: [] },
        {
          cause: "not-a-mismatch",
          message: "or fewer GPUs are visible, or free, than Paddle was told to use",
          next: ["nvidia-smi"],
          fixes: [],
        },
      ],
    },
  },
  noise(
    "Paddle says on which GPU and with which CUDA it runs; the driver's number may be the higher one",
    ["please note: device: ", "cudnn version: "],
    /Please NOTE: device: {1,2}\d{0,3}, {1,2}(?:GPU Compute|CUDA) Capability: [\d.]{2,4}, Driver API Version: [\d.]{3,5}, Runtime API Version: [\d.]{3,5}|\] device: \d{1,3}, cuDNN Version: [\d.]{3,6}/,
    "W0101 00:00:00.000000 10000 device_context.cc:237] Please NOTE: device: 0, CUDA Capability: 61, Driver API Version: 10.1, Runtime API Version: 10.0",
    "W0101 00:00:00.000000 10000 gpu_resources.cc:91] device: 0, cuDNN Version: 8.3.",
  ),
] satisfies Signature[];
