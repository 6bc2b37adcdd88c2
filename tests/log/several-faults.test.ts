import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

/** What went wrong, each fault by its first cause, in the order of the text; written down before anything was run. */
const logs: [faults: string[], text: string][] = [
  // Two faults that have nothing to do with each other.
  [
    ["package-conflict torch", "library-missing libcudnn.so.8"],
    `ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.
xformers 0.0.22 requires torch==2.0.1, but you have torch 2.1.0 which is incompatible.
Successfully installed torch-2.1.0
$ python serve.py
[E:onnxruntime:Default, provider_bridge_ort.cc:1480 TryGetProviderInfo_CUDA] Failed to load library libonnxruntime_providers_cuda.so with error: libcudnn.so.8: cannot open shared object file: No such file or directory`,
  ],
  [
    ["arch-unsupported", "library-wrong-version cudnn"],
    `NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.
The current PyTorch installation supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.
CUDA backend failed to initialize: Found cuDNN version 8600, but JAX was built against version 8906, which is newer. The copy of cuDNN that is installed must be at least as new as the version against which JAX was built.`,
  ],
  [
    ["kernel-module-mismatch", "driver-not-exposed"],
    `$ nvidia-smi
Failed to initialize NVML: Driver/library version mismatch
NVML library version: 535.161
$ docker run --gpus all ubuntu true
docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].`,
  ],
  [
    ["package-conflict numpy", "library-missing libcublas.so.11"],
    `A module that was compiled using NumPy 1.x cannot be run in
NumPy 2.0.2 as it may crash. To support both 1.x and 2.x
versions of NumPy, modules must be compiled with NumPy 2.0.
OSError: libcublas.so.11: cannot open shared object file: No such file or directory`,
  ],
  [
    ["toolkit-too-old nvcc", "profiler-permission"],
    `#error -- unsupported GNU version! gcc versions later than 11 are not supported!
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.`,
  ],
  [
    ["library-missing libcublasLt.so.12", "toolkit-too-old ptxas"],
    `[E:onnxruntime:Default, provider_bridge_ort.cc:1480 TryGetProviderInfo_CUDA] Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.12: cannot open shared object file: No such file or directory
ptxas fatal   : Value 'sm_120a' is not defined for option 'gpu-name'`,
  ],
  [
    ["toolkit-vs-framework-at-build nvcc", "library-missing libnvrtc.so.12"],
    `RuntimeError: The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.1). Please make sure to use the same CUDA versions.
RuntimeError: CuPy failed to load libnvrtc.so.12: OSError: libnvrtc.so.12: cannot open shared object file: No such file or directory`,
  ],
  [
    ["library-wrong-version nccl", "profiler-permission"],
    `node1: NCCL WARN Mismatched NCCL version detected : rank 0 version 21803 rank 1 version 21903
==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0.`,
  ],
  // One fault, and what came of it.
  [
    ["library-missing"],
    `W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file: No such file or directory
W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcublas.so.11'; dlerror: libcublas.so.11: cannot open shared object file: No such file or directory
W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcufft.so.10'; dlerror: libcufft.so.10: cannot open shared object file: No such file or directory
W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU. Skipping registering GPU devices...
Num GPUs Available:  0`,
  ],
  [
    ["driver-too-old"],
    `UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 10010). Please update your GPU driver
RuntimeError: No CUDA GPUs are available
RuntimeError: CUDA Setup failed despite GPU being available. Please run the following command to get more info: python -m bitsandbytes`,
  ],
  [
    ["kernel-module-mismatch"],
    `$ nvidia-smi
Failed to initialize NVML: Driver/library version mismatch
UserWarning: Can't initialize NVML
RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda driver combination
>>> torch.cuda.is_available()
False`,
  ],
  [
    ["arch-unsupported"],
    `NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.
The current PyTorch installation supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.
RuntimeError: CUDA error: no kernel image is available for execution on the device`,
  ],
  [
    ["stub-library"],
    `CUDA API Error: CUDA driver is a stub library
RuntimeError: No CUDA GPUs are available`,
  ],
  [
    ["package-conflict"],
    `torchvision 0.15.2 requires torch==2.0.1, but you have torch 2.1.0 which is incompatible.
RuntimeError: operator torchvision::nms does not exist`,
  ],
  [
    ["wrong-wheel-cpu-only"],
    `AssertionError: Torch not compiled with CUDA enabled
>>> torch.__version__
'2.1.0+cpu'
>>> torch.cuda.is_available()
False
UserWarning: The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable.`,
  ],
  [
    ["driver-not-exposed"],
    `ImportError: libcuda.so.1: cannot open shared object file: No such file or directory
RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from http://www.nvidia.com/Download/index.aspx
/bin/sh: 1: nvidia-smi: not found`,
  ],
];

test.each(logs)("%j", async (faults, text) => {
  const { diagnoses } = await explainLog([new TextEncoder().encode(text)]);
  const heads = new Map<number, string>();
  for (const { fault = 1, cause, name = "", library = "" } of diagnoses)
    if (!heads.has(fault)) heads.set(fault, `${cause} ${name} ${library}`);
  const said = [...heads.values()];
  // Which comes first is a matter of what is said most plainly; that each is named, and no consequence as a fault, is not.
  expect(said).toHaveLength(faults.length);
  for (const words of faults) expect(said.some((head) => words.split(" ").every((word) => head.includes(word)))).toBe(true);
});
