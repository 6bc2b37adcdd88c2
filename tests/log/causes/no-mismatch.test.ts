import step from "../../../packages/core/src/log/causes/no-mismatch.ts";
import { holds } from "./holds.ts";

holds(step, [
  ["not-a-mismatch", "RuntimeError: CUDA error: device-side assert triggered"],
  ["not-a-mismatch", "RuntimeError: CUDA error: an illegal memory access was encountered"],
  ["not-a-mismatch", "RuntimeError: CUDA error: unspecified launch failure"],
  ["not-a-mismatch", "RuntimeError: CUDA error: the launch timed out and was terminated"],
  ["not-a-mismatch", "RuntimeError: CUDA error: uncorrectable ECC error encountered"],
  ["not-a-mismatch", "RuntimeError: CUDA error: misaligned address"],
  ["not-a-mismatch > driver-not-exposed > kernel-module-missing", "CUDA error: no CUDA-capable device is detected"],
  ["not-a-mismatch > kernel-module-mismatch > driver-not-exposed", "Error 802: system not yet initialized"],
  [
    "not-a-mismatch > kernel-module-missing > kernel-module-mismatch > driver-not-exposed",
    "failed call to cuInit: CUDA_ERROR_UNKNOWN: unknown error",
  ],
  ["not-a-mismatch", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 10.01 GiB"],
  ["benign-warning > driver-not-exposed > library-missing", "failed call to cuInit: UNKNOWN ERROR (303)"],
  [
    "library-shadowed > library-wrong-version > not-a-mismatch > arch-unsupported",
    "CUDNN_FE failure 11: CUDNN_BACKEND_API_FAILED ; GPU=0 ; hostname=node ; file=conv.cc ; line=224",
  ],
  [
    "benign-warning",
    "Installed CUDA version 12.2 does not match the version torch was compiled with 12.1 but since the APIs are compatible, accepting this combination",
  ],
  ["benign-warning", "/sbin/ldconfig.real: /usr/lib/wsl/lib/libcuda.so.1 is not a symbolic link"],
  ["not-a-mismatch > package-conflict", "AttributeError: module 'jaxlib.xla_client' has no attribute 'generate_pjrt_gpu_plugin_options'"],
  [
    "not-a-mismatch > package-conflict",
    "TypeError: register_custom_call_target(): incompatible function arguments. The following argument types are supported:",
  ],
  [
    "benign-warning",
    "Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\". Available platform names are: CUDA",
  ],
  ["benign-warning", "STAGE:2023-05-05 10:10:10 1000:1000 ActivityProfilerController.cpp:311] Completed Stage: Warm Up"],
  ["benign-warning", "[W kineto_shim.cpp:372] Profiler is not initialized: skipping step() invocation"],
  ["benign-warning", "'+ptx85' is not a recognized feature for this target (ignoring feature)"],
  [
    "benign-warning",
    "../src/base.cc:80: cuDNN lib mismatch: linked-against version 8200 != compiled-against version 8100.  Set MXNET_CUDNN_LIB_CHECKING=0 to quiet this warning.",
  ],
  [
    "library-wrong-version > not-a-mismatch > driver-too-old > arch-unsupported",
    "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:47, unhandled cuda error, NCCL version 21.0.3",
  ],
  ["library-wrong-version", "NCCL WARN Mismatched NCCL version detected : rank 0 version 21803 rank 1 version 21903"],
  [
    "benign-warning",
    "NCCL INFO NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: No such file or directory No plugin found (libnccl-net.so), using internal implementation",
  ],
  [
    "benign-warning",
    "nvcc warning : The 'compute_35', 'compute_37', 'sm_35', and 'sm_37' architectures are deprecated, and may be removed in a future release",
  ],
  ["not-a-mismatch", "NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus."],
  [
    "not-a-mismatch > wrong-wheel-cpu-only",
    "ValueError: This ORT build has ['AzureExecutionProvider', 'CPUExecutionProvider'] enabled. Since ORT 1.9, you are required to explicitly set the providers parameter when instantiating InferenceSession.",
  ],
  [
    "benign-warning",
    "W0101 00:00:00.000000 10000 device_context.cc:447] Please NOTE: device: 0, GPU Compute Capability: 8.6, Driver API Version: 11.4, Runtime API Version: 10.2",
  ],
  ["not-a-mismatch", "TensorFlow 2.4 (CUDA 11.0), nvidia-smi says 12.0"],
  ["not-a-mismatch", "ModuleNotFoundError: No module named 'torch'"],
  [
    "benign-warning",
    "UserWarning: The detected CUDA version (12.4) has a minor version mismatch with the version that was used to compile PyTorch (12.1). Most likely this shouldn't be a problem.",
  ],
  [
    "benign-warning",
    "UserWarning: 1Torch was not compiled with flash attention. (Triggered internally at ..\\aten\\src\\ATen\\native\\transformers\\cuda\\sdp_utils.cpp:455.)",
  ],
  ["benign-warning", "FutureWarning: The pynvml package is deprecated. Please install nvidia-ml-py instead."],
  [
    "not-a-mismatch > kernel-module-mismatch > driver-not-exposed",
    'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":830, please report a bug to PyTorch.',
  ],
  [
    "kernel-module-mismatch > driver-not-exposed > not-a-mismatch",
    'RuntimeError: NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":799, please report a bug to PyTorch.',
  ],
  [
    "benign-warning",
    "PossibleUserWarning: GPU available but not used. Set `accelerator` and `devices` using `Trainer(accelerator='gpu', devices=1)`.",
  ],
  [
    "benign-warning",
    "UserWarning: TensorFloat32 tensor cores for float32 matrix multiplication available but not enabled. Consider setting `torch.set_float32_matmul_precision('high')` for better performance.",
  ],
  [
    "benign-warning",
    "UserWarning: Deterministic behavior was enabled with either `torch.use_deterministic_algorithms(True)` or `at::Context::setDeterministicAlgorithms(true)`, but this operation is not deterministic because it uses CuBLAS and you have CUDA >= 10.2. you must set CUBLAS_WORKSPACE_CONFIG=:4096:8",
  ],
  ["not-a-mismatch > wrong-wheel-cpu-only > driver-too-old > driver-not-exposed", "the Volatile GPU-Util is 0%"],
  [
    "benign-warning > library-missing > driver-not-exposed",
    "I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize, so try looking to see if a warning log message was printed above.",
  ],
  ["benign-warning", "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT"],
  [
    "benign-warning",
    "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
  ],
  [
    "benign-warning",
    "W0000 00:00:1700000000.000000 1000 computation_placer.cc:177] computation placer already registered. Please check linkage and avoid linking the same target more than once.",
  ],
  [
    "benign-warning",
    "I tensorflow/stream_executor/cuda/cuda_gpu_executor.cc:923] could not open file to read NUMA node: /sys/bus/pci/devices/0000:01:00.0/numa_node",
  ],
  [
    "benign-warning",
    "I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
  ],
  [
    "benign-warning",
    "oneDNN custom operations are on. You may see slightly different numerical results due to floating-point round-off errors from different computation orders.",
  ],
  ["benign-warning", "I tensorflow/compiler/jit/xla_cpu_device.cc:41] Not creating XLA devices, tf_xla_enable_xla_devices not set"],
  ["benign-warning", "XLA service 0x55d0 initialized for platform CUDA (this does not guarantee that XLA will be used). Devices:"],
  [
    "benign-warning",
    "I tensorflow/compiler/mlir/mlir_graph_optimization_pass.cc:176] None of the MLIR Optimization Passes are enabled (registered 2)",
  ],
  [
    "benign-warning",
    "I tensorflow/core/common_runtime/executor.cc:1197] [/device:CPU:0] (DEBUG INFO) Executor start aborting (this does not indicate an error and you can ignore this message): INVALID_ARGUMENT: You must feed a value for placeholder tensor",
  ],
  [
    "benign-warning",
    "WARNING: [TRT]: Using an engine plan file across different models of devices is not recommended and is likely to affect performance or even cause errors.",
  ],
  [
    "benign-warning",
    "[W] [TRT] CUDA lazy loading is not enabled. Enabling it can significantly reduce device memory usage and speed up TensorRT initialization.",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "E tensorflow/stream_executor/cuda/cuda_dnn.cc:329] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED",
  ],
  ["not-a-mismatch", "CUDA_VISIBLE_DEVICES is set to -1 - this hides all GPUs from CUDA"],
  [
    "benign-warning",
    "ptxas warning : Registers are spilled to local memory in function 'gemm_fusion_dot_1', 40 bytes spill stores, 40 bytes spill loads",
  ],
  [
    "benign-warning",
    "W external/local_xla/xla/stream_executor/gpu/gpu_timer.cc:114] Delay kernel timed out: measured time has sub-optimal accuracy. There may be a missing warmup execution, please investigate in Nsight Systems.",
  ],
  ["benign-warning", "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"],
  [
    "driver-too-old",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\n-- The CUDA compiler identification is NVIDIA 12.4.131",
  ],
  [
    "not-a-mismatch > driver-not-exposed",
    "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |\nCUDA error: no CUDA-capable device is detected",
  ],
  ["not-a-mismatch", "PyTorch 2.1.0 built with CUDA 12.1\n-- CUDA detected: 10.2"],
  ["not-a-mismatch", "TensorFlow 2.4 (CUDA 11.0)\n-- CUDA detected: 10.2"],
  [
    "driver-not-exposed > library-missing > benign-warning",
    ">>> torch.cuda.is_available()\nFalse\nfailed call to cuInit: UNKNOWN ERROR (303)",
  ],
  [
    "not-a-mismatch",
    "NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2\nnvcc: Cuda compilation tools, release 11.6, V11.6.124\nWhy do they differ?",
  ],
  [
    "not-a-mismatch",
    "NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2\ntorch 2.0.1+cu118\n>>> torch.cuda.is_available()\nTrue",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "Driver Version: 384.81\nCould not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED\nTensorFlow 2.4 built with CUDA 11.0",
  ],
  [
    "library-shadowed > library-wrong-version > not-a-mismatch",
    "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm`\nGeForce RTX 3090\nCUDA 10.2",
  ],
  [
    "library-shadowed > library-wrong-version > not-a-mismatch",
    "RuntimeError: CUDA error: CUBLAS_STATUS_INVALID_VALUE when calling `cublasGemmEx`\nLD_LIBRARY_PATH=/usr/local/cuda-11.2/lib64",
  ],
  [
    "not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\ncuDNN error\nlibcublasLt",
  ],
  [
    "not-a-mismatch",
    "ModuleNotFoundError: No module named 'torch'\nSuccessfully installed torch-2.4.0\nFound existing installation: torch 2.1.0",
  ],
  [
    "arch-unsupported > toolkit-too-old > not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\nNVIDIA GeForce RTX 3090\nCUDA 10.2",
  ],
  [
    "arch-unsupported > toolkit-too-old > not-a-mismatch > library-wrong-version > library-shadowed",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\nNVIDIA GeForce RTX 3090\ntorch 1.5.0+cu101",
  ],
]);
