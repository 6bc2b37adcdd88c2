import step from "../../../packages/core/src/log/causes/built-with.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "toolkit-vs-framework-at-build > cuda-home-wrong",
    "Exception: >- DeepSpeed Op Builder: Installed CUDA version 12.4 does not match the version torch was compiled with 11.8, unable to compile cuda/cpp extensions without a matching cuda version.",
  ],
  [
    "toolkit-vs-framework-at-build",
    "RuntimeError: Cuda extensions are being compiled with a version of Cuda that does not match the version used to compile Pytorch binaries.  Pytorch binaries were compiled with Cuda 12.1.",
  ],
  [
    "wrong-wheel-cuda-version > package-conflict > toolkit-vs-framework-at-build",
    "RuntimeError: Detected that PyTorch and torch_scatter were compiled with different CUDA versions. PyTorch has CUDA version 11.1 and torch_scatter has CUDA version 10.2. Please reinstall the torch_scatter that matches your PyTorch install.",
  ],
  [
    "wrong-wheel-cuda-version > package-conflict > toolkit-vs-framework-at-build",
    "RuntimeError: Detected that PyTorch and torchvision were compiled with different CUDA major versions. PyTorch has CUDA Version=12.1 and torchvision has CUDA Version=11.8.",
  ],
  [
    "toolkit-vs-framework-at-build > cuda-home-wrong",
    "RuntimeError: The detected CUDA version (12.1) mismatches the version that was used to compile PyTorch (11.8). Please make sure to use the same CUDA versions.",
  ],
  [
    "toolkit-vs-framework-at-build > cuda-home-wrong",
    "RuntimeError: Error compiling objects for extension\nnvcc: Cuda compilation tools, release 12.1, V12.1.105\ntorch 1.13.1+cu117",
  ],
]);
