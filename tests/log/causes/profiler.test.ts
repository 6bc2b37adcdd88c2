import step from "../../../packages/core/src/log/causes/profiler.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "upstream-bug > profiler-conflict > profiler-platform-unsupported",
    "our MI300X machines: the PyTorch profiler trace has no GPU kernels, torch 2.8.0+rocm6.4",
  ],
  [
    "upstream-bug > profiler-permission > not-a-mismatch",
    "Since CUDA 12.4 Update 1 CUPTI does not trace kernels any more, with CUDA 12.3 it works",
  ],
  [
    "profiler-platform-unsupported > profiler-permission > not-a-mismatch",
    "torch 2.4.1+cu121 on Windows 11: torch.profiler does not record CUDA kernels",
  ],
  ["upstream-bug", "the torch profiler crashes with an illegal memory access when CUDA graphs are used, torch 2.1.0+cu118"],
  ["upstream-bug > cupti-too-old-for-driver > profiler-conflict", "nvprof of CUDA 10.1 hangs in a program that runs without nvprof"],
  [
    "cupti-too-old-for-driver > profiler-conflict > profiler-permission > profiler-platform-unsupported > not-a-mismatch",
    "with the new toolkit CUPTI no longer records kernels",
  ],
  [
    "library-not-on-path > library-missing > profiler-permission > profiler-platform-unsupported > not-a-mismatch",
    "tf.profiler.experimental works, but the trace only shows /host:CPU",
  ],
  ["profiler-platform-unsupported > profiler-permission > not-a-mismatch", "torch.profiler on Windows 10: CUDA kernels are not recorded"],
  [
    "profiler-permission",
    "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1415] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
  ],
  [
    "library-shadowed > stub-library > driver-too-old > cupti-too-old-for-driver > profiler-permission > profiler-platform-unsupported",
    "WARNING:2024-01-01 00:00:00 100:100 init.cpp:155] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)",
  ],
  [
    "cupti-too-old-for-driver > profiler-platform-unsupported > profiler-conflict > profiler-permission > library-not-on-path > library-wrong-version",
    "cuptiGetTimestamp: error 999:",
  ],
  ["profiler-conflict", "cuptiSubscribe failed with error code 39"],
  [
    "library-not-on-path > library-missing > profiler-permission > library-wrong-version > profiler-platform-unsupported",
    "Failed to load libcupti (is it installed and accessible?)",
  ],
  [
    "profiler-platform-unsupported > profiler-permission > driver-too-old",
    'level=info msg="Not collecting DCP metrics: This request is serviced by a module of DCGM that is not currently loaded"',
  ],
  [
    "profiler-platform-unsupported > upstream-bug > wrong-wheel-cpu-only",
    "Warning: Requested Kineto profiling but Kineto is not available, make sure PyTorch is built with USE_KINETO=1",
  ],
  ["upstream-bug > profiler-platform-unsupported > wrong-wheel-cpu-only", "{<ProfilerActivity.CPU: 0>}"],
  [
    "not-a-mismatch > profiler-permission > profiler-conflict > profiler-platform-unsupported > cupti-too-old-for-driver",
    "SKIPPED: /home/u/report1.sqlite does not contain CUDA trace data.",
  ],
  ["profiler-permission > profiler-platform-unsupported > not-a-mismatch", "Sampling trigger event available: Fail"],
  [
    "profiler-platform-unsupported > arch-unsupported",
    "======== Warning: nvprof is not supported on devices with compute capability 8.0 and higher.",
  ],
  [
    "profiler-conflict",
    "==ERROR== Profiling failed because a driver resource was unavailable. Ensure that no other tool (like DCGM) is concurrently collecting profiling data.",
  ],
  [
    "profiler-permission > profiler-platform-unsupported",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nE tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1415] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES",
  ],
  [
    "profiler-platform-unsupported > profiler-permission > cupti-too-old-for-driver > library-shadowed",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nWARNING:2024-01-01 00:00:00 100:100 init.cpp:155] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)",
  ],
  [
    "profiler-platform-unsupported > cupti-too-old-for-driver > profiler-permission > library-not-on-path",
    "kernel 6.6.87.2-microsoft-standard-WSL2\ncuptiGetTimestamp: error 999:",
  ],
  [
    "profiler-platform-unsupported > not-a-mismatch > cupti-too-old-for-driver",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nSKIPPED: /home/u/report1.sqlite does not contain CUDA trace data.",
  ],
  [
    "profiler-platform-unsupported > profiler-permission",
    "kernel 6.6.87.2-microsoft-standard-WSL2\nnvpaStatus = NVPA_STATUS_INSUFFICIENT_PRIVILEGE",
  ],
  [
    "cupti-too-old-for-driver > profiler-platform-unsupported > profiler-conflict > profiler-permission > library-shadowed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\ncuptiGetTimestamp: error 999:",
  ],
  [
    "wrong-wheel-cpu-only > upstream-bug > profiler-platform-unsupported",
    "torch 2.4.1+cpu\nWarning: Requested Kineto profiling but Kineto is not available, make sure PyTorch is built with USE_KINETO=1",
  ],
  [
    "library-shadowed > stub-library > driver-too-old",
    "export LD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64:/usr/local/cuda/lib64/stubs\nWARNING:2024-01-01 00:00:00 100:100 init.cpp:155] function cbapi->getCuptiStatus() failed with error CUPTI_ERROR_NOT_INITIALIZED (15)",
  ],
  [
    "profiler-platform-unsupported > cupti-too-old-for-driver",
    "nsys 2021.3 on an H100: the report has CUDA API rows but no GPU rows, our kernels are not shown",
  ],
]);
