import step from "../../../packages/core/src/log/causes/forward-compat.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "kernel-module-mismatch > forward-compat-misuse > driver-too-old",
    "Error 803: system has unsupported display driver / cuda driver combination",
  ],
  // On a machine of one's own a restart helps (rapidsai/cusignal issue 398); an image brings a compat library.
  [
    "kernel-module-mismatch > forward-compat-misuse > driver-too-old",
    "RuntimeError: cuda runtime error (804) : forward compatibility was attempted on non supported HW at THCGeneral.cpp:47",
  ],
  // The driver runs that CUDA by itself: something brings a libcuda beside it.
  [
    "forward-compat-misuse > kernel-module-mismatch > driver-too-old",
    "My driver version is 470.141.03 with CUDA 11.7.\nError 804: forward compatibility was attempted on non supported HW",
  ],
  [
    "forward-compat-misuse > kernel-module-mismatch > driver-too-old",
    "$ docker run --gpus all nvcr.io/nvidia/pytorch:24.05-py3 python train.py\nRuntimeError: Unexpected error from cudaGetDeviceCount(). Error 804: forward compatibility was attempted on non supported HW",
  ],
]);
