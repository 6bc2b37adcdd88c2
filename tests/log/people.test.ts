import { expect, test } from "vitest";
import { explainLog } from "../../packages/core/src/culprit.ts";

const explain = (text: string) => explainLog([new TextEncoder().encode(text)]);

// What people ask, in whatever order of words: the first cause.
test.each<[text: string, cause: string]>([
  ["Why can't TensorBoard Profiler load libcupti.so.11.2?", "library-missing"],
  ["Why is TensorBoard Profiler using an incompatible libcupti version?", "library-wrong-version"],
  ["Why does the CuDNN version mismatch?", "library-wrong-version"],
  ["Is a mismatch between the loaded and compiled CuDNN versions affecting Google Colab's runtime?", "library-wrong-version"],
  ["TensorBoard profiler shows no GPU, only CPU ops", "library-not-on-path"],
  ["PyTorch not detecting my GPU inside docker container", "driver-not-exposed"],
  ["docker container doesn't see GPU even though nvidia-smi works on host", "driver-not-exposed"],
  ["tensorflow 2.12 can't see my gpu on windows", "wrong-wheel-cpu-only"],
  ["my GPU is not detected by tensorflow", "wrong-wheel-cpu-only"],
  ["jax only sees cpu, not gpu", "wrong-wheel-cpu-only"],
  ["torch.cuda.is_available() returns False on my RTX 4090 in WSL2, nvidia-smi works", "wrong-wheel-cpu-only"],
  ["torch.cuda.is_available() is False on my MacBook M1", "wrong-vendor"],
  ["Can I run torch with CUDA on my AMD Radeon RX 6700 XT?", "wrong-vendor"],
  ["Kubernetes pod can't see the GPU: nvidia.com/gpu is 0", "driver-not-exposed"],
  ["RTX 5090 not supported by PyTorch: sm_120", "arch-unsupported"],
  ["Cannot build flash-attn: CUDA version mismatch between nvcc and torch", "toolkit-vs-framework-at-build"],
  ["onnxruntime-gpu looks for cudnn 8 but I have cudnn 9", "library-wrong-version"],
  ["JAX and PyTorch need different cuDNN versions in the same environment", "package-conflict"],
  ["LD_LIBRARY_PATH makes pytorch load the wrong cudnn", "library-shadowed"],
  ["Two versions of libcudart loaded into the same process", "two-copies"],
  ["nvcc doesn't support gcc 13", "toolkit-too-old"],
  ["Numba generates PTX that is too new for my driver", "ptx-newer-than-driver"],
  ["nvidia kernel module not loaded after reboot with secure boot", "kernel-module-missing"],
  ["cupy-cuda11x installed but machine has CUDA 12", "wrong-wheel-cuda-version"],
  ["bitsandbytes can't find CUDA libraries", "library-missing"],
  ["The profile option is missing from the tensorboard page. Help please!", "profiler-plugin-version"],
  ["Is the RTX 3090 supported by DCGM profiling metrics (DCP)?", "profiler-platform-unsupported"],
  ["dcgm-exporter on GeForce RTX 4070: DCGM_FI_PROF_GR_ENGINE_ACTIVE is not collected", "profiler-platform-unsupported"],
  ["mamba installs the cpu version of pytorch instead of the gpu version", "wrong-wheel-cpu-only"],
  ["I can't run it on my GPU, please help", "wrong-wheel-cpu-only"],
  ["With roctracer on ROCm 7.1 there are no kernel events, it worked on ROCm 6.4", "upstream-bug"],
  ["Can nsys do profiling on AMD GPUs, is that supported?", "profiler-platform-unsupported"],
])("%s", async (text, cause) => {
  expect((await explain(text)).diagnoses[0]?.cause).toBe(cause);
});

// What is asked, wished, promised or told of others' things.
test.each([
  "How do I limit GPU memory in tensorflow?",
  "tensorboard has no plugin for videos, only the profile plugin works",
  "The profile plugin page in tensorboard shows the GPU kernels",
  "rocprofv3 writes all kernels of my program",
  "This tutorial shows how to use the GPU with PyTorch",
  "You can run this example without a GPU",
  "Our model doesn't need a GPU",
  "If your GPU is not detected, see the FAQ",
  "We do not use CUDA in these tests",
  "cuDNN is not required for inference",
  "My GPU is an RTX 3090 with driver 535 and CUDA 12.2",
  "Training is slow, the GPU is only used at 30%",
  "Which CUDA versions does PyTorch 2.4 support?",
  "Add support for RTX 5090",
  "Feature request: support AMD GPUs",
  "I couldn't find a way to load the model on the CPU",
  "The model does not fit on my GPU",
  "we don't ship libcudart.so in this wheel",
  "The test does not see any difference between GPU and CPU",
  "It didn't find the answer although the GPU was busy",
  "nccl is not used for single GPU training",
  "The kernel module for my keyboard is not loaded",
  "Different versions of the GPU kernels are compared",
])("nothing is wrong: %s", async (text) => {
  expect((await explain(text)).diagnoses).toEqual([]);
});
